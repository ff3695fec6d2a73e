"""What a call's scope hears of an engine: its statements, and the moment before a commit."""

from __future__ import annotations

from typing import Any
from weakref import WeakSet

from sqlalchemy import Connection, Engine, event
from sqlalchemy.engine.cursor import FullyBufferedCursorFetchStrategy
from sqlalchemy.ext.asyncio import AsyncConnection, AsyncEngine, AsyncSession
from sqlalchemy.orm import Session

from mulligan.types.errors import ConfigurationError
from mulligan_packs.sql.errors import UndeclaredWriteError
from mulligan_packs.sql.scope import (
    begin_outer,
    begin_watching,
    end_watching,
    fire_deferred,
    forget_abandoned,
    has_unseen,
    list_current,
    list_scopes,
    note_delegated,
    note_made,
    note_session,
    note_total,
    note_unseen,
    refuse_abandoned,
    refuse_replacing,
    refuse_strange,
    refuse_undeclared,
    refuse_unseen,
    refuse_unwritten,
)
from mulligan_packs.sql.statements import find_spelling, is_declared, name_table, read_statement

_heard: WeakSet[Engine] = WeakSet()


def listen(engine: Engine) -> None:
    """Hear of everything that goes through an engine. Outside a call, nothing comes of it."""
    if engine in _heard:
        return
    _heard.add(engine)

    def bind(connection: Any, statement: Any, many: Any, params: Any, _: Any) -> Any:
        return _bind_statement(connection, statement, many), many, params

    def begin(connection: Any, *sent: Any) -> None:
        _begin_write(connection, sent[1])

    def end(connection: Any, *sent: Any) -> None:
        _end_write(connection, sent[1], sent[0].rowcount)
        _note_returned(connection, sent[1], cursor=sent[0], context=sent[3])
        if list_scopes(connection):
            # It counts what returns rows once they are fetched.
            note_total(connection.connection, known=sent[0].description is None)

    def note(connection: Any, statement: Any, *rest: Any) -> None:
        _note_inserted(connection, statement, rest[-1])

    event.listen(engine, "before_execute", bind, retval=True)
    event.listen(engine, "after_execute", note)
    event.listen(engine, "before_cursor_execute", begin)
    event.listen(engine, "after_cursor_execute", end)
    event.listen(engine, "commit", _on_commit)
    event.listen(engine, "rollback", _on_rollback)
    event.listen(engine, "handle_error", _on_error)
    event.listen(engine, "savepoint", lambda connection, _: begin_outer(connection))
    event.listen(engine, "checkout", lambda driver, *_: note_total(driver))
    event.listen(engine, "checkin", lambda driver, _: _on_checkin(engine, driver))


# From the start, as a session may be older than every tool: what it holds may be written long after
# a call, and is whose it was changed by.
event.listen(Session, "after_transaction_create", lambda session, _: note_session(session))
event.listen(Session, "after_attach", lambda session, _: note_session(session))
event.listen(Session, "do_orm_execute", lambda state: note_session(state.session))
event.listen(Session, "after_soft_rollback", lambda session, _: forget_abandoned(session))
event.listen(Session, "before_flush", lambda session, *_: refuse_unwritten(session))


Joinable = Engine | Connection | Session | AsyncEngine | AsyncConnection | AsyncSession


def join(work: Joinable) -> None:
    """Have a connection or session of another engine take part in the call under way.

    One of the engine that the tool was declared with takes part by itself.
    """
    engine = _find_engine(work)
    listen(engine)
    for scope in list_current():
        scope.engines.append(engine)


def _find_engine(work: Joinable) -> Engine:
    if isinstance(work, AsyncEngine | AsyncConnection):
        return work.sync_engine if isinstance(work, AsyncEngine) else work.engine.sync_engine
    if isinstance(work, AsyncSession):
        return _find_engine(work.sync_session)
    bind = work.get_bind() if isinstance(work, Session) else work
    return bind.engine


def _bind_statement(connection: Connection, statement: Any, many: Any) -> Any:
    for scope in list_scopes(connection):
        single = len(many) <= 1 if isinstance(many, list | tuple) else True
        statement = scope.bind_statement(connection, statement, single=single)
    return statement


