"""The requests of one call, as its client sends them: under its condition and its key."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field
from typing import Any
from weakref import WeakSet

import httpx

from mulligan.core.errors import note_nothing_done

SAFE = frozenset({"GET", "HEAD", "OPTIONS", "TRACE"})
REFUSED = frozenset({400, 401, 403, 404, 405, 406, 410, 412, 413, 415, 422, 428})
"""Answers by which a server says that it has done nothing."""


@dataclass(slots=True, kw_only=True)
class CallRequests:
    """One try of a call."""

    headers: dict[str, str]
    """What its writes are sent with: `If-Match`, a key."""
    refused: frozenset[int] = REFUSED
    requests: list[httpx.Request] = field(default_factory=list)
    """Those that write."""
    answers: list[httpx.Response] = field(default_factory=list)
    """What came back to them."""

    @property
    def sent(self) -> int:
        """How many requests that write were sent."""
        return len(self.requests)

    def fill(self, request: httpx.Request) -> None:
        """Send a write under the condition of its call."""
        if request.method in SAFE:
            return
        self.requests.append(request)
        if self.sent == 1:
            for name, value in self.headers.items():
                request.headers.setdefault(name, value)

    def note(self, response: httpx.Response) -> None:
        """Note what a write was answered with."""
        if response.request.method not in SAFE:
            self.answers.append(response)

    def list_writes(self) -> Iterator[tuple[httpx.Request, httpx.Response | None]]:
        """Each write with its answer, if it has one. One that was sent on elsewhere is none."""
        for request in self.requests:
            answer = next((each for each in self.answers if each.request is request), None)
            if answer is None or not answer.is_redirect:
                yield request, answer

    @property
    def nothing_done(self) -> bool:
        """Whether no write was sent, or the only one was refused."""
        statuses = [answer.status_code for answer in self.answers]
        return self.sent == 0 or (
            self.sent == 1 and statuses[:1] != [] and statuses[0] in self.refused
        )


_current: ContextVar[CallRequests | None] = ContextVar("mulligan_http_exchange", default=None)
_heard: WeakSet[Any] = WeakSet()


@contextmanager
def enter_exchange(exchange: CallRequests) -> Iterator[CallRequests]:
    """Have everything that a call sends go out as its own."""
    token = _current.set(exchange)
    try:
        yield exchange
    except Exception as error:
        if exchange.nothing_done:
            note_nothing_done(error)
        raise
    finally:
        _current.reset(token)


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
    exchange = _current.get()
    if exchange is not None:
        exchange.fill(request)


def _note_answer(response: httpx.Response) -> None:
    exchange = _current.get()
    if exchange is not None:
        exchange.note(response)


async def _fill_async(request: httpx.Request) -> None:
    _fill(request)


async def _note_async(response: httpx.Response) -> None:
    _note_answer(response)
