"""An engine, sync or async, behind one way of working on a connection."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import TypeVar

from sqlalchemy import Connection, Engine
from sqlalchemy.ext.asyncio import AsyncEngine

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
        self, work: Callable[[Connection], T], *, check: Callable[[T], object] = lambda _: None
    ) -> T | Awaitable[T]:
        """Do some work in a transaction of its own; `check` sees what came of it, committed."""
        engine = self._find_engine()
        if isinstance(engine, AsyncEngine):
            return _run_async(engine, work, check)
        with engine.begin() as connection:
            done = work(connection)
        check(done)
        return done


async def _run_async(
    engine: AsyncEngine, work: Callable[[Connection], T], check: Callable[[T], object]
) -> T:
    async with engine.begin() as connection:
        done = await connection.run_sync(work)
    check(done)
    return done
