"""Clients over streamable HTTP: an ASGI application, for revisions with sessions and without.

A request body names tools and arguments, never a command or an address: those stand in the
operator's file alone. A client needs a token, and its page must be of this host; the
token is compared here and goes no further.

Each answer goes to the connection that asked for it, and so does what a server says before it. What
a server says by itself goes to a connection that waits for an answer, else to the one that listens,
and if there is none, it is kept for the next one; of a client that never listens, only the latest
are kept. A session is found by its own client only, and ended when unused.
"""

from __future__ import annotations

import asyncio
import random
import secrets
from collections import Counter, deque
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass

from starlette.applications import Starlette
from starlette.requests import ClientDisconnect, Request
from starlette.responses import PlainTextResponse, Response
from starlette.types import Message, Receive, Scope, Send

from mulligan_gateway.access import Access, RequestMeter
from mulligan_gateway.api import DESCRIPTION, PREFIX, create_api, refuse_request
from mulligan_gateway.client_session import ClientSession
from mulligan_gateway.gateway import Gateway
from mulligan_gateway.party import LISTEN, Party, Tasks
from mulligan_gateway.protocol import (
    BAD_PARAMS,
    INVALID_REQUEST,
    MEBI,
    NO_METHOD,
    SESSION,
    VERSION,
    Frame,
    LaneFullError,
    Lanes,
    Limits,
    UnreadableFrameError,
    as_line,
    find_argument_mismatch,
    find_mismatch,
    is_modern,
    join_parts,
    read_fields,
    read_frame,
    read_object,
    read_version,
    write_refusal,
)
from mulligan_gateway.servers_file import Server
from mulligan_gateway.sign_in import PAUSE as KEYS_PAUSE
from mulligan_gateway.sign_in import Refusal

MOST_KEPT = 256
"""Messages that wait until their client connects."""
MOST_KEPT_BYTES = 1_048_576
MOST_QUEUED = 1_000
"""Messages on one connection that its client has not taken yet; then it is given up."""
MOST_QUEUED_BYTES = 8 * MEBI
"""Their bytes; a message that comes when nothing waits may be as long as messages may."""

CANCELLED = -32800
"""What ends the connection of a request that has no answer, where it must end with one."""


class _Frames(asyncio.Queue[bytes | None]):
    """Messages in order, which knows how long they are together."""

    length = 0

    def _put(self, item: bytes | None) -> None:
        self.length += len(item or b"")
        super()._put(item)

    def _get(self) -> bytes | None:
        item = super()._get()
        self.length -= len(item or b"")
        return item

    @property
    def is_full(self) -> bool:
        """Whether its client takes too little."""
        return self.qsize() >= MOST_QUEUED or self.length >= MOST_QUEUED_BYTES


class ClientStream:
    """One connection of a client, until its answer has come."""

    def __init__(self) -> None:
        self.queue = _Frames()
        self.ended = False
        """Nothing comes any more but what is in the queue."""

    @property
    def is_over(self) -> bool:
        """Whether nothing more will come: the end is what lies next, or was taken."""
        return self.ended and self.queue.qsize() <= 1

    async def take(self) -> bytes | None:
        """The next message; `None`: nothing for a while, or nothing more."""
        with suppress(TimeoutError):  # nothing has come
            async with asyncio.timeout(PING):
                return await self.queue.get()
        return None

    def put(self, frame: bytes, *, last: bool = False) -> None:
        """Send a message; the last one is the answer."""
        if self.ended:
            return
        full = self.queue.is_full
        if not full:
            self.queue.put_nowait(frame)
        if last or full:
            self.end()

    def end(self) -> None:
        """The stream has ended, or its reader is gone."""
        if not self.ended:
            self.ended = True
            self.queue.put_nowait(None)

    def send(self, frame: bytes) -> None:
        """Send a message to a client that has only this connection."""
        self.put(frame, last=is_answer(frame))


