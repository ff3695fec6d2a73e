"""One connection to a SQLite file: its statements, and its errors as ours.

Many rows go in one statement: at each, the driver lets go of the interpreter, and must get it
back. Beside a thread that computes, that takes some milliseconds every time: row by row, a log
could not keep up with what is logged.
"""

from __future__ import annotations

import os
import re
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import closing, contextmanager
from datetime import timedelta
from functools import cache, lru_cache
from itertools import chain, islice
from pathlib import Path
from typing import Any

import apsw

from mulligan.stores.database import (
    AlreadyThereError,
    Changed,
    Row,
    Session,
    UnreadableError,
    UnstorableTextError,
)
from mulligan.stores.dialects import SQLITE
from mulligan.stores.encoding import add_counts
from mulligan.stores.opening import TIMEOUT
from mulligan.stores.process import undisturbed
from mulligan.types.errors import (
    StoreDamagedError,
    StoreError,
    StoreFullError,
    StoreLockedError,
    StoreUnavailableError,
)
from mulligan.types.private_files import refuse_second_name, refuse_unsafe

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
            foreign = isinstance(error, apsw.NotADBError)
            other = "If it is no store, name a file that does not exist yet. " if foreign else ""
            return StoreDamagedError(
                f"{path} is damaged ({error}). {other}Restore it from a backup, or move it away "
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


_WIDTHS = (256, 64, 16, 4, 1)
"""Rows of a statement. Few different ones, so that the driver knows each of them by heart."""
_LONGEST = 16_000
"""Characters: what is longer is prepared anew at every use."""
_ROW = re.compile(r"values \((\?(?:, \?)*)\)")


def build_wide(sql: str, rows: Iterable[Sequence[Any]]) -> Iterator[tuple[str, list[Any]]]:
    """An insertion of one row of positional values, as statements that insert all of them."""
    waiting = list(rows)
    done = 0
    for wide, width in _write_wide(sql):
        while len(waiting) - done >= width:
            yield wide, list(chain.from_iterable(islice(waiting, done, done + width)))
            done += width


@lru_cache(maxsize=32)
def _write_wide(sql: str) -> tuple[tuple[str, int], ...]:
    found = _ROW.search(sql)
    if found is None:
        raise ValueError(f"There is no row of values to repeat in: {sql}")
    row = f"({found[1].replace(' ', '')})"
    start, end = f"{sql[: found.start()]}values ", sql[found.end() :]
    most = (_LONGEST - len(start) - len(end)) // (len(row) + 1)
    return tuple((start + ",".join([row] * n) + end, n) for n in _WIDTHS if n <= max(most, 1))


ENDINGS = ("-journal", "-wal", "-shm")
"""A rollback journal comes first: SQLite plays one back also into a file with a log ahead."""


def list_side_files(path: Path) -> list[Path]:
    """Where they would lie: beside the file itself, also when its name is a link to it."""
    places = dict.fromkeys((path, path.resolve()))
    return [place.with_name(place.name + ending) for place in places for ending in ENDINGS]


def refuse_unsafe_database(path: Path) -> None:
    """Refuse a database, or what SQLite would take up beside it, that a stranger can have made."""
    refuse_unsafe(path, linked=True)
    for file in list_side_files(path):
        refuse_unsafe(file)
        refuse_second_name(file)


@cache
def load_queries() -> dict[str, str]:
    """Every query of a store in files."""
    shared = ("journal", "vault", "catalog", "log", "tasks", "failures")
    return SQLITE.load_queries(*shared, "sqlite")


JOURNAL = "journal"
LOG = "log"

PRAGMAS = {
    # A commit is on disk before anyone acts on it.
    JOURNAL: ("synchronous = full", "secure_delete = on", "foreign_keys = on"),
    # The last batches may go with a power cut; the tally counts them. A page that is divided as it
    # fills leaves no copy of its rows behind, which no later deletion would find.
    LOG: ("synchronous = normal", "secure_delete = fast", "foreign_keys = on"),
}
"""The pragmas of every connection, by part."""

_NEVER_RUN = (
    apsw.SQLITE_DBCONFIG_ENABLE_TRIGGER,
    apsw.SQLITE_DBCONFIG_ENABLE_VIEW,
    apsw.SQLITE_DBCONFIG_TRUSTED_SCHEMA,
)


_POLL = 0.0005
"""Seconds between two tries for the write lock. Those of SQLite's own wait grow to a tenth of a
second: beside a process that writes without rest on a slow disk they miss every gap."""


class _BusyWait:
    """Ask for a lock again and again until the time is over."""

    def __init__(self, timeout: timedelta) -> None:
        self._seconds = timeout.total_seconds()
        self._deadline = 0.0

    def __call__(self, tries: int) -> bool:
        """Whether to try again, after a short pause."""
        now = time.monotonic()
        if not tries:
            self._deadline = now + self._seconds
        if now >= self._deadline:
            return False
        time.sleep(_POLL)
        return True


class SqliteSession(Session):
    """Named queries on one file. Used by one thread at a time."""

    def __init__(
        self,
        path: Path,
        part: str,
        *,
        timeout: timedelta = TIMEOUT,
        create: bool = False,
    ) -> None:
        self._synced = part == JOURNAL
        with undisturbed, translate_errors(path):
            if create:
                _create_private(path)
            # At every connection: SQLite looks for a journal to play back whenever it opens a file.
            refuse_unsafe_database(path)
            self._use(apsw.Connection(str(path), flags=apsw.SQLITE_OPEN_READWRITE), path)
            self._connection.set_busy_handler(_BusyWait(timeout))
            # Closing the last connection would move a damaged write-ahead log into the file and
            # delete it, and with it what might still be rescued. We do that ourselves, when sound.
            self._connection.config(apsw.SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1)
            # Mulligan creates no trigger and no view: one in the file is foreign, and is not run.
            for part_of_schema in _NEVER_RUN:
                self._connection.config(part_of_schema, 0)
            for pragma in PRAGMAS[part]:
                self._connection.execute(f"pragma {pragma}")
        self._places = (str(path), f"{path}-wal")
        self._file, self._wal = (_identify_file(place) for place in self._places)

    def run_later(self, query: str, **values: object) -> Changed:
        """Run a statement whose outcome can wait. There is no way to it that would be saved."""
        self._execute(self._queries[query], values)
        changed = self._connection.changes()
        return lambda: changed

    def run_many(self, query: str, rows: Iterable[Sequence[Any]]) -> int:
        """Insert each row of positional values. Returns how many rows changed."""
        before = self._connection.total_changes()
        with undisturbed, translate_errors(self._path):
            for sql, values in build_wide(self._queries[query], rows):
                self._connection.execute(sql, values)
        return self._connection.total_changes() - before

    def execute(self, sql: str, values: dict[str, Any] | None = None) -> list[Row]:
        """All rows of a statement that is not among the named ones."""
        with undisturbed:
            return self._execute(sql, values)

    def _execute(self, sql: str, values: dict[str, Any] | None = None) -> list[Row]:
        """The same in a transaction, which no fork interrupts."""
        try:
            return self._connection.execute(sql, values or {}).fetchall()
        except (apsw.Error, UnicodeError) as error:
            raise translate(error, self._path) from error

    @contextmanager
    def begin_transaction(self, *, synced: bool | None = None) -> Iterator[None]:
        """A transaction that writes; it takes the file's one write lock at once."""
        with undisturbed:
            if synced is not None:
                self._sync(synced=synced)
            self._execute("begin immediate")
            try:
                self._refuse_replaced()
                yield
                self._execute("commit")
            except BaseException:
                self._roll_back()
                raise

    begin_bundle = begin_transaction
    """Each statement is at the file as soon as it is run."""

    @contextmanager
    def begin_savepoint(self) -> Iterator[None]:
        """A part of a transaction that can fail alone."""
        self.execute("savepoint part")
        try:
            yield
        except BaseException:
            # A full disk has undone the whole transaction already.
            if self._connection.in_transaction:
                self.execute("rollback to part")
                self.execute("release part")
            raise
        self.execute("release part")

    @contextmanager
    def begin_snapshot(self) -> Iterator[None]:
        """Reads that all see the same moment."""
        with undisturbed:
            self.execute("begin")
            try:
                yield
            finally:
                self._roll_back()

    def truncate(self) -> None:
        """Move the write-ahead log into the file and empty it: what was deleted is gone."""
        busy = self.execute("pragma wal_checkpoint(truncate)")[0][0]
        if busy:
            raise StoreLockedError(
                f"{self._path} was being read, so deleted values may still lie in its write-ahead "
                "log: try again."
            )

    def copy_to(self, target: Path) -> None:
        """Copy the file as it is at one moment into a new one, which is on disk then."""
        with undisturbed, translate_errors(target):
            _create_private(target)
            with closing(apsw.Connection(str(target))) as copy:
                copy.execute("pragma synchronous = full")
                with copy.backup("main", self._connection, "main") as copying:
                    copying.step()

    def close(self) -> None:
        """Let go of the connection."""
        with undisturbed, translate_errors(self._path):
            self._connection.close()

    def abandon(self) -> None:
        """In a forked child: forget the connection without touching it."""
        import ctypes  # which few processes need, and each would wait for

        # Closing would drop the parent's file or its locks, and so would the interpreter when it
        # ends. One reference that is never given back keeps the object until the process is gone.
        ctypes.pythonapi.Py_IncRef(ctypes.py_object(self._connection))

    def _use(self, connection: apsw.Connection, path: Path) -> None:
        self._path = path
        self._queries = load_queries()
        self._connection = connection
        connection.create_scalar_function("add_counts", add_counts, 2)

    def learn(self, query: str) -> str:
        """A statement in the words of our SQL becomes a named one; the answer is its name."""
        if query not in self._queries:
            self._queries = {**self._queries, query: SQLITE.translate(query)}
        return query

    def _sync(self, *, synced: bool) -> None:
        """Have commits from here on wait for the disk, or not."""
        if synced is not self._synced:
            self._execute(f"pragma synchronous = {'full' if synced else 'normal'}")
            self._synced = synced

    def _refuse_replaced(self) -> None:
        """Refuse to write into a file, or a write-ahead log, that was unlinked or replaced."""
        found = [_identify_file(place) for place in self._places]
        # The log ahead comes with the first write, and stays as long as the file is open anywhere.
        self._wal = self._wal or found[1]
        for place, was, now in zip(self._places, (self._file, self._wal), found, strict=True):
            if was != now:
                raise StoreDamagedError(
                    f"{place} was {'replaced' if now else 'deleted'} while it was open, so nothing "
                    "was written: put it back, or open the store again to go on with what lies "
                    "there now."
                )

    def _roll_back(self) -> None:
        if self._connection.in_transaction:
            self.execute("rollback")


@contextmanager
def open_erasing_session(connect: Callable[[], SqliteSession]) -> Iterator[SqliteSession]:
    """A session of its own whose deletions overwrite what was there, also in the log ahead."""
    session = connect()
    try:
        session.execute("pragma secure_delete = on")
        yield session
        session.truncate()
    finally:
        session.close()


def truncate(connect: Callable[[], SqliteSession]) -> None:
    """Empty a file's write-ahead log."""
    with open_erasing_session(connect):
        pass


def _identify_file(place: str) -> tuple[int, int] | None:
    """What tells a file from another that has its name now; `None` when there is none."""
    try:
        found = os.stat(place)  # noqa: PTH116 - at every write, where a Path costs twice as much
    except OSError:
        # The caller compares, and reports what is missing.
        return None
    return found.st_dev, found.st_ino


def _create_private(path: Path) -> None:
    """Create the file for its owner alone; SQLite gives its companions the same mode."""
    try:
        os.close(os.open(path, os.O_RDWR | os.O_CREAT | os.O_EXCL, 0o600))
    except FileExistsError:
        # Opened and closed by us, it would lose the locks this process holds on it.
        return
    except OSError as error:
        raise apsw.CantOpenError(str(error)) from error
