"""Processes that write: their clocks, leases, signs of life, and what a fork must not carry over.

SQLite keeps a table of its locks in the process. A child forked while another thread is at work
in a file would inherit that thread's locks, which are never released, and could never
write there. So a fork waits for work under way to end, and new work waits for the fork.
"""

from __future__ import annotations

import os
import platform
import secrets
import threading
import time
from collections.abc import Callable, Iterator
from datetime import timedelta
from enum import StrEnum
from functools import cache
from pathlib import Path
from typing import Protocol
from weakref import WeakSet

from msgspec import Struct

from mulligan.process.event_loop import call_on_fork
from mulligan.types.interfaces import LEASE

_COUNTS_SLEEP: int | None = getattr(time, "CLOCK_BOOTTIME", None)


def read_uptime() -> float:
    """Seconds that never jump; where the system can tell, those it slept through as well."""
    return time.monotonic() if _COUNTS_SLEEP is None else time.clock_gettime(_COUNTS_SLEEP)


_OWN_SHARE = 0.9
"""How much of its lease a writer counts on: clocks differ in pace, and sending takes time too."""


class Lease:
    """When the store last heard of this writer, held against its own clock: no query, no lock."""

    def __init__(self, length: timedelta, *, read_clock: Callable[[], float] = read_uptime) -> None:
        self.length = length
        self._own = length.total_seconds() * _OWN_SHARE
        self._read_clock = read_clock
        self._heard: float | None = None

    def begin(self) -> float:
        """Before a heartbeat is sent: the store receives it now or later, never before."""
        return self._read_clock()

    def renew(self, begun: float) -> None:
        """The store has received the heartbeat sent then."""
        self._heard = begun

    def end(self) -> None:
        """The lease is over."""
        self._heard = None

    def is_fresh(self) -> bool:
        """Whether the lease surely still holds."""
        return self._heard is not None and self._read_clock() - self._heard < self._own


_SEES_PROCESSES = os.name == "posix"
"""Elsewhere a signal, also the one that means nothing here, may end the process it is sent to."""

_STAT = Path("/proc/self/stat")


class ProcessIdentity(Struct, frozen=True, kw_only=True):
    """A process that writes, as it can be told from every other."""

    machine: str
    """Where its number means something: the host since it was started, or the container."""
    pid: int
    started: str
    """When the process began, in the system's own terms: numbers of processes are used again.
    Where the system does not say which processes run, a token that no other process has."""


def identify_process() -> ProcessIdentity:
    """This process."""
    started = _read_start(os.getpid()) or "" if _SEES_PROCESSES else _draw_token()
    return ProcessIdentity(machine=_identify_machine(), pid=os.getpid(), started=started)


@cache
def _draw_token() -> str:
    # Not where the module is loaded: the sandbox of a workflow engine refuses chance there.
    return secrets.token_hex(8)


class Life(StrEnum):
    """The known status of a writer."""

    LIVES = "lives"
    SILENT = "silent"
    """Silent for longer than its lease: it may be alive, and come back."""
    GONE = "gone"
    """Its process has ended."""
    REVOKED = "revoked"
    """It was closed or given up, and writes no more under its name."""


def judge_process(
    identity: ProcessIdentity,
    *,
    silent: bool,
    seen_from: ProcessIdentity,
    trust_processes: bool = True,
) -> Life:
    """Whether a writer lives that has been `silent` for its lease, or has not.

    Where we `trust_processes`, one that runs on this machine lives, however silent it is.
    """
    if identity.machine == seen_from.machine and _SEES_PROCESSES:
        if _read_start(identity.pid) != (identity.started or ""):
            return Life.GONE
        silent = silent and not trust_processes
    elif identity == seen_from:
        silent = False
    return Life.SILENT if silent else Life.LIVES


def find_presence_caveats(lease: timedelta = LEASE) -> Iterator[str]:
    """What this system does not say about processes, and what that costs; a sentence each."""
    if not _SEES_PROCESSES:
        yield (
            "This system does not say which processes run, so a writer that ended counts as gone "
            f"only after {lease.total_seconds():.0f} seconds without a sign of life."
        )
    elif not _STAT.exists():
        yield (
            "This system does not say when a process began, so a writer that ended counts as "
            "there while another process has its number."
        )


@cache
def _identify_machine() -> str:
    boot = _read(Path("/proc/sys/kernel/random/boot_id"))
    try:
        numbers = str(Path("/proc/self/ns/pid").readlink())
    except OSError:
        # Not Linux: processes of one host share one set of numbers.
        numbers = ""
    return "/".join((platform.node(), boot, numbers))


def _read_start(pid: int) -> str | None:
    """When a process began; empty where the system does not say, `None` when there is none."""
    if _STAT.exists():
        stat = _read(Path(f"/proc/{pid}/stat"))
        # The name in brackets may hold anything; the state and the start come after it.
        fields = stat.rpartition(")")[2].split()
        return fields[19] if len(fields) > 19 and fields[0] not in "ZX" else None
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return None
    except PermissionError:
        # Another user's process, and alive.
        return ""
    return ""


def _read(path: Path) -> str:
    try:
        return path.read_text().strip()
    except OSError:
        return ""


TIMEOUT = 5.0
"""Seconds that a fork waits. After that it happens all the same: a hung disk must not hang it."""


class Forked(Protocol):
    """Something that starts afresh in a child process."""

    def reset_after_fork(self) -> None:
        """Forget what belongs to the parent, without closing it."""


class _Depth(threading.local):
    value = 0


class Undisturbed:
    """A block that no fork interrupts. One within another is fine."""

    def __init__(self) -> None:
        self._depth = _Depth()
        self._wake = threading.Condition()
        self._threads = 0
        self._forking = False

    def __enter__(self) -> None:
        if not self._depth.value:
            with self._wake:
                while self._forking:
                    self._wake.wait()
                self._threads += 1
        self._depth.value += 1

    def __exit__(self, *error: object) -> None:
        self._depth.value -= 1
        if not self._depth.value:
            with self._wake:
                self._threads -= 1
                if self._forking:
                    self._wake.notify_all()

    def pause(self) -> None:
        """Before a fork: let what runs end, and nothing begin."""
        deadline = time.monotonic() + TIMEOUT
        with self._wake:
            self._forking = True
            while self._threads > self._count_own() and (left := deadline - time.monotonic()) > 0:
                self._wake.wait(left)

    def go_on(self) -> None:
        """After it, in the parent."""
        with self._wake:
            self._forking = False
            self._wake.notify_all()

    def reset_after_fork(self) -> None:
        """After it, in the child, where no other thread is left."""
        self._wake = threading.Condition()
        self._threads = self._count_own()
        self._forking = False

    def _count_own(self) -> int:
        """1 when the thread that forks is itself inside a block, which it cannot wait for."""
        return int(self._depth.value > 0)


undisturbed = Undisturbed()
"""Around everything that takes a lock in the process: `with undisturbed:`."""

_watching: WeakSet[Forked] = WeakSet()


def renew_after_fork(thing: Forked) -> None:
    """Tell `thing` in the child, before anything else runs there."""
    _watching.add(thing)


def _tell() -> None:
    undisturbed.reset_after_fork()
    for thing in list(_watching):
        thing.reset_after_fork()


call_on_fork(before=undisturbed.pause, after_in_parent=undisturbed.go_on, after_in_child=_tell)
