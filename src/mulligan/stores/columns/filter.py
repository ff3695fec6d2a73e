"""Which rows of the log a query wants, for rows that no SQL can see into."""

from __future__ import annotations

from mulligan.core.call import LogRow
from mulligan.core.storage.instants import to_us
from mulligan.core.storage.log_query import LogQuery


def fits(row: LogRow, query: LogQuery) -> bool:
    """Whether a row is wanted; the filters in SQL say the same."""
    same = (
        (query.tenant, row.tenant),
        (query.agent, row.agent),
        (query.server, row.server),
        (query.tool, row.tool),
        (query.outcome, row.outcome),
        (query.error_class, row.error_class),
        (query.turn, row.turn),
    )
    return (
        row.id.startswith(query.id_prefix)
        and row.id > query.after
        and (not query.below or row.id < query.below)
        and all(not wanted or wanted == found for wanted, found in same)
        and (not query.turns or row.turn in query.turns)
        and (not query.parents or row.parent in query.parents)
        and (query.since is None or row.at_us >= to_us(query.since, name="since"))
        and (query.until is None or row.at_us < to_us(query.until, name="until"))
    )
