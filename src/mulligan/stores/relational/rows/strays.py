"""Rows whose own time is not that of their id: a call waited for long, or a clock was set back.

Of any other row the id says when it was, to some seconds, so a search by time begins at an id. In
which blocks there are such rows is written down, with how far off they are.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import NamedTuple

from mulligan.core.interfaces import Clock
from mulligan.core.storage.instants import to_us
from mulligan.stores.database.driver import Session
from mulligan.stores.process.clock import read_utc_now
from mulligan.stores.relational.rows.id_span import (
    DIGITS,
    find_end_us,
    find_first_id,
    find_start_us,
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
NEAR_US = 86_400_000_000
"""How far off most strays are at most: a day. The others are asked for one by one."""
ANY_US = 1 << 62
"""How far off a row may be whose id says nothing."""
_MOMENT_US = 1000 << 12
_BLOCKS_A_DAY = 83
_DAYS_BESIDE = 7
"""How long programs that mark no strays may go on beside those that do."""

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


def mark_old_strays(session: Session, *, clock: Clock = read_utc_now) -> None:
    """Take every block so far for one with strays: nobody has looked.

    Those of about now and of the days to come too, as programs that do not look may be at work.
    """
    times = {block: (from_us, to_us) for block, from_us, to_us in session.fetch("all_blocks")}
    if times:
        newest = max(filter(tells_time, times), default="")
        now = find_first_id(to_us(clock(), name="now"))[:DIGITS]
        for block in filter(tells_time, {*_list_around(newest), *_list_around(now)}):
            times.setdefault(block, (find_start_us(block), find_end_us(block)))
        session.run_many("add_strays", sorted(_make_unknown(*each) for each in times.items()))


def find_first_id_since(session: Session, since_us: int) -> str:
    """The id from which on rows of a time or later ones may be."""
    near = _name_blocks(since_us - NEAR_US, since_us)
    [(behind_us, far)] = session.fetch("strays_behind", since=since_us, **near)
    first = find_first_id(since_us - max(SLACK_US, behind_us or 0))
    return first if far is None else min(first, far)


def find_first_id_after(session: Session, until_us: int) -> str:
    """The id from which on no row of before a time is."""
    near = _name_blocks(until_us, until_us + NEAR_US)
    far: dict[str, int] = dict(session.fetch("strays_ahead", near_us=NEAR_US, **near))
    first = find_first_id(until_us + max(SLACK_US, far.pop("") or 0))
    reaching = [shift(block, 1) for block in far if _reaches(block, far[block], until_us)]
    return max([first, *reaching])


def _name_blocks(first_us: int, last_us: int) -> dict[str, object]:
    return {
        "first": find_first_id(first_us)[:DIGITS],
        "last": find_first_id(last_us)[:DIGITS],
    }


def _reaches(block: str, ahead_us: int, until_us: int) -> bool:
    """Whether a row of a block may be of before a time."""
    return not tells_time(block) or find_start_us(block) - ahead_us < until_us


def _list_around(block: str) -> Iterator[str]:
    """The blocks of the day before one, and of the days after it."""
    for by in range(-_BLOCKS_A_DAY, _DAYS_BESIDE * _BLOCKS_A_DAY + 1):
        yield shift(block, by)


def _compare(moment: Moment) -> Stray | None:
    begin, cell = moment
    block, last_us = begin[:DIGITS], (cell + 1 << MOMENT_CELL) - 1
    if len(begin) < MOMENT_DIGITS or not is_hex(begin):
        # No id of ours, though it may begin as they do.
        return Stray(block, ANY_US, ANY_US, last_us)
    made_us = int(begin, 16) * _MOMENT_US
    ahead_us, behind_us = made_us + _MOMENT_US - (cell << MOMENT_CELL), last_us + 1 - made_us
    off = max(ahead_us, behind_us) > SLACK_US
    return Stray(block, ahead_us, behind_us, last_us) if off else None


def _make_unknown(block: str, times: tuple[int, int]) -> Stray:
    """One whose rows may be off by a day, or by as much as their times are."""
    from_us, to_us = times
    if not tells_time(block):
        return Stray(block, ANY_US, ANY_US, to_us)
    start_us, end_us = find_start_us(block), find_end_us(block)
    return Stray(
        block,
        ahead_us=max(NEAR_US, end_us - from_us),
        behind_us=max(NEAR_US, to_us + 1 - start_us),
        last_us=max(end_us + NEAR_US, to_us),
    )
