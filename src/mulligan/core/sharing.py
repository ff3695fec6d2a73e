"""What a store that many processes share may offer beyond `Store`, so that they work as one.

A store without these is used all the same: each process then sees to everything by itself.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import timedelta
from typing import Protocol, runtime_checkable


class Duties(Protocol):
    """Work that is to be done by one process at a time, whichever that is."""

    def claim(self, duty: str, *, every: timedelta) -> bool:
        """Take a duty on, unless somebody alive has it or it was done within `every`.

        Both by the store's own clock and leases: who is gone has no duties any more.
        """

    def finish(self, duty: str, *, done: bool) -> None:
        """Give a duty back. One that is not `done` may be taken on at once."""


@runtime_checkable
class Shares(Protocol):
    """A store whose processes share out what is to be done once for all of them."""

    @property
    def duties(self) -> Duties:
        """What is shared out."""


@runtime_checkable
class Listens(Protocol):
    """A store that tells a process at once what another one has written for it."""

    def listen(self, on_news: Callable[[], None]) -> Callable[[], None]:
        """Call `on_news`, from a thread of its own, when there may be something to take up.

        The answer ends it. It may be called for nothing, and, where a connection was lost, late.
        """


@contextmanager
def share_duty(store: object, duty: str, *, every: timedelta) -> Iterator[bool]:
    """Whether a duty is ours to do now, in here; in a store that shares nothing, always."""
    if not isinstance(store, Shares):
        yield True
        return
    if not store.duties.claim(duty, every=every):
        yield False
        return
    done = False
    try:
        yield True
        done = True
    finally:
        store.duties.finish(duty, done=done)
