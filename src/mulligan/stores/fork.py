"""What a fork must not carry over: connections, threads and locks that another thread held."""

from __future__ import annotations

import os
from typing import Protocol
from weakref import WeakSet


class Forked(Protocol):
    """Something that starts afresh in a child process."""

    def forked(self) -> None:
        """Forget what belongs to the parent, without closing it."""


_watching: WeakSet[Forked] = WeakSet()


def renew_after_fork(thing: Forked) -> None:
    """Tell `thing` in the child, before anything else runs there."""
    _watching.add(thing)


def _tell() -> None:
    for thing in list(_watching):
        thing.forked()


os.register_at_fork(after_in_child=_tell)
