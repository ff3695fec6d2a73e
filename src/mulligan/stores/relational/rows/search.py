"""Finds rows of the log, in the table and in its archive."""

from __future__ import annotations

import json
from dataclasses import replace

from mulligan.core.call import LogRow, Outcome
from mulligan.core.runtime.dataclass import dataclass
from mulligan.core.storage.instants import to_us
from mulligan.core.storage.log_query import LogQuery
from mulligan.core.storage.rating import RATED
from mulligan.stores.columns.encoding import decode_log_row
from mulligan.stores.columns.filter import fits
from mulligan.stores.database.driver import Session
from mulligan.stores.relational.rows.blocks import SAME, Blocks, Times
from mulligan.stores.relational.rows.id_span import LAST_ID, IdSpan, shift
from mulligan.stores.relational.rows.packing import unpack
from mulligan.stores.relational.rows.strays import find_first_id_after, find_first_id_since

_ALL_TIME_US = 2**62
_SAME = (*SAME, "turn")
_AMONG = ("turns", "parents")
_LOOKED_AT = 1_000
"""Rows that are looked at one by one before blocks are left out: who is there often is found so."""
_LOOKED_AT_FOR_EACH = 20
"""… or so many for each that is wanted, if that is more."""


def search(session: Session, query: LogQuery) -> list[LogRow]:
    """The first rows that fit, in the order of their ids."""
    # One moment for both places: a row on its way into the archive is in exactly one of them.
    with session.begin_snapshot():
        return find_rows(session, query)


def find_rows(session: Session, query: LogQuery) -> list[LogRow]:
    """The same, inside a transaction that is open already."""
    if query.limit < 1:
        return []
    if not _is_narrow(query):
        return scan_rows(session, query)
    wanted = {name: value for name in SAME if (value := getattr(query, name))}
    kinds = [number for (number,) in session.fetch_where("row_kinds", list(wanted), **wanted)]
    if not kinds:
        return []
    blocks = Blocks(session, kinds, times=_read_times(query))
    return _Walk(session=session, query=query, blocks=blocks).find()


def scan_rows(session: Session, query: LogQuery) -> list[LogRow]:
    """The same, row by row."""
    return _scan(session, query, _find_span(session, query))


def _is_narrow(query: LogQuery) -> bool:
    """Whether few rows may fit of many that no index tells apart."""
    if query.turn or any(getattr(query, name) for name in _AMONG):
        return False
    named = any(getattr(query, name) for name in SAME if name != "tool")
    return named or query.since is not None or query.until is not None


@dataclass(frozen=True, slots=True, kw_only=True)
class _Walk:
    """A search that goes block by block, without those that have no row of its kinds and times."""

    session: Session
    query: LogQuery
    blocks: Blocks

    def find(self) -> list[LogRow]:
        """First a stretch of many rows; then one block, and twice as many each time as long as
        there is a row for each of them."""
        query, found = self.query, list[LogRow]()
        rest, blocks_at_once = _find_span(self.session, query), 0
        while len(found) < query.limit and not rest.empty:
            block = self._find_next(rest)
            if block is None:
                break
            rest = self._skip_to(rest, block)
            part = (
                self._cut_blocks(rest, block, blocks=blocks_at_once)
                if blocks_at_once
                else self._cut_rows(rest, block)
            )
            more = _scan(self.session, replace(query, limit=query.limit - len(found)), part)
            found += more
            filled = blocks_at_once and len(more) >= blocks_at_once
            blocks_at_once = 2 * blocks_at_once if filled else 1
            rest = self._drop(rest, part)
        return found

    def _find_next(self, rest: IdSpan) -> str | None:
        oldest_first = self.query.oldest_first
        return self.blocks.find_oldest(rest) if oldest_first else self.blocks.find_newest(rest)

    def _skip_to(self, rest: IdSpan, block: str) -> IdSpan:
        if self.query.oldest_first:
            return rest._replace(from_id=max(rest.from_id, block))
        return rest._replace(below_id=min(rest.below_id, shift(block, 1)))

    def _cut_blocks(self, rest: IdSpan, block: str, *, blocks: int) -> IdSpan:
        """So many blocks of what is left, in the order that is asked for."""
        if self.query.oldest_first:
            return rest._replace(below_id=min(rest.below_id, shift(block, blocks)))
        return rest._replace(from_id=max(rest.from_id, shift(block, 1 - blocks)))

    def _cut_rows(self, rest: IdSpan, block: str) -> IdSpan:
        """So many rows of what is left that to look at each takes no time."""
        query, values = self.query, rest._asdict()
        order = "oldest_first" if query.oldest_first else "newest_first"
        skip = max(_LOOKED_AT, _LOOKED_AT_FOR_EACH * query.limit)
        edge = self.session.fetch_where(f"{order}_edge", list(values), skip=skip, **values)
        if edge:
            [(last,)] = edge
            return rest._replace(**{"below_id" if query.oldest_first else "from_id": last})
        # Few are left, unless they are packed: then nobody knows how many.
        packed = self.session.fetch("any_archive", **values)
        return self._cut_blocks(rest, block, blocks=1) if packed else rest

    def _drop(self, rest: IdSpan, part: IdSpan) -> IdSpan:
        if self.query.oldest_first:
            return rest._replace(from_id=part.below_id)
        return rest._replace(below_id=part.from_id)


def _scan(session: Session, query: LogQuery, span: IdSpan) -> list[LogRow]:
    filters, values = _build_conditions(query, span)
    rows = "rows_oldest_first" if query.oldest_first else "rows_newest_first"
    found = [
        decode_log_row(row)
        for row in session.fetch_where(rows, filters, most=query.limit, **values)
    ]
    if query.outcome in (None, "", Outcome.SUCCESS) and not query.error_class:
        found = _with_archived(session, query, found, span=span)
    return found


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


def _read_times(query: LogQuery) -> Times:
    return Times(
        since=-_ALL_TIME_US if query.since is None else to_us(query.since, name="since"),
        until=_ALL_TIME_US if query.until is None else to_us(query.until, name="until"),
    )


def _with_archived(
    session: Session, query: LogQuery, found: list[LogRow], *, span: IdSpan
) -> list[LogRow]:
    """Merge in archived rows, unpacking only batches that can still give one of the first."""
    order = "oldest_first" if query.oldest_first else "newest_first"
    times = _read_times(query)
    values: dict[str, object] = {
        "from_id": max(span.from_id, query.after),
        "below_id": span.below_id,
        "since": times.since,
        "until": times.until,
    }
    beyond = "" if query.oldest_first else LAST_ID
    while batches := session.fetch(f"archives_{order}", beyond=beyond, **values):
        first_id, last_id, packed = batches[0]
        beyond = first_id if query.oldest_first else last_id
        if len(found) >= query.limit and _lies_beyond(beyond, found[query.limit - 1].id, query):
            break
        rows = unpack(bytes(packed))
        found += [row for row in rows if fits(row, query) and span.holds(row.id)]
        found.sort(key=_read_id, reverse=not query.oldest_first)
        del found[query.limit :]
    return found


def _read_id(row: LogRow) -> str:
    return row.id


def _lies_beyond(edge: str, last: str, query: LogQuery) -> bool:
    return edge > last if query.oldest_first else edge < last
