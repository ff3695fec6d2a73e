"""One end of a connection: the requests that it was sent, and who waits for their answers.

A request keeps the id and the progress token of who asks, as long as nobody else uses the same;
else it has ones of the gateway's own, and in what comes the other way they are put back.
"""

from __future__ import annotations

import asyncio
import re
from collections.abc import Callable, Container
from typing import Protocol

from mulligan.codec import encode_json
from mulligan.gateway.protocol import (
    META,
    SERVER_ERROR,
    Frame,
    Raw,
    build_error,
    read_fields,
    write_answer,
    write_error,
    write_fields,
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


class Pressure(Protocol):
    """Told that a peer does not take what it is sent as fast as it comes, and when it does."""

    def __call__(self, *, full: bool) -> None:
        """It is full, or has room again."""


class AskedRequest:
    """A request that a peer was sent, and who waits for its answer."""

    __slots__ = (
        "key",
        "limit",
        "method",
        "name",
        "on_answer",
        "origin",
        "sent_token",
        "since",
        "token",
    )

    def __init__(
        self,
        *,
        method: str,
        name: bytes,
        origin: Party | None,
        key: bytes,
        on_answer: OnAnswer | None,
    ) -> None:
        self.method = method
        self.name = name
        """The id under which the peer has it."""
        self.origin = origin
        self.key = key
        """The id under which the answer is waited for."""
        self.on_answer = on_answer
        """Takes the answer in the place of the origin."""
        self.token = b""
        """What the origin calls its progress; empty where it does not want to hear of any."""
        self.sent_token = b""
        """What the peer calls it."""
        self.limit: asyncio.TimerHandle | None = None
        self.since = 0.0


class Party:
    """One peer, and what it was asked."""

    def __init__(self, way: Sends | None = None, *, keeps_ids: bool = True) -> None:
        self.way = way
        self.keeps_ids = keeps_ids
        """Whether its requests go on under ids of its own. Those of one who comes back over other
        connections do not: there an id may be used again while an old answer is still to come."""
        self.asked: dict[bytes, AskedRequest] = {}
        self.heard: dict[bytes, tuple[Party, bytes]] = {}
        """What it has asked of others, by its own ids."""
        self._tokens: dict[bytes, AskedRequest] = {}
        self._given_up: dict[bytes, None] = {}
        """Ids of requests that an answer may still come to, and that nobody waits for."""
        self._last = FIRST
        self.dropped = 0
        """Messages of its own that could not be used."""

    def send(self, frame: bytes) -> None:
        """Hand a message over."""
        if self.way is not None:
            self.way.send(frame)

    def tell(self, frame: bytes, *, during: bytes) -> None:  # noqa: ARG002 - there is one way only
        """Hand over what comes before the answer to a request of the peer's own; empty: to none."""
        self.send(frame)

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
        """Send a request, and remember who waits for its answer; the id that it has there.

        `again`: the peer had it before, under the id of who asks. `during`: it comes of a request
        of the peer's own.
        """
        keeps = origin is not None and origin.keeps_ids
        wanted = key if keeps and not again and key not in self._given_up else b""
        name = self._choose(wanted, self.asked)
        asked = AskedRequest(method=method, name=name, origin=origin, key=key, on_answer=on_answer)
        raw = bytes(params)
        if _TOKEN_WRITTEN in raw:
            raw = self._note_token(raw, asked, keeps=keeps and not again)
        self.asked[name] = asked
        if origin is not None and key:
            origin.heard[key] = (self, name)
        self.tell(write_request(name, method, params=raw), during=during)
        self.on_asked(asked)
        return name

    def on_asked(self, asked: AskedRequest) -> None:
        """A request was sent: who is to end it in time says so here."""

    def _choose(self, wanted: bytes, taken: Container[bytes]) -> bytes:
        """What is wanted where that is free and no other way to write it exists, else our own."""
        if wanted and wanted not in taken and _PLAIN.fullmatch(wanted):
            return wanted
        self._last += 1
        while b"%d" % self._last in taken:
            self._last += 1
        return b"%d" % self._last

    def _note_token(self, raw: bytes, asked: AskedRequest, *, keeps: bool) -> bytes:
        params = read_fields(raw)
        meta = read_fields(params.get(META, b""))
        asked.token = bytes(meta.get(TOKEN, b""))
        if not asked.token:
            return raw
        asked.sent_token = self._choose(asked.token if keeps else b"", self._tokens)
        self._tokens[asked.sent_token] = asked
        if asked.sent_token == asked.token:
            return raw
        meta[TOKEN] = Raw(asked.sent_token)
        params[META] = Raw(write_fields(meta))
        return write_fields(params)

    def take_answer(self, frame: Frame) -> bool:
        """Bring an answer to who waits for it; `False`: nobody does."""
        asked = self._forget(frame.key)
        if asked is None:
            self.dropped += 1
            self._given_up.pop(frame.key, None)
            return False
        if asked.on_answer is not None:
            asked.on_answer(frame)
        elif asked.origin is not None:
            asked.origin.send(write_answer(asked.key, _name_subscription(asked, frame)))
        return True

    def fail(self, name: bytes, error: bytes) -> None:
        """Give a request up: who waits for it is told so."""
        asked = self._forget(name)
        if asked is None:
            return
        self._note_given_up(name)
        if asked.on_answer is not None:
            asked.on_answer(Frame(error=Raw(error)))
        elif asked.origin is not None:
            asked.origin.send(write_error(asked.key, error))

    def fail_all(self, said: str) -> None:
        """Give every request up: the peer is gone."""
        for name in list(self.asked):
            self.fail(name, build_error(SERVER_ERROR, said))

    def cancel(self, name: bytes, *, reason: str = "", said: bytes | Raw = b"") -> None:
        """Tell the peer that nobody waits for a request any more, as who asked `said` it."""
        if name in self.asked:
            told = {**read_fields(said), ASKED_FOR: Raw(name)}
            told |= {"reason": Raw(encode_json(reason))} if reason else {}
            self.send(write_request(b"", CANCELLED, params=write_fields(told)))

    def forget(self, name: bytes) -> None:
        """Nobody waits for a request any more; an answer to it is dropped."""
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
        """A notification of this peer in the words of who it is for, and the request it names.

        `None`: it names none, or one that nobody waits for, and means whoever is there.
        """
        if frame.method == PROGRESS:
            return self._translate_progress(frame)
        if _SUBSCRIPTION_WRITTEN in bytes(frame.params):
            return self._translate_subscription(frame)
        return None, bytes(frame.params)

    def find_cancelled(self, frame: Frame) -> tuple[Party, bytes] | None:
        """Which request of its own a peer no longer waits for."""
        return self.heard.get(bytes(read_fields(frame.params).get(ASKED_FOR, b"")))

    def find_asked(self, written: bytes | Raw) -> AskedRequest | None:
        """The request that the peer has under an id."""
        return self.asked.get(bytes(written))

    def find_origin(self) -> Party | None:
        """Who waits for the last request: meant where nothing says which one is."""
        return next((a.origin for a in reversed(self.asked.values()) if a.origin), None)

    def _translate_progress(self, frame: Frame) -> tuple[AskedRequest | None, bytes]:
        params = read_fields(frame.params)
        asked = self._tokens.get(bytes(params.get(TOKEN, b"")))
        if asked is None:
            return None, bytes(frame.params)
        asked.since = asyncio.get_running_loop().time()
        if asked.sent_token == asked.token:
            return asked, bytes(frame.params)
        params[TOKEN] = Raw(asked.token)
        return asked, write_fields(params)

    def _translate_subscription(self, frame: Frame) -> tuple[AskedRequest | None, bytes]:
        params = read_fields(frame.params)
        meta = read_fields(params.get(META, b""))
        asked = self.find_asked(meta.get(SUBSCRIPTION, b""))
        if asked is None:
            return None, b""
        if asked.name == asked.key:
            return asked, bytes(frame.params)
        meta[SUBSCRIPTION] = Raw(asked.key)
        params[META] = Raw(write_fields(meta))
        return asked, write_fields(params)


FIRST = 1 << 40
"""Ids of the gateway's own count from here, where no client begins."""
MOST_GIVEN_UP = 10_000
LISTEN = "subscriptions/listen"
_PLAIN = re.compile(rb'-?[1-9]\d{0,14}|0|"[ !#-\[\]-~]{1,100}"')
"""Ids that every program writes the same way."""


def _name_subscription(asked: AskedRequest, frame: Frame) -> Frame:
    """The end of a subscription names it by the id of who subscribed."""
    if asked.method == LISTEN and frame.result and asked.name != asked.key:
        result = read_fields(frame.result)
        meta = read_fields(result.get(META, b""))
        meta[SUBSCRIPTION] = Raw(asked.key)
        result[META] = Raw(write_fields(meta))
        return Frame(id=frame.id, result=Raw(write_fields(result)))
    return frame
