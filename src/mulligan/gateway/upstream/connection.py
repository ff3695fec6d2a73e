"""One server for one session: started when it is first needed, and again after it has died."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Awaitable, Callable, Mapping
from contextlib import suppress
from functools import partial
from typing import Any, Protocol

from mulligan.core.errors import ConfigurationError, NothingDone
from mulligan.gateway.protocol.frames import (
    SERVER_ERROR,
    Frame,
    Raw,
    UnreadableFrameError,
    build_error,
    read_frame,
    strip_ours,
)
from mulligan.gateway.protocol.limits import Limits
from mulligan.gateway.protocol.party import LISTEN, AskedRequest, Party
from mulligan.gateway.servers_file import Server
from mulligan.gateway.upstream.stdio import ServerProcess

UNLIMITED = frozenset({LISTEN, "tasks/result"})
"""Requests that are answered whenever something happens, which may be never."""

MOST_SILENT = 3
"""Requests in whose time a server may say nothing at all, before it is started anew."""
_HEAD = re.compile(
    rb'\s*\{\s*(?:"jsonrpc"\s*:\s*"2\.0"\s*,\s*)?"id"\s*:\s*(\d{1,18}|"[^"\\]{1,100}")\s*,'
)
"""The beginning of an answer: by it, one that is too long to be read still has an end."""


class ServerWay(Protocol):
    """How a server is reached, for one life of it."""

    async def start(self) -> None:
        """Begin; an `OSError` says why not."""

    def send(self, frame: bytes) -> None:
        """Hand a message over."""

    def pause(self, *, full: bool) -> None:
        """Take nothing from it for a while."""

    async def stop(self) -> None:
        """End it, and wait until it has ended."""


class ServerDownError(NothingDone, ConnectionRefusedError):
    """A server is not there, and was sent nothing."""


class Listener(Protocol):
    """Who takes what a server says by itself."""

    def take_request(self, upstream: Upstream, frame: Frame, *, during: bytes) -> None:
        """It asks its client for something, on the connection of a request if it is known which."""

    def take_notification(self, upstream: Upstream, frame: Frame, *, during: bytes) -> None:
        """It tells its client something, on the connection of a request if it is known which."""

    def note_end(self, upstream: Upstream, why: str) -> None:
        """It has died."""

    def note_full(self, *, full: bool) -> None:
        """It does not take what it is sent, or does again."""


class Upstream(Party):
    """A server with its lives, one after the other."""

    def __init__(self, server: Server, *, limits: Limits, listener: Listener) -> None:
        super().__init__()
        self.server = server
        self.limits = limits
        self._listener = listener
        self._life: ServerWay | None = None
        self._starting = asyncio.Lock()
        self._deaths = 0
        self._rests_until = 0.0
        self._heard_at = 0.0
        self._silent = 0
        """Requests in a row in whose time it has said nothing at all."""
        self.lives = 0
        self.closed = False
        self.greet: Callable[[Upstream], Awaitable[None]] | None = None
        """Introduces the client to a server that was started again."""
        self._dying: set[asyncio.Task[None]] = set()
        self._schemas: dict[str, Mapping[str, Any]] = {}

    def note_schema(self, tool: str, schema: Mapping[str, Any]) -> None:
        """It has listed a tool."""
        self._schemas[tool] = schema

    def find_schema(self, tool: str) -> Mapping[str, Any]:
        """What the arguments of a tool look like, as far as it was listed."""
        return self._schemas.get(tool, {})

    @property
    def is_up(self) -> bool:
        """Whether it can be asked at once."""
        return self.way is not None and not self._starting.locked()

    async def start(self) -> None:
        """Start it unless it runs; `ServerDownError` where it cannot be, or not yet."""
        if self.is_up:
            return
        async with self._starting:
            if self.way is not None:
                return
            await self._wait_out()
            self.lives += 1
            self._silent = 0
            try:
                self._life = way = self._build_way(partial(self._end_life, self.lives))
                async with asyncio.timeout(self.limits.start):
                    await way.start()
                if self._life is not way:
                    raise ConnectionRefusedError("it ended at once")
                self.way = way
                if self.greet is not None:
                    async with asyncio.timeout(self.limits.start):
                        await self.greet(self)
            except (OSError, TimeoutError, ConfigurationError, ValueError) as error:
                if self._life is not None:
                    self._note_death()
                await self._drop_way()
                late = f"it has not answered within {self.limits.start:g} seconds"
                why = str(error) or (late if isinstance(error, TimeoutError) else repr(error))
                raise ServerDownError(
                    f"The server {self.server.name!r} cannot be started: {why.rstrip('.')}."
                ) from error

    def send(self, frame: bytes) -> None:
        """Hand a message over, less what its client says to us alone."""
        super().send(strip_ours(frame))

    def on_asked(self, asked: AskedRequest) -> None:
        """A request has an end: its answer, the server's, or that of its time."""
        loop = asyncio.get_running_loop()
        if self.asked.get(asked.name) is not asked:
            return  # it has its answer already
        # While it starts, its greeting has the time of a start, which is another one's to end.
        if asked.method not in UNLIMITED and not self._starting.locked():
            asked.since = loop.time()
            asked.limit = loop.call_at(asked.since + self.limits.answer, self._expire, asked.name)
        if self.way is None:
            # It has died since somebody looked: nobody is there who could answer.
            told = build_error(SERVER_ERROR, f"The server {self.server.name!r} is gone.")
            loop.call_soon(self.fail, asked.name, told)

    async def ask_and_wait(self, method: str, params: bytes | Raw) -> Frame:
        """Send a request of the gateway's own, and wait for its answer."""
        answer: asyncio.Future[Frame] = asyncio.get_running_loop().create_future()

        def take(frame: Frame) -> None:
            if not answer.done():
                answer.set_result(frame)

        name = self.ask(method, params, on_answer=take)
        try:
            return await answer
        except asyncio.CancelledError:
            self.cancel(name, reason="Nobody waits for it any more.")
            raise

    def pause(self, *, full: bool) -> None:
        """Take nothing from it while its client takes nothing from us."""
        if self._life is not None:
            self._life.pause(full=full)

    async def close(self) -> None:
        """End it for good, and wait until nothing of it is left."""
        self.closed = True
        self.fail_all(f"The session with the server {self.server.name!r} is over.")
        await self._drop_way()
        if self._dying:
            await asyncio.wait(self._dying)

    def take_frame(self, line: bytes, during: bytes = b"") -> None:
        """Bring on what the server says; what cannot be read is counted."""
        self._heard_at = asyncio.get_running_loop().time()
        try:
            # What stands there as ours would be the server's word.
            frame = read_frame(strip_ours(line), self.limits)
        except UnreadableFrameError as error:
            if error.key:
                self.dropped += 1
                self._fail_unread(error.key)
            else:
                self._take_unread(line)
            return
        if not frame.method:
            if self.take_answer(frame):
                self._deaths = 0
        elif frame.key:
            self._listener.take_request(self, frame, during=during)
        else:
            self._listener.take_notification(self, frame, during=during)

    def _take_unread(self, head: bytes) -> None:
        """One that is too long or broken may still say at its beginning what it answers."""
        self.dropped += 1
        found = _HEAD.match(head)
        if found is not None:
            self._fail_unread(found[1])

    def _fail_unread(self, key: bytes) -> None:
        """Who waits for an answer that cannot be read waits for nothing."""
        if self.find_asked(key) is not None:
            said = f"The answer of the server {self.server.name!r} cannot be read, or is too long."
            self.fail(key, build_error(SERVER_ERROR, said))

    def _expire(self, name: bytes) -> None:
        asked = self.asked.get(name)
        if asked is None:
            return
        loop = asyncio.get_running_loop()
        # A server that waits for a person, by way of its client, is not late.
        since = loop.time() if self.heard else asked.since
        left = since + self.limits.answer - loop.time()
        if left > 0:
            asked.limit = loop.call_later(left, self._expire, name)
            return
        self._silent = self._silent + 1 if self._heard_at < asked.since else 0
        limit = self.limits.answer
        said = f"The server {self.server.name!r} has not answered within {limit:g} seconds."
        self.cancel(name, reason="Its time is up.")
        self.fail(name, build_error(SERVER_ERROR, said))
        if self._silent >= MOST_SILENT:
            self._end_life(self.lives, "it says nothing any more")

    def _build_way(self, on_end: Callable[[str], None]) -> ServerWay:
        if self.server.command:
            return ServerProcess(
                self.server,
                limits=self.limits,
                on_frame=self.take_frame,
                on_too_long=self._take_unread,
                on_end=on_end,
                on_full=self._listener.note_full,
            )
        from mulligan.gateway.upstream.http import ServerAddress

        return ServerAddress(
            self.server,
            limits=self.limits,
            on_frame=self.take_frame,
            on_lost=self._fail_lost,
            on_end=on_end,
            find_schema=self.find_schema,
        )

    def _fail_lost(self, key: bytes, why: str) -> None:
        """The connection of one request has broken."""
        if self.find_asked(key) is not None:
            said = f"The server {self.server.name!r} has not answered: {why}."
            self.fail(key, build_error(SERVER_ERROR, said))

    def _end_life(self, life: int, why: str) -> None:
        """What was under way has an end, and the next request starts it again."""
        if life != self.lives or self._life is None:
            return
        way, self._life, self.way = self._life, None, None
        if way is not None:
            stopping = asyncio.ensure_future(_stop(way))
            self._dying.add(stopping)
            stopping.add_done_callback(self._dying.discard)
        if self.closed:
            return
        self._note_death()
        told = f"The server {self.server.name!r} is gone: {why}."
        self.fail_all(told)
        self.heard.clear()
        self._listener.note_end(self, told)

    def _note_death(self) -> None:
        self._deaths += 1
        pause = self.limits.backoff * 2 ** (self._deaths - 2) if self._deaths > 1 else 0.0
        longest = self.limits.rest
        pause = longest if self._deaths > self.limits.restarts else min(pause, longest)
        self._rests_until = asyncio.get_running_loop().time() + pause

    async def _wait_out(self) -> None:
        """Wait out a short pause; one that dies again and again is not waited for."""
        if self.closed:
            raise ServerDownError(f"The session with the server {self.server.name!r} is over.")
        left = self._rests_until - asyncio.get_running_loop().time()
        if left > 0 and self._deaths > self.limits.restarts:
            raise ServerDownError(
                f"The server {self.server.name!r} has died {self._deaths} times in a row. "
                f"It is started again in {left:.0f} seconds."
            )
        if left > 0:
            await asyncio.sleep(left)

    async def _drop_way(self) -> None:
        way, self._life, self.way = self._life, None, None
        if way is not None:
            await _stop(way)


async def _stop(way: ServerWay) -> None:
    with suppress(OSError):  # it is gone already
        await way.stop()
