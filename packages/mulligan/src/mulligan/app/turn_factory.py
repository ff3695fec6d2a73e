"""Opens the turns of one application, also those that a single call has to itself."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from datetime import datetime
from typing import TypedDict

from msgspec.structs import replace

from mulligan.app.wiring import Parts
from mulligan.runtime.context import APPLICATION, OpenTurn, TurnOrigin
from mulligan.runtime.turn import TurnLoop
from mulligan.settings import Settings
from mulligan.telemetry.writer import RowCounts
from mulligan.types.errors import ConfigurationError
from mulligan.types.interfaces import Clock
from mulligan.types.turn import NOTHING_KNOWN, History, Turn, read_history
from mulligan.types.values import require_bool


class About(TypedDict, total=False):
    """What may be said about a turn beside the message."""

    now: datetime | None
    """When it was said; aware. By default, now."""
    timezone: str | None
    """Where the person is, by its IANA name; else as the setting says. `None`: unknown, and no date
    is resolved."""
    agent: str
    context: str
    tenant: str
    principal: str
    session: str
    """The conversation that the turn is part of: `mulligan undo --session` undoes all of one."""
    known: Mapping[str, object]
    vouched: bool
    """Whether the message is known to be the person's, and not only reported by a client."""
    history: Iterable[object] | History
    """The conversation before the message, in the form that your framework or provider has it."""
    own: bool
    """Opened inside another turn, it is independent: rejecting that one leaves it alone."""


class TurnFactory:
    """What every turn of an application comes from, and holds on to while it lasts."""

    def __init__(self, parts: Parts, *, settings: Settings, clock: Clock) -> None:
        self._parts = parts
        self._settings = settings
        self._clock = clock
        _require_zone(settings.timezone)
        if parts.runtime.outside is not None:
            parts.runtime.outside.open_turn = self.open_alone

    def open(
        self,
        message: str,
        about: About,
        *,
        id: str = "",  # noqa: A002
        origin: TurnOrigin = APPLICATION,
    ) -> TurnLoop:
        """A turn with a request; one that was begun elsewhere has its `id`."""
        unknown = sorted(set(about) - set(About.__annotations__))
        if unknown:
            known = ", ".join(About.__annotations__)
            raise ConfigurationError(f"A turn knows no {unknown[0]!r}. It knows: {known}.")
        zone = about.get("timezone", self._settings.timezone or None)
        _require_zone(zone)
        turn = Turn(
            id=id or self._parts.runtime.make_id(),
            message=message,
            now=about.get("now") or self._clock(),
            timezone=zone,
            agent=about.get("agent", ""),
            context=about.get("context", ""),
            tenant=about.get("tenant") or self._settings.tenant,
            principal=about.get("principal", ""),
            session=about.get("session", ""),
            known=about.get("known", NOTHING_KNOWN),
            vouched=about.get("vouched", True),
            history=read_history(about.get("history")),
        )
        opened = OpenTurn(
            turn,
            redactor=self._parts.runtime.redactor,
            own=require_bool(about.get("own", False), name="own"),
            among=self._parts.under_way,
            origin=origin if origin.host else replace(origin, tools=self._parts.toolbox.count),
        )
        return self._build_loop(opened)

    def open_alone(self, like: Turn | None) -> OpenTurn:
        """A turn for one call that has none. What it may have come from says what is known."""
        known = like or Turn(
            id="",
            now=self._clock(),
            timezone=self._settings.timezone or None,
            tenant=self._settings.tenant,
        )
        turn = replace(known, id=self._parts.runtime.make_id())
        origin = TurnOrigin(tools=self._parts.toolbox.count)
        opened = OpenTurn(turn, redactor=self._parts.runtime.redactor, own=True, origin=origin)
        return self._build_loop(opened).turn

    def _build_loop(self, turn: OpenTurn) -> TurnLoop:
        """What takes a turn from the request to the answer."""
        memory = self._parts.memory
        loop = TurnLoop(
            turn,
            reviewers=self._parts.reviewers,
            book=self._parts.runtime.book,
            # Of this object, so that an application is not closed while a turn of it goes on.
            on_entering=self._begin,
            on_leaving=self._parts.wake,
            remember=memory.remember if memory is not None else None,
        )
        turn.reviewing = loop
        return loop

    def tally(self) -> RowCounts:
        """The result of every row this process has logged."""
        return self._parts.runtime.log.tally()

    def _begin(self) -> None:
        self._parts.begin()


def _require_zone(zone: str | None) -> None:
    if zone:
        from mulligan.checks.subject import require_zone

        require_zone(zone)
