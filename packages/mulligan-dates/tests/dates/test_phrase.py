from __future__ import annotations

import pytest

from mulligan_dates.reader import find_expressions
from tests.dates.said import AMERICAN, days, moment


@pytest.mark.parametrize(
    ("phrase", "start", "end"),
    [
        ("until tomorrow", "2025-10-22 10:15", "2025-10-24 00:00"),
        ("since Monday, October 20", "2025-10-20 00:00", "2025-10-23 00:00"),
        ("by the end of the month", "2025-10-22 10:15", "2025-11-01 00:00"),
    ],
)
def test_a_limit_makes_a_stretch_that_ends_or_begins_now(phrase: str, start: str, end: str) -> None:
    [found] = find_expressions(phrase, moment(), pins=AMERICAN)

    stretches = {(f"{r.start:%Y-%m-%d %H:%M}", f"{r.end:%Y-%m-%d %H:%M}") for r in found.readings}
    assert (start, end) in stretches


@pytest.mark.parametrize("phrase", ["before Friday", "after tomorrow"])
def test_before_a_day_is_no_day_that_could_be_named(phrase: str) -> None:
    assert days(phrase) == []


def test_what_a_phrase_is_reckoned_from_is_mentioned_and_not_meant() -> None:
    [found] = find_expressions("a week from tomorrow", moment(), pins=AMERICAN)

    assert [str(each.start.date()) for each in found.readings] == ["2025-10-30"]
    assert [str(each.start.date()) for each in found.mentions] == ["2025-10-23"]


def test_a_vague_amount_is_marked_as_a_guess() -> None:
    (found,) = find_expressions("Call me in a few days", moment(), pins=AMERICAN)

    assert found.vague
    assert not found.known


def test_a_time_without_a_day_says_no_day() -> None:
    message = "At 7pm, and the other one tomorrow"

    time, day = find_expressions(message, moment(), pins=AMERICAN)

    assert not time.dated
    assert day.dated
