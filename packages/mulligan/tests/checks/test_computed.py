"""What any judge is told: dates from the person's own words, and where home is."""

from __future__ import annotations

from datetime import UTC, datetime

from mulligan import Turn
from mulligan.checks.facts import computed_facts
from mulligan.types.call import Call

SUNDAY = datetime(2026, 11, 15, 9, 0, tzinfo=UTC)


def turn(message: str, *, zone: str | None = "Europe/Berlin", **known: object) -> Turn:
    return Turn(id="t", message=message, now=SUNDAY, timezone=zone, known=known)


async def test_days_words_and_home_are_computed() -> None:
    calls = [Call(id="c", tool="move", arguments={"day": "2026-11-21"})]

    facts = await computed_facts(turn("Move dinner at home to Friday", home="12 Elm St"), calls)

    assert {fact.kind: fact.value for fact in facts} == {
        "date.weekday": "Saturday",
        "date.phrase": "Friday 2026-11-20",
        "place.home": "12 Elm St",
    }


async def test_where_nobody_knows_the_zone_there_is_no_date() -> None:
    calls = [Call(id="c", tool="move", arguments={"day": "2026-11-21"})]

    facts = await computed_facts(turn("Dinner on Friday", zone=None), calls)

    assert facts == []


async def test_a_day_is_read_as_people_write_it_where_the_person_is() -> None:
    facts = await computed_facts(turn("Dinner on 3/4/2027", locale="en-GB"), [])

    assert [fact.value for fact in facts] == ["Saturday 2027-04-03"]
