"""News to every open page, in queues that have an end: who does not read hinders nobody."""

from __future__ import annotations

import asyncio
import math
import time
from collections import deque
from dataclasses import field

from starlette.responses import JSONResponse
from starlette.types import ASGIApp, Receive, Scope, Send

from mulligan.core.runtime.dataclass import dataclass

MOST_CLIENTS = 50
MOST_MESSAGES = 256
MOST_BYTES = 1024 * 1024
SEND_TIMEOUT = 10.0
"""Seconds that a client may take to accept what is sent; then it is let go."""
IDLE = 15.0
"""Seconds of silence, after which a comment keeps the line open."""

RESYNC = b"event: resync\ndata: {}\n\n"
"""More has happened than was kept, or than the page shows: look at everything anew."""


def encode_message(event: str, data: bytes) -> bytes:
    """A message as it goes over the line; JSON has no line breaks of its own."""
    return b"event: " + event.encode() + b"\ndata: " + data + b"\n\n"


@dataclass(slots=True, eq=False)
class Client:
    """One open page, and what it has not yet been sent."""

    queue: deque[bytes] = field(default_factory=deque)
    size: int = 0
    lost: bool = False
    """More came than fits, and it has to look at everything anew."""
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
        if len(self.queue) > MOST_MESSAGES or self.size > MOST_BYTES:
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
        """Tell everybody."""
        message = encode_message(event, data)
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
            why = f"{MOST_CLIENTS} pages listen already. Close one, or look without news."
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
