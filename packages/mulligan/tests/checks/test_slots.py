from __future__ import annotations

from datetime import date, datetime

import pytest

from mulligan.checks.schedule import SlotParameters, Taken, free_as_asked, taken_times
from tests.checks.attempts import Attempt, attempt, gathered, ran

SPANS = {
    "create": SlotParameters(start="start", minutes="duration"),
    "book": SlotParameters(start="start", end="end"),
}
LUNCH = Taken(what="Lunch", start=datetime(2025, 10, 24, 12, 0), end=datetime(2025, 10, 24, 13, 0))


def calendar(day: date) -> list[Taken]:
    return [LUNCH] if day == date(2025, 10, 24) else []


def asked(said: str, tool: str, **given: object) -> Attempt:
    call = ran(tool, given)
    tried = attempt(said, call)
    return attempt(said, call, facts=gathered(taken_times(SPANS, read=calendar), tried))


@pytest.mark.parametrize(
    ("start", "duration", "flagged"),
    [
        ("2025-10-24T12:30", 30, True),
        ("2025-10-24T11:30", "45", True),
        ("2025-10-24T11:30", 30, False),
        ("2025-10-24T13:00", 30, False),
        ("2025-10-23T12:00", 30, False),
        ("2025-10-24T16:30+00:00", 30, True),
        ("2025-10-24T12:30", "half an hour", False),
        ("noon", 30, False),
        ("9999-12-31T23:50", 30, False),
    ],
)
def test_a_time_that_is_taken_is_flagged_where_a_free_one_was_asked_for(
    start: str, duration: object, *, flagged: bool
) -> None:
    tried = asked("Meet Ann when I'm free on Friday", "create", start=start, duration=duration)

    findings = list(free_as_asked(SPANS)(tried))

    assert [finding.rule for finding in findings] == ["time.taken"] * flagged
    assert all("Lunch" in finding.issue for finding in findings)


def test_a_tool_may_be_told_its_end_instead() -> None:
    given = {"start": "2025-10-24T12:30", "end": "2025-10-24T12:45"}
    tried = asked("Take the first slot I can do", "book", **given)

    assert len(list(free_as_asked(SPANS)(tried))) == 1


@pytest.mark.parametrize(
    "said", ["Meet Ann at 12:30", "Send 'Are you free?' and meet Ann at 12:30"]
)
def test_somebody_who_names_the_time_may_be_in_two_places(said: str) -> None:
    tried = asked(said, "create", start="2025-10-24T12:30", duration=30)

    assert list(free_as_asked(SPANS)(tried)) == []


def test_what_the_call_itself_put_there_is_no_clash_but_an_equal_time_of_another_is() -> None:
    given = {"start": "2025-10-24T12:00", "end": "2025-10-24T13:00"}
    said = "Put it where I'm free"

    assert list(free_as_asked(SPANS)(asked(said, "book", title="Lunch", **given))) == []
    assert len(list(free_as_asked(SPANS)(asked(said, "book", title="Call", **given)))) == 1
