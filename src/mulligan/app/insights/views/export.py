"""Everything that a store has of calls and actions, in pages, for analysis elsewhere."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from datetime import timedelta

from mulligan.app.insights.insights import Insights
from mulligan.core.action import Action, ActionQuery
from mulligan.core.call import LogRow
from mulligan.core.storage.log_query import LogQuery

PAGE = 5_000

_NEXT = timedelta(microseconds=1)


def read_calls(insights: Insights, query: LogQuery, *, page: int = PAGE) -> Iterator[LogRow]:
    """All rows that fit, the oldest first."""
    query = replace(query, oldest_first=True, limit=page)
    while rows := insights.log(query):
        yield from rows
        query = replace(query, after=rows[-1].id)


def read_actions(insights: Insights, query: ActionQuery, *, page: int = PAGE) -> Iterator[Action]:
    """All actions that fit, the newest first; those of one instant, such as a bulk's, as well."""
    query = replace(query, limit=page)
    seen: set[str] = set()
    while found := insights.open_list.search(query):
        fresh = [action for action in found if action.id not in seen]
        yield from fresh
        if len(found) < query.limit:
            return
        oldest = min(action.opened_at for action in found)
        # Asked again about the instant at which the page ended, and about more if it is all of one.
        seen = {action.id for action in found if action.opened_at == oldest}
        more = query.limit * 2 if len(seen) == len(found) else page
        query = replace(query, until=oldest + _NEXT, limit=more)
