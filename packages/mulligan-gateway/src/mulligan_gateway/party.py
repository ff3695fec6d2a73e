"""One end of a connection: the requests that it was sent, and their callers.

A request keeps its caller's id and progress token, unless another request uses the same;
else it has ones of the gateway's own, and in what comes the other way they are put back.
"""

from __future__ import annotations

import asyncio
import re
from collections.abc import Callable, Container, Coroutine
from dataclasses import dataclass
from typing import Any, Protocol

from mulligan.codec import encode_json
from mulligan_gateway.protocol import (
    META,
    SERVER_ERROR,
    Frame,
    Raw,
    build_error,
    read_fields,
    write_answer,
    write_error,
    write_request,
)

TOKEN, ASKED_FOR = "progressToken", "requestId"
SUBSCRIPTION = "io.modelcontextprotocol/subscriptionId"
PROGRESS, CANCELLED = "notifications/progress", "notifications/cancelled"
_TOKEN_WRITTEN = b'"progressToken"'
_SUBSCRIPTION_WRITTEN = SUBSCRIPTION.encode()

OnAnswer = Callable[[Frame], None]


class Sends(Protocol):
    """A way to one peer."""

    def send(self, frame: bytes) -> None:
        """Hand a message over; what can no longer be sent is dropped."""


Tells = Callable[[bytes, bytes], None]
"""A way to a peer by the request of its own that a message comes before."""


class Pressure(Protocol):
    """Told that a peer does not take what it is sent as fast as it comes, and when it does."""

    def __call__(self, *, full: bool) -> None:
        """It is full, or has room again."""


@dataclass(eq=False, slots=True, kw_only=True)
class AskedRequest:
    """A request that a peer was sent, and its caller."""

    method: str
    name: bytes
    """The id under which the peer has it."""
    origin: Party | None
    key: bytes
    """The id under which the answer is waited for."""
    on_answer: OnAnswer | None
    """Takes the answer in the place of the origin."""
    token: bytes = b""
    """What the origin calls its progress; empty where it does not want to hear of any."""
    params: bytes = b""
    """As the peer was sent them."""
    sent_token: bytes = b""
    """What the peer calls it."""
    limit: asyncio.TimerHandle | None = None
    since: float = 0.0