def _begin_write(connection: Connection, statement: str) -> None:
    scopes = list_scopes(connection)
    if not scopes:
        return
    refuse_unseen(connection, scopes)
    read = read_statement(statement, find_spelling(connection.dialect))
    refuse_undeclared(read, scopes, connection=connection)
    if not read.writes:
        return
    try:
        refuse_replacing(read, scopes, connection=connection)
        for scope in scopes:
            scope.begin_write(connection, read)
        begin_watching(connection, scopes, read)
    except ConfigurationError as error:
        raise UndeclaredWriteError(str(error)) from error


def _end_write(connection: Connection, statement: str, rowcount: int) -> None:
    scopes = list_scopes(connection)
    if not scopes:
        return
    read = read_statement(statement, find_spelling(connection.dialect))
    for scope in scopes:
        if read.writes_to(connection, scope.writer.table):
            scope.end_write(connection, rowcount)
    if read.writes:
        end_watching(connection, scopes, read, rowcount)


def _note_returned(connection: Connection, statement: str, *, cursor: Any, context: Any) -> None:
    """The keys of new rows that a statement returns, or the driver names, whoever wrote it; what
    SQLAlchemy asks for itself, it tells itself."""
    if context is None or (context.isinsert and not getattr(context, "_is_explicit_returning", 0)):
        return
    read = read_statement(statement, find_spelling(connection.dialect))
    for scope in list_scopes(connection):
        if not scope.makes or not read.writes_to(connection, scope.writer.table):
            continue
        with scope.on_our_own(connection):
            key = [name.casefold() for name in scope.writer.load(connection).key]
        names = [str(column[0]).casefold() for column in cursor.description or ()]
        if read.returns and set(key) <= set(names):
            rows = cursor.fetchall()
            context.cursor_fetch_strategy = FullyBufferedCursorFetchStrategy(
                cursor, initial_buffer=rows
            )
            scope.inserted += [[row[names.index(name)] for name in key] for row in rows]
        elif connection.dialect.name in ("mysql", "mariadb") and read.plain and cursor.lastrowid:
            scope.inserted += [[cursor.lastrowid]] if (len(key), cursor.rowcount) == (1, 1) else []


def _note_inserted(connection: Connection, statement: Any, result: Any) -> None:
    context = getattr(result, "context", None)
    if context is None or not getattr(context, "isinsert", False) or context.compiled is None:
        return
    for scope in list_scopes(connection):
        if getattr(statement, "table", None) is None:
            continue
        written = name_table(connection, statement.table)
        if is_declared(connection, written, scope.writer.table):
            rows = context.inserted_primary_key_rows or ()
            scope.inserted += [list(key) for key in rows if key and None not in key]


def _on_commit(connection: Connection) -> None:
    scopes = list_scopes(connection)
    try:
        refuse_abandoned(connection)
        if scopes:
            refuse_unseen(connection, scopes)
        fire_deferred(connection, scopes)
        note_made(connection, scopes)
        for scope in scopes:
            work = scope.works.pop(id(connection), None)
            if work is not None and work.wrote:
                with scope.on_our_own(connection):
                    scope.writer.leave_marks(connection, scope)
        if scopes:
            refuse_strange(connection, scopes)
    except BaseException:
        connection.dialect.do_rollback(connection.connection)
        raise
    finally:
        note_total(connection.connection)
    if scopes:
        note_delegated(connection, scopes)
    for scope in scopes:
        scope.committing, scope.unheard = True, False


def _on_error(context: Any) -> None:
    """What a commit answered is not known if it raises; a statement has a text."""
    if context.connection is not None and list_scopes(context.connection):
        note_total(context.connection.connection)
    if context.connection is not None and context.statement is None:
        for scope in list_scopes(context.connection):
            scope.unheard = scope.committing


def _on_rollback(connection: Connection) -> None:
    forget_abandoned(connection)
    note_total(connection.connection)
    for scope in list_scopes(connection):
        scope.works.pop(id(connection), None)
        scope.watches.pop(id(connection), None)
        scope.inserted.clear()


def _on_checkin(engine: Engine, driver: Any) -> None:
    """A connection goes back to its pool: what nobody has heard of was written by the driver."""
    if driver is not None and has_unseen(driver):
        pool = engine.pool
        note_unseen(s for s in list_current() if any(each.pool is pool for each in s.engines))
        note_total(driver)
