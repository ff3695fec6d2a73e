"""What people say every day, with any of 17 days: which ones an application takes.

No check is configured. Wednesday, November 18, 2026, at ten in the morning.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from datetime import UTC, date, datetime, timedelta
from typing import Any

import pytest

from mulligan import Effect, Mulligan
from mulligan.checks.dates import times_as_said
from mulligan.types.finding import Standing

pytestmark = pytest.mark.full

NOW = datetime(2026, 11, 18, 9, tzinfo=UTC)
DAYS = [NOW.date() + timedelta(days=days) for days in range(-7, 10)]
EVENTS = {
    "ev-1": {"title": "Dinner", "start": "2026-11-18T18:00"},
    "ev-2": {"title": "Game night", "start": "2026-11-20T19:00"},
    "ev-3": {"title": "Lunch", "start": "2026-11-20T12:00"},
    "ev-4": {"title": "Monday review", "start": "2026-11-23T10:00"},
    "ev-5": {"title": "Night shift", "start": "2026-11-20T22:00"},
}
Calls = Callable[["Diary", date], list[Awaitable[object]]]


class Diary:
    """An application with a calendar of its own, as plain as can be."""

    def __init__(self, m: Mulligan) -> None:
        self.m = m
        self.events = {name: dict(event) for name, event in EVENTS.items()}
        self.look = m.tool(effect=Effect.READ)(self.list_events)
        self.move = m.tool(
            effect=Effect.REVERSIBLE,
            before=lambda record: dict(self.events[record.arguments["event_id"]]),
            undo=lambda record: self.events.update({record.arguments["event_id"]: record.before}),
        )(self.move_event)
        self.make = m.tool(
            effect=Effect.REVERSIBLE,
            read=lambda record: self.events.get(record.result),
            undo=lambda record: self.events.pop(record.result),
        )(self.create_event)

    async def list_events(self) -> list[dict[str, str]]:
        return [{"id": name, **event} for name, event in self.events.items()]

    async def move_event(self, event_id: str, start: str) -> str:
        self.events[event_id]["start"] = start
        return event_id

    async def create_event(self, title: str, start: str, end: str | None = None) -> str:
        name = f"new-{len(self.events)}"
        self.events[name] = {"title": title, "start": start, "end": end or ""}
        return name

    async def take(self, said: str, calls: Calls, day: date) -> bool:
        """Whether what an agent did on a request stands."""

        async def agent(turn: Any) -> str:
            await self.look()
            for call in calls(self, day):
                await call
            return "Done."

        done = await self.m.act(said, agent, now=NOW, timezone="Europe/Berlin")
        return done.standing is not Standing.REJECTED


def find_accepted(said: str, calls: Calls) -> list[str]:
    """The days that pass, of 17."""
    m = Mulligan("memory:")
    try:
        return [str(d)[5:] for d in DAYS if asyncio.run(Diary(m).take(said, calls, d))]
    finally:
        m.close()


def moves(event_id: str, at: str = "18:00") -> Calls:
    return lambda diary, day: [diary.move(event_id, f"{day}T{at}")]


def makes(title: str, at: str = "18:00") -> Calls:
    return lambda diary, day: [diary.make(title, f"{day}T{at}")]


def makes_after(first: str, days: int, title: str) -> Calls:
    """Two events, so many days apart: swapped, if that is less than nothing."""
    return lambda diary, day: [
        diary.make(first, f"{day}T18:00"),
        diary.make(title, f"{day + timedelta(days=days)}T10:00"),
    ]


def moves_after(first: str, days: int, second: str) -> Calls:
    return lambda diary, day: [
        diary.move(first, f"{day}T18:00"),
        diary.move(second, f"{day + timedelta(days=days)}T19:00"),
    ]


WORKING_DAYS = [f"11-{day}" for day in (*range(16, 21), *range(23, 28))]
"""Of this week, which is not over, and of the next."""
EVERY_DAY = [str(day)[5:] for day in DAYS]
NOT_THURSDAY = [each for each in EVERY_DAY if each != "11-19"]
SENTENCES: list[tuple[str, Calls, list[str]]] = [
    ("Move game night to Thursday", moves("ev-2", "19:00"), ["11-19"]),
    ("Move lunch to tomorrow", moves("ev-3", "12:00"), ["11-19"]),
    ("I can't do Thursday, move dinner to Friday", moves("ev-1"), ["11-20"]),
    ("Move dinner from Wednesday to next Friday", moves("ev-1"), ["11-20", "11-27"]),
    ("Move the Monday review to Thursday", moves("ev-4", "10:30"), ["11-19"]),
    ("Swap dinner to Friday and game night to Saturday", moves_after("ev-1", 1, "ev-2"), ["11-20"]),
    ("Swap dinner to Friday and game night to Saturday", moves_after("ev-1", -1, "ev-2"), []),
    ("Sushi Friday, waffles Saturday", makes_after("Sushi", 1, "Waffles"), ["11-20"]),
    ("Sushi Friday, waffles Saturday", makes_after("Sushi", -1, "Waffles"), []),
    ("Dinner tonight", makes("Dinner"), ["11-18"]),
    ("Dinner Friday night", makes("Dinner"), ["11-20"]),
    ("Drinks Friday night", makes("Drinks", "01:00"), ["11-20", "11-21"]),
    ("Make the party last 4 hours on Friday", makes("Party"), ["11-20"]),
    ("Move the night shift: 10pm to 6am tomorrow", moves("ev-5", "22:00"), ["11-18", "11-19"]),
    ("Block my calendar from Monday to Friday", makes("Course"), WORKING_DAYS),
    ("Move dinner to 20.11.2026", moves("ev-1"), ["11-20"]),
    ("Book dinner for 12.11.2026, I paid for it then", makes("Dinner"), ["11-12"]),
    ("Like the one 2mon ago: make dinner on Friday", makes("Dinner"), ["11-13", "11-20"]),
    ("Book the tour of the 1650 house for Friday", makes("Tour"), ["11-20"]),
    ("Can't do Thursday, find dinner another time", moves("ev-1"), NOT_THURSDAY),
    ("Let's have dinner two days later", moves("ev-1"), EVERY_DAY),
    ("Thursday doesn't work, reschedule dinner", moves("ev-1"), NOT_THURSDAY),
    ("Verschiebe das Dinner auf Freitag", moves("ev-1"), ["11-20"]),
    ("Sushi am Freitag, Waffeln am Samstag", makes_after("Sushi", 1, "Waffeln"), ["11-20"]),
    ("Sushi am Freitag, Waffeln am Samstag", makes_after("Sushi", -1, "Waffeln"), []),
    ("Donnerstag passt nicht, verlege das Dinner auf Montag", moves("ev-1"), ["11-23"]),
    ("Trag heute Abend ein Essen ein", makes("Essen"), ["11-18"]),
    ("Déplace le dîner à vendredi à 18:00 pour moi", moves("ev-1"), EVERY_DAY),
]


@pytest.mark.parametrize(
    ("said", "calls", "accepted"), SENTENCES, ids=lambda each: each if isinstance(each, str) else ""
)
def test_only_the_days_that_were_said_are_taken(
    said: str, calls: Calls, accepted: list[str]
) -> None:
    found = find_accepted(said, calls)

    print(f"{said!r}: {', '.join(found) or 'none'}")
    assert found == accepted


@pytest.mark.parametrize(
    "said", ["Make it last 4 hours", "Show me what I planned less than 3 months ago"]
)
def test_what_says_no_day_to_act_on_forbids_none_that_is_right(said: str) -> None:
    found = find_accepted(said, moves("ev-1"))

    assert "11-18" in found


def test_a_time_of_day_is_held_against_the_one_that_was_said() -> None:
    m = Mulligan("memory:", checks=[times_as_said()])
    try:
        taken = [
            hour
            for hour in range(8, 24)
            if asyncio.run(
                Diary(m).take("Dinner on Friday at 5 pm", makes("Dinner", f"{hour:02}:00"), DAYS[9])
            )
        ]
    finally:
        m.close()
    assert taken == [17]
