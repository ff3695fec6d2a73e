"""What has changed since somebody looked: small enough to be asked every second."""

from __future__ import annotations

import hashlib

from mulligan.app.insights.insights import Insights
from mulligan.core.call import LogRow
from mulligan.core.runtime.dataclass import dataclass
from mulligan.core.storage.log_query import LogQuery

MOST_OPEN = 1_000
MOST_ROWS = 500


@dataclass(frozen=True, slots=True, kw_only=True)
class ChangeToken:
    """The newest row of the log, and a mark of the open list."""

    last_row: str
    open_mark: str

    @property
    def mark(self) -> str:
        """What a page is told of it, to tell whether it was made before or after."""
        return hashlib.sha256(f"{self.last_row} {self.open_mark}".encode()).hexdigest()[:16]


def read_change_token(insights: Insights) -> ChangeToken:
    """What the store's newest things are."""
    newest = insights.log(LogQuery(limit=1))
    found = insights.store.journal.list_open_actions(limit=MOST_OPEN)
    marks = "".join(f"{action.id}{action.version}" for action in found)
    return ChangeToken(
        last_row=newest[0].id if newest else "",
        open_mark=hashlib.sha256(marks.encode()).hexdigest()[:16],
    )


def list_new_rows(insights: Insights, *, after: str) -> list[LogRow]:
    """Rows that were logged since, the oldest first."""
    return insights.log(LogQuery(after=after, oldest_first=True, limit=MOST_ROWS))
