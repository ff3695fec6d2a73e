"""Stretches of the log by the ids of its rows, which are time-ordered."""

from __future__ import annotations

from typing import NamedTuple

from mulligan.core.runtime.late_pattern import compile_late
from mulligan.core.storage.ids import make_uuid7

DIGITS = 7
"""Of an id, those of its block: of the twelve that are its milliseconds, all but five."""
LAST_ID = "\U0010ffff"
"""Stands after whatever an id goes on with."""
_BLOCK_US = 1000 << 20
_MOST_US = 1000 << 48
_HEX = compile_late("[0-9a-f]+")


class IdSpan(NamedTuple):
    """Ids from one on, and below another."""

    from_id: str
    below_id: str

    @property
    def empty(self) -> bool:
        """Whether no id can be in it."""
        return self.from_id >= self.below_id

    def holds(self, name: str) -> bool:
        """Whether an id is in it."""
        return self.from_id <= name < self.below_id


def shift(block: str, by: int) -> str:
    """The block that comes so many after one, or before it, whether it has rows or not."""
    if not is_hex(block):
        # No id of ours: what sorts after all that begin so ends with the next character.
        return block if by <= 0 else block[:-1] + chr(ord(block[-1:] or " ") + 1)
    moved = f"{max(0, int(block, 16) + by):0{len(block)}x}"
    return moved if len(moved) == len(block) else LAST_ID


def is_hex(text: str) -> bool:
    """Whether an id of ours may begin so."""
    return _HEX.fullmatch(text) is not None


def tells_time(block: str) -> bool:
    """Whether ids of ours are in a block."""
    return len(block) == DIGITS and is_hex(block)


def find_first_id(at_us: int) -> str:
    """Before all that were made at a time or after it."""
    if at_us >= _MOST_US:
        return LAST_ID
    return make_uuid7(at_us, 0) if at_us > 0 else ""


def find_start_us(block: str) -> int:
    """When the first id of a block that tells its time can have been made."""
    return int(block, 16) * _BLOCK_US


def find_end_us(block: str) -> int:
    """When the last id of a block that tells its time can have been made."""
    return find_start_us(block) + _BLOCK_US
