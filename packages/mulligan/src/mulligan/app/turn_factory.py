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
from mulligan.types.turn import NO_HISTORY, NOTHING_KNOWN, History, Turn, read_history
from mulligan.types.values import require_bool


class About(TypedDict, total=False):
    """What may be said about a turn beside the message."""

    now: datetime | None
    """When it was said; aware. By default, now."""
    timezone: str | None
    """Where the person is, by its IANA name; else as the setting says. `None`: nobody knows, and no
    date is resolved."""
    agent: str
    context: str
    tenant: str
    principal: str
    known: Mapping[str, object]
    vouched: bool
    """Whether the message is known to be the person's, and not only reported by somebody."""
    history: Iterable[object] | History
    """The conversation before the message, in the form that your framework or provider has it."""
    own: bool
    """Opened inside another turn, it stands for itself: rejecting that one leaves it alone."""


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
    ) -> OpenTurn:
        """A turn that somebody asked for; one that was begun elsewhere has its `id`."""
        unknown = sorted(set(about) - set(About.__annotations__))
        if unknown:
            known = ", ".join(About.__annotations__)
            raise ConfigurationError(f"A turn knows no {unknown[0]!r}. It knows: {known}.")
        zone = about.get("timezone", self._settings.timezone or None)
        _require_zone(zone)
        turn = Turn(
            id=id or self._make_id(),
            message=message,
            now=about.get("now") or self._clock(),
            timezone=zone,
            agent=about.get("agent", ""),
            context=about.get("context", ""),
            tenant=about.get("tenant") or self._settings.tenant,
            principal=about.get("principal", ""),
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
        self.build_loop(opened)
        return opened

    def open_alone(self, like: Turn | None) -> OpenTurn:
        """A turn for one call that has none. What it may have come from says what is known."""
        turn = Turn(
            id=self._make_id(),
            now=self._clock() if like is None else like.now,
            message="" if like is None else like.message,
            timezone=(self._settings.timezone or None) if like is None else like.timezone,
            agent="" if like is None else like.agent,
            context="" if like is None else like.context,
            tenant=self._settings.tenant if like is None else like.tenant,
            principal="" if like is None else like.principal,
            known=NOTHING_KNOWN if like is None else like.known,
            vouched=like is None or like.vouched,
            history=NO_HISTORY if like is None else like.history,
        )
        origin = TurnOrigin(tools=self._parts.toolbox.count)
        opened = OpenTurn(turn, redactor=self._parts.runtime.redactor, own=True, origin=origin)
        self.build_loop(opened)
        return opened

    def build_loop(self, turn: OpenTurn) -> TurnLoop:
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
        """What became of every row this process has logged."""
        return self._parts.runtime.log.tally()

    def _begin(self) -> None:
        self._parts.begin()

    def _make_id(self) -> str:
        runtime = self._parts.runtime
        return runtime.make_id(runtime.wall_us())


def _require_zone(zone: str | None) -> None:
    if zone:
        from mulligan.checks.subject import require_zone

        require_zone(zone)
