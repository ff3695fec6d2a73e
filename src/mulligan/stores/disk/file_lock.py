"""One process at a time in a file, and bytes at a place in it, on each kind of system.

POSIX has `flock`, Windows has `msvcrt.locking`. Where Python has neither nobody waits for anybody,
and the health of a store in files says what that costs.
"""

from __future__ import annotations

import os
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager

BINARY: int = getattr(os, "O_BINARY", 0)
"""For `os.open`: without it, Windows writes two bytes where a file shall have one."""

_seeking = threading.Lock()

if sys.platform == "win32":
    import msvcrt

    # Nobody can read a byte that is locked there, so it is one that no file of ours has.
    _PLACE = 1 << 30

    def _lock(file: int) -> None:
        os.lseek(file, _PLACE, os.SEEK_SET)
        msvcrt.locking(file, msvcrt.LK_LOCK, 1)

    def _unlock(file: int) -> None:
        os.lseek(file, _PLACE, os.SEEK_SET)
        msvcrt.locking(file, msvcrt.LK_UNLCK, 1)

    CAN_LOCK = True
else:
    try:
        import fcntl
    except ImportError:
        CAN_LOCK = False
    else:
        CAN_LOCK = True

    def _lock(file: int) -> None:
        if CAN_LOCK:
            fcntl.flock(file, fcntl.LOCK_EX)

    def _unlock(file: int) -> None:
        if CAN_LOCK:
            fcntl.flock(file, fcntl.LOCK_UN)


@contextmanager
def hold_lock(file: int) -> Iterator[None]:
    """Wait for whoever is in the same file, then let everybody else wait."""
    _lock(file)
    try:
        yield
    finally:
        # A duplicate shares the lock, so closing the file alone might not give it back.
        _unlock(file)


def read_at(file: int, size: int, *, offset: int) -> bytes:
    """Bytes from a place in a file; fewer where it ends."""
    if hasattr(os, "pread"):
        content: bytes = os.pread(file, size, offset)
        return content
    with _seeking:
        os.lseek(file, offset, os.SEEK_SET)
        return os.read(file, size)


def write_at(file: int, content: bytes, *, offset: int) -> None:
    """Put bytes at a place in a file."""
    if hasattr(os, "pwrite"):
        os.pwrite(file, content, offset)
        return
    with _seeking:
        os.lseek(file, offset, os.SEEK_SET)
        os.write(file, content)
