"""One end of a connection: the requests that it was sent, by ids that are the gateway's own.

A client's ids and progress tokens are its own business, and so are a server's: on the way they are
replaced, and put back in what comes the other way.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Protocol

from mulligan.gateway.protocol.frames import (
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

META, TOKEN, ASKED_FOR = "_meta", "progressToken", "requestId"
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

    __slots__ = ("key", "limit", "method", "on_answer", "origin", "since", "token")

    def __init__(
        self, *, method: str, origin: Party | None, key: bytes, on_answer: OnAnswer | None
    ):
        self.method = method
        self.origin = origin
        self.key = key
        """The id under which the answer is waited for."""
        self.on_answer = on_answer
        """Takes the answer in the place of the origin."""
        self.token: Raw | None = None
        """What the origin calls its progress."""
        self.limit: asyncio.TimerHandle | None = None
        self.since = 0.0


class Party:
    """One peer, and what it was asked."""

    def __init__(self, way: Sends | None = None) -> None:
        self.way = way
        self.asked: dict[int, AskedRequest] = {}
        self.heard: dict[bytes, tuple[Party, int]] = {}
        """What it has asked of others, by its own ids."""
        self._last = 0
        self.dropped = 0
        """Messages of its own that could not be used."""

    def send(self, frame: bytes) -> None:
        """Hand a message over."""
        if self.way is not None:
            self.way.send(frame)

    def ask(
        self,
        method: str,
        params: bytes | Raw,
        *,
        origin: Party | None = None,
        key: bytes = b"",
        on_answer: OnAnswer | None = None,
    ) -> int:
        """Send a request, and remember who waits for its answer."""
        self._last += 1
        number = self._last
        asked = AskedRequest(method=method, origin=origin, key=key, on_answer=on_answer)
        raw = bytes(params)
        if _TOKEN_WRITTEN in raw:
            raw, asked.token = _replace_token(raw, number)
        self.asked[number] = asked
        if origin is not None and key:
            origin.heard[key] = (self, number)
        self.send(write_request(b"%d" % number, method, params=raw))
        return number

    def take_answer(self, frame: Frame) -> bool:
        """Bring an answer to who waits for it; `False`: nobody does."""
        asked = self._forget(frame.key)
        if asked is None:
            self.dropped += 1
            return False
        if asked.on_answer is not None:
            asked.on_answer(frame)
        elif asked.origin is not None:
            asked.origin.send(write_answer(asked.key, _name_subscription(asked, frame)))
        return True

    def fail(self, number: int, error: bytes) -> None:
        """Give a request up: who waits for it is told so."""
        asked = self._forget(b"%d" % number)
        if asked is None:
            return
        if asked.on_answer is not None:
            asked.on_answer(Frame(error=Raw(error)))
        elif asked.origin is not None:
            asked.origin.send(write_error(asked.key, error))

    def fail_all(self, said: str) -> None:
        """Give every request up: the peer is gone."""
        for number in list(self.asked):
            self.fail(number, build_error(SERVER_ERROR, said))

    def cancel(self, number: int, *, reason: str) -> None:
        """Tell the peer that nobody waits for a request any more."""
        if number in self.asked:
            told = write_fields({ASKED_FOR: number, "reason": reason})
            self.send(write_request(b"", CANCELLED, params=told))

    def forget(self, number: int) -> None:
        """Nobody waits for a request any more; an answer to it is dropped."""
        self._forget(b"%d" % number)

    def _forget(self, key: bytes) -> AskedRequest | None:
        asked = self.asked.pop(int(key), None) if key.isdigit() and len(key) < _LONGEST else None
        if asked is None:
            return None
        if asked.limit is not None:
            asked.limit.cancel()
        if asked.origin is not None and asked.key:
            asked.origin.heard.pop(asked.key, None)
        return asked

    def translate(self, frame: Frame) -> tuple[Party | None, bytes]:
        """A notification of this peer in the words of who it is for, where it names a request.

        `None`: it names none, or one that is over, and means whoever is there.
        """
        if frame.method == PROGRESS:
            return self._translate_progress(frame)
        if _SUBSCRIPTION_WRITTEN in bytes(frame.params):
            return self._translate_subscription(frame)
        return None, bytes(frame.params)

    def find_cancelled(self, frame: Frame) -> tuple[Party, int] | None:
        """Which request of its own a peer no longer waits for."""
        return self.heard.get(bytes(read_fields(frame.params).get(ASKED_FOR, b"")))

    def find_asked(self, written: bytes | Raw) -> AskedRequest | None:
        """The request that an id of ours names."""
        key = bytes(written)
        return self.asked.get(int(key)) if key.isdigit() and len(key) < _LONGEST else None

    def find_origin(self, written: bytes) -> Party | None:
        """Who waits for a request; where nothing says which is meant, for the last one."""
        named = self.find_asked(written)
        if named is not None and named.origin is not None:
            return named.origin
        return next((a.origin for a in reversed(self.asked.values()) if a.origin), None)

    def _translate_progress(self, frame: Frame) -> tuple[Party | None, bytes]:
        params = read_fields(frame.params)
        asked = self.find_asked(params.get(TOKEN, b""))
        if asked is None or asked.token is None:
            return None, b""
        asked.since = asyncio.get_running_loop().time()
        params[TOKEN] = asked.token
        return asked.origin, write_fields(params)

    def _translate_subscription(self, frame: Frame) -> tuple[Party | None, bytes]:
        params = read_fields(frame.params)
        meta = read_fields(params.get(META, b""))
        asked = self.find_asked(meta.get(SUBSCRIPTION, b""))
        if asked is None:
            return None, b""
        meta[SUBSCRIPTION] = Raw(asked.key)
        params[META] = Raw(write_fields(meta))
        return asked.origin, write_fields(params)


_LONGEST = 19
LISTEN = "subscriptions/listen"


def _name_subscription(asked: AskedRequest, frame: Frame) -> Frame:
    """The end of a subscription names it by the id of who subscribed."""
    if asked.method == LISTEN and frame.result:
        result = read_fields(frame.result)
        meta = read_fields(result.get(META, b""))
        meta[SUBSCRIPTION] = Raw(asked.key)
        result[META] = Raw(write_fields(meta))
        return Frame(id=frame.id, result=Raw(write_fields(result)))
    return frame


def _replace_token(raw: bytes, number: int) -> tuple[bytes, Raw | None]:
    params = read_fields(raw)
    meta = read_fields(params.get(META, b""))
    token = meta.get(TOKEN)
    if token is None:
        return raw, None
    meta[TOKEN] = Raw(b"%d" % number)
    params[META] = Raw(write_fields(meta))
    return write_fields(params), token
