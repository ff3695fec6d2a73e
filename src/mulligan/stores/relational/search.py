"""Finds rows of the log, in the table and in its archive."""

from __future__ import annotations

import json

from mulligan.core.call import LogRow, Outcome
from mulligan.core.ids import make_uuid7
from mulligan.core.instants import to_us
from mulligan.core.log_query import LogQuery
from mulligan.core.rating import RATED
from mulligan.stores.driver import Session
from mulligan.stores.filter import fits
from mulligan.stores.relational.packed_rows import unpack

_LAST_ID = "\U0010ffff"
_DAY_US = 86_400_000_000
_ALL_TIME_US = 2**62
_SAME = ("tenant", "agent", "server", "tool", "outcome", "error_class", "turn")
_AMONG = ("turns", "parents")


def search(session: Session, query: LogQuery) -> list[LogRow]:
    """The first rows that fit, in the order of their ids."""
    # One moment for both places: a row on its way into the archive is in exactly one of them.
    with session.begin_snapshot():
        return find_rows(session, query)


def find_rows(session: Session, query: LogQuery) -> list[LogRow]:
    """The same, inside a transaction that is open already."""
    filters, values = _build_conditions(query)
    rows = "rows_oldest_first" if query.oldest_first else "rows_newest_first"
    found = [LogRow(*row) for row in session.fetch_where(rows, filters, most=query.limit, **values)]
    if query.outcome in (None, "", Outcome.SUCCESS) and not query.error_class:
        found = _with_archived(session, query, found)
    return found


def _build_conditions(query: LogQuery) -> tuple[list[str], dict[str, object]]:
    values: dict[str, object] = {name: getattr(query, name) for name in _SAME}
    filters = [name for name in _SAME if values[name]]
    from_id, below_id = _compute_id_range(query)
    for name in _AMONG:
        if among := getattr(query, name):
            filters.append(name)
            values[name] = json.dumps(sorted(among))
    values |= {"from_id": from_id, "below_id": below_id, "after": query.after}
    if from_id:
        filters.append("from_id")
    if below_id != _LAST_ID:
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


def _compute_id_range(query: LogQuery) -> tuple[str, str]:
    """Bounds on the id: it is time-ordered, so they spare a scan. A day's slack allows for ids
    that were made some time before the row's own time."""
    # One bound on each side: of two, a database may well take the wider one to stop at.
    from_id, below_id = max(query.id_prefix, query.after), query.id_prefix + _LAST_ID
    if query.below:
        below_id = min(below_id, query.below)
    if query.since is not None:
        since_us = max(0, to_us(query.since, name="since") - _DAY_US)
        from_id = max(from_id, make_uuid7(since_us, 0))
    if query.until is not None:
        until_us = max(0, to_us(query.until, name="until") + _DAY_US)
        below_id = min(below_id, make_uuid7(until_us, 0))
    return from_id, below_id


def _with_archived(session: Session, query: LogQuery, found: list[LogRow]) -> list[LogRow]:
    """Merge in archived rows, unpacking only batches that can still give one of the first."""
    order = "oldest_first" if query.oldest_first else "newest_first"
    from_id, below_id = _compute_id_range(query)
    values = {
        "from_id": max(from_id, query.after),
        "below_id": below_id,
        "since": -_ALL_TIME_US if query.since is None else to_us(query.since, name="since"),
        "until": _ALL_TIME_US if query.until is None else to_us(query.until, name="until"),
    }
    beyond = "" if query.oldest_first else _LAST_ID
    while batches := session.fetch(f"archives_{order}", beyond=beyond, **values):
        first_id, last_id, packed = batches[0]
        beyond = first_id if query.oldest_first else last_id
        if len(found) >= query.limit and _lies_beyond(beyond, found[query.limit - 1].id, query):
            break
        found += [row for row in unpack(bytes(packed)) if fits(row, query)]
        found.sort(key=_read_id, reverse=not query.oldest_first)
        del found[query.limit :]
    return found


def _read_id(row: LogRow) -> str:
    return row.id


def _lies_beyond(edge: str, last: str, query: LogQuery) -> bool:
    return edge > last if query.oldest_first else edge < last
