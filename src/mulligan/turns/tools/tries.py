"""How often a call can be made: by most hosts again and again, by some once and never again."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar

_once: ContextVar[bool] = ContextVar("mulligan_made_once", default=False)


@contextmanager
def make_once(once: bool = True) -> Iterator[None]:  # noqa: FBT001, FBT002 - it is what it says
    """Calls in here are made once: what would help is said, and nothing is tried."""
    token = _once.set(once)
    try:
        yield
    finally:
        _once.reset(token)


def is_made_once() -> bool:
    """Whether there is no other try of the call that is under way."""
    return _once.get()
