"""A server at an address, spoken to over streamable HTTP.

Its headers are those of the operator's file and no others: what a client has shown to the gateway
goes no further.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import suppress
from typing import TYPE_CHECKING, Any, Protocol

from mulligan.core.errors import MissingExtraError
from mulligan.gateway.protocol.frames import Frame, read_fields, read_frame, read_object, read_text
from mulligan.gateway.protocol.headers import SESSION, VERSION, read_version, write_headers
from mulligan.gateway.protocol.limits import Limits
from mulligan.gateway.protocol.party import ASKED_FOR, CANCELLED
from mulligan.gateway.servers_file import Server
from mulligan.gateway.upstream.event_stream import EventReader

if TYPE_CHECKING:
    import httpx

ASKED_OF_ALL = {
    "accept": "application/json, text/event-stream",
    "accept-encoding": "identity",
    "content-type": "application/json",
}
"""A few bytes that are compressed may be any number of others, so nothing is to be."""
CONNECT = 10.0


class OnFrame(Protocol):
    """Takes what a server says."""

    def __call__(self, line: bytes, during: bytes) -> None:
        """A message, and the id of the request on whose connection it came."""


class OnLost(Protocol):
    """Told that a request has no answer any more."""

    def __call__(self, key: bytes, why: str) -> None:
        """The id under which it was sent, and what broke."""


class ServerAddress:
    """One session with a server over HTTP."""

    def __init__(
        self,
        server: Server,
        *,
        limits: Limits,
        on_frame: OnFrame,
        on_lost: OnLost,
        on_end: Callable[[str], None],
        find_schema: Callable[[str], Mapping[str, Any]],
    ) -> None:
        self._server = server
        self._find_schema = find_schema
        """What the arguments of a tool look like: some stand in headers, too."""
        self._limits = limits
        self._on_frame = on_frame
        self._on_lost = on_lost
        self._on_end = on_end
        self._client: httpx.AsyncClient | None = None
        self._headers: dict[str, str] = {}
        """What the server wants to see again: its session, and the revision that was agreed."""
        self._posts: dict[bytes, asyncio.Task[None]] = {}
        self._tasks: set[asyncio.Task[None]] = set()
        self._told: asyncio.Task[None] | None = None
        """The last notification on its way: nothing overtakes it."""
        self._room = asyncio.Event()
        self._room.set()

    async def start(self) -> None:
        """Get ready; the first request shows whether anybody is there."""
        try:
            import httpx
        except ModuleNotFoundError as missing:
            raise MissingExtraError(need="A server over HTTP", extra="gateway") from missing
        self._client = httpx.AsyncClient(
            headers={**self._server.headers, **ASKED_OF_ALL},
            timeout=httpx.Timeout(None, connect=CONNECT),
            limits=httpx.Limits(max_connections=None, max_keepalive_connections=20),
        )

    def send(self, frame: bytes) -> None:
        """Post a message; its answer comes as one of the server's."""
        read = read_frame(frame, self._limits)
        cancelled = None
        if read.method == CANCELLED:
            cancelled = self._posts.get(bytes(read_fields(read.params).get(ASKED_FOR, b"")))
        if read.method == CANCELLED and self._is_modern:
            # There a request is cancelled by hanging up.
            if cancelled is not None:
                cancelled.cancel()
            return
        before = self._told if self._told is not None and not self._told.done() else None
        task = asyncio.ensure_future(self._send_post(frame, read, before))
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
        if cancelled is not None:
            # Nobody waits for its answer: once the server has been told, nobody listens either.
            task.add_done_callback(lambda _: cancelled.cancel())
        if read.method and not read.key:
            self._told = task
        elif read.method:
            self._posts[read.key] = task

    def pause(self, *, full: bool) -> None:
        """Take nothing from it for a while."""
        if full:
            self._room.clear()
        else:
            self._room.set()

    async def stop(self) -> None:
        """Say goodbye, and let go of every connection."""
        for task in list(self._tasks):
            task.cancel()
        if self._tasks:
            await asyncio.wait(self._tasks)
        client, self._client = self._client, None
        if client is None:
            return
        if SESSION in self._headers:
            with suppress(Exception):  # it is gone, or forgets the session by itself
                async with asyncio.timeout(self._limits.stop):
                    await client.delete(self._server.url, headers=self._headers)
        await client.aclose()

    @property
    def _is_modern(self) -> bool:
        return VERSION in self._headers and SESSION not in self._headers and not self._greeted

    _greeted = False
    """It was introduced to its client once, as earlier revisions do."""

    async def _send_post(
        self, body: bytes, frame: Frame, before: asyncio.Task[None] | None
    ) -> None:
        if before is not None:
            await asyncio.wait([before])
        answered = False
        try:
            answered = await self._send_and_read(body, frame)
            why = "it ended without an answer"
        except asyncio.CancelledError:
            raise
        except Exception as error:  # noqa: BLE001 - whatever the transport says, nobody waits on
            why = f"{type(error).__name__}: {error}"
        finally:
            self._posts.pop(frame.key, None)
        if frame.method and frame.key and not answered:
            self._on_lost(frame.key, why)

    async def _send_and_read(self, body: bytes, frame: Frame) -> bool:
        if self._client is None:
            return False
        async with self._client.stream(
            "POST", self._server.url, content=body, headers=self._read_headers(frame)
        ) as response:
            if response.status_code == 404 and SESSION in self._headers:
                self._on_end("it has forgotten the session")
                return False
            if SESSION in response.headers:
                self._headers[SESSION] = response.headers[SESSION]
            kind = response.headers.get("content-type", "")
            if "text/event-stream" in kind:
                events = EventReader(self._limits.frame)
                if await self._take_events(events, response, frame):
                    return True
                return await self._take_up_again(events, frame)
            said = await self._read_body(response)
            if response.status_code >= 400 and b'"jsonrpc"' not in said:
                raise ConnectionError(f"it answered with status {response.status_code}")
            return self._take(said, frame) if said else False

    def _read_headers(self, frame: Frame) -> dict[str, str]:
        """What a message repeats of itself in headers, and what the server wants to see again."""
        if frame.method == "initialize":
            self._greeted = True
            return {}
        version = read_version(frame)
        if not version:
            return self._headers
        self._headers = {VERSION: version}
        called = read_text(read_fields(frame.params).get("name", b""))
        schema = self._find_schema(called) if frame.method == "tools/call" else {}
        return write_headers(frame, schema=schema)

    async def _read_body(self, response: httpx.Response) -> bytes:
        parts, length = [], 0
        async for part in iterate_plain(response):
            length += len(part)
            if length > self._limits.frame:
                raise ConnectionError("its answer is too long")
            parts.append(part)
        return b"".join(parts)

    def _take(self, said: bytes, frame: Frame) -> bool:
        """Bring on a message; whether it was the answer that is waited for."""
        if frame.method == "initialize":
            result = read_fields(said).get("result")
            version = read_object(result).get("protocolVersion") if result else None
            if isinstance(version, str):
                self._headers[VERSION] = version
                self._listen()
        self._on_frame(said, frame.key)
        return bool(frame.key) and bytes(read_fields(said).get("id", b"")) == frame.key

    async def _take_events(
        self, events: EventReader, response: httpx.Response, frame: Frame
    ) -> bool:
        answered = False
        async for data in events.read(self._read_parts(response)):
            answered = self._take(data, frame) or answered
        return answered

    async def _take_up_again(self, events: EventReader, frame: Frame) -> bool:
        """A stream has broken off behind an event with an id: the server keeps what comes next."""
        key = frame.key
        while key and events.last_id and self._client is not None:
            before = events.last_id
            await asyncio.sleep(events.retry)
            headers = {**self._headers, "last-event-id": before}
            async with self._client.stream("GET", self._server.url, headers=headers) as response:
                if response.status_code != 200:
                    return False
                if await self._take_events(events, response, frame):
                    return True
        return False

    async def _read_parts(self, response: httpx.Response) -> AsyncIterator[bytes]:
        async for part in iterate_plain(response):
            await self._room.wait()
            yield part

    def _listen(self) -> None:
        """Hear what the server says by itself, if it does."""
        task = asyncio.ensure_future(self._read_own_words())
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def _read_own_words(self) -> None:
        """Listen for as long as the server has something to listen to."""
        events = EventReader(self._limits.frame)
        await asyncio.sleep(0)
        goes_on = True
        while goes_on:
            goes_on = await self._read_events(events)
            await asyncio.sleep(events.retry if goes_on else 0)

    async def _read_events(self, events: EventReader) -> bool:
        """Listen until the stream ends; whether it is worth to listen again."""
        client, url = self._client, self._server.url
        if client is None:
            return False
        headers = dict(self._headers)
        if events.last_id:
            headers["last-event-id"] = events.last_id
        try:
            async with client.stream("GET", url, headers=headers) as response:
                if response.status_code != 200:
                    return False
                async for data in events.read(self._read_parts(response)):
                    self._on_frame(data, b"")
        except Exception:  # noqa: BLE001 - what it says by itself is no answer to anybody
            return False
        return True


def iterate_plain(response: httpx.Response) -> AsyncIterator[bytes]:
    """What a server sends, as it sends it; a server that compresses unasked is not heard."""
    if response.headers.get("content-encoding", "identity").strip().lower() != "identity":
        raise ConnectionError("its answer is compressed, and it was asked for a plain one")
    return response.aiter_raw()
