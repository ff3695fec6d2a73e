"""Servers that the gateway speaks to: processes and addresses, started again when they die.

There is one connection for one session, started when it is first needed. A server at an address
gets the headers of the operator's file and no others: what a client has shown to the gateway goes
no further.
"""

from __future__ import annotations

import asyncio
import os
import signal
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from contextlib import suppress
from functools import partial
from typing import TYPE_CHECKING, Any, Protocol, cast

from mulligan.codec import encode_json
from mulligan.types.errors import ConfigurationError, MissingExtraError, NothingDone
from mulligan_gateway.party import (
    ASKED_FOR,
    CANCELLED,
    LISTEN,
    AskedRequest,
    Party,
    Tasks,
)
from mulligan_gateway.protocol import (
    CAPABILITIES,
    CLIENT_INFO,
    FIRST_MODERN,
    INVALID_REQUEST,
    META,
    OLDER,
    RESPONSES,
    SERVER_INFO,
    SESSION,
    STATE,
    VERSION,
    VERSION_META,
    Frame,
    Limits,
    LineCutter,
    Raw,
    UnreadableFrameError,
    as_line,
    asks_for_input,
    join_parts,
    read_fields,
    read_frame,
    read_object,
    read_outline,
    read_text,
    read_version,
    strip_ours,
    write_headers,
    write_refusal,
    write_request,
)
from mulligan_gateway.servers_file import Server

if TYPE_CHECKING:
    import httpx


INHERITED = frozenset(
    {
        *("HOME", "LOGNAME", "PATH", "PWD", "SHELL", "TERM", "TMPDIR", "TZ", "USER"),
        *("LANG", "LANGUAGE", "LC_ALL", "LC_CTYPE", "SYSTEMROOT"),
        *("XDG_CACHE_HOME", "XDG_CONFIG_HOME", "XDG_DATA_HOME", "XDG_RUNTIME_DIR"),
    }
)
"""Variables that a server gets of ours; it has no others but those that its file names."""


class ServerProcess(asyncio.SubprocessProtocol):
    """One life of a server: from its start to the end of its whole process group."""

    def __init__(self, upstream: Upstream, on_end: Callable[[str], None]) -> None:
        self._upstream = upstream
        self._on_end = on_end
        """Told once or twice: that it says nothing more, and that it is over."""
        longest, too_long = upstream.limits.server_frame, upstream.take_too_long
        self._cutter = LineCutter(upstream.take_frame, longest=longest, on_too_long=too_long)
        self._process: asyncio.SubprocessTransport | None = None
        self._input: asyncio.WriteTransport | None = None
        self._ended: asyncio.Future[None] = asyncio.get_running_loop().create_future()

    async def start(self) -> None:
        """Run the command, in a process group of its own."""
        server = self._upstream.server
        transport, _ = await asyncio.get_running_loop().subprocess_exec(
            lambda: self,
            *server.command,
            stdin=asyncio.subprocess.PIPE,
            stdout=asyncio.subprocess.PIPE,
            stderr=None,
            env=build_environment(server.env, ours=os.environ),
            cwd=server.cwd,
            start_new_session=True,
        )
        self._process = transport
        self._input = cast("asyncio.WriteTransport", transport.get_pipe_transport(0))

    def send(self, frame: bytes) -> None:
        """Write a line; to one that has ended, nothing."""
        if self._input is not None and not self._input.is_closing():
            self._input.write(as_line(frame))

    def pause(self, *, full: bool) -> None:
        """Read nothing from it while its messages are not consumed."""
        pipe = self._process.get_pipe_transport(1) if self._process is not None else None
        if pipe is not None and not pipe.is_closing():
            reading = cast("asyncio.ReadTransport", pipe)
            with suppress(RuntimeError):  # it is closed, or paused already
                reading.pause_reading() if full else reading.resume_reading()

    async def stop(self) -> None:
        """Close its input, then ask, then kill: what it has started goes with it."""
        if self._process is None:
            return
        if self._input is not None:
            self._input.close()
        for last_word in (signal.SIGTERM, signal.SIGKILL):
            if await self._is_over():
                break
            self.send_signal(last_word)
        await self._is_over()
        self.send_signal(signal.SIGKILL)
        self._process.close()

    async def _is_over(self) -> bool:
        done, _ = await asyncio.wait([self._ended], timeout=self._upstream.limits.stop)
        return bool(done)

    def send_signal(self, number: int) -> None:
        """Send a signal to all that it has started."""
        if self._process is not None and (pid := self._process.get_pid()):
            # The group outlives its first process where that has left children behind.
            with suppress(ProcessLookupError, PermissionError):
                os.killpg(pid, number)

    def pipe_data_received(self, fd: int, data: bytes) -> None:
        """Cut what it says into messages."""
        if fd == 1:
            self._cutter.take(data)

    def pipe_connection_lost(self, fd: int, exc: Exception | None) -> None:  # noqa: ARG002
        """One that says nothing any more is of no use, whether or not it has ended."""
        if fd == 1:
            self._cutter.finish()
            self._on_end("it closed its output")

    def process_exited(self) -> None:
        """It is over, and has been waited for: no zombie is left."""
        code = self._process.get_returncode() if self._process is not None else None
        if not self._ended.done():
            self._ended.set_result(None)
        self._on_end(f"it ended with code {code}")

    def pause_writing(self) -> None:
        """It does not read as fast as it is written to."""
        self._upstream.listener.note_full(full=True)

    def resume_writing(self) -> None:
        """It has caught up."""
        self._upstream.listener.note_full(full=False)


