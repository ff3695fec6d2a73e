"""An engine, sync or async, behind one way of working on a connection."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import TypeVar

from sqlalchemy import Connection, Engine
from sqlalchemy.exc import DBAPIError
from sqlalchemy.ext.asyncio import AsyncEngine

from mulligan_packs.sql.table import OutdatedTableError

T = TypeVar("T")


class Database:
    """Where a tool's table is. Its functions are coroutines if its engine is async."""

    def __init__(self, engine: Engine | AsyncEngine) -> None:
        # Behind a function: an engine has counters, by which no tool is to be known.
        self._find_engine: Callable[[], Engine | AsyncEngine] = lambda: engine
        url = engine.url
        self.place = f"{url.get_backend_name()}://{url.host or ''}/{url.database or ''}"

    @property
    def engine(self) -> Engine:
        """The engine that events are heard on."""
        engine = self._find_engine()
        return engine if isinstance(engine, Engine) else engine.sync_engine

    def run(
        self,
        work: Callable[[Connection], T],
        *,
        check: Callable[[T], object] = lambda _: None,
        forget: Callable[[], object] = lambda: None,
    ) -> T | Awaitable[T]:
        """Do some work in a transaction of its own; `check` sees the committed result.

        `forget` is called if the table is not what it was taken for, and the work done once more.
        """
        engine = self._find_engine()
        if isinstance(engine, AsyncEngine):
            return _run_async(engine, work, check=check, forget=forget)
        try:
            done = _run(engine, work)
        except _OUTDATED as error:
            _require_outdated(error)
            forget()
            done = _run(engine, work)
        check(done)
        return done


_OUTDATED = (OutdatedTableError, DBAPIError)


def _require_outdated(error: OutdatedTableError | DBAPIError) -> None:
    """Go on if a table is another by now; else it is an error, in the database's words alone."""
    if isinstance(error, DBAPIError):
        # Our statement and its values, which are rows, are nothing for whoever reads the error.
        error.statement = error.params = None
        error.code = ""
        if "column" not in str(error.orig).casefold():
            raise error


def _run(engine: Engine, work: Callable[[Connection], T]) -> T:
    with engine.begin() as connection:
        return work(connection)


async def _run_async(
    engine: AsyncEngine,
    work: Callable[[Connection], T],
    *,
    check: Callable[[T], object],
    forget: Callable[[], object],
) -> T:
    async def run() -> T:
        async with engine.begin() as connection:
            return await connection.run_sync(work)

    try:
        done = await run()
    except _OUTDATED as error:
        _require_outdated(error)
        forget()
        done = await run()
    check(done)
    return done
