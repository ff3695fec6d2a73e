"""A clock that nobody sets: how long ago something was, also across processes of one machine."""

from __future__ import annotations

import secrets
import time
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import NamedTuple


class Steady(NamedTuple):
    """A moment since a machine was started. Of another start it tells nothing."""

    boot: str
    seconds: float


SteadyClock = Callable[[], Steady]
"""Tells the moment; it never jumps, and goes on while the machine or the process sleeps."""


def read_steady() -> Steady:
    """Now."""
    source = getattr(time, "CLOCK_BOOTTIME", None)
    seconds = time.monotonic() if source is None else time.clock_gettime(source)
    return Steady(_identify_boot(), seconds)


def choose_steady(clock: object) -> SteadyClock:
    """The steady clock beside a wall clock: its own, where it brings one, as those of tests do."""
    own = getattr(clock, "read_steady", None)
    return read_steady if own is None else lambda: Steady(*own())


def read_stamp(kept: object) -> Steady | None:
    """A moment that was written down."""
    if isinstance(kept, list) and len(kept) == 2 and isinstance(kept[1], int | float):
        return Steady(str(kept[0]), float(kept[1]))
    return None


@cache
def _identify_boot() -> str:
    try:
        return Path("/proc/sys/kernel/random/boot_id").read_text().strip()
    except OSError:
        # Not Linux: only this process knows when its clock began.
        return secrets.token_hex(8)