class Streams:
    """The connections of one client that are open now."""

    def __init__(self, limits: Limits) -> None:
        self._limits = limits
        self._waiting: dict[bytes, ClientStream] = {}
        self._listening: ClientStream | None = None
        self._subscribed: set[ClientStream] = set()
        """Those of requests that are never answered, only told."""
        self._kept: deque[bytes] = deque(maxlen=MOST_KEPT)

    def open(self, key: bytes) -> ClientStream | None:
        """A request has come, whose answer goes back the same way; `None`: its id is in use."""
        if key in self._waiting:
            return None
        stream = self._waiting[key] = ClientStream()
        return stream

    def listen(self) -> ClientStream | None:
        """The client wants to hear what servers say by themselves; `None`: it does already."""
        if self._listening is not None:
            return None
        self._listening = ClientStream()
        while self._kept:
            self._listening.put(self._kept.popleft())
        return self._listening

    def subscribe(self, stream: ClientStream) -> None:
        """The request of a connection asks to be told of changes for as long as it stands."""
        self._subscribed.add(stream)

    def close(self, stream: ClientStream) -> None:
        """A connection is gone."""
        self._subscribed.discard(stream)
        if self._listening is stream:
            self._listening = None
        for key in [key for key, each in self._waiting.items() if each is stream]:
            del self._waiting[key]

    def end_listening(self) -> None:
        """The client is told no more than the answers to what it has asked."""
        for stream in self._subscribed:
            stream.end()
        if self._listening is not None:
            self._listening.end()

    def cancel(self, key: bytes) -> None:
        """A request has no answer, for its client has cancelled it: its connection ends."""
        stream = self._waiting.pop(key, None)
        if stream is not None:
            stream.put(write_refusal(key, CANCELLED, "Request cancelled"), last=True)

    def send(self, frame: bytes, during: bytes = b"") -> None:
        """Send a message where it belongs: to the request that it goes with, if that is known."""
        read = read_frame(frame, self._limits)
        if not read.method:
            stream = self._waiting.pop(read.key, None)
            if stream is not None:
                stream.put(frame, last=True)
            return
        # What a server says while it works comes before its answer only on the same connection.
        stream = self._waiting.get(during) or next(reversed(self._waiting.values()), None)
        stream = stream or self._listening
        if stream is None:
            self._kept.append(frame)
            while sum(map(len, self._kept)) > MOST_KEPT_BYTES:
                self._kept.popleft()
        else:
            stream.put(frame)


def is_answer(frame: bytes) -> bool:
    """Whether a message is an answer, as we have written it."""
    head = frame[:400]
    return b'"method"' not in head.partition(b'"result":')[0].partition(b'"error":')[0]


MOST_SESSIONS = 500
MOST_OF_ONE = 50
"""Sessions of one principal: each has servers of its own, which are processes."""
IDLE = 1_800.0
"""Seconds after which an unused session ends."""
RECENT = 60.0
"""Seconds after which an unused session makes room for another of the same principal."""


class TooManySessionsError(Exception):
    """There is no room for another session."""

    def __init__(self, status: int, said: str) -> None:
        super().__init__(status, said)
        self.status, self.said = status, said


@dataclass(eq=False, slots=True, kw_only=True)
class HttpSession:
    """A session that a client comes back to."""

    principal: str
    session: ClientSession
    streams: Streams
    used_at: float = 0.0
    busy: int = 0
    """Connections that are open now."""

    @contextmanager
    def use(self) -> Iterator[None]:
        """It is not idle during this block."""
        self.busy += 1
        try:
            yield
        finally:
            self.busy -= 1
            self.used_at = asyncio.get_running_loop().time()


