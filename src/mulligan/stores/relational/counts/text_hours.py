"""Counts of replies, drafts and tasks over a table, kept in the transaction of their rows."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from mulligan.codec.json_text import encode_json
from mulligan.core.call import OWN, LogRow
from mulligan.core.storage.log_query import LogQuery
from mulligan.core.storage.text_rollup import (
    COUNTED,
    TextCounts,
    TextSlot,
    add_texts,
    is_thumb,
    list_rated,
    roll_up_texts,
    roll_up_thumbs,
)
from mulligan.stores.columns.encoding import decode_log_row
from mulligan.stores.database.driver import Session
from mulligan.stores.relational.rows.packing import unpack
from mulligan.stores.relational.rows.search import scan_rows

_ROWS_AT_A_TIME = 2_000


def count_texts(session: Session, rows: Sequence[LogRow]) -> None:
    """Add what these rows say, which are in the log already, to the counts of their hours."""
    counts = roll_up_texts(rows)
    if rated := list_rated(rows):
        add_texts(counts, roll_up_thumbs(rows, _find_rated(session, rated)))
    _add(session, counts)


def read_texts(session: Session, *, since: int, until: int) -> TextCounts:
    """The counts of some hours, both included."""
    rows = session.fetch("texts", since=since, until=until)
    return {TextSlot(*row[:6]): row[6] for row in rows}


def roll_up_old_texts(session: Session) -> None:
    """Count what was written before there were counts, page by page."""
    thumbs: list[LogRow] = []
    for tool in COUNTED:
        for rows in _list_pages(session, tool):
            _add(session, roll_up_texts(rows))
            thumbs += filter(is_thumb, rows)
    rated = list_rated(thumbs)
    found = {row.id: row for row in (*thumbs, *_find_rated(session, rated))}
    _add(session, roll_up_thumbs(thumbs, found.values()))


def _add(session: Session, counts: TextCounts) -> None:
    # In one order everywhere, so that two writers never wait for each other in a circle.
    session.run_many("add_texts", [(*slot, n) for slot, n in sorted(counts.items())])


def _list_pages(session: Session, tool: str) -> Iterator[list[LogRow]]:
    query = LogQuery(server=OWN, tool=tool, oldest_first=True, limit=_ROWS_AT_A_TIME)
    # A migration asks, of a store that has nothing yet to search by.
    while rows := scan_rows(session, query):
        query = replace(query, after=rows[-1].id)
        yield rows


def _find_rated(session: Session, ids: set[str]) -> list[LogRow]:
    """Texts and all their thumbs; a text that is packed already is looked up in its batch."""
    names = encode_json(sorted(ids)).decode()
    found = [decode_log_row(row) for row in session.fetch("rated_texts", ids=names)]
    for missing in ids - {row.id for row in found}:
        for (packed,) in session.fetch("archives_around", id=missing):
            found += [row for row in unpack(bytes(packed)) if row.id == missing]
    return found
