"""A call under way, as its own transactions see it: under its snapshot, and with its mark.

Whatever writes through the engine while the call runs is seen here, whoever opened the connection:
the tool itself, an ORM session, a library.
"""

from __future__ import annotations

import threading
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any, Protocol
from weakref import WeakKeyDictionary, WeakSet, ref

from sqlalchemy import Connection, Delete, Engine, TwoPhaseTransaction, Update, inspect, text
from sqlalchemy.exc import SQLAlchemyError
from sqlalchemy.orm import Session

from mulligan.runtime.context import carry, read_context
from mulligan.types.effect import EffectNote, note_effect
from mulligan_packs.sql.errors import (
    NoTransactionError,
    OutdatedRowError,
    SqlPackError,
    UndeclaredWriteError,
)
from mulligan_packs.sql.state import RowState
from mulligan_packs.sql.statements import Statement, is_declared, name_table, read_name
from mulligan_packs.sql.table import UserTable
from mulligan_packs.sql.watching import (
    CountWatch,
    HandlerWatch,
    KnownRow,
    TriggerWatch,
    open_watch,
)

Pending = Mapping[Session, Sequence[object]]
"""What each session holds and has not written yet."""


@dataclass(slots=True, kw_only=True)
class Target:
    """A row that a call is about."""

    mark: str
    """Of the action that it belongs to."""
    key: list[Any]
    at: str | None
    """Its version before the call; `None`: it is made by the call, under a key not known yet."""
    before: RowState | None = None
    """It and what may go with it, as read before the call."""


class Writer(Protocol):
    """What a scope needs of the declaration whose call it is."""

    table: str
    leaves: frozenset[str]

    @property
    def deep(self) -> bool:
        """Whether rows of other tables may go with its rows."""

    def load(self, connection: Connection) -> UserTable:
        """The table, as the database describes it."""

    def is_outdated(self, connection: Connection, target: Target) -> bool:
        """Whether a row is not what was read before the call."""

    def list_known(self, connection: Connection, scope: Scope) -> Iterable[KnownRow]:
        """The rows that a call may write."""

    def leave_marks(self, connection: Connection, scope: Scope) -> None:
        """Write the marks of what a transaction is about to commit."""


@dataclass(slots=True, kw_only=True)
class Work:
    """What one transaction has done so far."""

    connection: Connection
    wrote: bool = False
    checked: bool = False
    """The rows are known to be what they were."""
    bound: bool = False
    """The statement under way says itself which version it is for."""