class HttpClients:
    """The clients of a gateway over HTTP."""

    def __init__(
        self,
        gateway: Gateway,
        *,
        most: int = MOST_SESSIONS,
        most_of_one: int = MOST_OF_ONE,
        idle: float = IDLE,
    ) -> None:
        self._gateway = gateway
        self._most = most
        self._most_of_one = most_of_one
        self._idle = idle
        self._by_id: dict[str, HttpSession] = {}
        self._by_principal: dict[str, HttpSession] = {}
        """Those of the revisions without sessions: one for all requests of one client."""
        self._closing = Tasks()
        self._sweep: asyncio.TimerHandle | None = None

    def open(self, principal: str) -> tuple[str, HttpSession]:
        """A client has come that will come back; `TooManySessionsError` if there are too many."""
        self._end_idle()
        own = [
            (each.used_at, name)
            for name, each in self._by_id.items()
            if each.principal == principal
        ]
        if len(own) >= self._most_of_one:
            # Room is made where a session was left behind.
            before = asyncio.get_running_loop().time() - RECENT
            left = [n for used_at, n in sorted(own) if used_at < before and not self._by_id[n].busy]
            if not left:
                said = f"You have {len(own)} sessions, the limit. Close one first."
                raise TooManySessionsError(429, said)
            self._closing.run(self._by_id.pop(left[0]).session.close())
        if len(self._by_id) >= self._most:
            raise TooManySessionsError(503, "There are too many sessions.")
        found, name = self._make(principal), secrets.token_urlsafe(24)
        self._by_id[name] = found
        return name, found

    def find(self, name: str, principal: str) -> HttpSession | None:
        """A session by its id; one of another principal counts as unknown."""
        found = self._by_id.get(name)
        return found if found is not None and found.principal == principal else None

    def share(self, principal: str) -> HttpSession:
        """What all requests of a client have in common that says nothing of sessions."""
        self._end_idle()
        if principal not in self._by_principal:
            self._by_principal[principal] = self._make(principal, keeps_ids=False)
        return self._by_principal[principal]

    @property
    def count(self) -> int:
        """How many sessions there are."""
        return len(self._by_id) + len(self._by_principal)

    def change_servers(self) -> None:
        """The file of servers says something else now."""
        for each in (*self._by_id.values(), *self._by_principal.values()):
            each.session.change_servers()

    def keep_only(self, keeps: Callable[[str], bool]) -> None:
        """End the sessions of everybody else, each once what it was asked is answered."""
        for kept in (self._by_id, self._by_principal):
            for name, each in list(kept.items()):
                if not keeps(each.principal):
                    self._closing.run(self._end_later(kept.pop(name)))

    async def end(self, name: str) -> None:
        """A client is done."""
        found = self._by_id.pop(name, None)
        if found is not None:
            await found.session.close()

    async def close(self) -> None:
        """The gateway ends."""
        if self._sweep is not None:
            self._sweep.cancel()
        every = [*self._by_id.values(), *self._by_principal.values()]
        self._by_id.clear()
        self._by_principal.clear()
        await asyncio.gather(*(each.session.close() for each in every))
        await self._closing.wait()

    async def _end_later(self, found: HttpSession) -> None:
        found.streams.end_listening()
        with suppress(TimeoutError):  # what is left then is given up
            async with asyncio.timeout(self._gateway.options.limits.answer):
                while found.busy:  # noqa: ASYNC110 - it is not waited for one thing
                    await asyncio.sleep(SOON)
        await found.session.close()

    def _make(self, principal: str, *, keeps_ids: bool = True) -> HttpSession:
        streams = Streams(self._gateway.options.limits)
        client = Party(streams, keeps_ids=keeps_ids, tell=streams.send)
        session = self._gateway.open_session(client, principal=principal)
        session.on_cancelled = streams.cancel
        now = asyncio.get_running_loop().time()
        return HttpSession(principal=principal, session=session, streams=streams, used_at=now)

    def _end_idle(self) -> None:
        """End unused sessions and their servers, now and from time to time."""
        loop = asyncio.get_running_loop()
        before = loop.time() - self._idle
        for kept in (self._by_id, self._by_principal):
            for name, each in list(kept.items()):
                if not each.busy and each.used_at < before:
                    self._closing.run(kept.pop(name).session.close())
        if self._sweep is not None:
            self._sweep.cancel()
        self._sweep = loop.call_later(max(self._idle / 4, 1.0), self._end_idle)


_chance = random.Random()  # noqa: S311 - it guards no secret

PATH, HEALTH, METRICS = "/mcp", "/health", "/metrics"
MISMATCH = -32020
STATUS_OF = {
    NO_METHOD: 404, BAD_PARAMS: 400, INVALID_REQUEST: 400, -32700: 400, MISMATCH: 400,
    -32021: 400, -32022: 400,
}  # fmt: skip
"""What later revisions answer an error with."""
PING = 15.0
"""Seconds after which a connection without a word is told that we are still there."""
JSON, EVENTS = "application/json", "text/event-stream"
PROMETHEUS = "text/plain; version=0.0.4"
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
"""The longest random pause before a refusal, in seconds: clients that retry at once do not slow
others down, and hundreds of them do not return at the same moment."""