class Party:
    """One peer, and what it was asked."""

    def __init__(
        self, way: Sends | None = None, *, keeps_ids: bool = True, tell: Tells | None = None
    ) -> None:
        self.way = way
        self._tell = tell
        """For a client that opens a connection for each request."""
        self.keeps_ids = keeps_ids
        """Whether its requests go on under ids of its own. Those of one who comes back over other
        connections do not: there an id may be used again while an old answer is still to come."""
        self.asked: dict[bytes, AskedRequest] = {}
        self.heard: dict[bytes, tuple[Party, bytes]] = {}
        """What it has asked of others, by its own ids."""
        self._tokens: dict[bytes, AskedRequest] = {}
        self._given_up: dict[bytes, None] = {}
        """Ids of abandoned requests that may still be answered."""
        self._last = FIRST
        self.dropped = 0
        """Messages of its own that could not be used."""

    def send(self, frame: bytes) -> None:
        """Hand a message over."""
        if self.way is not None:
            self.way.send(frame)

    def tell(self, frame: bytes, *, during: bytes) -> None:
        """Hand over what comes before the answer to a request of the peer's own; empty: to none."""
        self.send(frame) if self._tell is None else self._tell(frame, during)

    def ask(
        self,
        method: str,
        params: bytes | Raw,
        *,
        origin: Party | None = None,
        key: bytes = b"",
        on_answer: OnAnswer | None = None,
        again: bool = False,
        during: bytes = b"",
    ) -> bytes:
        """Send a request, and remember its caller; returns the id that it has there.

        `again`: the peer had it before, under its caller's id. `during`: it comes of a request
        of the peer's own.
        """
        keeps = origin is not None and origin.keeps_ids
        wanted = key if keeps and not again and key not in self._given_up else b""
        name = self._choose(wanted, self.asked)
        asked = AskedRequest(method=method, name=name, origin=origin, key=key, on_answer=on_answer)
        raw = bytes(self.fill_in(params))
        if _TOKEN_WRITTEN in raw:
            raw = self._note_token(raw, asked, keeps=keeps and not again)
        asked.params = raw
        self.asked[name] = asked
        if origin is not None and key:
            origin.heard[key] = (self, name)
        self.tell(write_request(name, method, params=raw), during=during)
        self.on_asked(asked)
        return name

    def fill_in(self, params: bytes | Raw) -> bytes | Raw:
        """The parameters of a request as the peer wants them."""
        return params

    async def ask_and_wait(self, method: str, params: bytes | Raw, *, during: bytes = b"") -> Frame:
        """Send a request of the gateway's own, and wait for its answer."""
        answer, take = await_answer()
        name = self.ask(method, params, on_answer=take, during=during)
        try:
            return await answer
        except asyncio.CancelledError:
            self.drop(name, reason="The caller has cancelled it.")
            raise

    def on_asked(self, asked: AskedRequest) -> None:
        """A request was sent: its time limit is set here."""

    def _choose(self, wanted: bytes, taken: Container[bytes]) -> bytes:
        """What is wanted where that is free and no other way to write it exists, else our own."""
        if wanted and wanted not in taken and _PLAIN.fullmatch(wanted):
            return wanted
        self._last += 1
        while b"%d" % self._last in taken:
            self._last += 1
        return b"%d" % self._last

    def _note_token(self, raw: bytes, asked: AskedRequest, *, keeps: bool) -> bytes:
        asked.token = bytes(read_fields(read_fields(raw).get(META, b"")).get(TOKEN, b""))
        if not asked.token:
            return raw
        asked.sent_token = self._choose(asked.token if keeps else b"", self._tokens)
        self._tokens[asked.sent_token] = asked
        same = asked.sent_token == asked.token
        return raw if same else set_meta(raw, TOKEN, Raw(asked.sent_token))

    def take_answer(self, frame: Frame) -> bool:
        """Deliver an answer to its caller; `False`: no one waits for it."""
        asked = self._forget(frame.key)
        if asked is None:
            self.dropped += 1
            self._given_up.pop(frame.key, None)
            return False
        if asked.on_answer is not None:
            asked.on_answer(frame)
        elif asked.origin is not None:
            if asked.method == LISTEN and frame.result:
                frame = Frame(result=Raw(_name_subscription(asked, bytes(frame.result))))
            asked.origin.send(write_answer(asked.key, frame))
        return True

    def fail(self, name: bytes, said: str) -> None:
        """Give a request up, and tell its caller."""
        asked = self.asked.get(name)
        if asked is None:
            return
        self.forget(name)
        error = build_error(SERVER_ERROR, said)
        if asked.on_answer is not None:
            asked.on_answer(Frame(error=Raw(error)))
        elif asked.origin is not None:
            asked.origin.send(write_error(asked.key, error))

    def fail_all(self, said: str) -> None:
        """Give every request up: the peer is gone."""
        for name in list(self.asked):
            self.fail(name, said)

    def cancel(self, name: bytes, *, reason: str = "", said: bytes | Raw = b"") -> None:
        """Tell the peer that a request is cancelled, in the caller's own words (`said`)."""
        if name in self.asked:
            told = {**read_fields(said), ASKED_FOR: Raw(name)}
            told |= {"reason": reason} if reason else {}
            self.send(write_request(b"", CANCELLED, params=encode_json(told)))

    def drop(self, name: bytes, *, reason: str) -> None:
        """Cancel a request: tell the peer, and stop waiting."""
        self.cancel(name, reason=reason)
        self.forget(name)

    def forget(self, name: bytes) -> None:
        """A request is abandoned; an answer to it is dropped."""
        if self._forget(name) is not None:
            self._note_given_up(name)

    def _note_given_up(self, name: bytes) -> None:
        self._given_up[name] = None
        if len(self._given_up) > MOST_GIVEN_UP:
            del self._given_up[next(iter(self._given_up))]

    def _forget(self, name: bytes) -> AskedRequest | None:
        asked = self.asked.pop(name, None)
        if asked is None:
            return None
        if asked.sent_token:
            self._tokens.pop(asked.sent_token, None)
        if asked.limit is not None:
            asked.limit.cancel()
        if asked.origin is not None and asked.key:
            asked.origin.heard.pop(asked.key, None)
        return asked

    def translate(self, frame: Frame) -> tuple[AskedRequest | None, bytes]:
        """A notification of this peer as its receiver knows it, and the request it names.

        `None`: it names none, or an abandoned one, and is for every client.
        """
        raw = bytes(frame.params)
        if frame.method == PROGRESS:
            params = read_fields(raw)
            asked = self._tokens.get(bytes(params.get(TOKEN, b"")))
            if asked is None:
                return None, raw
            asked.since = asyncio.get_running_loop().time()
            same = asked.sent_token == asked.token
            return asked, raw if same else encode_json(params | {TOKEN: Raw(asked.token)})
        if _SUBSCRIPTION_WRITTEN not in raw:
            return None, raw
        meta = read_fields(read_fields(raw).get(META, b""))
        asked = self.find_asked(meta.get(SUBSCRIPTION, b""))
        return asked, b"" if asked is None else _name_subscription(asked, raw)

    def find_cancelled(self, frame: Frame) -> tuple[Party, bytes] | None:
        """Which request of its own a peer no longer waits for."""
        return self.heard.get(bytes(read_fields(frame.params).get(ASKED_FOR, b"")))

    def find_asked(self, written: bytes | Raw) -> AskedRequest | None:
        """The request that the peer has under an id."""
        return self.asked.get(bytes(written))

    def find_origin(self) -> Party | None:
        """Who waits for the last request: meant where nothing says which one is."""
        return next((a.origin for a in reversed(self.asked.values()) if a.origin), None)


