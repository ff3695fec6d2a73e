"""A family's assistant on Google Calendar: a wrong Friday is moved back, and then moved right."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

import pytest

from mulligan import Confidence, Mulligan
from mulligan.runtime.context import OpenTurn
from tests.packs.services.account import open_account

pytestmark = pytest.mark.full

NOW = datetime(2025, 10, 22, 19, 0, tzinfo=UTC)
ZONE = "America/Los_Angeles"
GAME_NIGHT = "l16venr5bq2eh1cn14f4kjjvlk"
SERIES, ONE = "gamenights0", "gamenights0_20251030T020000Z"


def at(day: str, hour: int) -> dict[str, str]:
    return {"dateTime": f"2025-{day}T{hour:02}:00:00-07:00", "timeZone": ZONE}


async def test_a_wrong_friday_is_undone_told_of_and_done_right() -> None:
    with open_account("google-calendar") as account:
        simulation = account.simulation
        evening = {"start": at("10-22", 19), "end": at("10-22", 21)}
        one = {"id": GAME_NIGHT, "summary": "Game Night with Family", **evening}
        weekly = {"recurrence": ["RRULE:FREQ=WEEKLY;COUNT=4"]}
        simulation.act("POST", "/calendars/primary/events", one)
        series = {"id": SERIES, "summary": "Chess", **evening, **weekly}
        simulation.act("POST", "/calendars/primary/events", series)
        simulation.ledger.clear()
        told: list[str] = []

        with Mulligan("memory:", checks="standard") as m:
            tools = {each.__name__: each for each in account.service.tools(m)}

            async def agent(turn: OpenTurn) -> str:
                told.append(str(turn.correction))
                day = "10-25" if turn.correction is None else "10-24"
                given: dict[str, Any] = {"start": at(day, 19), "end": at(day, 21)}
                tools["update_event"]("primary", GAME_NIGHT, **given)
                return "Game night is on Friday, October 24, at 7 PM."

            done = await m.act(
                "Move game night to this Friday at 7 pm",
                agent,
                now=NOW,
                timezone=ZONE,
                known={"calendar": "primary", "game night": GAME_NIGHT},
            )

        event = simulation.state["calendars"]["primary"][GAME_NIGHT]
        assert event["start"]["dateTime"].startswith("2025-10-24")
        assert len(simulation.ledger) == 3
        assert "Friday" in told[1]
        assert done.confidence is not Confidence.LOW
        assert simulation.state["calendars"]["primary"][SERIES]["summary"] == "Chess"


async def test_one_evening_of_a_series_is_moved_wrongly_and_put_back() -> None:
    with open_account("google-calendar") as account:
        simulation = account.simulation
        evening = {"start": at("10-22", 19), "end": at("10-22", 21)}
        weekly = {"recurrence": ["RRULE:FREQ=WEEKLY;COUNT=4"]}
        simulation.act(
            "POST",
            "/calendars/primary/events",
            {"id": SERIES, "summary": "Chess", **evening, **weekly},
        )
        row = account.service.table.operations["update_event"]
        named = {"calendar_id": "primary", "event_id": ONE}
        before = account.service.look(row, named)

        simulation.ledger.clear()
        left = await account.reject(
            "update_event", "primary", ONE, start=at("10-30", 9), end=at("10-30", 10)
        )

        assert left == []
        assert len(simulation.ledger) == 2
        assert account.service.look(row, named) == before