def build_environment(said: Mapping[str, str], *, ours: Mapping[str, str]) -> dict[str, str]:
    """What a server finds in its environment: what any program needs, and what its file says."""
    return {name: value for name, value in ours.items() if name in INHERITED} | dict(said)


RETRY = 1.0
"""Seconds before a stream is taken up again, where the server does not say."""
LONGEST_RETRY = 60.0


class EventReader:
    """Reads events, over one connection or several, and knows where it has come to."""

    def __init__(self, longest: int, *, on_too_long: Callable[[Frame], object] = bool) -> None:
        self._longest = longest
        self._on_too_long = on_too_long
        self.last_id = ""
        """Of the last event that has one: a stream can be taken up again behind it."""
        self.retry = RETRY
        """Seconds before it is."""

    async def read(self, parts: AsyncIterator[bytes]) -> AsyncIterator[bytes]:
        """The data of each event that has some."""
        lines: list[bytes] = []
        events: list[bytes] = []

        def take(line: bytes) -> None:
            name, _, value = line.rstrip(b"\r").partition(b":")
            value = value.removeprefix(b" ")
            if not line.strip():
                if any(lines):
                    events.append(b"\n".join(lines).strip())
                lines.clear()
            elif name == b"data":
                lines.append(value)
            elif name == b"id" and b"\0" not in value:
                self.last_id = value.decode("latin-1")
            elif name == b"retry" and value.isdigit():
                self.retry = min(int(value[:9]) / 1e3, LONGEST_RETRY)

        cutter = LineCutter(take, longest=self._longest, on_too_long=self._on_too_long, blank=True)
        async for part in parts:
            cutter.take(part)
            while events:
                yield events.pop(0)


ASKED_OF_ALL = {
    "accept": "application/json, text/event-stream",
    "accept-encoding": "identity",
    "content-type": "application/json",
}
"""A few bytes that are compressed may be any number of others, so nothing is to be."""
CONNECT = 10.0