class Tasks(set[asyncio.Task[None]]):
    """What goes on beside, each held until it is done."""

    def run(self, work: Coroutine[Any, Any, None]) -> asyncio.Task[None]:
        """Begin something."""
        task = asyncio.ensure_future(work)
        self.hold(task)
        return task

    def hold(self, task: asyncio.Task[None]) -> None:
        """Something goes on that was begun elsewhere."""
        self.add(task)
        task.add_done_callback(self.discard)

    async def wait(self) -> None:
        """Wait until all of it is over."""
        if self:
            await asyncio.wait(self)

    async def cancel(self) -> None:
        """End all of it."""
        for task in list(self):
            task.cancel()
        await self.wait()


def await_answer() -> tuple[asyncio.Future[Frame], OnAnswer]:
    """An answer to wait for, and its receiver."""
    answer: asyncio.Future[Frame] = asyncio.get_running_loop().create_future()

    def take(frame: Frame) -> None:
        if not answer.done():
            answer.set_result(frame)

    return answer, take


FIRST = 1 << 40
"""Ids of the gateway's own count from here, where no client begins."""
MOST_GIVEN_UP = 10_000
LISTEN = "subscriptions/listen"
_PLAIN = re.compile(rb'-?[1-9]\d{0,14}|0|"[ !#-\[\]-~]{1,100}"')
"""Ids that every program writes the same way."""


def _name_subscription(asked: AskedRequest, raw: bytes) -> bytes:
    """A message of a subscription, under the name that its subscriber knows."""
    return raw if asked.name == asked.key else set_meta(raw, SUBSCRIPTION, Raw(asked.key))


def set_meta(raw: bytes | Raw, name: str, value: object) -> bytes:
    """An object with one field of its `_meta` in other words."""
    fields = read_fields(raw)
    return encode_json(fields | {META: read_fields(fields.get(META, b"")) | {name: value}})
