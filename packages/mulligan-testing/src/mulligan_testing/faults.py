"""Faults at the named points of the protocol: kill, pause, cancel, raise, hang, or an edit.

A dry run counts the points a program comes by; then each of them can be struck, one after the
other, and what is left can be held against the remote's own ledger.
"""

from __future__ import annotations

import asyncio
import os
import signal
from collections import Counter
from collections.abc import Awaitable, Callable
from enum import StrEnum
from typing import Self

from msgspec import Struct

from mulligan.process.fault_points import Point, watch_points


class Deed(StrEnum):
    """What happens at a point."""

    KILL = "kill"
    """The process is gone, as with `kill -9`."""
    PAUSE = "pause"
    """The process stands still, its threads too, as on a machine that sleeps: `SIGSTOP`. Whoever
    started it lets it go on with `SIGCONT`; see `wait_until_paused`."""
    CANCEL = "cancel"
    """The task is cancelled there, as when a client hangs up."""
    RAISE = "raise"
    """Something unforeseen is raised there."""
    HANG = "hang"
    """It goes no further until it is cancelled; see `Faults.hanging`."""
    EDIT = "edit"
    """A person edits what is there, or whatever else is to happen, and the program goes on."""


class Strike(Struct, frozen=True, kw_only=True):
    """A deed, and where it is done."""

    deed: Deed
    hit: int = 1
    """At the n-th time that the point is reached, or that any is, where none is named."""
    point: Point | None = None


class PlannedError(RuntimeError):
    """Raised at a point because a test said so."""


class Faults:
    """Counts the points as they are reached, and strikes where it was told to.

    `with Faults() as seen: …` is a dry run: `seen.path` is every point in order.
    """

    def __init__(self, *strikes: Strike, edit: Callable[[], object] = lambda: None) -> None:
        self.path: list[str] = []
        """Every point that was reached, in order."""
        self.hanging = asyncio.Event()
        """Set once something hangs."""
        self._strikes = strikes
        self._edit = edit
        self._counts: Counter[str] = Counter()

    @property
    def hits(self) -> int:
        """How many points were reached."""
        return len(self.path)

    async def hit(self, point: str) -> None:
        """A point is reached, or a place of the test's own that has a name."""
        self.path.append(str(point))
        self._counts[point] += 1
        for strike in self._strikes:
            count = self.hits if strike.point is None else self._counts[point]
            if strike.hit == count and strike.point in (None, point):
                await self._strike(strike.deed)

    async def _strike(self, deed: Deed) -> None:
        match deed:
            case Deed.KILL:
                os.kill(os.getpid(), signal.SIGKILL)
            case Deed.PAUSE:
                os.kill(os.getpid(), signal.SIGSTOP)
            case Deed.CANCEL:
                raise asyncio.CancelledError
            case Deed.RAISE:
                raise PlannedError("Planned for this point.")
            case Deed.HANG:
                self.hanging.set()
                await asyncio.Event().wait()
            case Deed.EDIT:
                edited = self._edit()
                if isinstance(edited, Awaitable):
                    await edited

    def __enter__(self) -> Self:
        watch_points(self.hit)
        return self

    def __exit__(self, *_: object) -> None:
        watch_points(None)


async def cancel_when_hung(work: Awaitable[object], faults: Faults) -> BaseException | None:
    """Run something to its end, cancelled from outside if it hangs. What it raised, if it did."""
    task = asyncio.ensure_future(work)
    hangs = asyncio.ensure_future(faults.hanging.wait())
    await asyncio.wait([task, hangs], return_when=asyncio.FIRST_COMPLETED)
    if hangs.done():
        task.cancel()
    hangs.cancel()
    ended = await asyncio.gather(task, return_exceptions=True)
    return ended[0] if isinstance(ended[0], BaseException) else None


def wait_until_paused(pid: int) -> bool:
    """Wait for a child to stand still. `False` when it has ended instead; it is then still to be
    waited for."""
    options = os.WEXITED | os.WSTOPPED | os.WNOWAIT
    ended = os.waitid(os.P_PID, pid, options)
    return ended is not None and ended.si_code == os.CLD_STOPPED


def let_go_on(pid: int) -> None:
    """Let a child go on that stands still."""
    os.kill(pid, signal.SIGCONT)
