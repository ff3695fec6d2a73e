"""One client and its servers: routes requests, and forwards messages in both directions."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine, Mapping
from contextlib import suppress
from dataclasses import replace
from functools import partial
from typing import Any, Self

from mulligan.codec import encode_json
from mulligan_gateway.own_tools import OwnCalls
from mulligan_gateway.party import CANCELLED, PROGRESS, Party, Pressure, Tasks
from mulligan_gateway.peers import Ends, read_error
from mulligan_gateway.protocol import (
    BAD_PARAMS,
    INVALID_REQUEST,
    LOG_LEVEL,
    META,
    NO_METHOD,
    SERVER_ERROR,
    Frame,
    Raw,
    UnreadableFrameError,
    build_error,
    drop_misspelt,
    is_ambiguous,
    read_fields,
    read_frame,
    read_object,
    read_text,
    write_answer,
    write_error,
    write_refusal,
    write_request,
    write_result,
)
from mulligan_gateway.shared_state import Shared
from mulligan_gateway.tool_calls import Calls
from mulligan_gateway.tool_list import (
    CHANGES,
    LISTED,
    LISTS,
    Lists,
    write_for_server,
)
from mulligan_gateway.tools import (
    INSTRUCTIONS,
    TEMPLATES,
    TOOLS,
    Names,
    describe_item,
    read_greeting,
)
from mulligan_gateway.upstream import ServerDownError, Upstream

GREET, INITIALIZED = "initialize", "notifications/initialized"
PAUSE = 0.01
"""Seconds between one look and the next whether everything is answered."""
FULL = "Too many requests are under way: wait for the answers to some of them."
SET_LEVEL = "logging/setLevel"


NAME = "mulligan"


class Greeting:
    """The first words between a client and its servers: which revision they speak, and what they
    can. The gateway speaks none of its own, but what its servers do: the newest of all of them."""

    def __init__(self, ends: Ends) -> None:
        self._ends = ends
        self._params = b""
        """What the client said of itself; empty before it did."""
        self._probed: dict[str, int] = {}
        """By server: its life in which it said that it speaks without a handshake."""
        self.initialized: bytes | None = None
        """What it said once it had heard the servers; `None` before it did."""
        self.on_late: Callable[[str], object] = len
        """Told which server was introduced after its client had heard the others."""
        self._asking = dict[asyncio.Task[Frame], Upstream]()

    def repeat(self, upstream: Upstream) -> None:
        """A server has come later than its client, and hears the same words."""
        if self._params:
            upstream.greet = self._greet_again

    async def answer(self, frame: Frame) -> None:
        """Answer `initialize` or `server/discover` with what the servers say."""
        ends = self._ends
        if frame.method == GREET:
            self._params = bytes(frame.params)
            ends.said = read_object(frame.params)
        if ends.only is not None:
            await ends.only.start()
            answer = await self._ask(ends.only, frame)
            fields = read_fields(answer.result)
            can = read_fields(fields.get("capabilities", b"{}"))
            if ends.shared.options.own_tools and not answer.error and "tools" not in can:
                # A server without tools has those of the gateway now.
                fields["capabilities"] = can | {"tools": {}}
                answer = Frame(result=Raw(encode_json(fields)))
            ends.client.send(write_answer(frame.key, answer))
            return
        answers, slow = await self._ask_many(frame)
        found = [read_object(each.result) for each in answers if not each.error]
        refused = [each for each in answers if each.error and each.id]
        if found and refused and frame.method != GREET:
            # One of them is of an earlier revision, so all of them speak that.
            ends.refuse(frame, code=NO_METHOD, said="Method not found")
        elif found and slow and frame.method != GREET:
            # They may be of an earlier revision, and then only the handshake brings their tools.
            why = f"Not answered yet, as {' and '.join(slow)} may only know the handshake. "
            ends.refuse(frame, code=NO_METHOD, said=f"{why}Initialize, or ask again.")
        elif found:
            merged = merge_greetings(
                found,
                version=ends.shared.version,
                more=any(each.late for each in ends.upstreams.values()),
            )
            ends.client.send(write_result(frame.key, encode_json(merged)))
        elif refused:
            ends.client.send(write_error(frame.key, refused[0].error))
        else:
            why = " ".join(str(read_error(each)) for each in answers)
            ends.refuse(frame, code=SERVER_ERROR, said=f"None of the servers has answered. {why}")

    async def _ask_many(self, frame: Frame) -> tuple[list[Frame], list[str]]:
        """What the servers say, and which are slow. No client is kept waiting for the slowest
        server where another has answered: what comes later is told as a change of the lists."""
        every = list(self._ends.upstreams.values())
        # Who makes the handshake introduces itself to all; who asks again knows of the late ones.
        there = [] if frame.method == GREET else [each for each in every if not each.late]
        asked = {
            asyncio.ensure_future(self._ask_one_of_many(each, frame)): each
            for each in there or every
        }
        self._asking.update(asked)
        for task in asked:
            task.add_done_callback(self._asking.pop)
        try:
            limit = self._ends.shared.options.limits.greeting
            done, slow = await asyncio.wait(asked, timeout=limit)
            while slow and all(each.result().error for each in done):
                more, slow = await asyncio.wait(slow, return_when=asyncio.FIRST_COMPLETED)
                done |= more
        except asyncio.CancelledError:
            await self.close()
            raise
        for task in slow:
            asked[task].late = True
            server = asked[task].server.name
            self._ends.shared.report(f"{server} is slow: its tools are offered once it answers.")
            task.add_done_callback(partial(self._note_late, asked[task]))
        answers = [task.result() for task in asked if task in done]
        return answers, [asked[task].server.name for task in asked if task in slow]

    def _note_late(self, upstream: Upstream, task: asyncio.Task[Frame]) -> None:
        # The handshake may wait for it after a first question that it has not answered either.
        upstream.late = upstream in self._asking.values()
        if not (task.cancelled() or task.exception() or task.result().error):
            self.on_late(upstream.server.name)

    async def close(self) -> None:
        """The client is gone: nobody waits for what a server has not said yet."""
        asking = list(self._asking)
        for task in asking:
            task.cancel()
        await asyncio.gather(*asking, return_exceptions=True)

    async def _ask_one_of_many(self, upstream: Upstream, frame: Frame) -> Frame:
        """What one server says; an error without an id is ours, as it is not there."""
        server, shared, greets = upstream.server.name, self._ends.shared, frame.method == GREET
        if greets and self._probed.get(server) == upstream.lives:
            # A connection is of the revision that its first request was of.
            await upstream.renew()
        said: list[Frame] = []

        async def greet(upstream: Upstream) -> None:
            said.append(await self._ask(upstream, frame))

        try:
            await upstream.start(greet if greets else None)
        except ServerDownError as error:
            shared.report(str(error))
            return Frame(error=Raw(build_error(SERVER_ERROR, str(error))))
        if not greets and self._params:
            # Its client has made the handshake meanwhile, and this would be of another revision.
            unknown = build_error(NO_METHOD, "Method not found")
            return Frame(id=frame.id, error=Raw(unknown))
        answer = said[0] if greets else await self._ask(upstream, frame)
        if not greets and not answer.error:
            self._probed[server] = upstream.lives
        elif greets and answer.error:
            told = bytes(answer.error)[:500].decode(errors="replace")
            shared.report(f"{server} refused its client: {told}")
        elif greets and upstream.late and self.initialized is not None:
            upstream.tell_client(INITIALIZED, self.initialized)
        return answer

    async def _ask(self, upstream: Upstream, frame: Frame) -> Frame:
        """What a server greets with, less instructions that are not what was approved."""
        if frame.method == GREET:
            answer = await upstream.introduce(frame.params)
            # From now on, a new life of the server begins with the same words.
            upstream.greet = self._greet_again
        else:
            answer = await upstream.ask_and_wait(frame.method, frame.params)
        if answer.error:
            return answer
        shared, server = self._ends.shared, upstream.server.name
        item = read_greeting(server, answer.result)
        shared.note_pins(server, item.kind, [item])
        fields = read_fields(answer.result)
        kept = drop_misspelt(fields, _OF_GREETINGS)
        if not item.digest:
            shared.report_once(f"{server}: {describe_item(item)} cannot be read: left out.")
        if not item.digest or shared.list_refused([item]):
            kept.pop(INSTRUCTIONS, None)
        same = item.digest and kept == fields
        return Frame(result=answer.result if same else Raw(encode_json(kept)))

    async def _greet_again(self, upstream: Upstream) -> None:
        answer = await upstream.introduce(self._params)
        if answer.error:
            raise ServerDownError(str(read_error(answer))[:200])
        if self.initialized is not None:
            upstream.tell_client(INITIALIZED, self.initialized)


_OF_GREETINGS = (INSTRUCTIONS, "capabilities", "protocolVersion", "serverInfo", META)


def merge_greetings(
    found: list[dict[str, Any]], *, version: str, more: bool = False
) -> dict[str, Any]:
    """What several servers say of themselves, as one would; `more`: some are still to come."""
    merged: dict[str, Any] = {}
    if all("protocolVersion" in each for each in found):
        merged["protocolVersion"] = min(str(each["protocolVersion"]) for each in found)
    if all("supportedVersions" in each for each in found):
        first, *rest = (each["supportedVersions"] for each in found)
        shared = [each for each in first if all(each in other for other in rest)]
        merged = {"resultType": "complete", "supportedVersions": shared}
        merged |= {name: found[0][name] for name in ("ttlMs", "cacheScope") if name in found[0]}
    can = merged["capabilities"] = dict[str, Any]()
    for each in (each.get("capabilities") for each in found):
        # What at least one of them can do.
        for name, value in each.items() if isinstance(each, dict) else ():
            known = can.get(name)
            both = isinstance(known, dict) and isinstance(value, dict)
            can[name] = known | value if both else known or value
    for name in ("tools", "prompts", "resources") if more else ():
        can[name] = (can.get(name) or {}) | {"listChanged": True}
    can.setdefault("tools", {})
    merged["serverInfo"] = {"name": NAME, "version": version}
    told = [each["instructions"] for each in found if isinstance(each.get("instructions"), str)]
    if told:
        merged["instructions"] = "\n\n".join(told)
    return merged


class ClientSession:
    """A client, its servers, and what goes between them."""

    def __init__(self, ends: Ends) -> None:
        self.ends = ends
        self.client = ends.client
        self.upstreams = ends.upstreams
        self._shared = ends.shared
        self._limits = ends.shared.options.limits
        self.greeting = Greeting(self.ends)
        self.lists = Lists(self.ends)
        self.greeting.on_late = self._note_late
        self._tasks = Tasks()
        self._leaving: dict[Upstream, asyncio.Task[None]] = {}
        """Servers that are not in the operator's file any more, until they have answered."""
        self._calls: dict[bytes, asyncio.Task[None]] = {}
        self.calls = Calls(self.ends, self.lists, under_way=self._calls)
        self.closed = False
        self.on_full: Pressure | None = None
        """Told when the client is to wait, where it can be made to."""
        self.on_cancelled: Callable[[bytes], object] = len
        """Told which request of the client will have no answer."""

    @classmethod
    def open(cls, shared: Shared, client: Party, *, principal: str = "") -> Self:
        """A client has come, and gets connections of its own to every server."""
        servers = shared.list_servers(principal)
        names = Names([server.name for server in servers])
        upstreams: dict[str, Upstream] = {}
        own = OwnCalls(shared, principal=principal, names=names, upstreams=upstreams)
        ends = Ends(
            shared=shared,
            client=client,
            principal=principal,
            names=names,
            upstreams=upstreams,
            own=own,
        )
        session = cls(ends)
        session.change_servers()
        return session

    def change_servers(self) -> None:
        """Serve what the operator's file says now: calls under way end where they began."""
        wanted = {server.name: server for server in self._shared.list_servers(self.ends.principal)}
        changed = {n for n, each in self.upstreams.items() if wanted.get(n) != each.server}
        for name in changed:
            upstream = self.upstreams.pop(name)
            self._leaving[upstream] = asyncio.ensure_future(self._close_later(upstream))
        new = [server for name, server in wanted.items() if name not in self.upstreams]
        for server in new:
            upstream = Upstream(server, limits=self._limits, listener=self)
            self.upstreams[server.name] = upstream
            self.greeting.repeat(upstream)
        if not (new or changed):
            return
        self.ends.names.change(list(wanted))
        for name in changed:
            self.lists.forget(name, LISTS.values())
        self._tell_changed()

    def _note_late(self, server: str) -> None:
        self.lists.forget(server, LISTS.values())
        self._tell_changed()

    def _tell_changed(self) -> None:
        """Other lists are offered now than the client has heard."""
        if self.greeting.initialized is not None:
            for method in CHANGES:
                self.client.send(write_request(b"", method))

    async def _close_later(self, upstream: Upstream) -> None:
        """End a server once everything that was asked of it is answered."""
        if under_way := list(self._calls.values()):
            await asyncio.wait(under_way)
        while upstream.asked:  # noqa: ASYNC110 - each has a time limit of its own
            await asyncio.sleep(PAUSE)
        await upstream.close()
        self._leaving.pop(upstream, None)

    @property
    def _is_alone(self) -> bool:
        """Whether there are just one client and one server: what one says can only be for the
        other, also progress of abandoned requests."""
        return self.ends.only is not None and self.client.keeps_ids

    def join(self, client: Party) -> ClientSession:
        """The same client over another connection: servers, turns and tools are the same."""
        return ClientSession(replace(self.ends, client=client))

    def take_line(self, line: bytes) -> None:
        """Bring on what the client says; what cannot be read is answered if it has an id."""
        try:
            frame = read_frame(line, self._limits)
        except UnreadableFrameError as error:
            self.client.dropped += 1
            if error.key:
                self.client.send(write_refusal(error.key, error.code, str(error)))
            return
        self.take_frame(frame)

    def take_frame(self, frame: Frame) -> None:
        """Bring on a message of the client."""
        if not frame.method:
            self.client.take_answer(frame)
        elif frame.key:
            self._take_client_request(frame)
        else:
            self._take_client_notification(frame)

    def refuse_too_long(self, outline: Frame) -> None:
        """A message of the client is too long: it is answered if it has an id."""
        self.client.dropped += 1
        if outline.key:
            said = f"It is longer than {self._limits.frame} bytes, the most that is taken from a "
            said += "client. Send less at once; the operator may set --max-message."
            self.client.send(write_refusal(outline.key, INVALID_REQUEST, said))

    async def find_schema(self, frame: Frame) -> Mapping[str, Any]:
        """The input schema of the tool that a call names; empty where it is unknown."""
        params = read_fields(frame.params)
        found = self.ends.names.resolve(read_text(params.get("name")))
        if found is None:
            return {}
        server, name = found
        tool = await self.lists.find_tool(self.upstreams[server], name, meta=params.get(META, b""))
        return tool.schema

    async def finish(self) -> None:
        """The client says no more: what it asked for is still answered, as far as that is soon."""
        with suppress(TimeoutError):  # what is left then gets no answer
            async with asyncio.timeout(self._limits.stop):
                # It is not waited for one thing but for nothing to be left.
                while self._tasks or any(  # noqa: ASYNC110
                    each.asked for each in self.upstreams.values()
                ):
                    await asyncio.sleep(PAUSE)

    async def leave(self) -> None:
        """The connection is gone: what goes on for it ends, and everything else stays."""
        self.closed = True
        await self.ends.own.record.answered.wait()
        await self._tasks.cancel()
        for upstream, name in list(self.client.heard.values()):
            upstream.drop(name, reason="The client has disconnected.")

    async def close(self) -> None:
        """The client is gone: end what goes on for it, and its servers."""
        await self.leave()
        await self.greeting.close()
        await self.calls.close()
        leaving = dict(self._leaving)
        for task in leaving.values():
            task.cancel()
        await asyncio.gather(*(each.close() for each in (*self.upstreams.values(), *leaving)))

    def _take_client_request(self, frame: Frame) -> None:
        method, only = frame.method, self.ends.only
        answers = only is None or bool(only.meta)
        if len(self._tasks) >= self._limits.waiting:
            self.ends.refuse(frame, code=SERVER_ERROR, said=FULL)
        elif is_ambiguous(frame.params):
            # Its server may read another request than the one that is looked at here.
            said = "Duplicate key in the parameters, of which programs take either. Write it once."
            self.ends.refuse(frame, code=BAD_PARAMS, said=said)
        elif method == "tools/call":
            self._calls[frame.key] = self.run(self.calls.call(frame), frame)
        elif method in (GREET, "server/discover"):
            self.run(self.greeting.answer(frame), frame)
        elif method in LISTS and self.lists.is_seen(method):
            self.run(self.lists.answer(frame), frame)
        elif method == "ping" and answers:
            self.client.send(write_result(frame.key, b"{}"))
        elif method == SET_LEVEL and answers:
            self.run(self._set_level(frame), frame)
        else:
            self._hand_on_request(frame)

    def _hand_on_request(self, frame: Frame) -> None:
        only = self.ends.only
        if frame.method in LISTED and (only is None or self._shared.options.pin):
            self.run(self._hand_on_listed(frame), frame)
        elif only is None:
            self._refuse_unknown(frame)
        elif only.is_up:
            only.ask(frame.method, frame.params, origin=self.client, key=frame.key)
        else:
            self.run(self._hand_on_late(only, frame, frame.params), frame)

    async def _hand_on_listed(self, frame: Frame) -> None:
        """Bring a request to the one server that lists what it is for."""
        found = await self.lists.find_listed(frame)
        servers = sorted({item.server for item in found}) or list(self.upstreams)
        # A template says less of a resource than a list that has it.
        named = [item for item in found if item.kind != TEMPLATES] or found
        why = next(filter(None, map(self.lists.find_refusal, named)), "")
        if found and len(servers) > 1:
            why = f"{' and '.join(servers)} could both answer it"
        if why:
            self.ends.refuse(frame, code=BAD_PARAMS, said=f"Not sent to a server: {why}.")
        elif len(servers) > 1:
            self._refuse_unknown(frame)
        else:
            params = write_for_server(frame, found[0]) if found else frame.params
            await self._hand_on_late(self.upstreams[servers[0]], frame, params)

    def _refuse_unknown(self, frame: Frame) -> None:
        code = NO_METHOD if "/" not in frame.method else BAD_PARAMS
        said = f"No server takes this request of {frame.method}: there are several, and none of "
        self.ends.refuse(frame, code=code, said=f"{said}them alone lists what it is for.")

    async def _hand_on_late(self, upstream: Upstream, frame: Frame, params: bytes | Raw) -> None:
        await upstream.start()
        upstream.ask(frame.method, params, origin=self.client, key=frame.key)

    async def _set_level(self, frame: Frame) -> None:
        """How much is logged, for every server."""
        ready = [each for each in self.upstreams.values() if each.is_up]
        for each in ready:
            if each.meta:
                each.meta[LOG_LEVEL] = read_text(read_fields(frame.params).get("level"))
        asked = (each.ask_and_wait(frame.method, frame.params) for each in ready if not each.meta)
        answers = await asyncio.gather(*asked)
        fine = [answer for answer in answers if not answer.error]
        if fine or not answers:
            self.client.send(write_result(frame.key, b"{}"))
        else:
            self.client.send(write_error(frame.key, answers[0].error))

    def _take_client_notification(self, frame: Frame) -> None:
        if frame.method == CANCELLED:
            self._cancel(frame)
        elif frame.method == PROGRESS:
            asked, params = self.client.translate(frame)
            alone = self.ends.only if self._is_alone else None
            upstream = alone if asked is None else asked.origin
            if upstream is not None:
                upstream.send(write_request(b"", frame.method, params=params))
        elif frame.method.startswith("notifications/"):
            # Nothing else: a request without an id was never inspected here.
            if frame.method == INITIALIZED:
                self.greeting.initialized = bytes(frame.params)
            for upstream in self.upstreams.values():
                if upstream.is_up:
                    upstream.tell_client(frame.method, frame.params)

    def _cancel(self, frame: Frame) -> None:
        key = bytes(read_fields(frame.params).get("requestId", b""))
        task, found = self._calls.get(key), self.client.find_cancelled(frame)
        if found is not None:
            found[0].cancel(found[1], said=frame.params)
        if task is not None:
            if found is not None:
                found[0].forget(found[1])
            task.cancel()
        if task is not None or found is not None:
            self.on_cancelled(key)

    def take_request(self, upstream: Upstream, frame: Frame, *, during: bytes = b"") -> None:
        """A server asks the client for something: sampling, elicitation, roots."""
        if len(self.client.asked) >= self._limits.waiting:
            upstream.send(write_refusal(frame.key, INVALID_REQUEST, FULL))
            return
        asked = upstream.find_asked(during)
        key = asked.key if asked is not None and asked.origin is self.client else b""
        self.client.ask(frame.method, frame.params, origin=upstream, key=frame.key, during=key)

    def take_notification(self, upstream: Upstream, frame: Frame, *, during: bytes = b"") -> None:
        """A server tells the client something."""
        if frame.method == CANCELLED:
            found = upstream.find_cancelled(frame)
            if found is not None:
                found[0].cancel(found[1], said=frame.params)
            return
        if frame.method in CHANGES:
            changed = CHANGES[frame.method]
            self.lists.forget(upstream.server.name, changed)
            if TOOLS in changed:
                self._shared.note_changed(upstream.server.name)
        asked, params = upstream.translate(frame)
        is_unrelated = frame.method == PROGRESS and asked is None and not self._is_alone
        if is_unrelated or (frame.params and not params):
            return
        told = write_request(b"", frame.method, params=params)
        asked = asked or upstream.find_asked(during)
        if asked is not None and asked.origin is not None:
            asked.origin.tell(told, during=asked.key)
        else:
            (upstream.find_origin() or self.client).send(told)

    def note_end(self, upstream: Upstream, why: str) -> None:
        """A server has died: cancel what it had asked the client for."""
        for name, asked in list(self.client.asked.items()):
            if asked.origin is upstream:
                self.client.drop(name, reason="The server is gone.")
        self._shared.metrics.add("server_ends_total", upstream.server.name)
        self._shared.report(why)

    def note_full(self, *, full: bool) -> None:
        """A server does not take what it is sent: its client waits, or goes on."""
        if self.on_full is not None:
            self.on_full(full=full)

    def pause_servers(self, *, full: bool) -> None:
        """The client does not take what it is sent: its servers wait, or go on."""
        for upstream in self.upstreams.values():
            upstream.pause(full=full)

    def terminate_servers(self) -> None:
        """Tell every server's processes to end at once."""
        for upstream in (*self.upstreams.values(), *self._leaving):
            upstream.terminate()

    def run(self, work: Coroutine[Any, Any, None], frame: Frame) -> asyncio.Task[None]:
        """Have something done for a request, which is answered whatever happens to it."""
        task = self._tasks.run(self._run(work, frame))
        # One that is cancelled before its first step would leave the work behind.
        task.add_done_callback(lambda _: work.close())
        return task

    async def _run(self, work: Coroutine[Any, Any, None], frame: Frame) -> None:
        try:
            await work
        except ServerDownError as error:
            self.ends.refuse(frame, code=SERVER_ERROR, said=str(error))
        except Exception as error:  # noqa: BLE001 - the client has an answer, whatever is wrong here
            self._shared.report(f"{frame.method} could not be answered: {error!r}")
            self.ends.refuse(frame, code=-32603, said="The gateway could not answer this request.")
        finally:
            self._calls.pop(frame.key, None)