@dataclass(slots=True, kw_only=True)
class Scope:
    """One try of a call."""

    writer: Writer
    engines: list[Engine]
    targets: list[Target]
    marks: list[str] = field(default_factory=list)
    """Of its actions, also of one that is about no row."""
    committing: bool = False
    """A transaction of it has gone to be committed."""
    unheard: bool = False
    """The last of them gave no answer."""
    unseen: bool = False
    """Something was written by the driver itself, past the connections that are heard."""
    delegated: bool = False
    """A call inside of it has committed something."""
    totals: dict[int, int] = field(default_factory=dict)
    """By the driver's connection, how many rows it has changed so far, as far as that was seen; of
    calls inside of each other, the outer one has them."""
    made: bool = False
    """It has made rows whose keys were not given."""
    inserted: list[list[Any]] = field(default_factory=list)
    """The keys of rows that it has made."""
    deleted: bool = False
    """A statement of it deletes, or may do so."""
    assigned: set[str] | None = field(default_factory=set)
    """Columns that its statements have set themselves; `None`: any."""
    marked: set[str] = field(default_factory=set)
    call: object = None
    """What the parts of one call have in common: a call inside of it has another."""
    busy: set[int] = field(default_factory=set)
    """Connections on which statements are our own: another thread of the tool has others."""
    sessions: WeakSet[Session] = field(default_factory=WeakSet)
    """Sessions that it has worked with."""
    strangers: WeakSet[Session] = field(default_factory=WeakSet)
    """Sessions that others have worked with meanwhile."""
    works: dict[int, Work] = field(default_factory=dict)
    watches: dict[int, TriggerWatch | CountWatch] = field(default_factory=dict)
    """Of calls inside of each other, the outer one has them."""

    @property
    def makes(self) -> bool:
        """Whether it is to make rows whose keys are not known yet."""
        return any(target.at is None for target in self.targets)

    def find_work(self, connection: Connection) -> Work:
        """What the transaction of a connection has done."""
        return self.works.setdefault(id(connection), Work(connection=connection))

    def has_written(self, connection: Connection) -> bool:
        """Whether the transaction of a connection has something of it."""
        return id(connection) in self.works and self.works[id(connection)].wrote

    def list_uncommitted(self) -> list[Connection]:
        """Connections that it has written by, and neither committed nor rolled back."""
        return [work.connection for work in self.works.values() if work.wrote]

    def require_committed(self, before: Pending) -> None:
        """Refuse to leave the commit to other code."""
        left = self.list_uncommitted()
        around = [scope for scope in list_current() if scope is not self]
        if any(scope.has_written(connection) for scope in around for connection in left):
            raise NoTransactionError(_OF_ANOTHER)
        if left or self.find_unwritten(before):
            raise NoTransactionError(_UNCOMMITTED)

    def find_unwritten(self, before: Pending) -> dict[Session, list[object]]:
        """What sessions hold beyond what they held, where the call has committed nothing itself."""
        known = {id(each) for held in before.values() for each in held}
        pending = {} if self.committing else _find_pending(self.engines)
        new = {s: [each for each in held if id(each) not in known] for s, held in pending.items()}
        others = set(self.strangers) - set(self.sessions)
        return {session: held for session, held in new.items() if held and session not in others}

    @contextmanager
    def on_our_own(self, connection: Connection) -> Iterator[None]:
        """Statements that are not inspected."""
        self.busy.add(id(connection))
        try:
            yield
        finally:
            self.busy.discard(id(connection))

    def check_rows(self, connection: Connection, *, lock: bool = True) -> None:
        """Refuse to go on if a row was changed since it was read."""
        self.find_work(connection).checked = True
        if all(target.at is None for target in self.targets):
            return  # it makes rows, and none was read
        with self.on_our_own(connection):
            table = self.writer.load(connection)
            if lock:
                table.dialect.begin_writing(connection)
            for target in self.targets:
                if target.at is not None and self.writer.is_outdated(connection, target):
                    raise OutdatedRowError(table.describe_row(target.key))

    def bind_statement(self, connection: Connection, statement: Any, *, single: bool) -> Any:
        """Have the tool's own statement say which version of the row it is for."""
        work = self.find_work(connection)
        plain = (
            isinstance(statement, Update | Delete)
            and single
            and not statement.returning_column_descriptions
        )
        if work.checked or not plain or len(self.targets) != 1 or self.writer.deep:
            return statement
        [target] = self.targets
        written = name_table(connection, statement.table)
        if target.at is None or not is_declared(connection, written, self.writer.table):
            return statement
        with self.on_our_own(connection):
            table = self.writer.load(connection)
        condition = text(f"(({table.print}) = :mulligan_at OR NOT ({table.where}))")
        bound = {"mulligan_at": target.at, **table.bind_key(target.key)}
        work.bound = True
        return statement.where(condition.bindparams(**bound))

    def begin_write(self, connection: Connection, statement: Statement) -> None:
        """A statement is about to write."""
        if _is_autocommit(connection):
            raise NoTransactionError("The connection commits each statement by itself (AUTOCOMMIT)")
        if isinstance(connection.get_transaction(), TwoPhaseTransaction):
            raise NoTransactionError("The transaction is committed in two phases")
        work = self.find_work(connection)
        if not (work.checked or work.bound):
            self.check_rows(connection)
        work.wrote = True
        known = self.assigned is not None and statement.assigns is not None
        self.assigned = {*(self.assigned or ()), *(statement.assigns or ())} if known else None
        if statement.untold or statement.writes_to(connection, self.writer.table):
            self.deleted = self.deleted or statement.deletes

    def end_write(self, connection: Connection, rowcount: int) -> None:
        """A statement has written."""
        work = self.find_work(connection)
        if work.bound:
            work.bound, work.checked = False, True
            if rowcount == 0:
                # Either the tool's own condition did not hold, or the row is another by now.
                self.check_rows(connection, lock=False)


def begin_watching(connection: Connection, scopes: Sequence[Scope], statement: Statement) -> None:
    """A statement is about to write: see what it does."""
    with scopes[0].on_our_own(connection):
        watch = scopes[0].watches.setdefault(id(connection), open_watch(connection))
        watch.begin(_list_known(connection, scopes), statement)


