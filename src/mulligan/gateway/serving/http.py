"""Clients over streamable HTTP: an ASGI application, for revisions with sessions and without.

A request body names tools and arguments, never a command or an address: those stand in the
operator's file alone. The token that a client shows is compared here and goes no further.
"""

from __future__ import annotations

import asyncio
import random
from collections import Counter
from collections.abc import Awaitable, Callable, Iterable, MutableMapping
from contextlib import suppress
from typing import Any

from starlette.applications import Starlette

from mulligan.gateway.api.routes import PREFIX, create_api
from mulligan.gateway.gateway import Gateway
from mulligan.gateway.protocol.frames import (
    BAD_PARAMS,
    INVALID_REQUEST,
    NO_METHOD,
    Frame,
    UnreadableFrameError,
    as_line,
    build_error,
    read_fields,
    read_frame,
    read_object,
    write_error,
)
from mulligan.gateway.protocol.headers import (
    SESSION,
    VERSION,
    find_argument_mismatch,
    find_mismatch,
    is_modern,
    read_version,
)
from mulligan.gateway.protocol.limits import LaneFullError, Lanes
from mulligan.gateway.protocol.party import Party
from mulligan.gateway.serving.access import Access, Refusal
from mulligan.gateway.serving.clients import HttpClients, HttpSession, TooManySessionsError
from mulligan.gateway.serving.streams import Stream

Scope = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[MutableMapping[str, Any]]]
Send = Callable[[MutableMapping[str, Any]], Awaitable[None]]

PATH = "/mcp"
MISMATCH = -32020
STATUS_OF = {NO_METHOD: 404, BAD_PARAMS: 400, INVALID_REQUEST: 400, -32700: 400, MISMATCH: 400}
STATUS_OF |= {-32021: 400, -32022: 400}
"""What later revisions answer an error with."""
PING = 15.0
"""Seconds after which a connection without a word is told that we are still there."""
JSON, EVENTS = b"application/json", b"text/event-stream"
SINGLE = (b"host", b"origin", b"authorization")
"""Headers by which a request is let in: of two, whoever reads them may take either."""
WIDE = 1
"""Requests of one principal that are worked on at once."""
MOST_UNDER_WAY = 250
"""Requests of one principal that are not answered yet: each has a connection of its own."""
OPENING = 4
"""Sessions of one principal that are opened at once: each starts servers."""
SOON = 0.02
"""Seconds after which a request waits for its server and makes room for the next."""
PAUSE = 6.0
"""The most seconds before a refusal, each time others: who asks again at once keeps nobody waiting,
and hundreds of them do not come at the same moment."""
PLAIN = ((b"content-type", b"text/plain; charset=utf-8"),)


