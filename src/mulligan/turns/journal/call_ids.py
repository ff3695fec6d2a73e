"""The id of the next call, where an engine that makes steps again has to find it by that."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar

_next: ContextVar[list[str] | None] = ContextVar("mulligan_next_call_id", default=None)


@contextmanager
def with_call_id(call: str) -> Iterator[None]:
    """The first call that begins in here has this id; what it calls itself has ids of its own."""
    token = _next.set([call])
    try:
        yield
    finally:
        _next.reset(token)


def take_call_id() -> str | None:
    """The id that a call is to have; `None`: any."""
    found = _next.get()
    return found.pop() if found else None
