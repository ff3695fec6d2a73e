"""Looks for news in the store while somebody listens, and tells the pages."""

from __future__ import annotations

import asyncio
import logging

from mulligan.app.insights.views import Views
from mulligan.app.insights.views.pulse import Pulse, list_new_rows
from mulligan.codec.json_text import encode_json
from mulligan.core.call import OWN, LogRow
from mulligan.core.errors import MulliganError
from mulligan.dashboard.stream import Hub

EVERY = 1.0
"""Seconds between two looks."""

_report = logging.getLogger("mulligan")


class Watcher:
    """Asks what is new, and publishes it: each call, and once what has changed."""

    def __init__(self, views: Views, hub: Hub, *, every: float = EVERY) -> None:
        self._views = views
        self._hub = hub
        self._every = every
        self._seen: Pulse | None = None

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

    async def look(self) -> None:
        """Look once, and tell what is new since the last time."""
        seen, now = self._seen, await asyncio.to_thread(self._views.read_pulse)
        self._seen = now
        if seen is None or seen == now:
            return
        topics = []
        if seen.last_row != now.last_row:
            insights, after = self._views.insights, seen.last_row
            rows = await asyncio.to_thread(list_new_rows, insights, after=after)
            for row in rows:
                self._hub.publish("call", encode_json(describe_row(row)))
            topics.append("calls")
        if seen.open_mark != now.open_mark:
            topics.append("open")
        self._hub.publish("changed", encode_json({"topics": topics}))


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
