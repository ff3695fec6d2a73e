"""A time, and another in case it is taken."""

from __future__ import annotations

from datetime import time

import pytest

from mulligan.checks.schedule import BUSY, alternative_as_said, read_either
from mulligan.types.call import Execution
from mulligan.types.finding import Fact, Severity
from tests.checks.attempts import attempt, ran

CHECK = alternative_as_said({"create_event": "start"})
SAID = "Put yoga on 2025-10-24 at 10:00, or at 16:00 if I already have something."
TAKEN = ran(
    "list_events",
    result=[{"title": "Standup", "start": "2025-10-24T09:30", "end": "2025-10-24T10:30"}],
)
FREE = ran(
    "list_events",
    result=[{"title": "Lunch", "start": "2025-10-24T12:00", "end": "2025-10-24T13:00"}],
)


def book(at: str) -> Execution:
    return ran("create_event", {"title": "Yoga", "start": f"2025-10-24T{at}"})


@pytest.mark.parametrize(
    ("message", "either"),
    [
        (SAID, (time(10), time(16))),
        ("At 9am or 2 pm if that is taken", (time(9), time(14))),
        ("at 10:00 or 16:00 if at 10:00 I already have something", (time(10), time(16))),
        ("at 10:00 or 16:00", None),
        ("at 10:00, or at 10:00 if I am busy", None),
        ("at 31:00 or 16:00 if I am busy", None),
    ],
)
def test_the_two_times_are_read_in_their_order(
    message: str, either: tuple[time, time] | None
) -> None:
    assert read_either(message) == either


@pytest.mark.parametrize(
    ("seen", "at", "wrong"),
    [
        (TAKEN, "10:00", True),
        (TAKEN, "16:00", False),
        (FREE, "10:00", False),
        (FREE, "16:00", True),
    ],
)
def test_what_the_calendar_was_seen_to_hold_decides(seen: object, at: str, *, wrong: bool) -> None:
    found = list(CHECK(attempt(SAID, seen, book(at))))  # type: ignore[arg-type]

    errors = [each.rule for each in found if each.severity is Severity.ERROR]
    assert errors == (["condition.other_case"] if wrong else [])


def test_taking_the_first_time_unseen_is_a_warning() -> None:
    (finding,) = CHECK(attempt(SAID, book("10:00")))

    assert finding.severity is Severity.WARNING
    assert not list(CHECK(attempt(SAID, book("16:00"))))


def test_facts_of_the_calendar_count_like_a_look() -> None:
    busy = Fact(kind=BUSY, subject="Standup", value="2025-10-24T09:30/2025-10-24T10:30", about="")

    (finding,) = CHECK(attempt(SAID, book("10:00"), facts=[busy]))

    assert finding.correction == "Take 16:00."