class GatewayApp:
    """The application that a web server runs."""

    def __init__(self, gateway: Gateway, access: Access) -> None:
        self._gateway = gateway
        self._access = access
        self._limits = gateway.options.limits
        self.clients = HttpClients(gateway)
        self.under_way = Counter[str]()
        self.lanes = Lanes(wide=WIDE, longest=SOON)
        self.openings = Lanes(wide=OPENING, longest=gateway.options.limits.start)
        routes = create_api(
            gateway.m, find_principal=access.find_principal, trusted=gateway.options.trusted
        )
        self._api = Starlette(routes=routes)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Take one request."""
        if scope["type"] == "lifespan":
            await self._live(receive, send)
        elif scope["type"] == "http" and has_doubled(scope["headers"]):
            await Exchange(self, scope, receive=receive, send=send).refuse_doubled()
        elif scope["type"] == "http" and scope["path"].startswith(f"{PREFIX}/"):
            await self._api(scope, receive, send)
        elif scope["type"] == "http":
            await Exchange(self, scope, receive=receive, send=send).run()

    async def _live(self, receive: Receive, send: Send) -> None:
        await receive()
        await send({"type": "lifespan.startup.complete"})
        await receive()
        await self.clients.close()
        await send({"type": "lifespan.shutdown.complete"})

    def find_principal(self, headers: dict[str, str]) -> str | Refusal:
        """Who asks, or why they are refused."""
        return self._access.find_principal(headers)

    @property
    def most_bytes(self) -> int:
        """Of one request."""
        return self._limits.frame

    def read(self, body: bytes) -> Frame:
        """The message of a request."""
        return read_frame(body, self._limits)


class Exchange:
    """One HTTP request and its answer."""

    def __init__(self, app: GatewayApp, scope: Scope, *, receive: Receive, send: Send) -> None:
        self._app = app
        self._scope = scope
        self._receive = receive
        self._send = send
        self._headers = {
            name.decode("latin-1"): value.decode("latin-1") for name, value in scope["headers"]
        }

    async def refuse_doubled(self) -> None:
        """Answer a request that says twice who it is for, from or by."""
        await self._refuse(400, "A header that may come once came twice.")

    async def run(self) -> None:
        """Answer it."""
        principal = self._app.find_principal(self._headers)
        if isinstance(principal, Refusal):
            await self._refuse(principal.status, principal.said)
        elif self._scope["path"].rstrip("/") != PATH:
            await self._refuse(404, f"There is only {PATH} here.")
        elif self._app.under_way[principal] >= MOST_UNDER_WAY:
            await self._refuse(429, "Too many of your requests are under way.", retry_after=1)
        else:
            self._app.under_way[principal] += 1
            try:
                await self._run_for(principal)
            finally:
                self._app.under_way[principal] -= 1

    async def _run_for(self, principal: str) -> None:
        method = self._scope["method"]
        if method == "POST":
            await self._take_in_turn(principal)
        elif method == "GET":
            await self._listen(principal)
        elif method == "DELETE":
            await self._end(principal)
        else:
            await self._refuse(405, "POST a message, GET what servers say, or DELETE a session.")

    async def _take_in_turn(self, principal: str) -> None:
        opens = SESSION not in self._headers and VERSION not in self._headers
        lanes = self._app.openings if opens else self._app.lanes
        try:
            async with lanes.enter(principal):
                await self._take_post(principal)
        except LaneFullError:
            await self._refuse(429, "Too many of your requests wait.", retry_after=1)
        except TooManySessionsError as full:
            await asyncio.sleep(random.uniform(1.0, PAUSE))  # noqa: S311 - it guards no secret
            await self._refuse(full.status, full.said, retry_after=10)

    async def _take_post(self, principal: str) -> None:
        if not self._headers.get("content-type", "").lower().startswith("application/json"):
            await self._refuse(415, "A message is application/json.")
            return
        body = await self._read_body()
        if body is None:
            await self._refuse(413, f"A message has {self._app.most_bytes} bytes at most.")
            return
        try:
            frame = self._app.read(body)
        except UnreadableFrameError as error:
            await self._say(400, write_error(error.key, build_error(error.code, str(error))))
            return
        if is_alone(frame, self._headers):
            await self._take_alone(principal, frame)
        else:
            await self._take_in_session(principal, frame)

    async def _take_alone(self, principal: str, frame: Frame) -> None:
        """A request that says all there is to know with itself."""
        if not frame.key or not frame.method:
            await self._start(202, ())
            await self._send_body(b"")
            return
        shared, stream = self._app.clients.share(principal), Stream()
        wrong = find_wrong(frame, self._headers) or await self._find_argument(shared, frame)
        if wrong is not None:
            said = write_error(frame.key, build_error(*wrong))
            await self._say(STATUS_OF[wrong[0]], said)
            return
        session = shared.session.join(Party(stream, keeps_ids=False))
        with Using(shared):
            session.take_frame(frame)
            try:
                await self._stream(stream, codes=True)
            finally:
                # Whoever hangs up does not want it any more.
                await session.leave()

    async def _find_argument(self, shared: HttpSession, frame: Frame) -> Wrong | None:
        """Whether an argument stands otherwise in a header than in the call."""
        if frame.method != "tools/call":
            return None
        schema = await shared.session.find_schema(frame)
        arguments = read_object(read_fields(frame.params).get("arguments", b""))
        mismatch = find_argument_mismatch(schema, arguments=arguments, headers=self._headers)
        return (MISMATCH, mismatch) if mismatch else None

    async def _take_in_session(self, principal: str, frame: Frame) -> None:
        clients, name = self._app.clients, self._headers.get(SESSION, "")
        found = clients.find(name, principal)
        headers: tuple[tuple[bytes, bytes], ...] = ()
        if not name and frame.method in ("initialize", "server/discover"):
            name, found = clients.open(principal)
            headers = ((SESSION.encode(), name.encode()),)
        if found is None:
            said = "There is no such session." if name else "A session is needed: initialize first."
            await self._refuse(404 if name else 400, said)
            return
        with Using(found):
            if not (frame.method and frame.key):
                found.session.take_frame(frame)
                await self._start(202, ())
                await self._send_body(b"")
                return
            stream = found.streams.open(frame.key)
            if stream is None:
                await self._refuse(409, "A request of this session with the same id is under way.")
                return
            found.session.take_frame(frame)
            try:
                await self._stream(stream, headers=headers)
            finally:
                found.streams.close(stream)

    async def _listen(self, principal: str) -> None:
        name = self._headers.get(SESSION, "")
        found = self._app.clients.find(name, principal)
        if found is None:
            await self._refuse(404 if name else 405, "There is no such session.")
            return
        stream = found.streams.listen()
        if stream is None:
            await self._refuse(409, "This session is listened to already.")
            return
        with Using(found):
            try:
                await self._stream(stream, at_once=True)
            finally:
                found.streams.close(stream)

    async def _end(self, principal: str) -> None:
        name = self._headers.get(SESSION, "")
        if self._app.clients.find(name, principal) is None:
            await self._refuse(404, "There is no such session.")
            return
        await self._app.clients.end(name)
        await self._start(204, ())
        await self._send_body(b"")

    async def _stream(
        self,
        stream: Stream,
        *,
        headers: Iterable[tuple[bytes, bytes]] = (),
        codes: bool = False,
        at_once: bool = False,
    ) -> None:
        """Send the answer alone as JSON; if something comes before it, all of it as events."""
        gone = asyncio.ensure_future(self._wait_for_end())
        try:
            first = None if at_once else await _take(stream, gone)
            if first is not None and is_over(stream):
                status = find_status(first) if codes else 200
                await self._say(status, first, headers)
                return
            kind = (b"content-type", EVENTS)
            await self._start(200, (kind, (b"cache-control", b"no-cache"), *headers))
            while not gone.done():
                if first is not None:
                    line = as_line(first).rstrip()
                    await self._send_body(b"event: message\r\ndata: %b\r\n\r\n" % line, more=True)
                elif at_once or stream.queue.empty():
                    await self._send_body(b": \r\n\r\n", more=True)
                if is_over(stream):
                    break
                first = await _take(stream, gone)
            await self._send_body(b"")
        finally:
            gone.cancel()

    async def _wait_for_end(self) -> None:
        while (await self._receive())["type"] != "http.disconnect":
            pass

    async def _read_body(self) -> bytes | None:
        parts, length = [], 0
        while True:
            message = await self._receive()
            part = message.get("body", b"")
            length += len(part)
            if length > self._app.most_bytes:
                return None
            parts.append(part)
            if not message.get("more_body"):
                return b"".join(parts)

    async def _refuse(self, status: int, said: str, *, retry_after: int = 0) -> None:
        asks = ((b"www-authenticate", b"Bearer"),) if status == 401 else ()
        later = ((b"retry-after", b"%d" % retry_after),) if retry_after else ()
        await self._start(status, (*PLAIN, *asks, *later))
        await self._send_body(f"{said}\n".encode())

    async def _say(
        self, status: int, frame: bytes, headers: Iterable[tuple[bytes, bytes]] = ()
    ) -> None:
        length = (b"content-length", b"%d" % len(frame))
        await self._start(status, ((b"content-type", JSON), length, *headers))
        await self._send_body(frame)

    async def _start(self, status: int, headers: Iterable[tuple[bytes, bytes]]) -> None:
        await self._send(
            {"type": "http.response.start", "status": status, "headers": list(headers)}
        )

    async def _send_body(self, body: bytes, *, more: bool = False) -> None:
        await self._send({"type": "http.response.body", "body": body, "more_body": more})


def has_doubled(headers: Iterable[tuple[bytes, bytes]]) -> bool:
    """Whether a request has two of what it may have one of."""
    names = [name.lower() for name, _ in headers]
    return any(names.count(single) > 1 for single in SINGLE)


class Using:
    """A session is not idle while somebody is here."""

    def __init__(self, session: HttpSession) -> None:
        self._session = session

    def __enter__(self) -> None:
        self._session.busy += 1

    def __exit__(self, *error: object) -> None:
        self._session.busy -= 1
        self._session.used_at = asyncio.get_running_loop().time()


async def _take(stream: Stream, gone: asyncio.Future[None]) -> bytes | None:
    """The next message; `None`: nothing for a while, or nobody is there any more."""
    if not stream.queue.empty():
        return stream.queue.get_nowait()
    taking = asyncio.ensure_future(stream.queue.get())
    try:
        await asyncio.wait((taking, gone), timeout=PING, return_when=asyncio.FIRST_COMPLETED)
        return taking.result() if taking.done() else None
    finally:
        taking.cancel()
        with suppress(asyncio.CancelledError):  # as it was told a line above
            if taking.done() and not taking.cancelled():
                taking.exception()


def is_over(stream: Stream) -> bool:
    """Whether nothing more will come: the end is what lies next."""
    return stream.queue.qsize() == 1 and stream.ended


def is_alone(frame: Frame, headers: dict[str, str]) -> bool:
    """Whether a request says all with itself, as revisions without sessions do."""
    if SESSION in headers:
        return False
    if is_modern(headers.get(VERSION, "")):
        return True
    return frame.method != "initialize" and bool(read_version(frame))


Wrong = tuple[int, str]


def find_wrong(frame: Frame, headers: dict[str, str]) -> Wrong | None:
    """What is wrong with a request that should say all with itself, and its code."""
    if frame.method == "initialize":
        return NO_METHOD, "Method not found"
    if not read_version(frame):
        return BAD_PARAMS, "Its _meta does not say which revision it speaks."
    mismatch = find_mismatch(frame, headers)
    return (MISMATCH, mismatch) if mismatch else None


def find_status(frame: bytes) -> int:
    """The status that an answer goes with."""
    error = read_fields(frame).get("error")
    code = read_object(error).get("code") if error else None
    return STATUS_OF.get(code, 200) if isinstance(code, int) else 200