class GatewayApp:
    """The application that a web server runs."""

    def __init__(self, gateway: Gateway, access: Access) -> None:
        self.gateway = gateway
        self.access = access
        self.meter = RequestMeter()
        self.limits = gateway.options.limits
        self.clients = HttpClients(gateway)
        self.under_way = Counter[str]()
        self.lanes = Lanes(wide=WIDE, longest=SOON)
        self.openings = Lanes(wide=OPENING, longest=gateway.options.limits.start)
        routes = create_api(
            gateway.m,
            find_principal=self.find_principal,
            find_grant=gateway.find_grant,
            vouches_for=gateway.vouches_for,
        )
        self.api = Starlette(routes=routes)
        self.change_access(access)

    def find_principal(self, headers: Mapping[str, str]) -> str | Refusal:
        """Who asks, or why they are refused."""
        return self.access.find_principal(headers)

    async def find_caller(self, headers: Mapping[str, str]) -> str | Refusal:
        """The same, also where the issuer of a token has a new key."""
        found, sign_in = self.find_principal(headers), self.access.sign_in
        if isinstance(found, str) or not found.may_be_new or sign_in is None:
            return found
        renewed = await sign_in.keys.renew()
        if why := sign_in.keys.failed:
            self.gateway.report_once(f"The keys of {sign_in.issuer} cannot be fetched: {why}.")
        return self.find_principal(headers) if renewed else found

    def change_access(self, access: Access) -> None:
        """From now on, these are the clients, and what each may do."""
        before, self.access = self.access, access
        self.gateway.grants, self.gateway.find_client = access.grants, access.find_client
        old, new = before.sign_in, access.sign_in
        same = old is not None and new is not None and new.goes_on_from(old)

        def keeps(principal: str) -> bool:
            client = access.find_client(principal)
            # Where the issuer is another one, a name may be another person's.
            return client in access.clients and (same or client == principal)

        self.clients.keep_only(keeps)

    def change_servers(self, servers: Sequence[Server]) -> None:
        """From now on, these are the servers; calls under way end where they began."""
        self.gateway.change_servers(servers)
        self.clients.change_servers()

    def write_metrics(self) -> str:
        """What was counted, and what is so now."""
        under_way = sum(self.under_way.values())
        gauges = {
            "sessions": ("Sessions that are open.", self.clients.count),
            "requests_under_way": ("Requests without an answer.", under_way),
        }
        return self.gateway.metrics.write(gauges)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Take one request."""
        if scope["type"] == "lifespan":
            await receive()
            await send({"type": "lifespan.startup.complete"})
            await receive()
            await self.clients.close()
            await send({"type": "lifespan.shutdown.complete"})
        elif scope["type"] == "http":
            names = Counter(name.lower() for name, _ in scope["headers"])
            if any(names[single] > 1 for single in SINGLE):
                refused = refuse(400, "A header that may come once came twice.")
                await refused(scope, receive, send)
            elif scope["path"] == HEALTH:
                said = b"The store cannot be reached.\n", b"ok\n"
                fine = await self.gateway.is_healthy()
                await Response(said[fine], 200 if fine else 503)(scope, receive, send)
            elif scope["path"] == DESCRIPTION:
                await self.api(scope, receive, send)
            elif (sign_in := self.access.sign_in) and sign_in.is_metadata(scope["path"]):
                await Response(sign_in.write_metadata(), media_type=JSON)(scope, receive, send)
            else:
                await Exchange(self, scope, receive=receive, send=send).run()


def refuse(status: int, said: str, *, retry_after: int = 0, challenge: str = "") -> Response:
    """Why a request is not taken, in a sentence."""
    asked = f"Bearer {challenge}".strip()
    headers = {"www-authenticate": asked} if status == 401 or challenge else {}
    headers |= {"retry-after": str(retry_after)} if retry_after else {}
    return PlainTextResponse(f"{said}\n", status, headers)


class Exchange:
    """One HTTP request and its answer, of MCP or of the API: what its client is granted and has
    used is asked here."""

    def __init__(self, app: GatewayApp, scope: Scope, *, receive: Receive, send: Send) -> None:
        self._app = app
        self._request = Request(scope, self._receive)
        self._headers = self._request.headers
        self._receive_raw = receive
        self._send_raw = send
        self._path = scope["path"].rstrip("/")
        self._in_api = scope["path"].startswith(f"{PREFIX}/")
        self._principal = ""
        """Who asks; empty before it is known, and for a stranger."""

    async def _receive(self) -> Message:
        message = await self._receive_raw()
        self._note_bytes("in", len(message.get("body", b"")))
        return message

    async def _send(self, message: Message) -> None:
        if message["type"] == "http.response.start":
            status = str(message["status"])
            self._app.gateway.metrics.add("requests_total", self._principal, status)
        self._note_bytes("out", len(message.get("body", b"")))
        await self._send_raw(message)

    def _note_bytes(self, direction: str, length: int) -> None:
        if length:
            self._app.gateway.metrics.add("bytes_total", self._principal, direction, by=length)
            self._app.meter.add_bytes(self._principal, length)

    async def _answer(self, response: Response) -> None:
        await response(self._request.scope, self._receive, self._send)

    async def _refuse(
        self, status: int, said: str, *, retry_after: int = 0, challenge: str = ""
    ) -> None:
        write = refuse_request if self._in_api else refuse
        await self._answer(write(status, said, retry_after=retry_after, challenge=challenge))

    async def run(self) -> None:
        """Answer it."""
        principal = await self._app.find_caller(self._headers)
        if isinstance(principal, Refusal):
            later = round(KEYS_PAUSE) if principal.status == 503 else 0
            await self._refuse(
                principal.status,
                principal.said,
                retry_after=later,
                challenge=principal.challenge,
            )
            return
        self._principal = principal
        grant = self._app.gateway.find_grant(principal)
        if self._path == METRICS and grant.metrics:
            await self._answer(PlainTextResponse(self._app.write_metrics(), media_type=PROMETHEUS))
        elif self._path != PATH and not self._in_api:
            await self._refuse(404, f"There is only {PATH} here.")
        elif self._app.under_way[principal] >= (grant.at_once or MOST_UNDER_WAY):
            await self._refuse(429, "Too many of your requests are under way.", retry_after=1)
        elif self._request.method != "DELETE" and (
            wait := self._app.meter.take_request(principal, grant)
        ):
            said = "You have used what the operator grants you of this minute."
            await self._refuse(429, said, retry_after=wait)
        else:
            self._app.under_way[principal] += 1
            try:
                with suppress(ClientDisconnect):  # the client is gone
                    await self._run_for(principal)
            finally:
                self._app.under_way[principal] -= 1

    async def _run_for(self, principal: str) -> None:
        method = self._request.method
        if self._in_api:
            await self._app.api(self._request.scope, self._receive, self._send)
        elif method == "POST":
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
            await asyncio.sleep(_chance.uniform(1.0, PAUSE))
            await self._refuse(full.status, full.said, retry_after=10)

    async def _take_post(self, principal: str) -> None:
        if not self._headers.get("content-type", "").lower().startswith("application/json"):
            await self._refuse(415, "A message is application/json.")
            return
        limits = self._app.limits
        body = await join_parts(self._request.stream(), most=limits.frame)
        if body is None:
            await self._refuse(413, f"A message has {limits.frame} bytes at most (--max-message).")
            return
        try:
            frame = read_frame(body, limits)
        except UnreadableFrameError as error:
            said = write_refusal(error.key, error.code, str(error))
            await self._answer(Response(said, 400, media_type=JSON))
            return
        if is_alone(frame, self._headers):
            await self._take_alone(principal, frame)
        else:
            await self._take_in_session(principal, frame)

    async def _take_alone(self, principal: str, frame: Frame) -> None:
        """A request that says all there is to know with itself."""
        if not frame.key or not frame.method:
            await self._answer(Response(status_code=202))
            return
        shared, stream = self._app.clients.share(principal), ClientStream()
        code, wrong = find_wrong(frame, self._headers)
        if not wrong and frame.method == "tools/call":
            schema = await shared.session.find_schema(frame)
            given = read_object(read_fields(frame.params).get("arguments", b""))
            wrong = find_argument_mismatch(schema, arguments=given, headers=self._headers)
        if wrong:
            said = write_refusal(frame.key, code, wrong)
            await self._answer(Response(said, STATUS_OF[code], media_type=JSON))
            return
        session = shared.session.join(Party(stream, keeps_ids=False))
        with shared.use():
            if frame.method == LISTEN:
                shared.streams.subscribe(stream)
            session.take_frame(frame)
            try:
                await self._stream(stream, codes=True, listens=frame.method == LISTEN)
            finally:
                shared.streams.close(stream)
                # Whoever hangs up does not want it any more.
                await session.leave()

    async def _take_in_session(self, principal: str, frame: Frame) -> None:
        clients, name = self._app.clients, self._headers.get(SESSION, "")
        found = clients.find(name, principal)
        headers: dict[str, str] = {}
        if not name and frame.method in ("initialize", "server/discover"):
            name, found = clients.open(principal)
            headers[SESSION] = name
        if found is None:
            said = (
                "There is no such session: initialize anew."
                if name
                else "A session is needed: initialize first."
            )
            await self._refuse(404 if name else 400, said)
            return
        with found.use():
            if not (frame.method and frame.key):
                found.session.take_frame(frame)
                await self._answer(Response(status_code=202))
                return
            stream = found.streams.open(frame.key)
            if stream is None:
                await self._refuse(409, "A request of this session with the same id is under way.")
                return
            if frame.method == LISTEN:
                found.streams.subscribe(stream)
            found.session.take_frame(frame)
            try:
                await self._stream(stream, headers=headers, listens=frame.method == LISTEN)
            finally:
                found.streams.close(stream)

    async def _listen(self, principal: str) -> None:
        name = self._headers.get(SESSION, "")
        found = self._app.clients.find(name, principal)
        if found is None:
            await self._refuse(404 if name else 405, "There is no such session: initialize anew.")
            return
        stream = found.streams.listen()
        if stream is None:
            await self._refuse(409, "This session is listened to already.")
            return
        with found.use():
            try:
                await self._stream(stream, at_once=True, listens=True)
            finally:
                found.streams.close(stream)

    async def _end(self, principal: str) -> None:
        name = self._headers.get(SESSION, "")
        if self._app.clients.find(name, principal) is None:
            await self._refuse(404, "There is no such session: initialize anew.")
            return
        await self._app.clients.end(name)
        await self._answer(Response(status_code=204))

    async def _stream(
        self,
        stream: ClientStream,
        *,
        headers: Mapping[str, str] | None = None,
        codes: bool = False,
        at_once: bool = False,
        listens: bool = False,
    ) -> None:
        """Send the answer alone as JSON; if something comes before it, all of it as events.
        `listens`: it has no end of its own, and ends with the token that it came with."""
        left = self._app.access.find_time_left(self._headers) if listens else None
        ends = None if left is None else asyncio.get_running_loop().call_later(left, stream.end)
        gone = asyncio.ensure_future(self._wait_for_end(stream))
        try:
            first = None if at_once else await stream.take()
            if first is not None and stream.is_over:
                status = find_status(first) if codes else 200
                await self._answer(Response(first, status, headers, media_type=JSON))
                return
            kind = {"content-type": EVENTS, "cache-control": "no-cache", **(headers or {})}
            written = [(name.encode(), value.encode()) for name, value in kind.items()]
            await self._send({"type": "http.response.start", "status": 200, "headers": written})
            while not gone.done():
                if first is not None:
                    line = as_line(first).rstrip()
                    await self._send_part(b"event: message\r\ndata: %b\r\n\r\n" % line)
                elif at_once or stream.queue.empty():
                    await self._send_part(b": \r\n\r\n")
                if stream.is_over:
                    break
                first = await stream.take()
            await self._send_part(b"", more=False)
        finally:
            gone.cancel()
            if ends is not None:
                ends.cancel()

    async def _wait_for_end(self, stream: ClientStream) -> None:
        while (await self._receive())["type"] != "http.disconnect":
            pass
        stream.end()

    async def _send_part(self, body: bytes, *, more: bool = True) -> None:
        await self._send({"type": "http.response.body", "body": body, "more_body": more})


def is_alone(frame: Frame, headers: Mapping[str, str]) -> bool:
    """Whether a request says all with itself, as revisions without sessions do."""
    if SESSION in headers:
        return False
    if is_modern(headers.get(VERSION, "")):
        return True
    return frame.method != "initialize" and bool(read_version(frame))


def find_wrong(frame: Frame, headers: Mapping[str, str]) -> tuple[int, str]:
    """What is wrong with a request that should say all with itself, after its code; or empty."""
    if frame.method == "initialize":
        return NO_METHOD, "Method not found"
    if not read_version(frame):
        return BAD_PARAMS, "Its _meta does not say which revision it speaks."
    return MISMATCH, find_mismatch(frame, headers)


def find_status(frame: bytes) -> int:
    """The status that an answer goes with."""
    error = read_fields(frame).get("error")
    code = read_object(error).get("code") if error else None
    return STATUS_OF.get(code, 200) if isinstance(code, int) else 200
