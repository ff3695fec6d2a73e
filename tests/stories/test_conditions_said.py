"""What hangs on what is read: a time that may be taken, and a day that a mail tells.

`checks="standard"`, 17 days tried; Wednesday, November 18, 2026, at ten in the morning.
"""

from __future__ import annotations

import asyncio
from datetime import UTC, date, datetime, timedelta
from typing import Any

import pytest

from mulligan import Effect, Mulligan, Standing

NOW = datetime(2026, 11, 18, 10, tzinfo=UTC)
DAYS = [NOW.date() + timedelta(days=days) for days in range(-7, 10)]
TAKEN = {"id": "ev-1", "title": "Dentist"}
MAIL = {
    "from": "Bob",
    "sent": "2026-11-13 09:00",
    "subject": "Coffee",
    "body": "Shall we have coffee in a week, at the usual place?",
}


class Office:
    """A calendar, in which one time may be taken, and a mailbox."""

    def __init__(self, taken: str | None) -> None:
        self.m = m = Mulligan("memory:", checks="standard", recover=False)
        begins = datetime.fromisoformat(taken) if taken else datetime(2026, 11, 20, 8)
        held = {**TAKEN, "start": str(begins), "end": str(begins + timedelta(minutes=45))}
        self.made: dict[str, dict[str, str]] = {}

        @m.tool(effect=Effect.READ)
        def list_events() -> list[dict[str, str]]:
            return [held, *self.made.values()]

        @m.tool(effect=Effect.READ)
        def read_mail() -> list[dict[str, str]]:
            return [MAIL]

        @m.tool(
            effect=Effect.REVERSIBLE,
            read=lambda record: self.made.get(record.result),
            undo=lambda record: self.made.pop(record.result),
        )
        def create_event(title: str, start: str, end: str) -> str:
            name = f"new-{len(self.made)}"
            self.made[name] = {"id": name, "title": title, "start": start, "end": end}
            return name

        self.list_events, self.read_mail, self.create_event = list_events, read_mail, create_event

    async def takes(self, said: str, title: str, day: date, hour: int) -> bool:
        async def agent(turn: Any) -> str:
            if turn.correction is None:
                self.list_events()
                self.read_mail()
                self.create_event(title, f"{day}T{hour:02}:00", f"{day}T{hour + 1:02}:00")
            return "Done."

        self.made.clear()
        done = await self.m.act(said, agent, now=NOW, timezone="UTC")
        return done.attempts[0].verdict.standing is not Standing.REJECTED


def find_accepted(said: str, title: str, *hours: int, taken: str | None = None) -> list[str]:
    office = Office(taken)
    try:
        found = [
            f"{day:%m-%d} {hour}"
            for day in DAYS
            for hour in hours
            if asyncio.run(office.takes(said, title, day, hour))
        ]
    finally:
        office.m.close()
    print(f"{said!r}: {', '.join(found) or 'none'}")
    return found


@pytest.mark.full
@pytest.mark.parametrize(
    ("taken", "accepted"), [(None, ["11-20 10"]), ("2026-11-20T10:00", ["11-20 16"])]
)
def test_the_other_time_is_for_the_other_case(taken: str | None, accepted: list[str]) -> None:
    said = "Put yoga on Friday at 10:00, or at 16:00 if I already have something."

    assert find_accepted(said, "Yoga", 10, 16, taken=taken) == accepted


def test_a_mails_week_begins_when_it_was_written() -> None:
    said = "Put the coffee from Bob's mail into my calendar."

    found = find_accepted(said, "Coffee with Bob", 15)

    assert "11-20 15" in found
    assert "11-25 15" not in found
