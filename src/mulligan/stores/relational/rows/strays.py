"""Rows whose own time is not that of their id: a call waited for long, or a clock was set back.

Of any other row the id says when it was, to some seconds, so a search by time begins at an id. In
which blocks there are such rows is written down, with how far off they are.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from mulligan.stores.database.driver import Session
from mulligan.stores.relational.rows.id_span import (
    DIGITS,
    find_end_us,
    find_first_id,
    is_hex,
    shift,
    tells_time,
)

MOMENT_DIGITS = 9
"""Of an id: of the twelve that are its milliseconds, all but three."""
MOMENT_CELL = 22
"""Digits of a time in microseconds that do not count: some seconds, as those of an id."""
SLACK_US = 1 << 24
"""How far off a row may be that is no stray: its id and its time are each compared to 4 s."""
MOST_US = 86_400_000_000
"""No search looks for rows that are further off: a day."""
_MOMENT_US = 1000 << 12
_BLOCKS_A_DAY = 83

Moment = tuple[str, int]
"""How an id begins, and its row's time without its last digits."""


class Stray(NamedTuple):
    """A block with rows that are off."""

    block: str
    ahead_us: int
    """How much later than its row's time an id may be."""
    behind_us: int
    """How much earlier."""
    last_us: int
    """No row that is off has a later time."""


def mark_strays(session: Session, moments: Iterable[Moment]) -> None:
    """Write down which blocks have rows that are off, in the transaction of the rows."""
    found: dict[str, Stray] = {}
    for moment in moments:
        stray = _compare(moment)
        if stray is not None:
            block, *sizes = stray
            _, *others = found.get(block, stray)
            found[block] = Stray(block, *map(max, sizes, others))
    if found:
        # In one order everywhere, so that two writers never wait for each other in a circle.
        session.run_many("add_strays", sorted(found.values()))


def mark_old_strays(session: Session) -> None:
    """Take every block so far for one with strays: nobody has looked.

    Those of the day after the last row too, as programs that do not look may still be at work.
    """
    blocks = [block for (block,) in session.fetch("all_blocks") if tells_time(block)]
    if blocks:
        newest = max(blocks)
        blocks += [shift(newest, by) for by in range(1, _BLOCKS_A_DAY + 1)]
        rows = [_make_unknown(block) for block in blocks if tells_time(block)]
        session.run_many("add_strays", sorted(rows))


def find_first_id_since(session: Session, since_us: int) -> str:
    """The id from which on rows of a time or later ones may be."""
    first, last = since_us - MOST_US, since_us
    [(behind_us,)] = session.fetch("strays_behind", **_name_blocks(first, last))
    return find_first_id(since_us - max(SLACK_US, behind_us or 0))


def find_first_id_after(session: Session, until_us: int) -> str:
    """The id from which on no row of before a time is."""
    first, last = until_us, until_us + MOST_US
    [(ahead_us,)] = session.fetch("strays_ahead", **_name_blocks(first, last))
    return find_first_id(until_us + max(SLACK_US, ahead_us or 0))


def _name_blocks(first_us: int, last_us: int) -> dict[str, object]:
    return {
        "first": find_first_id(first_us)[:DIGITS],
        "last": find_first_id(last_us)[:DIGITS],
    }


def _compare(moment: Moment) -> Stray | None:
    begin, cell = moment
    block, last_us = begin[:DIGITS], (cell + 1 << MOMENT_CELL) - 1
    if not tells_time(block):
        return None
    if len(begin) < MOMENT_DIGITS or not is_hex(begin):
        # No id of ours, though it begins as they do: a search for them comes past it.
        return Stray(block, MOST_US, MOST_US, last_us)
    made_us = int(begin, 16) * _MOMENT_US
    ahead_us, behind_us = made_us + _MOMENT_US - (cell << MOMENT_CELL), last_us + 1 - made_us
    off = max(ahead_us, behind_us) > SLACK_US
    return Stray(block, ahead_us, behind_us, last_us) if off else None


def _make_unknown(block: str) -> Stray:
    return Stray(block, MOST_US, MOST_US, find_end_us(block) + MOST_US)
