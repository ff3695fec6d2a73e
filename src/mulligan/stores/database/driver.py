"""What the journal, the vault and the log need of a database driver."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from contextlib import AbstractContextManager
from typing import Any, Protocol

from mulligan.core.errors import StoreDamagedError, StoreError, StoreUnavailableError

Row = tuple[Any, ...]
Changed = Callable[[], int]
"""How many rows a statement has changed; asked for it, a driver waits until it knows."""


class ConnectionLostError(StoreUnavailableError):
    """The connection broke; whether an open transaction was committed is not known."""


class TryAgainError(StoreUnavailableError):
    """The database undid the transaction to settle a conflict between two writers."""


class AlreadyThereError(StoreError):
    """A row with that key exists; the transaction is undone."""


class UnstorableTextError(StoreError):
    """A text holds what the database cannot: a lone surrogate, a null character."""


class UnreadableError(StoreDamagedError):
    """One row makes no sense; those beside it may."""


class Session(Protocol):
    """One connection. Statements are named queries; every driver error comes out translated."""

    def fetch(self, query: str, **values: object) -> list[Row]:
        """All rows of a query."""

    def fetch_where(self, query: str, filters: Sequence[str], **values: object) -> list[Row]:
        """All rows of a query whose `{where}` is the named filters, joined by `and`."""

    def run(self, query: str, **values: object) -> int:
        """Run a statement. Returns how many rows it changed."""

    def run_later(self, query: str, **values: object) -> Changed:
        """Run a statement whose outcome can wait: in a bundle it goes out with what follows."""

    def run_many(self, query: str, rows: Iterable[Sequence[object]]) -> int:
        """Insert each row of positional values. Returns how many rows changed."""

    def begin_transaction(self, *, synced: bool | None = None) -> AbstractContextManager[None]:
        """A transaction that writes; leaving it with an exception undoes it.

        One that is not `synced` may end before it is on disk, where a power cut can take it back.
        """

    def begin_bundle(self, *, synced: bool) -> AbstractContextManager[None]:
        """Such a transaction, of statements that are sent together as far as they can wait.

        A failure of one that was to run later may come with any other, or with the end. There is
        no savepoint in a bundle.
        """

    def begin_savepoint(self) -> AbstractContextManager[None]:
        """A part of a transaction that can fail alone."""

    def begin_snapshot(self) -> AbstractContextManager[None]:
        """Reads that all see the same moment."""

    def close(self) -> None:
        """Let go of the connection."""

    def abandon(self) -> None:
        """In a forked child: forget the connection without touching it."""


def fetch_one(session: Session, query: str, **values: object) -> Row | None:
    """The first row of a query, if it has one."""
    rows = session.fetch(query, **values)
    return rows[0] if rows else None
