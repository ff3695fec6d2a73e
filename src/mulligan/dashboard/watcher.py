"""Looks for news in the store while somebody listens, and tells the pages."""

from __future__ import annotations

import asyncio
import logging
from dataclasses import replace

from mulligan.app.insights.views.pulse import MOST_ROWS, ChangeToken, list_new_rows
from mulligan.app.insights.views.views import Views
from mulligan.codec.json_text import encode_json
from mulligan.core.call import OWN, LogRow
from mulligan.core.errors import MulliganError
from mulligan.dashboard.stream import Hub

EVERY = 1.0
"""Seconds between two looks."""

AT_A_TIME = 50
"""Calls in one message."""

_report = logging.getLogger("mulligan")


class Watcher:
    """Asks what is new, and publishes it: every call, and once what has changed."""

    def __init__(self, views: Views, hub: Hub, *, every: float = EVERY) -> None:
        self._views = views
        self._hub = hub
        self._every = every
        self._seen: ChangeToken | None = None

    async def run(self) -> None:
        """Look until cancelled; nothing is asked while nobody listens."""
        while True:
            await asyncio.sleep(self._every)
            if not self._hub.clients:
                self._seen = None
                continue
            try:
                await self.look()
            except MulliganError as error:
                # A store that is away for a while is no reason to stop looking.
                _report.warning("The dashboard could not look for news: %s", error)

    def read_mark(self) -> str:
        """Of the last look: a page that is made after it shows at least as much."""
        seen = self._seen
        return "" if seen is None else seen.mark

    async def look(self) -> None:
        """Look once, and tell what is new since the last time."""
        seen, now = self._seen, await asyncio.to_thread(self._views.read_change_token)
        if seen != now:
            # Before anybody asks for a page, or says that theirs is of this look.
            self._views.take_news()
        self._seen = now
        self._hub.greet(now.mark)
        if seen is None or seen == now:
            return
        topics = []
        if seen.last_row != now.last_row:
            await self._tell_rows(after=seen.last_row)
            topics.append("calls")
        if seen.open_mark != now.open_mark:
            topics.append("open")
        self._hub.publish("changed", encode_json({"topics": topics}))

    async def _tell_rows(self, *, after: str) -> None:
        """Every row since, however many there are: a look may have come late."""
        rows = await asyncio.to_thread(list_new_rows, self._views.insights, after=after)
        while rows:
            for start in range(0, len(rows), AT_A_TIME):
                some = [describe_row(row) for row in rows[start : start + AT_A_TIME]]
                self._hub.publish("calls", encode_json(some))
                # Who reads gets a chance to, before its queue is full.
                await asyncio.sleep(0)
            after, full = rows[-1].id, len(rows) == MOST_ROWS
            self._seen = None if self._seen is None else replace(self._seen, last_row=after)
            if not full:
                return
            rows = await asyncio.to_thread(list_new_rows, self._views.insights, after=after)


def describe_row(row: LogRow) -> dict[str, object]:
    """A row of the log in the few words that fit a line."""
    return {
        "id": row.id,
        "tool": row.context if row.server == OWN else row.tool,
        "agent": row.agent,
        "outcome": row.outcome,
        "ms": round(row.duration_us / 1000, 1),
        "turn": row.turn,
    }
