"""What is known of the next call beforehand: its id, where an engine that makes steps again has to
find it by that; how long it took and whether advice is wanted, where its client has made it."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import NamedTuple


class NextCall(NamedTuple):
    """What the first call that begins is to have."""

    id: str = ""
    """Empty: any."""
    took_us: int | None = None
    """`None`: as long as it takes."""
    advised: bool = True
    """Whether anybody reads what would help if it fails."""


_next: ContextVar[list[NextCall] | None] = ContextVar("mulligan_next_call", default=None)


@contextmanager
def with_next_call(known: NextCall) -> Iterator[None]:
    """The first call that begins in here is this one; what it calls itself is not."""
    token = _next.set([known])
    try:
        yield
    finally:
        _next.reset(token)


def take_next_call() -> NextCall | None:
    """What is known of a call that begins; `None`: nothing."""
    found = _next.get()
    return found.pop() if found else None
