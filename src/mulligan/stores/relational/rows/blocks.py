"""Which stretches of the log have rows of which kind, so that a search leaves out all others.

A block is the rows whose ids begin alike: ids are time-ordered, so a quarter of an hour or so.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache
from hashlib import blake2s
from typing import Any, NamedTuple

from mulligan.codec.json_text import encode_json
from mulligan.core.call import LogRow
from mulligan.core.runtime.dataclass import dataclass
from mulligan.stores.database.driver import Session
from mulligan.stores.relational.rows.id_span import DIGITS, IdSpan
from mulligan.stores.relational.rows.packing import unpack
from mulligan.stores.relational.rows.strays import (
    MOMENT_CELL,
    MOMENT_DIGITS,
    mark_strays,
)

SAME = ("tenant", "agent", "server", "tool", "outcome", "error_class")
"""What the rows of a kind have in common."""
_MARKED_AT_A_TIME = 5_000
_MOST_KNOWN = 20_000
_CELL = 30
"""Digits of a time that do not count: of microseconds, a quarter of an hour or so."""

Place = tuple[Any, ...]
"""What the rows of a kind have in common, how an id begins, and a time without its last digits."""


class BlockMark(NamedTuple):
    """Rows of one kind in one block."""

    kind: tuple[str, ...]
    """What they have in common, in the order of `SAME`."""
    block: str
    from_us: int
    to_us: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Times:
    """Between which a row's own time has to be, the last not included."""

    since: int
    until: int


class BlockMarker:
    """Writes down where rows are that the log is given: what it has written before, not again."""

    def __init__(self) -> None:
        self._known: set[Place] = set()
        self._new: set[Place] = set()

    def mark(self, session: Session, rows: Iterable[LogRow]) -> None:
        """Do so in the transaction of the rows."""
        places = find_places(rows)
        mark_strays(session, {(begin, cell) for *_, begin, cell in places})
        self._new = {_cut_place(place) for place in places} - self._known
        if self._new:
            _add(session, (_find_mark(place) for place in self._new))

    def on_commit(self) -> None:
        """The transaction is done."""
        if len(self._known) > _MOST_KNOWN:
            self._known.clear()
        self._known |= self._new


def mark_old_blocks(session: Session) -> None:
    """Write down where rows are that were there before anybody did, packed ones too."""
    found = [BlockMark(row[: len(SAME)], *row[len(SAME) :]) for row in session.fetch("old_blocks")]
    for start in range(0, len(found), _MARKED_AT_A_TIME):
        _add(session, found[start : start + _MARKED_AT_A_TIME])
    for rows in _list_packed(session):
        _add(session, map(_find_mark, map(_cut_place, find_places(rows))))


def drop_blocks(session: Session, *, before_us: int) -> None:
    """Forget blocks and kinds that have no row from then on."""
    session.run("drop_blocks_before", before=before_us)
    session.run("drop_strays_before", before=before_us)
    session.run("drop_kinds_before", before=before_us)


class Blocks:
    """The blocks that have rows of some kinds and times, one after the other."""

    def __init__(self, session: Session, kinds: Sequence[int], *, times: Times) -> None:
        self._session = session
        self._values = {
            "kinds": encode_json(kinds).decode(),
            "since": times.since,
            "until": times.until,
        }

    def find_newest(self, span: IdSpan) -> str | None:
        """The last one that a span of ids reaches into."""
        return self._ask("newest_block", span)

    def find_oldest(self, span: IdSpan) -> str | None:
        """The first one."""
        return self._ask("oldest_block", span)

    def _ask(self, query: str, span: IdSpan) -> str | None:
        bounds = {"from_block": span.from_id[:DIGITS], "below": span.below_id}
        [(block,)] = self._session.fetch(query, **self._values, **bounds)
        return None if block is None else str(block)


def find_places(rows: Iterable[LogRow]) -> set[Place]:
    """The kinds and moments that rows are of."""
    # Runs once for every row ever logged: unpacking is twice as fast as naming each field.
    return {
        (
            tenant, agent, server, tool, outcome, error_class or "",
            name[:MOMENT_DIGITS], at_us >> MOMENT_CELL,
        )
        for (
            name, at_us, tenant, agent, server, tool, _, _, outcome, _,
            error_class, _, _, _, _, _, _, _, _, _,
        ) in rows
    }  # fmt: skip


def _cut_place(place: Place) -> Place:
    """The same with a whole block, and a time to a quarter of an hour or so."""
    *kind, begin, cell = place
    return (*kind, begin[:DIGITS], cell >> _CELL - MOMENT_CELL)


def _find_mark(place: Place) -> BlockMark:
    *kind, block, cell = place
    return BlockMark(tuple(kind), block, cell << _CELL, cell << _CELL)


def _add(session: Session, marks: Iterable[BlockMark]) -> None:
    kinds: dict[tuple[str, ...], int] = {}
    blocks: dict[tuple[int, str], tuple[int, int]] = {}
    for mark in marks:
        from_us, to_us = _compute_times(mark)
        kinds[mark.kind] = max(kinds.get(mark.kind, to_us), to_us)
        key = (_hash_kind(mark.kind), mark.block)
        first, last = blocks.get(key, (from_us, to_us))
        blocks[key] = (min(first, from_us), max(last, to_us))
    # In one order everywhere, so that two writers never wait for each other in a circle.
    rows = sorted((_hash_kind(kind), *kind, last_us) for kind, last_us in kinds.items())
    session.run_many("add_kinds", rows)
    session.run_many("add_blocks", sorted((*key, *times) for key, times in blocks.items()))


def _compute_times(mark: BlockMark) -> tuple[int, int]:
    """Times so far apart that most batches have nothing new to say."""
    return mark.from_us >> _CELL << _CELL, ((mark.to_us >> _CELL) + 1 << _CELL) - 1


@lru_cache(maxsize=4_096)
def _hash_kind(kind: tuple[str, ...]) -> int:
    """The number of a kind, the same whoever asks: so that nobody has to look it up to write."""
    digest = blake2s(encode_json(kind), digest_size=8).digest()
    return int.from_bytes(digest, "big", signed=True)


def _list_packed(session: Session) -> Iterator[list[LogRow]]:
    beyond = ""
    while batches := session.fetch("archives_after", beyond=beyond):
        [(beyond, packed)] = batches
        yield unpack(bytes(packed))
