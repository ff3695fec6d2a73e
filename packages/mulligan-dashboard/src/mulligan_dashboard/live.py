"""Changes in the store, sent to every open page.

The queues are bounded: a page that does not read cannot block the others.
"""

from __future__ import annotations

import asyncio
import logging
import math
import time
from collections import deque
from dataclasses import dataclass, field

from msgspec.structs import replace
from starlette.responses import JSONResponse
from starlette.types import ASGIApp, Receive, Scope, Send

from mulligan.codec import encode_json
from mulligan.insights.reader import MOST_NEW_ROWS, ChangeToken, StoreReader
from mulligan.types.call import OWN, LogRow
from mulligan.types.errors import MulliganError

MOST_CLIENTS = 50
MOST_MESSAGES = 256
MOST_QUEUED_BYTES = 1024 * 1024
SEND_TIMEOUT = 10.0
"""Seconds that a client may take to accept what is sent; then it is let go."""
IDLE = 15.0
"""Seconds of silence, after which a comment keeps the line open."""

RESYNC = b"event: resync\ndata: {}\n\n"
"""More has happened than was kept, or than the page shows: look at everything anew."""


@dataclass(slots=True, eq=False)
class Client:
    """One open page, and what it has not yet been sent."""

    queue: deque[bytes] = field(default_factory=deque)
    size: int = 0
    lost: bool = False
    """The queue overflowed: the page must reload everything."""
    ready: asyncio.Event = field(default_factory=asyncio.Event)
    made_at: str | None = None
    """The mark of the look that its page was made after, until it was held against another; empty:
    before any look. `None`: it has no page, or has been told."""

    def put(self, message: bytes) -> None:
        """Add a message, or let all of them go."""
        if self.lost:
            return
        self.queue.append(message)
        self.size += len(message)
        if len(self.queue) > MOST_MESSAGES or self.size > MOST_QUEUED_BYTES:
            self.queue.clear()
            self.size, self.lost = 0, True
        self.ready.set()

    def take(self) -> bytes:
        """All that waits, at once."""
        waiting = RESYNC if self.lost else b"".join(self.queue)
        self.queue.clear()
        self.size, self.lost = 0, False
        self.ready.clear()
        return waiting


class Hub:
    """Every client that listens. Used from one event loop."""

    def __init__(self) -> None:
        self.clients: set[Client] = set()

    def publish(self, event: str, data: bytes) -> None:
        """Send to every listener."""
        # JSON has no line breaks of its own.
        message = b"event: " + event.encode() + b"\ndata: " + data + b"\n\n"
        for client in self.clients:
            client.put(message)

    def greet(self, mark: str) -> None:
        """Have pages made anew that were made before this look: it is what they are told from."""
        for client in self.clients:
            if client.made_at not in (None, mark):
                client.put(RESYNC)
            client.made_at = None

    def answer(self, *, left: float = math.inf, made_at: str | None = None) -> ASGIApp:
        """The answer to a page that wants to listen, for as long as its visitor has `left`."""
        if len(self.clients) >= MOST_CLIENTS:
            why = f"{MOST_CLIENTS} pages are already listening. Close one to get live updates."
            return JSONResponse({"error": why}, status_code=503)
        return _Stream(self, left=left, made_at=made_at)


class _Stream:
    """A line to one client, until it or we have had enough."""

    def __init__(self, hub: Hub, *, left: float, made_at: str | None) -> None:
        self._hub = hub
        self._made_at = made_at
        self._ends = time.monotonic() + left

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:  # noqa: ARG002
        client = Client(made_at=self._made_at)
        self._hub.clients.add(client)
        gone = asyncio.create_task(_wait_for_end(receive))
        try:
            await self._send_all(client, send, gone)
        except TimeoutError:
            # It does not read. The socket is closed with this answer; a live page asks again.
            return
        finally:
            gone.cancel()
            self._hub.clients.discard(client)

    async def _send_all(self, client: Client, send: Send, gone: asyncio.Task[None]) -> None:
        headers = [(b"content-type", b"text/event-stream"), (b"x-accel-buffering", b"no")]
        await send({"type": "http.response.start", "status": 200, "headers": headers})
        body = b"retry: 2000\n\n"
        while (left := self._ends - time.monotonic()) > 0:
            message = {"type": "http.response.body", "body": body, "more_body": True}
            await asyncio.wait_for(send(message), SEND_TIMEOUT)
            waiter = asyncio.create_task(client.ready.wait())
            done, _ = await asyncio.wait(
                {waiter, gone}, timeout=min(IDLE, left), return_when=asyncio.FIRST_COMPLETED
            )
            waiter.cancel()
            if gone in done:
                return
            body = client.take() if client.ready.is_set() else b": still here\n\n"


async def _wait_for_end(receive: Receive) -> None:
    while (await receive())["type"] != "http.disconnect":
        pass


EVERY = 1.0
"""Seconds between two looks."""

AT_A_TIME = 50
"""Calls in one message."""

_report = logging.getLogger("mulligan")


class Watcher:
    """Asks what is new, and publishes it: every call, and once what has changed."""

    def __init__(self, reader: StoreReader, hub: Hub) -> None:
        self._reader = reader
        self._hub = hub
        self._seen: ChangeToken | None = None

    async def run(self) -> None:
        """Poll until cancelled; the store is not queried without listeners."""
        while True:
            await asyncio.sleep(EVERY)
            if not self._hub.clients:
                self._seen = None
                continue
            try:
                await self.look()
            except MulliganError as error:
                # A store that is away for a while is no reason to stop looking.
                _report.warning("The dashboard could not look for changes: %s", error)

    def read_mark(self) -> str:
        """Of the last look: a page that is made after it shows at least as much."""
        seen = self._seen
        return "" if seen is None else seen.mark

    async def look(self) -> None:
        """Poll once, and publish what is new."""
        seen, now = self._seen, await asyncio.to_thread(self._reader.read_change_token)
        if seen != now:
            # Before a page is requested, or reports that it is current.
            self._reader.cache.forget_short()
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
        rows = await asyncio.to_thread(self._reader.list_new_rows, after=after)
        while rows:
            for start in range(0, len(rows), AT_A_TIME):
                some = [describe_row(row) for row in rows[start : start + AT_A_TIME]]
                self._hub.publish("calls", encode_json(some))
                # Lets readers run before their queues are full.
                await asyncio.sleep(0)
            after, full = rows[-1].id, len(rows) == MOST_NEW_ROWS
            self._seen = None if self._seen is None else replace(self._seen, last_row=after)
            if not full:
                return
            rows = await asyncio.to_thread(self._reader.list_new_rows, after=after)


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
