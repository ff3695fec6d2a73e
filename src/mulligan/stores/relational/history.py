"""The entries of one action, each held against its link in its writer's chain."""

from __future__ import annotations

from mulligan.core.action import Entry
from mulligan.stores.chain import GENESIS, ChainEntry, follows
from mulligan.stores.driver import Row, Session, UnreadableError
from mulligan.stores.encoding import decode_entry


def read_history(session: Session, action: str) -> list[Entry]:
    """Every entry of an action, oldest first; `UnreadableError` where one is not what was written.

    Except where a person has looked at the damage and accepted it.
    """
    rows = session.fetch("history", action=action)
    broken = [
        (number, row)
        for number, row in enumerate(rows, start=1)
        if row[:2] != (action, number) or not _holds(row)
    ]
    if broken:
        accepted = {(writer, seq) for writer, seq, _ in session.fetch("accepted")}
        for number, row in broken:
            # An accepted loss leaves a gap, too, and everything after it has another number.
            if not accepted or (row[1] == number and row[5:7] not in accepted):
                raise UnreadableError(
                    f"Entry {number} of action {action} is not what was written, because the store "
                    "is damaged: see what is left with `mulligan doctor`, or restore it from a "
                    "backup."
                )
    return [decode_entry(row[:5]) for row in rows]


def _holds(row: Row) -> bool:
    action, version, state, at_us, body, writer, seq, found, previous = row
    if previous is None and seq != 1:
        # What it followed on is gone, which `verify` says; alone it proves nothing.
        return True
    line = ChainEntry(writer, seq, action, version, state, at_us, body, _as_bytes(found))
    return follows(GENESIS if previous is None else _as_bytes(previous), line)


def _as_bytes(value: object) -> bytes:
    """A hash; a changed bit can make another type of it."""
    return bytes(value) if isinstance(value, (bytes, memoryview)) else b""