def end_watching(
    connection: Connection, scopes: Sequence[Scope], statement: Statement, rowcount: int
) -> None:
    """It has written."""
    watch = scopes[0].watches.get(id(connection))
    if watch is not None and watch.looks:
        with scopes[0].on_our_own(connection):
            watch.end(_list_known(connection, scopes), statement, max(0, rowcount))


def fire_deferred(connection: Connection, scopes: Sequence[Scope]) -> None:
    """Have what waits for the commit happen before it is looked at."""
    watch = scopes[0].watches.get(id(connection)) if scopes else None
    if watch is not None and watch.looks:
        with scopes[0].on_our_own(connection):
            watch.settle(_list_known(connection, scopes))


def note_made(connection: Connection, scopes: Sequence[Scope]) -> None:
    """Have each call know the rows that it has made, where their keys were not given."""
    watch = scopes[0].watches.get(id(connection)) if scopes else None
    for scope in scopes:
        if watch is not None and scope.makes and not scope.inserted:
            with scope.on_our_own(connection):
                table = scope.writer.load(connection)
                scope.made = watch.has_made(table)
                scope.inserted += watch.list_made(table)


def refuse_strange(connection: Connection, scopes: Sequence[Scope]) -> None:
    """What the database has written beyond what was declared, an undo would leave as it is."""
    watch = scopes[0].watches.pop(id(connection), None)
    if watch is None:
        return
    with scopes[0].on_our_own(connection):
        strange = watch.list_strange(_list_known(connection, scopes))
    for table, rows, named in strange:
        written = read_name(connection, table)
        if any(is_declared(connection, written, *scope.writer.leaves) for scope in scopes):
            continue
        own = is_declared(connection, written, *(scope.writer.table for scope in scopes))
        alike = isinstance(watch, HandlerWatch)
        raise UndeclaredWriteError(_describe_strange(table, rows, named, own=own, alike=alike))


def _describe_strange(table: str, rows: int, named: str, *, own: bool, alike: bool) -> str:
    """`alike`: the database counts a row that is set to what it was like one that is changed."""
    which, counted = f" ({named})" if named else "", f"{rows} {'row' if rows == 1 else 'rows'}"
    if own and alike:
        return (
            f"MariaDB has counted {counted} of {table} beyond what the call has changed in the "
            "declared ones. If it sets a row to what it is already, write only what differs. If it "
            "changes other rows, an undo would leave them: declare them (id=…, sql.rows(…)), or "
            f"say that they stay: leaves=[{table!r}]."
        )
    if own:
        return (
            f"The call has changed {counted} of {table}{which} that "
            "it is not declared for, or that were there before, so that an undo would leave them. "
            "Declare them: id=… for a row that may be there already, sql.rows(…) for several; or "
            f"say that they stay: leaves=[{table!r}]."
        )
    return (
        f"The database itself changes {table}{which} with this call, by a trigger or a foreign "
        f"key, and it is not declared for that, so that an undo would leave it. Declare {table} as "
        f"well (compose(…)), or say that it stays: leaves=[{table!r}]."
    )


def _list_known(connection: Connection, scopes: Sequence[Scope]) -> list[KnownRow]:
    return [each for scope in scopes for each in scope.writer.list_known(connection, scope)]


_opened: WeakSet[Session] = WeakSet()
_under_way: list[Scope] = []
_opening = threading.Lock()


def note_session(session: Session) -> None:
    """Note which calls use a session: those under way here, or code beside them."""
    ours = list_current()
    with _opening:
        _opened.add(session)
        for scope in _under_way:
            mine = any(each is scope for each in ours)
            (scope.sessions if mine else scope.strangers).add(session)


def _find_pending(engines: Sequence[Engine]) -> Pending:
    """What each session holds and has not written yet."""
    with _opening:
        sessions = list(_opened)
    return {session: _read_pending(session, engines) for session in sessions}


def _read_pending(session: Session, engines: Sequence[Engine]) -> list[object]:
    try:
        held = [*session.new, *session.deleted, *filter(session.is_modified, session.dirty)]
        binds = [session.get_bind(inspect(each).mapper).engine for each in held]
    except (RuntimeError, SQLAlchemyError):
        return []  # another thread is at work on it, or it belongs to no engine
    pools = [engine.pool for engine in engines]
    return [each for each, bind in zip(held, binds, strict=True) if bind.pool in pools]


_abandoned: WeakSet[Connection] = WeakSet()
"""Connections with writes of a call that has ended, which would land behind it."""
_unwritten: WeakKeyDictionary[Session, list[ref[object]]] = WeakKeyDictionary()
"""What sessions held of a call that has ended, which they would write behind it."""