class ServerAddress:
    """One session with a server over HTTP."""

    def __init__(self, upstream: Upstream, on_end: Callable[[str], None]) -> None:
        self._upstream = upstream
        self._server = upstream.server
        self._limits = upstream.limits
        self._on_end = on_end
        self._client: httpx.AsyncClient | None = None
        self._headers: dict[str, str] = {}
        """What the server wants to see again: its session, and the revision that was agreed."""
        self._posts: dict[bytes, asyncio.Task[None]] = {}
        self._tasks = Tasks()
        self._told: asyncio.Task[None] | None = None
        """The last notification in flight: nothing overtakes it."""
        self._room = asyncio.Event()
        self._room.set()

    async def start(self) -> None:
        """Get ready; the first request shows whether the server is there."""
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
        task = self._tasks.run(self._send_post(frame, read, before))
        if cancelled is not None:
            # No one waits for its answer: once the server has been told, its stream is closed too.
            task.add_done_callback(lambda _: cancelled.cancel())
        if read.method and not read.key:
            self._told = task
        elif read.method:
            self._posts[read.key] = task

    def pause(self, *, full: bool) -> None:
        """Take nothing from it for a while."""
        self._room.clear() if full else self._room.set()

    async def stop(self) -> None:
        """Say goodbye, and let go of every connection."""
        await self._tasks.cancel()
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
        except Exception as error:  # noqa: BLE001 - whatever the transport says, callers must not hang
            why = f"{type(error).__name__}: {error}"
        finally:
            self._posts.pop(frame.key, None)
        if frame.method and frame.key and not answered:
            self._upstream.fail(
                frame.key, f"The server {self._server.name!r} has not answered: {why}."
            )

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
                events = self._build_reader()
                if await self._take_events(events, response, frame):
                    return True
                return await self._take_up_again(events, frame)
            said = await join_parts(iterate_plain(response), most=self._limits.server_frame)
            if said is None:
                self._upstream.take_too_long(Frame(), key=frame.key)
                return True
            if response.status_code >= 400 and b'"jsonrpc"' not in said:
                raise ConnectionError(f"it answered with status {response.status_code}")
            return self._take(said, frame) if said else False

    def _build_reader(self) -> EventReader:
        return EventReader(self._limits.server_frame, on_too_long=self._upstream.take_too_long)

    def _read_headers(self, frame: Frame) -> dict[str, str]:
        """What a message repeats of itself in headers, and what the server wants to see again."""
        if frame.method == "initialize":
            return {}
        version = read_version(frame)
        if not version:
            return self._headers
        self._headers = {VERSION: version}
        called = read_text(read_fields(frame.params).get("name", b""))
        schema = self._upstream.schemas.get(called, {}) if frame.method == "tools/call" else {}
        return write_headers(frame, schema=schema)

    def _take(self, said: bytes, frame: Frame) -> bool:
        """Bring on a message; whether it was the answer that is waited for."""
        if frame.method == "initialize":
            result = read_fields(said).get("result")
            version = read_object(result).get("protocolVersion") if result else None
            if isinstance(version, str):
                self._greeted = True
                self._headers[VERSION] = version
                self._tasks.run(self._listen())
        self._upstream.take_frame(said, frame.key)
        return bool(frame.key) and bytes(read_fields(said).get("id", b"")) == frame.key

    async def _take_events(
        self, events: EventReader, response: httpx.Response, frame: Frame
    ) -> bool:
        """Bring on what comes on a stream until it ends; whether the answer was there."""
        answered = False
        async for data in events.read(self._read_parts(response)):
            answered = self._take(data, frame) or answered
        return answered

    async def _read_parts(self, response: httpx.Response) -> AsyncIterator[bytes]:
        async for part in iterate_plain(response):
            await self._room.wait()
            yield part

    async def _get_events(self, events: EventReader, frame: Frame) -> bool | None:
        """Go on with a stream behind the last event that has come; `None`: there is none."""
        if self._client is None:
            return None
        behind = {"last-event-id": events.last_id} if events.last_id else {}
        headers = self._headers | behind
        async with self._client.stream("GET", self._server.url, headers=headers) as response:
            if response.status_code != 200:
                return None
            return await self._take_events(events, response, frame)

    async def _take_up_again(self, events: EventReader, frame: Frame) -> bool:
        """A stream has broken off behind an event with an id: the server keeps what comes next."""
        answered: bool | None = False
        while answered is False and frame.key in self._upstream.asked and events.last_id:
            await asyncio.sleep(events.retry)
            answered = await self._get_events(events, frame)
        return bool(answered)

    async def _listen(self) -> None:
        """Hear what the server says by itself, for as long as it has a stream of that."""
        events = self._build_reader()
        await asyncio.sleep(0)
        with suppress(Exception):  # what it says by itself answers no request
            while await self._get_events(events, Frame()) is not None:  # noqa: ASYNC110
                await asyncio.sleep(events.retry)


def iterate_plain(response: httpx.Response) -> AsyncIterator[bytes]:
    """What a server sends, as it sends it; a server that compresses unasked is not heard."""
    if response.headers.get("content-encoding", "identity").strip().lower() != "identity":
        raise ConnectionError("its answer is compressed, and it was asked for a plain one")
    return response.aiter_raw()


UNLIMITED = frozenset({LISTEN, "tasks/result"})
"""Requests that are answered whenever something happens, which may be never."""

MOST_SILENT = 3
"""Requests in whose time a server may say nothing at all, before it is started anew."""


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


Greets = Callable[["Upstream"], Awaitable[None]]
"""Introduces a client to a server."""


