"""What a store that many processes share may offer beyond `Store`, so that they work as one.

A store without these is used all the same: each process then sees to everything by itself.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import timedelta
from typing import Protocol

from mulligan.core.runtime.dataclass import dataclass


class Duties(Protocol):
    """What a store may have as `duties`: work that one process has at a time, whichever it is."""

    def claim(self, duty: str, *, every: timedelta) -> bool:
        """Take a duty on, unless somebody alive has it or it was done within `every`.

        Both by the store's own clock and leases: who is gone has no duties any more.
        """

    def finish(self, duty: str, *, done: bool) -> None:
        """Give a duty back. One that is not `done` may be taken on at once."""


Listen = Callable[[Callable[[], None]], Callable[[], None]]
"""What a store may have as `listen`: it calls the function, from a thread of its own, when another
process has written something to take up. The answer ends it. It may call for nothing, and, where a
connection was lost, late."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Vacuumed:
    """Which files or tables were written anew, by name."""

    parts: tuple[str, ...] = ()
    left: tuple[str, ...] = ()
    """Those that were not, and why."""


class Vacuum(Protocol):
    """What a store may have as `vacuum`."""

    def __call__(self, *, most_bytes: int | None) -> Vacuumed:
        """Write anew what rows were deleted from, so that no piece of them is left in it.

        Others wait meanwhile, so what is larger than `most_bytes` is left as it is.
        """


@contextmanager
def share_duty(store: object, duty: str, *, every: timedelta) -> Iterator[bool]:
    """Whether a duty is ours to do now, in here; in a store that shares nothing, always."""
    duties: Duties | None = getattr(store, "duties", None)
    if duties is None:
        yield True
        return
    if not duties.claim(duty, every=every):
        yield False
        return
    done = False
    try:
        yield True
        done = True
    finally:
        duties.finish(duty, done=done)
