"""Postgres' errors as ours: what is wrong, with the server, and the way out."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import psycopg
from psycopg import errors as pg

from mulligan.core.errors import (
    StoreDamagedError,
    StoreError,
    StoreFullError,
    StoreLockedError,
    StoreUnavailableError,
)
from mulligan.stores.database.driver import (
    AlreadyThereError,
    ConnectionLostError,
    TryAgainError,
    UnstorableTextError,
)


@contextmanager
def translate_errors(
    store: str, connection: psycopg.Connection[object] | None = None
) -> Iterator[None]:
    """Turn what Postgres raises into what Mulligan raises."""
    try:
        yield
    except psycopg.Error as error:
        # Also one that was closed here, as it could not be used any more.
        broken = connection is not None and connection.closed
        raise translate(error, store, broken=broken) from error
    except UnicodeEncodeError as error:
        raise UnstorableTextError(
            f"{store} cannot keep a text with a lone surrogate: replace it first."
        ) from error


def translate(
    error: psycopg.Error, store: str, *, broken: bool, said: str | None = None
) -> StoreError:
    """The error of ours that says the same, in Postgres' words unless others are given."""
    said = said or describe_error(error)
    if broken or isinstance(error, (pg.AdminShutdown, pg.CrashShutdown, pg.CannotConnectNow)):
        return ConnectionLostError(
            f"The connection to {store} was lost ({said}): see that the server runs, and try again."
        )
    match error:
        case pg.UniqueViolation():
            return AlreadyThereError(f"{store} has that row already ({said}).")
        case pg.DeadlockDetected() | pg.SerializationFailure():
            return TryAgainError(f"{store} undid a transaction to settle a conflict: try again.")
        case pg.LockNotAvailable():
            return StoreLockedError(
                f"{store} is locked by another transaction: wait for it to end, and try again."
            )
        case pg.DiskFull() | pg.OutOfMemory():
            return StoreFullError(f"{store} has no room left ({said}): make room and try again.")
        case pg.DataCorrupted() | pg.IndexCorrupted():
            return StoreDamagedError(f"{store} is damaged ({said}): restore it from a backup.")
        case psycopg.DataError() if "NUL" in said or "0x00" in said:
            return UnstorableTextError(f"{store} cannot keep a text with a null character.")
        case pg.InsufficientPrivilege():
            return StoreUnavailableError(
                f"The user that {store} was opened with may not do that ({said}): use one that "
                "may, or have its owner allow it (`mulligan access grant`)."
            )
        case _:
            return _translate_use(error, store, said)


def _translate_use(error: psycopg.Error, store: str, said: str) -> StoreError:
    """What is wrong with how the store is reached, if that is it."""
    match error:
        case pg.UndefinedTable() | pg.InvalidSqlStatementName() | pg.DuplicatePreparedStatement():
            # What a connection was told when it was opened holds for it alone.
            return StoreUnavailableError(
                f"{store} has not what was there when its connection was opened ({said}): if a "
                "pooler stands before it, have that pool by session (PgBouncer: `pool_mode = "
                "session`), or connect to the server itself."
            )
        case psycopg.OperationalError():
            return StoreUnavailableError(
                f"{store} cannot be used ({said}): check the server, the database and the user."
            )
        case _:
            return StoreError(f"{store}: Postgres says {said}.")


def describe_error(error: psycopg.Error) -> str:
    """What Postgres says, without its line breaks."""
    return " ".join(str(error).split()) or type(error).__name__
