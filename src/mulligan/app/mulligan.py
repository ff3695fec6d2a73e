"""`Mulligan`: the one object an application makes."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from datetime import UTC, datetime
from types import TracebackType
from typing import Any, ParamSpec, Self, TypeVar, Unpack, overload

from mulligan.app.settings import Settings
from mulligan.app.wiring import Parts, assemble
from mulligan.core.interfaces import Subscriber
from mulligan.core.turn import NOTHING_KNOWN, Turn
from mulligan.telemetry.writer import Tally
from mulligan.turns.declaration import Declared, declare
from mulligan.turns.tool import wrap_tool
from mulligan.turns.turn import OpenTurn

P = ParamSpec("P")
R = TypeVar("R")


class Mulligan:
    """Watches an application's tools: log, redact, and try again where that is safe.

    `Mulligan("sqlite:///family.db")` opens a store; without one, settings come from the
    environment and pyproject.toml, and by default everything stays in memory.
    """

    def __init__(self, store: str | None = None, **settings: object) -> None:
        loaded = Settings.load().changed(**settings)
        self.settings = loaded if store is None else loaded.changed(store=store)
        self._parts: Parts = assemble(self.settings)

    @overload
    def tool(self, function: Callable[P, R], /) -> Callable[P, R]: ...

    @overload
    def tool(
        self, /, **declared: Unpack[Declared]
    ) -> Callable[[Callable[P, R]], Callable[P, R]]: ...

    def tool(
        self, function: Callable[..., Any] | None = None, /, **declared: Unpack[Declared]
    ) -> Any:
        """Declare a tool, sync or async: `@m.tool` or `@m.tool(effect=…)`.

        Its calls are logged, and made again after a failure where the declaration makes that
        harmless. Nothing else about the function changes.
        """

        def wrap(tool: Callable[P, R]) -> Callable[P, R]:
            declaration = declare(tool, **declared)
            return wrap_tool(tool, declaration=declaration, instruments=self._parts.instruments)

        return wrap if function is None else wrap(function)

    def turn(
        self,
        message: str = "",
        *,
        now: datetime | None = None,
        timezone: str | None = None,
        agent: str = "",
        context: str = "",
        tenant: str = "",
        known: Mapping[str, object] = NOTHING_KNOWN,
    ) -> OpenTurn:
        """One request of one person: `with m.turn("…", agent="planner", context="…"):`.

        Calls made inside know their turn, agent and context. `now` must be aware.
        """
        instruments = self._parts.instruments
        turn = Turn(
            id=instruments.new_id(instruments.wall_us()),
            message=message,
            now=datetime.now(UTC) if now is None else now,
            timezone=timezone,
            agent=agent,
            context=context,
            tenant=tenant or self.settings.tenant,
            known=known,
        )
        return OpenTurn(turn, redactor=instruments.redactor)

    def subscribe(self, subscriber: Subscriber) -> Callable[[], None]:
        """Get every event as it happens; the answer ends the subscription."""
        return self._parts.instruments.events.subscribe(subscriber)

    def tally(self) -> Tally:
        """What became of every row of the log so far: stored, dropped or waiting."""
        return self._parts.instruments.log.tally()

    def flush(self) -> bool:
        """Store everything logged so far, and hand on every event. False if it took too long."""
        stored = self._parts.instruments.log.flush()
        return self._parts.instruments.events.flush() and stored

    def close(self) -> None:
        """Store what is left and let go of everything. Twice is fine."""
        self._parts.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()
