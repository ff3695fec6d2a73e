"""The requests of one call, as its client sends them: under its condition and its key."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http import HTTPStatus
from typing import Any
from weakref import WeakSet

import httpx

from mulligan.runtime.context import carry, read_context
from mulligan.types.effect import EffectNote, note_effect
from mulligan_packs.compose import Composition

SAFE = frozenset({"GET", "HEAD", "OPTIONS", "TRACE"})
CONDITIONS = frozenset({"If-Match", "If-None-Match"})
SENT_ON = (HTTPStatus.TEMPORARY_REDIRECT, HTTPStatus.PERMANENT_REDIRECT)
UNCOMPRESSED = {"Accept-Encoding": "identity"}
"""The ETag of an answer that was compressed in transit is not the resource's: Apache writes `-gzip`
into it, and refuses that as a condition; nginx makes it a weak one."""


@dataclass(slots=True, kw_only=True)
class CallRequests:
    """One try of a call."""

    headers: dict[str, str]
    """What its writes are sent with: `If-Match`, a key."""
    judge: Callable[[int], EffectNote | None]
    """What a status says of the effect of the only write."""
    is_about: Callable[[httpx.Request], bool] = lambda _: True
    """Whether a write is the one that its headers are for, where a call is of several parts."""
    composition: Composition | None = None
    """What the parts of one call have in common."""
    parts: list[CallRequests] = field(default_factory=list)
    """All of one call, this one among them."""
    requests: list[httpx.Request] = field(default_factory=list)
    """Those that write."""
    answers: list[httpx.Response] = field(default_factory=list)
    """What came back to them."""
    filled: bool = False

    @property
    def sent(self) -> int:
        """How many requests that write were sent."""
        return len(self.requests)

    def fill(self, request: httpx.Request) -> None:
        """Send a write under the condition of its call."""
        if request.method in SAFE or self._is_asked_again(request):
            return
        self.requests.append(request)
        request.headers.update(UNCOMPRESSED)
        self._bind_to_last(request)
        if self.filled or not (self.composition is None or self.is_about(request)):
            return
        self.filled = True
        for name, value in self.headers.items():
            request.headers.setdefault(name, value)

    def _is_asked_again(self, request: httpx.Request) -> bool:
        """Whether an auth flow sends what was answered with 401 once more: it is one write."""
        asked = [each for each in self.answers if each.request is request]
        if not asked or asked[-1].status_code != HTTPStatus.UNAUTHORIZED:
            return False
        self.answers.remove(asked[-1])
        return True

    def _bind_to_last(self, request: httpx.Request) -> None:
        """A second write to one resource goes under what the first one left: in between somebody
        may have changed it."""
        if not (CONDITIONS & self.headers.keys() and self.is_about(request)):
            return
        left = [each for each in self.answers if each.is_success and self.is_about(each.request)]
        etag = left[-1].headers.get("ETag", "") if left else ""
        if etag and not etag.startswith("W/"):
            request.headers.setdefault("If-Match", etag)

    def note(self, response: httpx.Response) -> None:
        """Note what a write was answered with."""
        if response.request.method not in SAFE:
            self.answers.append(response)

    def list_writes(self) -> Iterator[tuple[httpx.Request, httpx.Response | None]]:
        """Each write with its answer, if it has one. One that is to be sent elsewhere is none."""
        for request in self.requests:
            answer = next((each for each in self.answers if each.request is request), None)
            if answer is None or not _is_sent_on(answer):
                yield request, answer

    def is_bound(self) -> bool:
        """Whether each write to the resource but the first went under what the last one left."""
        about = [request for request, _ in self.list_writes() if self.is_about(request)]
        return all(any(name in each.headers for name in CONDITIONS) for each in about[1:])

    def writes_beside(self) -> bool:
        """Whether the call has written to something that no part of it is about."""
        if self.composition is not None and not self.composition.hears_all:
            return False
        writes = [request for request, _ in self.list_writes()]
        return not all(any(part.is_about(each) for part in self.parts) for each in writes)

    def find_note(self) -> EffectNote | None:
        """What is known of the effect of a call that has failed."""
        # Having seen no request is no proof: a tool may send by something else.
        if self.sent != 1 or len(self.answers) != 1:
            return None
        [answer] = self.answers
        if answer.is_success and answer.status_code != HTTPStatus.ACCEPTED:
            return EffectNote.DONE if self.is_about(answer.request) else None
        return self.judge(answer.status_code)


def _is_sent_on(answer: httpx.Response) -> bool:
    """Whether a server has not done a write, and says where to send it. By 302 and 303 it says
    where to look, as a rule once it is done."""
    moved = answer.status_code == HTTPStatus.MOVED_PERMANENTLY and answer.request.method != "POST"
    return moved or answer.status_code in SENT_ON


class Exchanges(tuple[CallRequests, ...]):
    """Those of the call under way, one of each part: carried where it is made."""

    __slots__ = ()


_heard: WeakSet[Any] = WeakSet()


@contextmanager
def enter_exchange(exchange: CallRequests) -> Iterator[CallRequests]:
    """Have everything that a call sends go out as its own."""
    context = read_context()
    exchange.composition = context.of(Composition)
    # The parts of one call hear of all that it sends; a call within another is on its own.
    beside = [each for each in context.of(Exchanges) or () if each.composition is not None]
    together = [each for each in beside if each.composition is exchange.composition]
    exchange.parts = together[0].parts if together else exchange.parts
    exchange.parts.append(exchange)
    with carry(context.put(Exchanges, Exchanges((*together, exchange)))):
        try:
            yield exchange
        except Exception as error:
            note_effect(error, exchange.find_note())
            raise


def listen(client: httpx.Client | httpx.AsyncClient) -> None:
    """Hear of everything that goes through a client. Outside a call, nothing comes of it."""
    if client in _heard:
        return
    _heard.add(client)
    hooks: dict[str, list[Any]] = client.event_hooks
    mine: dict[str, Any] = {"request": _fill, "response": _note_answer}
    if isinstance(client, httpx.AsyncClient):
        mine = {"request": _fill_async, "response": _note_async}
    client.event_hooks = {name: [*hooks.get(name, ()), hook] for name, hook in mine.items()}


def _fill(request: httpx.Request) -> None:
    for exchange in read_context().of(Exchanges) or ():
        exchange.fill(request)


def _note_answer(response: httpx.Response) -> None:
    for exchange in read_context().of(Exchanges) or ():
        exchange.note(response)


async def _fill_async(request: httpx.Request) -> None:
    _fill(request)


async def _note_async(response: httpx.Response) -> None:
    _note_answer(response)
