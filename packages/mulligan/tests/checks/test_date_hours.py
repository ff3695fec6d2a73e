"""Times of day in arguments. Now is Monday 2025-10-20, five in the morning in New York."""

from __future__ import annotations

import pytest

from mulligan.checks.dates import times_as_said
from tests.checks.attempts import attempt, ran


def flagged(said: str, *values: str) -> bool:
    call = ran("book", {f"at_{number}": value for number, value in enumerate(values)})
    return bool(list(times_as_said()(attempt(said, call))))


@pytest.mark.parametrize(
    ("said", "value", "wrong"),
    [
        ("dinner tomorrow at half past six", "2025-10-21T18:30", False),
        ("dinner tomorrow at half past six", "2025-10-21T06:30", False),
        ("dinner tomorrow at half past six", "2025-10-21T17:30", True),
        ("dinner tomorrow at 6:30pm", "2025-10-21T06:30", True),
        ("dinner at 7pm", "2025-10-25T19:00", False),
        ("dinner at 7pm", "2025-10-25T20:00", True),
        ("dinner at 7pm", "2025-10-25T23:00:00Z", False),
        ("dinner at 7pm", "2025-10-25", False),
        ("dinner at 7pm", "2025-10-25T00:00:00Z", False),
        ("dinner around 7pm", "2025-10-25T20:00", False),
        ("dinner after 7pm", "2025-10-25T20:00", False),
        ("dinner from 7pm to 9pm", "2025-10-25T20:00", False),
        ("move the 3pm call to 4pm", "2025-10-25T17:00", True),
        ("move the 3pm call to 4pm", "2025-10-25T16:00", False),
        ("every day at 7pm", "2025-10-25T20:00", False),
        ("dinner tomorrow", "2025-10-21T20:00", False),
        ("dinner the day after tomorrow at 8", "2025-10-22T19:00", True),
        ("dinner the day after tomorrow at 8", "2025-10-22T20:00", False),
        ("dinner the day after tomorrow after 8", "2025-10-22T21:00", False),
    ],
)
def test_a_time_is_flagged_only_against_one_exact_time(
    said: str, value: str, *, wrong: bool
) -> None:
    assert flagged(said, value) is wrong


def test_an_end_is_free_where_the_start_is_as_said() -> None:
    assert not flagged("dinner tomorrow at 7pm", "2025-10-21T19:00", "2025-10-21T21:00")
    assert flagged("dinner tomorrow at 7pm", "2025-10-21T18:00", "2025-10-21T21:00")


def test_a_finding_tells_both_times() -> None:
    call = ran("book", {"at": "2025-10-21T17:30"})

    (finding,) = times_as_said({"book": ["at"]})(attempt("tomorrow at half past six", call))

    assert finding.rule == "time.not_as_said"
    assert finding.issue == (
        "book was given at='2025-10-21T17:30', which is 17:30 for the person; "
        'they said "tomorrow at half past six", and that can mean 06:30 or 18:30.'
    )
    assert finding.correction == "Use 06:30 or 18:30 for at."


def test_an_unknown_zone_gives_no_finding() -> None:
    call = ran("book", {"at": "2025-10-21T17:30"})

    assert list(times_as_said()(attempt("tomorrow at 7pm", call, zone=None))) == []


def test_an_hour_later_is_later_than_what_is_changed_was() -> None:
    moved = {"event_id": "ev1", "start": "2025-10-24T13:00"}

    found = times_as_said()(attempt("let's do lunch half an hour later", ran("update", moved)))

    assert list(found) == []
