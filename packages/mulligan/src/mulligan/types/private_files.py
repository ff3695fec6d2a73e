"""Files that only their owner can use, as they hold what people asked and did, and locks in them.

No link is followed, and no file is used that others could plant. For locks POSIX has `flock`,
Windows has `msvcrt.locking`. Where Python has neither there is no locking, and the health
of a store in files says what that costs.
"""

from __future__ import annotations

import os
import stat
import sys
import tempfile
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from mulligan.types.errors import ConfigurationError, StoreUnavailableError

BINARY: int = getattr(os, "O_BINARY", 0)
"""For `os.open`: without it, Windows writes two bytes where a file shall have one."""

_seeking = threading.Lock()

if sys.platform == "win32":
    import msvcrt

    # A locked byte cannot be read there, so the lock is on one beyond the end of our files.
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
    """Take the file's lock, waiting for its holder."""
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


HAS_MODES = os.name == "posix"
"""Elsewhere a file has no owner and no mode that Python could read."""

_NO_FOLLOW: int = getattr(os, "O_NOFOLLOW", 0)
_READABLE = 0o077
_WRITABLE = 0o002


def open_private(path: Path, flags: int) -> int:
    """Open a file of ours, and never what a link with its name leads to."""
    return os.open(path, flags | _NO_FOLLOW | BINARY, 0o600)


def read_private(path: Path) -> bytes:
    """All that a file of ours holds."""
    with os.fdopen(open_private(path, os.O_RDONLY), "rb") as file:
        return file.read()


def refuse_second_name(path: Path) -> None:
    """Refuse a file with a second hard link."""
    try:
        names = path.stat().st_nlink
    except FileNotFoundError:
        # Another process has just closed the database: nothing is left to refuse.
        return
    if names > 1:
        raise StoreUnavailableError(
            f"{path} has a second name (a hard link), so that writing it would change another file "
            f"as well: put a copy in its place (`cp {path} {path}.copy && mv {path}.copy {path}`)."
        )


def refuse_unsafe(path: Path, *, secret: bool = False, linked: bool = False) -> None:
    """Refuse a file that another user may have planted or can change; a missing one is fine.

    A `secret` must not even be read by others. Only where it may be `linked` is a symbolic link
    followed, and then the link is held to the same owner.
    """
    try:
        found = path.lstat()
    except OSError:
        # Opening it reports what is missing.
        return
    if stat.S_ISLNK(found.st_mode):
        if not linked:
            raise StoreUnavailableError(
                f"{path} is a symbolic link, which is not followed: remove it (`rm {path}`) and "
                "put the file itself there."
            )
        _refuse_owner(path, found)
        refuse_unsafe(path.resolve(), secret=secret)
        return
    if not HAS_MODES:
        return
    _refuse_owner(path, found)
    mode = stat.S_IMODE(found.st_mode)
    if mode & (_READABLE if secret else _WRITABLE):
        can = "read or changed" if secret else "changed"
        raise StoreUnavailableError(
            f"{path} can be {can} by others (its mode is {mode:04o}): see that it is the one you "
            f"know, then run `chmod 600 {path}`."
        )


def _refuse_owner(path: Path, found: os.stat_result) -> None:
    if not HAS_MODES:
        return
    # The owner of the folder can put anything there anyway, and so can root.
    trusted = {os.geteuid(), 0, path.parent.stat().st_uid}
    if found.st_uid not in trusted:
        raise StoreUnavailableError(
            f"{path} belongs to another user (number {found.st_uid}), who may have put it there: "
            f"run `chown {os.geteuid()} {path}` if it is yours, or remove it."
        )


OWNER_ONLY = 0o600


def write_private(path: Path, text: str) -> None:
    """Put a new file in a path's place once it is whole; a pipe or a device is written into."""
    if refuse_unwritable(path):
        with os.fdopen(os.open(path, os.O_WRONLY | _NO_FOLLOW), "w", encoding="utf-8") as stream:
            stream.write(text)
        return
    # Made for its owner alone, whatever the umask is.
    handle, beside = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
    try:
        with os.fdopen(handle, "w", encoding="utf-8") as file:
            file.write(text)
        Path(beside).replace(path)
    except BaseException:
        Path(beside).unlink(missing_ok=True)
        raise


def refuse_unwritable(path: Path) -> bool:
    """Say that a file cannot be written before the work is done that it is for.

    True: it is a pipe or a device, and to open it may be to wait for its reader.
    """
    if path.is_symlink():
        raise ConfigurationError(
            f"{path} is a symbolic link, which is not followed: name the file that it leads to."
        )
    if path.exists() and not path.is_dir() and not path.is_file():
        return True
    try:
        if path.exists():
            os.close(os.open(path, os.O_WRONLY | _NO_FOLLOW))
        handle, beside = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
    except OSError as error:
        raise ConfigurationError(
            f"{path} cannot be written: {error.strerror}. Name a file in a folder that is there."
        ) from error
    os.close(handle)
    Path(beside).unlink()
    return False
