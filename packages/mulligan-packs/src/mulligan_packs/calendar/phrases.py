"""What a phrase such as "next Friday" means, as a tool: computed, so that no model has to count."""

from __future__ import annotations

from datetime import datetime
from typing import Any, Protocol

from msgspec import Struct

from mulligan.process.event_loop import read_utc_now
from mulligan.runtime.context import find_current_turn
from mulligan.types.interfaces import Clock
from mulligan_dates.reader import calculate_datetime


class Resolve(Protocol):
    """Says what a phrase can mean, at a time and in a zone."""

    def __call__(self, phrase: str, now: datetime, *, timezone: str) -> dict[str, Any]:
        """Every reading, as data that JSON can hold; `known` is false where nobody can say."""


class Phrases(Struct, frozen=True, kw_only=True):
    """Resolves what was said: at the time and place of the person who is asking."""

    zone: str | None
    """Where the person is, unless the turn says so."""
    clock: Clock = read_utc_now
    resolve: Resolve = calculate_datetime

    async def calculate_datetime(self, phrase: str) -> dict[str, Any]:
        """What a phrase like "next Friday at six" can mean: every reading, with its weekday."""
        turn = find_current_turn()
        zone = (turn.turn.timezone if turn else None) or self.zone
        if zone is None:
            return {"phrase": phrase, "known": False, "why": "Where the person is, is not known."}
        now = turn.turn.now if turn else self.clock()
        return self.resolve(phrase, now, timezone=zone)
