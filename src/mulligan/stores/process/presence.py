"""Who writes, and whether they still can: a process on this machine, or a sign of life."""

from __future__ import annotations

import functools
import os
import platform
import secrets
from collections.abc import Iterator
from datetime import timedelta
from enum import StrEnum
from pathlib import Path

from mulligan.core.interfaces import LEASE
from mulligan.core.runtime.dataclass import dataclass

_SEES_PROCESSES = os.name == "posix"
"""Elsewhere a signal, also the one that means nothing here, may end the process it is sent to."""

_STAT = Path("/proc/self/stat")
_THIS_PROCESS = secrets.token_hex(8)


@dataclass(frozen=True, slots=True, kw_only=True)
class Presence:
    """A process that writes, as it can be told from every other."""

    machine: str
    """Where its number means something: the host since it was started, or the container."""
    pid: int
    started: str
    """When the process began, in the system's own terms: numbers of processes are used again.
    Where the system does not say which processes run, a token that no other process has."""


def identify_process() -> Presence:
    """This process."""
    started = _read_start(os.getpid()) or "" if _SEES_PROCESSES else _THIS_PROCESS
    return Presence(machine=_identify_machine(), pid=os.getpid(), started=started)


class Life(StrEnum):
    """What can be said of a writer."""

    LIVES = "lives"
    SILENT = "silent"
    """It said nothing for longer than it asked to be waited for: it may live, and come back."""
    GONE = "gone"
    """Its process has ended."""
    REVOKED = "revoked"
    """It was closed or given up, and writes no more under its name."""


def judge_presence(
    presence: Presence, *, silent: bool, seen_from: Presence, trust_processes: bool = True
) -> Life:
    """Whether a writer lives that has been `silent` for its lease, or has not.

    Where we `trust_processes`, one that runs on this machine lives, however silent it is.
    """
    if presence.machine == seen_from.machine and _SEES_PROCESSES:
        if _read_start(presence.pid) != (presence.started or ""):
            return Life.GONE
        silent = silent and not trust_processes
    elif presence == seen_from:
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


@functools.cache
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
        # Somebody else's, and alive.
        return ""
    return ""


def _read(path: Path) -> str:
    try:
        return path.read_text().strip()
    except OSError:
        return ""
