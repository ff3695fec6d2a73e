"""One connection to a Postgres server: its address, its statements, and its errors as ours."""

from __future__ import annotations

import re
import selectors
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from datetime import timedelta
from functools import cache
from typing import Any

import psycopg
from msgspec import Struct
from psycopg import errors as pg
from psycopg.conninfo import conninfo_to_dict

from mulligan.stores.database import (
    AlreadyThereError,
    Changed,
    ConnectionLostError,
    Row,
    Session,
    TryAgainError,
    UnstorableTextError,
    convert_for_psycopg,
)
from mulligan.stores.dialects import POSTGRES
from mulligan.stores.migrations import find_latest_version
from mulligan.stores.opening import HIDDEN, strip_credentials
from mulligan.types.errors import (
    StoreDamagedError,
    StoreError,
    StoreFullError,
    StoreLockedError,
    StoreUnavailableError,
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
            # Session settings hold for their own connection only.
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


class Address(Struct, frozen=True, kw_only=True):
    """A URL that the driver could read."""

    plain: bool
    """It is as strict as ours: host, port and database are what they seem."""
    secrets: tuple[str, ...]

    def quote(self, error: psycopg.Error) -> str:
        """What the driver says of a connection that failed, if none of it can be a password."""
        said = describe_error(error)
        if self.plain and not any(secret in said for secret in self.secrets):
            return said
        return type(error).__name__


def check_address(url: str, *, store: str) -> Address:
    """Read a URL; one that cannot be read is refused without a word of it."""
    try:
        parts = conninfo_to_dict(url)
    except psycopg.ProgrammingError:
        # The driver's message quotes the URL, or the part of it that holds the password.
        raise StoreUnavailableError(
            f"{store} cannot be read as the URL of a Postgres database: write it as "
            "postgresql://user:password@host:5432/database, with every special character of the "
            "password percent-encoded (/ is %2F, % is %25)."
        ) from None
    secrets = (str(value) for name, value in parts.items() if "pass" in name or "key" in name)
    # Of two @ the driver takes the first, and part of the password for the host.
    misread = "@" in f"{parts.get('host')}{parts.get('dbname')}"
    return Address(plain=store != HIDDEN and not misread, secrets=tuple(filter(None, secrets)))


PART = "postgres"
"""The name of its migrations."""
_FILES = (
    "journal",
    "vault",
    "catalog",
    "access",
    "log",
    "tasks",
    "failures",
    "postgres",
    "partitions",
)
_LONGEST_PAUSE = 0.5
_COLUMN_TYPE = re.compile(r"%b::(\w+)\[\]")


class PostgresSession(Session):
    """Named queries on one connection. Used by one thread at a time."""

    def __init__(self, url: str, *, timeout: timedelta) -> None:
        self._store = strip_credentials(url)
        self._queries = _load_queries()
        self.connection = _connect(url, store=self._store, timeout=timeout)
        """The driver's own, for what no other database has."""
        self._copies = True
        self._bundle: psycopg.Pipeline | None = None
        self._waiting = False
        """Something in the bundle was not answered yet."""

    def learn(self, query: str) -> str:
        """A statement in the words of our SQL becomes a named one; the answer is its name."""
        if query not in self._queries:
            said = convert_for_psycopg(POSTGRES.translate(query))
            self._queries = {**self._queries, query: said}
        return query

    def run_later(self, query: str, **values: object) -> Changed:
        """Run a statement whose outcome can wait: in a bundle it goes out with what follows."""
        with translate_errors(self._store, self.connection):
            cursor = self._send(self._queries[query], values)

        def count() -> int:
            with translate_errors(self._store, self.connection):
                self._await_answers()
            return cursor.rowcount

        return count

    def run_many(self, query: str, rows: Iterable[Sequence[object]]) -> int:
        """Run a statement once, over the columns of all rows. Returns how many rows changed.

        Where the same can be said by COPY, it is: that is twice as fast.
        """
        rows = list(rows)
        if not rows:
            return 0
        with translate_errors(self._store, self.connection):
            if self._copies and not self._bundle and f"{query}_by_copy" in self._queries:
                try:
                    return self._copy(query, rows)
                except pg.FeatureNotSupported:
                    # Row security refuses it to this user, and some engines do not support it.
                    self._copies = False
            columns = [_unify_types(column) for column in zip(*rows, strict=True)]
            cursor = self._send(self._queries[query], columns)
            self._await_answers()
            return cursor.rowcount

    def run_named(self, query: str, **names: str) -> list[Row]:
        """Run a statement whose names, our own or the catalog's, no parameter can stand for."""
        sql = self._queries[query]
        for name, value in names.items():
            sql = sql.replace(f"{{{name}}}", value)
        return self.execute(sql)

    def execute(self, sql: str, values: dict[str, Any] | None = None) -> list[Row]:
        """All rows of a statement that is not among the named ones."""
        with translate_errors(self._store, self.connection):
            cursor = self._send(sql, values)
            self._await_answers()
            return cursor.fetchall() if cursor.description else []

    @contextmanager
    def begin_transaction(self, *, synced: bool | None = None) -> Iterator[None]:
        """A transaction; leaving it with an exception undoes it."""
        with translate_errors(self._store, self.connection), self.connection.transaction():
            if synced is False:
                self.run("do_not_sync")
            yield

    @contextmanager
    def begin_bundle(self, *, synced: bool) -> Iterator[None]:
        """Such a transaction, on two ways to the server: all that can wait, then the commit."""
        with translate_errors(self._store, self.connection):
            try:
                with _open_pipeline(self.connection) as self._bundle:
                    self._send("begin")
                    if not synced:
                        self.run_later("do_not_sync")
                    yield
                    self._await_answers()
                    self._send("commit")
            except BaseException:
                self._roll_back()
                raise
            finally:
                self._bundle, self._waiting = None, False

    begin_savepoint = begin_transaction
    """One within another is a savepoint to the driver."""

    @contextmanager
    def begin_snapshot(self) -> Iterator[None]:
        """Reads that all see the same moment."""
        with self.begin_transaction():
            self.run("repeatable_read")
            yield

    def read_news(self, *, try_connection: bool) -> bool:
        """Whether a notification arrived; a query reveals a dead connection."""
        with translate_errors(self._store, self.connection):
            if try_connection:
                self.fetch("version")
            return bool(list(self.connection.notifies(timeout=0)))

    def _send(
        self, sql: str, values: Mapping[str, Any] | Sequence[Any] | None = None
    ) -> psycopg.Cursor[Row]:
        """Have a statement done; in a bundle the answer is still to be waited for."""
        self._waiting = self._bundle is not None
        return self.connection.execute(_encode_sql(sql), values)

    def _await_answers(self) -> None:
        if self._bundle is not None and self._waiting:
            _send_all(self.connection)
            self._bundle.sync()
            self._waiting = False

    def _roll_back(self) -> None:
        """Undo what is under way. A connection that cannot is closed, so that another is taken."""
        if self.connection.closed:
            return
        # Whether it could is seen by what the connection is in afterwards.
        with suppress(psycopg.Error):
            self.connection.rollback()
        if self.connection.info.transaction_status is not psycopg.pq.TransactionStatus.IDLE:
            self.connection.close()

    def _copy(self, query: str, rows: Sequence[Sequence[object]]) -> int:
        """Stream rows in. In a savepoint: where it is refused, the transaction goes on."""
        types = _COLUMN_TYPE.findall(self._queries[query])
        statement = _encode_sql(self._queries[f"{query}_by_copy"])
        with self.connection.transaction(), self.connection.cursor() as cursor:
            with cursor.copy(statement) as copy:
                copy.set_types(types)
                for row in rows:
                    copy.write_row(row)
            return cursor.rowcount

    def close(self) -> None:
        """Let go of the connection."""
        self.connection.close()

    def abandon(self) -> None:
        """In a forked child: psycopg leaves a connection alone that another process opened."""


def as_postgres(session: Session) -> PostgresSession:
    """A session of ours; what all databases share knows only that it is one of some."""
    assert isinstance(session, PostgresSession)  # noqa: S101 - every session of its store is
    return session


@contextmanager
def _open_pipeline(connection: psycopg.Connection[Row]) -> Iterator[psycopg.Pipeline]:
    """A pipeline that reports its failure once: psycopg would log the follow-up errors."""
    failure: BaseException | None = None
    try:
        with connection.pipeline() as pipeline:
            try:
                yield pipeline
            except BaseException as error:  # noqa: BLE001 - it is raised once the rest was heard
                failure = error
                # A lost connection is reported at the pipeline's end.
                with suppress(psycopg.Error):
                    _send_all(connection)
    except Exception:
        # Behind a failure it says no more than that, that the connection is lost, or, broken off
        # in the middle, that psycopg has lost count of its answers.
        if failure is None:
            raise
    if failure is not None:
        raise failure


def _send_all(connection: psycopg.Connection[Row]) -> None:
    """Give the server everything that was queued: psycopg, at the end of a pipeline, sends what
    there is room for and then waits for answers, for ever if that was not all of it."""
    pgconn = connection.pgconn
    if not pgconn.flush():
        return
    with selectors.DefaultSelector() as selector:
        selector.register(pgconn.socket, selectors.EVENT_READ | selectors.EVENT_WRITE)
        while pgconn.flush():
            [(_, ready)] = selector.select()
            if ready & selectors.EVENT_READ:
                # Without a listener, the server's listening ends too.
                pgconn.consume_input()


def _unify_types(column: tuple[object, ...]) -> list[object]:
    """A column as an array, whose values Postgres wants to be of one type."""
    kinds = {type(value) for value in column if value is not None}
    if kinds == {int, float}:
        return [None if value is None else float(str(value)) for value in column]
    if any(issubclass(kind, str) for kind in kinds):
        return [None if value is None else str(value) for value in column]
    return list(column)


def _connect(url: str, *, store: str, timeout: timedelta) -> psycopg.Connection[Row]:
    """Connect, and while a server restarts wait for it, for as long as the timeout allows."""
    address = check_address(url, store=store)
    deadline = time.monotonic() + timeout.total_seconds()
    pause = 0.02
    while True:
        try:
            return _connect_once(url, timeout=timeout)
        except psycopg.Error as error:
            # Without its cause, which may quote what stands in the URL.
            said = translate(error, store, broken=False, said=address.quote(error))
            late = time.monotonic() + pause > deadline
            if late or not isinstance(said, (StoreUnavailableError, ConnectionLostError)):
                raise said from None
        time.sleep(pause)
        pause = min(pause * 2, _LONGEST_PAUSE)


def _connect_once(url: str, *, timeout: timedelta) -> psycopg.Connection[Row]:
    seconds = max(2, round(timeout.total_seconds()))
    connection = psycopg.connect(url, autocommit=True, connect_timeout=seconds)
    try:
        # Not in the URL's options, which a connection pooler may not pass on.
        connection.execute(_encode_sql(_load_queries()["set_search_path"]))
        connection.execute(f"set lock_timeout = {round(timeout.total_seconds() * 1000)}".encode())
    except BaseException:
        connection.close()
        raise
    return connection


@cache
def _load_queries() -> dict[str, str]:
    named = POSTGRES.load_queries(*_FILES)
    # Said when a process appears, whatever schema it finds.
    named["appear"] = named["appear"].replace("{knows}", str(find_latest_version(PART)))
    return {name: convert_for_psycopg(query) for name, query in named.items()}


def _encode_sql(sql: str) -> bytes:
    """Our own text from a file, which no type can prove to be a literal."""
    return sql.encode()
