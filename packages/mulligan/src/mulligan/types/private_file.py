"""Files that hold what people asked and did: for their owner alone, and never through a link."""

from __future__ import annotations

import os
import tempfile
from pathlib import Path

from mulligan.types.errors import ConfigurationError

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


_NO_FOLLOW: int = getattr(os, "O_NOFOLLOW", 0)
