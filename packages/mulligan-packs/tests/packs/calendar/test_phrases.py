"""What a phrase means, as a tool: at the person's time and place, or not at all."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

from mulligan import Mulligan
from mulligan_packs.calendar.phrases import Phrases

SUNDAY = datetime(2026, 11, 15, 9, 0, tzinfo=UTC)
MONDAY = datetime(2026, 11, 16, 9, 0, tzinfo=UTC)


def said(phrase: str, now: datetime, *, timezone: str) -> dict[str, Any]:
    return {"phrase": phrase, "known": True, "at": now, "in": timezone}


async def test_without_a_zone_nothing_is_resolved() -> None:
    phrases = Phrases(zone=None, clock=lambda: SUNDAY, resolve=said)

    answer = await phrases.calculate_datetime("tomorrow")

    assert answer["known"] is False


async def test_a_phrase_means_what_it_means_where_the_person_is() -> None:
    phrases = Phrases(zone="Europe/Berlin", clock=lambda: SUNDAY, resolve=said)

    outside = await phrases.calculate_datetime("tomorrow")
    with Mulligan("memory:") as m, m.turn("…", now=MONDAY, timezone="America/New_York"):
        inside = await phrases.calculate_datetime("tomorrow")

    assert (outside["at"], outside["in"]) == (SUNDAY, "Europe/Berlin")
    assert (inside["at"], inside["in"]) == (MONDAY, "America/New_York")


async def test_a_friday_is_a_friday_without_any_model() -> None:
    answer = await Phrases(zone="Europe/Berlin", clock=lambda: SUNDAY).calculate_datetime("Friday")

    assert answer["known"] is True
    assert {reading["weekday"] for reading in answer["readings"]} == {"Friday"}
    assert "2026-11-20" in [reading["start"] for reading in answer["readings"]]
