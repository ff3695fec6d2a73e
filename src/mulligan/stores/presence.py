"""Who writes, and whether they still can: a process on this machine, or a sign of life."""

from __future__ import annotations

import functools
import os
import platform
from dataclasses import dataclass
from pathlib import Path

from mulligan.core.interfaces import SILENCE


@dataclass(frozen=True, slots=True, kw_only=True)
class Presence:
    """A process that writes, as it can be told from every other."""

    machine: str
    """Where its number means something: the host since it was started, or the container."""
    pid: int
    started: str
    """When the process began, in the system's own terms: numbers of processes are used again."""


def identify_process() -> Presence:
    """This process."""
    return Presence(
        machine=_identify_machine(), pid=os.getpid(), started=_read_start(os.getpid()) or ""
    )


def is_gone(presence: Presence, *, silent_us: int, seen_from: Presence) -> bool:
    """Whether a writer will write no more, that was last heard of `silent_us` ago."""
    if presence.machine == seen_from.machine:
        return _read_start(presence.pid) != (presence.started or "")
    return silent_us > SILENCE.total_seconds() * 1_000_000


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
    if Path("/proc/self/stat").exists():
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
