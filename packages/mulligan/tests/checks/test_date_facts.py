from __future__ import annotations

from datetime import UTC, datetime

from mulligan.checks.dates import date_facts
from mulligan.types.call import Call
from mulligan.types.turn import Turn

MONDAY = datetime(2025, 10, 20, 13, 0, tzinfo=UTC)


def turn(message: str, zone: str | None = "America/New_York") -> Turn:
    return Turn(id="t", message=message, now=MONDAY, timezone=zone)


def test_the_weekday_of_a_date_in_a_call_is_a_fact() -> None:
    calls = [Call(id="c", tool="move", arguments={"day": "2025-10-24"})] * 2

    (fact,) = date_facts(turn("move it"), calls)

    # The source's own showcase called this day a Thursday.
    assert (fact.kind, fact.subject, fact.value) == ("date.weekday", "2025-10-24", "Friday")
    assert fact.about == "2025-10-24 is a Friday."


def test_what_the_person_said_is_a_fact_with_all_its_meanings() -> None:
    (fact,) = date_facts(turn("move it to next Friday"), [])

    assert (fact.kind, fact.subject) == ("date.phrase", "next Friday")
    assert fact.value == "Friday 2025-10-24 or Friday 2025-10-31"
    assert "said on Monday 2025-10-20" in fact.about


def test_what_nobody_can_say_is_no_fact() -> None:
    calls = [Call(id="c", tool="move", arguments={"day": "2025-10-24"})]

    assert date_facts(turn("every Friday, or in a few days"), []) == ()
    assert date_facts(turn("next Friday", zone=None), calls) == ()
    assert date_facts(turn("next Friday", zone="Mars/Phobos"), calls) == ()
