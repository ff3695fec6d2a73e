"""SQLite's errors as ours: what is wrong, with the path, and the way out."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import apsw

from mulligan.core.errors import (
    StoreDamagedError,
    StoreError,
    StoreFullError,
    StoreLockedError,
    StoreUnavailableError,
)
from mulligan.stores.database.driver import AlreadyThereError, UnreadableError, UnstorableTextError

_REPEATED = (apsw.SQLITE_CONSTRAINT_PRIMARYKEY, apsw.SQLITE_CONSTRAINT_UNIQUE)


@contextmanager
def translate_errors(path: Path) -> Iterator[None]:
    """Turn what SQLite raises about a file into what Mulligan raises."""
    try:
        yield
    except (apsw.Error, UnicodeError) as error:
        raise translate(error, path) from error


def translate(error: apsw.Error | UnicodeError, path: Path) -> StoreError:
    """The error of ours that says the same."""
    match error:
        case UnicodeEncodeError():
            return UnstorableTextError(
                f"{path} cannot keep a text with a lone surrogate: replace it first."
            )
        case UnicodeDecodeError():
            return UnreadableError(
                f"{path} is damaged (a text that is none): see what is left with `mulligan doctor`."
            )
        case apsw.ConstraintError() if getattr(error, "extendedresult", 0) in _REPEATED:
            return AlreadyThereError(f"{path} has that row already ({error}).")
        case apsw.BusyError() | apsw.LockedError():
            return StoreLockedError(
                f"{path} is locked by another process: wait for it to finish, or stop it, and "
                "try again. Nothing was written."
            )
        case apsw.FullError():
            return StoreFullError(
                f"{path} cannot grow, because the disk is full: make room and try again. "
                "Nothing was written."
            )
        case apsw.CorruptError() | apsw.NotADBError():
            return StoreDamagedError(
                f"{path} is damaged ({error}): restore it from a backup, or move it away "
                "together with its .mark file to start anew."
            )
        case apsw.CantOpenError():
            return StoreUnavailableError(
                f"{path} cannot be opened: check that its folder exists and may be written to."
            )
        case apsw.ReadOnlyError() | apsw.PermissionsError():
            return StoreUnavailableError(
                f"{path} cannot be written to: check its owner and mode, and those of its folder."
            )
        case apsw.IOError():
            return StoreUnavailableError(
                f"{path} could not be read or written ({error}): check the disk it lies on."
            )
        case _:
            return StoreError(f"{path}: SQLite says {error}.")
