"""Finds rows of the log by blocks and ids.

A block is the rows whose ids begin alike: ids are time-ordered, so a quarter of an hour or so.
Which blocks have rows of which kind is written down, so that a search leaves out all others.

A *stray* is a row whose own time is not that of its id: a call waited for long, or a clock was
set back. Of any other row the id says when it was, to some seconds, so a search by time begins
at an id. In which blocks there are strays is written down, with how far off they are.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Sequence
from functools import lru_cache
from hashlib import blake2s
from typing import Any, NamedTuple

from msgspec import Struct
from msgspec.structs import replace

from mulligan.codec import encode_json
from mulligan.stores.database import Session
from mulligan.stores.encoding import decode_log_row
from mulligan.types.call import LogRow, Outcome
from mulligan.types.log import LogQuery
from mulligan.types.reply import RATED
from mulligan.types.values import make_uuid7, to_us

DIGITS = 7
"""Of an id, those of its block: of the twelve that are its milliseconds, all but five."""
LAST_ID = "\U0010ffff"
"""Stands after whatever an id goes on with."""
_BLOCK_US = 1000 << 20
_MOST_US = 1000 << 48
_HEX = re.compile("[0-9a-f]+")


class IdSpan(NamedTuple):
    """Ids from one on, and below another."""

    from_id: str
    below_id: str


def shift_block(block: str, by: int) -> str:
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
    # Of one that tells no time, any row may be of before it.
    reaching = [
        shift_block(block, 1)
        for block, ahead_us in far.items()
        if not tells_time(block) or find_start_us(block) - ahead_us < until_us
    ]
    return max([first, *reaching])


def _name_blocks(first_us: int, last_us: int) -> dict[str, object]:
    return {
        "first": find_first_id(first_us)[:DIGITS],
        "last": find_first_id(last_us)[:DIGITS],
    }


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


SAME = ("tenant", "agent", "server", "tool", "outcome", "error_class")
"""What the rows of a kind have in common."""
_MOST_KNOWN = 20_000
_CELL = 30
"""Digits of a time that do not count: of microseconds, a quarter of an hour or so."""

Place = tuple[Any, ...]
"""What the rows of a kind have in common, how an id begins, and a time without its last digits."""


class BlockMarker:
    """Writes down where rows are that the log is given: what it has written before, not again."""

    def __init__(self) -> None:
        self._known: set[Place] = set()
        self._new: set[Place] = set()

    def mark(self, session: Session, rows: Iterable[LogRow]) -> None:
        """Do so in the transaction of the rows."""
        places = find_places(rows)
        mark_strays(session, {(begin, cell) for *_, begin, cell in places})
        # With whole blocks, and times so far apart that most batches have nothing new to say.
        cut = {
            (*kind, begin[:DIGITS], cell >> _CELL - MOMENT_CELL) for *kind, begin, cell in places
        }
        self._new = cut - self._known
        if self._new:
            _add(session, self._new)

    def on_commit(self) -> None:
        """The transaction is done."""
        if len(self._known) > _MOST_KNOWN:
            self._known.clear()
        self._known |= self._new


def drop_blocks(session: Session, *, before_us: int) -> None:
    """Forget blocks and kinds that have no row from then on."""
    session.run("drop_blocks_before", before=before_us)
    session.run("drop_strays_before", before=before_us)
    session.run("drop_kinds_before", before=before_us)


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


def _add(session: Session, places: Iterable[Place]) -> None:
    kinds: dict[tuple[str, ...], int] = {}
    blocks: dict[tuple[int, str], tuple[int, int]] = {}
    for *same, block, cell in places:
        kind, from_us, to_us = tuple(same), cell << _CELL, (cell + 1 << _CELL) - 1
        kinds[kind] = max(kinds.get(kind, to_us), to_us)
        key = (_hash_kind(kind), block)
        first, last = blocks.get(key, (from_us, to_us))
        blocks[key] = (min(first, from_us), max(last, to_us))
    # In one order everywhere, so that two writers never wait for each other in a circle.
    rows = sorted((_hash_kind(kind), *kind, last_us) for kind, last_us in kinds.items())
    session.run_many("add_kinds", rows)
    session.run_many("add_blocks", sorted((*key, *times) for key, times in blocks.items()))


@lru_cache(maxsize=4_096)
def _hash_kind(kind: tuple[str, ...]) -> int:
    """The number of a kind: a hash, so that writing needs no lookup."""
    digest = blake2s(encode_json(kind), digest_size=8).digest()
    return int.from_bytes(digest, "big", signed=True)


_ALL_TIME_US = 2**62
_SAME = (*SAME, "turn")
_AMONG = ("turns", "parents")
_LOOKED_AT = 1_000
"""Rows that are read one by one before blocks are skipped: frequent kinds are found this way."""
_LOOKED_AT_FOR_EACH = 20
"""… or so many for each that is wanted, if that is more."""


def search(session: Session, query: LogQuery) -> list[LogRow]:
    """The first rows that fit, in the order of their ids."""
    if query.limit < 1:
        return []
    # One moment for the rows and for what is written down of where they are.
    with session.begin_snapshot():
        if not _is_narrow(query):
            return _scan(session, query, _find_span(session, query))
        wanted = {name: value for name in SAME if (value := getattr(query, name))}
        kinds = [number for (number,) in session.fetch_where("row_kinds", list(wanted), **wanted)]
        return _Walk(session=session, query=query, kinds=kinds).find() if kinds else []


def _is_narrow(query: LogQuery) -> bool:
    """Whether few rows may fit of many that no index tells apart."""
    if query.turn or any(getattr(query, name) for name in _AMONG):
        return False
    named = any(getattr(query, name) for name in SAME if name != "tool")
    return named or query.since is not None or query.until is not None


class _Walk(Struct, frozen=True, kw_only=True):
    """A search that goes block by block, without those that have no row of its kinds and times."""

    session: Session
    query: LogQuery
    kinds: Sequence[int]
    """Of the rows that may fit."""

    def find(self) -> list[LogRow]:
        """First a stretch of many rows; then one block, and twice as many each time as long as
        there is a row for each of them."""
        query, found = self.query, list[LogRow]()
        rest, blocks_at_once = _find_span(self.session, query), 0
        values = {"kinds": encode_json(self.kinds).decode(), **_read_times(query)}
        while len(found) < query.limit and rest.from_id < rest.below_id:
            # The last block that has such rows and that the ids reach into, or the first.
            [(block,)] = self.session.fetch(
                "oldest_block" if query.oldest_first else "newest_block",
                from_block=rest.from_id[:DIGITS],
                below=rest.below_id,
                **values,
            )
            if block is None:
                break
            if query.oldest_first:
                rest = rest._replace(from_id=max(rest.from_id, block))
            else:
                rest = rest._replace(below_id=min(rest.below_id, shift_block(block, 1)))
            part = (
                self._cut_blocks(rest, block, blocks=blocks_at_once)
                if blocks_at_once
                else self._cut_rows(rest)
            )
            more = _scan(self.session, replace(query, limit=query.limit - len(found)), part)
            found += more
            filled = blocks_at_once and len(more) >= blocks_at_once
            blocks_at_once = 2 * blocks_at_once if filled else 1
            if query.oldest_first:
                rest = rest._replace(from_id=part.below_id)
            else:
                rest = rest._replace(below_id=part.from_id)
        return found

    def _cut_blocks(self, rest: IdSpan, block: str, *, blocks: int) -> IdSpan:
        """So many blocks of what is left, in the order that is asked for."""
        if self.query.oldest_first:
            return rest._replace(below_id=min(rest.below_id, shift_block(block, blocks)))
        return rest._replace(from_id=max(rest.from_id, shift_block(block, 1 - blocks)))

    def _cut_rows(self, rest: IdSpan) -> IdSpan:
        """So many rows of what is left that to look at each takes no time."""
        query, values = self.query, rest._asdict()
        order = "oldest_first" if query.oldest_first else "newest_first"
        skip = max(_LOOKED_AT, _LOOKED_AT_FOR_EACH * query.limit)
        edge = self.session.fetch_where(f"{order}_edge", list(values), skip=skip, **values)
        side = "below_id" if query.oldest_first else "from_id"
        return rest._replace(**{side: edge[0][0]}) if edge else rest


def _scan(session: Session, query: LogQuery, span: IdSpan) -> list[LogRow]:
    filters, values = _build_conditions(query, span)
    rows = "rows_oldest_first" if query.oldest_first else "rows_newest_first"
    found = session.fetch_where(rows, filters, most=query.limit, **values)
    return [decode_log_row(row) for row in found]


def _build_conditions(query: LogQuery, span: IdSpan) -> tuple[list[str], dict[str, object]]:
    values: dict[str, object] = {name: getattr(query, name) for name in _SAME}
    filters = [name for name in _SAME if values[name]]
    for name in _AMONG:
        if among := getattr(query, name):
            filters.append(name)
            values[name] = json.dumps(sorted(among))
    values |= {**span._asdict(), "after": query.after}
    if span.from_id:
        filters.append("from_id")
    if span.below_id != LAST_ID:
        filters.append("below_id")
    if query.after:
        filters.append("after")
    if query.since is not None:
        filters.append("since")
        values["since"] = to_us(query.since, name="since")
    if query.until is not None:
        filters.append("until")
        values["until"] = to_us(query.until, name="until")
    if query.error_class or (query.outcome and query.outcome != Outcome.SUCCESS):
        # Says nothing new, but lets the database use its index of what did not succeed.
        filters.append("not_successful")
    if query.tool == RATED and query.parents:
        # The same as both, by the index of what a thumb is for.
        filters = [each for each in filters if each not in ("tool", "parents")] + ["thumbs"]
    return filters, values


def _find_span(session: Session, query: LogQuery) -> IdSpan:
    """Bounds on the id: it is time-ordered, so they spare a scan. Further where rows are off."""
    # One bound on each side: of two, a database may well take the wider one to stop at.
    from_id, below_id = max(query.id_prefix, query.after), query.id_prefix + LAST_ID
    if query.below:
        below_id = min(below_id, query.below)
    if query.since is not None:
        since_us = to_us(query.since, name="since")
        from_id = max(from_id, find_first_id_since(session, since_us))
    if query.until is not None:
        until_us = to_us(query.until, name="until")
        below_id = min(below_id, find_first_id_after(session, until_us))
    return IdSpan(from_id, below_id)


def _read_times(query: LogQuery) -> dict[str, int]:
    """Between which a row's own time has to be, the last not included."""
    return {
        "since": -_ALL_TIME_US if query.since is None else to_us(query.since, name="since"),
        "until": _ALL_TIME_US if query.until is None else to_us(query.until, name="until"),
    }