def refuse_abandoned(connection: Connection) -> None:
    """What a call has left uncommitted is on record as not done, and stays so."""
    if connection in _abandoned:
        raise NoTransactionError(_UNCOMMITTED)


def refuse_unwritten(session: Session) -> None:
    """The same of what a session still holds; what it has released no longer counts."""
    held = {id(each) for each in (*session.new, *session.dirty, *session.deleted)}
    if any(id(left()) in held for left in _unwritten.get(session, ())):
        raise NoTransactionError(_UNCOMMITTED)
    _unwritten.pop(session, None)


def forget_abandoned(work: Connection | Session) -> None:
    """It was rolled back."""
    if isinstance(work, Session):
        _unwritten.pop(work, None)
    else:
        _abandoned.discard(work)


_UNCOMMITTED = "The tool returned before its transaction was committed"
_OF_ANOTHER = (
    "The tool wrote in a transaction of the tool around it, which was not committed when it "
    "returned"
)


class Scopes(tuple[Scope, ...]):
    """Those of the calls under way: carried where they are made."""

    __slots__ = ()


def list_scopes(connection: Connection) -> list[Scope]:
    """The calls under way that a connection works for."""
    pool = connection.engine.pool
    scopes = [s for s in list_current() if any(engine.pool is pool for engine in s.engines)]
    if any(id(connection) in scope.busy for scope in scopes):
        return []
    # What a call inside of another does is its own, but for a transaction that they share.
    return [s for s in scopes if s.call is scopes[-1].call or s.has_written(connection)]


def list_current() -> Sequence[Scope]:
    """The calls under way."""
    return read_context().of(Scopes) or ()


@contextmanager
def enter_scope(scope: Scope) -> Iterator[Scope]:
    """Make a call inside its scope. An error before any commit says that nothing was done.

    After one, no refusal of a later transaction says that of the whole call.
    """
    scopes = Scopes((*list_current(), scope))
    with carry(read_context().put(Scopes, scopes)), _watch(scope):
        yield scope


@contextmanager
def _watch(scope: Scope) -> Iterator[None]:
    with _opening:
        _under_way.append(scope)
    before = _find_pending(scope.engines)
    try:
        yield
        scope.require_committed(before)
    except Exception as error:
        unheard = scope.unheard and not isinstance(error, SqlPackError)
        late = EffectNote.UNHEARD if unheard else EffectNote.SOMETHING_DONE
        # Only what the database or we refused is known to have done nothing: what else raises may
        # have sent a mail, or written by another thread. Nor is it, where a session holds something
        # that the call was not seen with, which can still be committed.
        refused = isinstance(error, SqlPackError | SQLAlchemyError)
        sure = refused and set(scope.find_unwritten(before)) <= set(scope.sessions)
        nothing = EffectNote.NOTHING_DONE if sure else None
        note_effect(error, late if scope.committing else nothing)
        raise
    finally:
        _abandoned.update(scope.list_uncommitted())
        for session, held in scope.find_unwritten(before).items():
            if session in scope.sessions:
                _unwritten.setdefault(session, []).extend(map(ref, held))
        with _opening:
            _under_way[:] = [each for each in _under_way if each is not scope]


def refuse_undeclared(
    statement: Statement, scopes: Sequence[Scope], *, connection: Connection
) -> None:
    """What no scope is about, an undo would leave as it is."""
    if statement.commits:
        raise NoTransactionError("A statement of the tool ends its transaction by itself")
    if statement.truncates:
        raise UndeclaredWriteError(
            "TRUNCATE says nothing of the rows it takes away. Use DELETE, and declare the rows."
        )
    known = [name for scope in scopes for name in (scope.writer.table, *scope.writer.leaves)]
    for table in sorted(statement.tables):
        if not is_declared(connection, table, *known):
            raise UndeclaredWriteError(
                f"The tool writes to {table}, which it is not declared for, so that an undo would "
                f"leave that. Declare it as well (compose(…)), or say that it stays: "
                f"leaves=[{str(table)!r}]."
            )
    for words in sorted(statement.untold - {name.casefold() for name in known}):
        raise UndeclaredWriteError(
            f"What `{words.upper()}` changes is unknown, so that an undo could leave some of "
            f"it. Write it as statements, or say that the rest stays: leaves=[{words!r}]."
        )