class Upstream(Party):
    """A server with its lives, one after the other."""

    def __init__(self, server: Server, *, limits: Limits, listener: Listener) -> None:
        super().__init__()
        self.server = server
        self.limits = limits
        self.listener = listener
        self._life: ServerProcess | ServerAddress | None = None
        self._starting = asyncio.Lock()
        self._deaths = 0
        self._rests_until = 0.0
        self._heard_at = 0.0
        self._silent = 0
        """Requests in a row in whose time it has said nothing at all."""
        self.lives = 0
        self._down = ""
        """Why it could not be started the last time; empty: it could, or nobody has tried."""
        self.closed = False
        self.late = False
        """Whether its client has heard the other servers, and not it, as it is slow to answer."""
        self.greet: Greets | None = None
        """Introduces the client to a server that was started again."""
        self._dying = Tasks()
        self._asking = Tasks()
        """Questions of a server that its client is asked as requests."""
        self.meta: dict[str, Any] = {}
        """What every request says of a client that has introduced itself once, to a server that
        knows no handshake; empty: it does."""
        self.schemas: dict[str, Mapping[str, Any]] = {}
        """What the arguments of its tools look like, as far as they were listed."""

    @property
    def is_up(self) -> bool:
        """Whether it can be asked at once."""
        return self.way is not None and not self._starting.locked()

    @property
    def missing(self) -> str:
        """Why its tools are not there, in a sentence; empty where they are, or may be."""
        if self._starting.locked() or self.late:
            return f"The server {self.server.name!r} is still starting."
        return self._down

    async def start(self, greet: Greets | None = None) -> None:
        """Start it unless it runs; `ServerDownError` where it cannot be, or not yet. `greet`: a
        client has come that introduces itself in any case, and nothing else is sent before."""
        if self.is_up and greet is None:
            return
        async with self._starting:
            if self.way is not None and greet is None:
                return
            if self.way is None:
                await self._wait_out()
                self.lives += 1
                self._silent = 0
            limit = self.limits.start if self.lives > 1 else self.limits.answer
            try:
                if self.way is None:
                    await self._open()
                if (greet := greet or self.greet) is not None:
                    async with asyncio.timeout(limit):
                        await greet(self)
                self._down = ""
            except (OSError, TimeoutError, ConfigurationError, ValueError) as error:
                if self._life is not None:
                    self._note_death()
                self._drop_way()
                await self._dying.wait()
                late = f"it has not answered within {limit:g} seconds"
                why = str(error) or (late if isinstance(error, TimeoutError) else repr(error))
                self._down = (
                    f"The server {self.server.name!r} cannot be started: {why.rstrip('.')}."
                )
                raise ServerDownError(self._down) from error

    async def _open(self) -> None:
        kind = ServerProcess if self.server.command else ServerAddress
        self._life = way = kind(self, partial(self._end_life, self.lives))
        async with asyncio.timeout(self.limits.start):
            await way.start()
        if self._life is not way:
            raise ConnectionRefusedError("it ended at once")
        self.way = way

    def send(self, frame: bytes) -> None:
        """Hand a message over, less what its client says to us alone."""
        super().send(strip_ours(frame))

    async def introduce(self, params: bytes | Raw) -> Frame:
        """Introduce the client with its handshake; to a server that takes none, with every request
        from now on. The answer is that of a handshake."""
        self.meta = {}
        answer = await self.ask_and_wait("initialize", params)
        if not answer.error or self.way is None:
            return answer
        said = read_object(params)
        meta: dict[str, Any] = {VERSION_META: FIRST_MODERN}
        meta |= {CLIENT_INFO: said.get("clientInfo"), CAPABILITIES: said.get("capabilities")}
        found = await self.ask_and_wait("server/discover", encode_json({META: meta}))
        can = read_object(found.result) if found.result else {}
        if FIRST_MODERN not in (can.get("supportedVersions") or ()):
            return answer
        self.meta = meta
        about = (can.get(META) or {}).get(SERVER_INFO) or {"name": self.server.name, "version": ""}
        greeting: dict[str, Any] = {
            name: can[name] for name in ("capabilities", "instructions") if name in can
        }
        greeting["protocolVersion"] = min(str(said.get("protocolVersion")), OLDER)
        greeting["serverInfo"] = about
        return Frame(id=answer.id, result=Raw(encode_json(greeting)))

    def tell_client(self, method: str, params: bytes | Raw = b"") -> None:
        """Hand on what its client tells; a server without a handshake is told nothing so."""
        if not self.meta:
            self.send(write_request(b"", method, params=params))

    def fill_in(self, params: bytes | Raw) -> bytes | Raw:
        """The parameters of a request with what the server wants to hear of its client."""
        if not self.meta:
            return params
        fields = read_fields(params)
        said = self.meta | read_fields(fields.get(META, b""))
        return encode_json(fields | {META: said})

    def take_answer(self, frame: Frame) -> bool:
        """Deliver an answer to its caller; what it asks for is asked of a client that knows no
        such answers, as a request."""
        asked = self.asked.get(frame.key)
        if self.meta and asked is not None and asked.origin is not None:
            result = read_fields(frame.result)
            if asks_for_input({"resultType": read_text(result.get("resultType"))}):
                self._asking.run(self._bring_input(asked, asked.origin, result))
                return True
        return super().take_answer(frame)

    async def _bring_input(
        self, asked: AskedRequest, client: Party, result: Mapping[str, Any]
    ) -> None:
        """Ask a client what its server wants to know, and send the request again with that."""
        if asked.limit is not None:
            asked.limit.cancel()  # it is the person's time now
        given = {}
        for name, raw in read_fields(result.get("inputRequests", b"")).items():
            wants = read_fields(raw)
            method, params = read_text(wants.get("method")), wants.get("params", b"")
            answer = await client.ask_and_wait(method, params, during=asked.key)
            if answer.error:
                super().take_answer(Frame(id=Raw(asked.name), error=answer.error))
                return
            given[name] = answer.result
        again = read_fields(asked.params) | {RESPONSES: given}
        again |= {STATE: result[STATE]} if STATE in result else {}
        if self.asked.get(asked.name) is asked:
            self.send(write_request(asked.name, asked.method, params=encode_json(again)))
            self.on_asked(asked)

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
            # It has died since it was last checked, so it cannot answer.
            told = f"The server {self.server.name!r} is gone."
            loop.call_soon(self.fail, asked.name, told)

    def pause(self, *, full: bool) -> None:
        """Take nothing from it while its client takes nothing from us."""
        if self._life is not None:
            self._life.pause(full=full)

    async def close(self) -> None:
        """End it for good, and wait until it is gone."""
        self.closed = True
        self.fail_all(f"The session with the server {self.server.name!r} is over.")
        self._drop_way()
        await self._dying.wait()

    def terminate(self) -> None:
        """Have its processes end at once, where it is some."""
        if isinstance(self._life, ServerProcess):
            self._life.send_signal(signal.SIGTERM)

    async def renew(self) -> None:
        """End this life, so that the next request begins one that nobody has spoken to."""
        self.fail_all(f"The server {self.server.name!r} is started anew.")
        self._drop_way()
        await self._dying.wait()

    def take_frame(self, line: bytes, during: bytes = b"") -> None:
        """Bring on what the server says; what cannot be read is counted."""
        self._heard_at = asyncio.get_running_loop().time()
        try:
            # What stands there as ours would be the server's word.
            frame = read_frame(strip_ours(line), self.limits)
        except UnreadableFrameError as error:
            outline = read_outline(line)
            self.take_unread(outline, key=error.key or outline.key, why=f"cannot be read: {error}")
            return
        if not frame.method:
            if self.take_answer(frame):
                self._deaths = 0
        elif frame.key:
            self.listener.take_request(self, frame, during=during)
        else:
            self.listener.take_notification(self, frame, during=during)

    def take_too_long(self, outline: Frame, *, key: bytes = b"") -> None:
        """A message is longer than is taken; `key`: what it answers, where it does not say."""
        most = self.limits.server_frame
        why = f"is longer than {most} bytes, the most that is taken (--max-message)"
        self.take_unread(outline, key=outline.key or key, why=why)

    def take_unread(self, outline: Frame, *, key: bytes, why: str) -> None:
        """Whoever waits for a message that cannot be taken is told: it would wait for nothing."""
        self.dropped += 1
        server = f"the server {self.server.name!r}"
        if not outline.method:
            self.fail(key, f"The answer of {server} {why.rstrip('.')}.")
        elif key:
            self.send(write_refusal(key, INVALID_REQUEST, f"The request {why.rstrip('.')}."))

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
        self.fail(name, said)
        if self._silent >= MOST_SILENT:
            self._end_life(self.lives, "it says nothing any more")

    def _end_life(self, life: int, why: str) -> None:
        """What was under way has an end, and the next request starts it again."""
        if life != self.lives or self._life is None:
            return
        self._drop_way()
        if self.closed:
            return
        self._note_death()
        told = f"The server {self.server.name!r} is gone: {why}."
        self.fail_all(told)
        self.heard.clear()
        self.listener.note_end(self, told)

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

    def _drop_way(self) -> None:
        way, self._life, self.way = self._life, None, None
        for task in self._asking:
            task.cancel()
        if way is not None:
            self._dying.run(_stop(way))


async def _stop(way: ServerProcess | ServerAddress) -> None:
    with suppress(OSError):  # it is gone already
        await way.stop()
