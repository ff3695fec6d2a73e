"""Named points of the protocol, where a test may kill, cancel, fail or disturb what is going on.

Between two of them nothing happens that matters if the program dies there. In production nothing
watches, and a point is one comparison.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from enum import StrEnum


class Point(StrEnum):
    """Where the program can be stopped, in the order a turn comes by."""

    SNAPSHOT_TAKEN = "snapshot_taken"
    """The snapshot was read; nothing is on disk."""
    INTENDED = "intended"
    """The intent is on disk; the call was not made."""
    CALLED = "called"
    """The call was made, and its result is not recorded."""
    EXECUTED = "executed"
    """The result of the call is recorded."""
    HELD = "held"
    """An irreversible call is awaiting approval."""
    PROBED = "probed"
    """A probe has answered, and its answer is not recorded."""
    REVIEWED = "reviewed"
    """There is a verdict, and it is not written."""
    MARKED = "marked"
    """An accepted attempt is written down as verified, or as not yet reviewed."""
    DISPUTED = "disputed"
    """A rejection needs attention, and its actions are still in effect."""
    DOOMED = "doomed"
    """The rejection is on disk; nothing was undone."""
    LOOKED = "looked"
    """An undo has seen what there is to undo."""
    TAKEN_BACK = "taken_back"
    """The undo was sent, and is not verified."""
    PROVEN = "proven"
    """The undo was verified, and that is not recorded."""
    UNDONE = "undone"
    """The result of the undo is recorded."""
    CORRECTED = "corrected"
    """The agent is about to be told."""
    RECOVERING = "recovering"
    """A pass over what others left behind begins."""
    CLAIMED = "claimed"
    """Recovery has put its name on an action."""
    RELEASED = "released"
    """An approved call is on disk as intended, and was not made."""
    RECOVERED = "recovered"
    """Recovery has recorded the result of an action."""


Watcher = Callable[[Point], Awaitable[None]]
"""Told of every point as it is reached, and may never come back."""

_watcher: Watcher | None = None


def watch_points(watcher: Watcher | None) -> None:
    """Have every point reported from now on; `None` ends it."""
    global _watcher
    _watcher = watcher


async def checkpoint(point: Point) -> None:
    """The program has come to a point."""
    if _watcher is not None:
        await _watcher(point)