def refuse_replacing(
    statement: Statement, scopes: Sequence[Scope], *, connection: Connection
) -> None:
    """What is taken away to make room is told by no database."""
    for scope in scopes:
        if not statement.writes_to(connection, scope.writer.table):
            continue
        with scope.on_our_own(connection):
            table = scope.writer.load(connection)
        unique, always = table.replaceable
        if (always or statement.replaces) and (unique or scope.makes):
            why = "it has a UNIQUE column beside its key" if unique else "no id= says which"
            raise UndeclaredWriteError(
                f"REPLACE may delete rows of {table.name} that were there ({why}), "
                "unnoticed. Use ON CONFLICT … DO UPDATE, or ON DUPLICATE KEY UPDATE."
            )
        hidden = table.dialect.hides_cascades and statement.deletes and not scope.writer.deep
        if hidden and table.acting:
            raise UndeclaredWriteError(
                f"Rows of {table.acting[0].table.name} go with a row of {table.name} that is "
                "deleted or replaced. Declare the tool with sql.delete(…), or do not delete."
            )


def begin_outer(connection: Connection) -> None:
    """Begin a transaction before a savepoint of a call: where there is none, SQLite takes the
    savepoint for one, and commits it as it is released."""
    scopes = list_scopes(connection)
    for scope in scopes:
        with scope.on_our_own(connection):
            scope.writer.load(connection).dialect.begin_writing(connection)
    if scopes and connection.dialect.name == "sqlite":
        # Before it, as what is watched from within goes with it.
        begin_watching(connection, scopes, Statement())


def count_total(proxied: Any) -> tuple[int, int] | None:
    """The driver's own connection, and how many rows it has ever changed: SQLite's drivers count,
    whoever has it do so, and count no less once that is rolled back."""
    driver = getattr(proxied, "driver_connection", None) or proxied
    total = getattr(driver, "total_changes", None)
    return (id(driver), total) if isinstance(total, int) else None


def note_total(proxied: Any, *, known: bool = True) -> None:
    """All that was written by now was seen. `known`: else it is counted later."""
    counted, current = count_total(proxied), list_current()
    if counted is None or not current:
        return
    if known:
        current[0].totals[counted[0]] = counted[1]
    else:
        current[0].totals.pop(counted[0], None)


def has_unseen(proxied: Any) -> bool:
    """Whether the driver has been used past the connection since that was last noted."""
    counted, current = count_total(proxied), list_current()
    if counted is None or not current:
        return False
    return counted[1] > current[0].totals.get(*counted)


def refuse_unseen(connection: Connection, scopes: Sequence[Scope]) -> None:
    """What the driver was told to write itself, an undo would leave; committed, it is a doubt."""
    proxied = connection.connection
    if not has_unseen(proxied):
        return
    note_total(proxied)
    driver: Any = proxied.dbapi_connection
    if not getattr(driver, "in_transaction", True):
        note_unseen(scopes)
        return
    raise UndeclaredWriteError(
        "The tool writes by the driver's own cursor or connection, where it is not seen what, so "
        "that an undo would leave that. Have SQLAlchemy's connection execute it."
    )


def note_delegated(connection: Connection, scopes: Sequence[Scope]) -> None:
    """What calls inside of others commit is what those have had done."""
    for scope in list_current():
        around = all(scope is not each for each in scopes)
        if around and any(each.pool is connection.engine.pool for each in scope.engines):
            scope.delegated = True


def note_unseen(scopes: Iterable[Scope]) -> None:
    """Nothing that these calls have left is known any more."""
    for scope in scopes:
        scope.unseen = True


def refuse_new_keys(table: UserTable, targets: Sequence[Target]) -> None:
    """A row that has got another key would stay where it is, and its old self come back beside."""
    for target in targets:
        raise UndeclaredWriteError(
            f"The call gives {table.describe_row(target.key)} another key, under which an undo "
            "would not find it. Declare a tool that deletes one row and makes another: compose(…)."
        )


def _is_autocommit(connection: Connection) -> bool:
    driver: Any = connection.connection.dbapi_connection
    ask = getattr(driver, "get_autocommit", None)
    if ask() if ask else getattr(driver, "autocommit", False) is True:
        return True
    level = connection.get_execution_options().get("isolation_level")
    level = level or getattr(connection.dialect, "_on_connect_isolation_level", None)
    return str(level).upper() == "AUTOCOMMIT"
