from __future__ import annotations

import pytest

from tests.dates.said import days


@pytest.mark.parametrize(
    ("phrase", "expected"),
    [
        ("Friday", ["2025-10-17", "2025-10-24"]),
        ("Wednesday", ["2025-10-22", "2025-10-29"]),
        ("this Friday", ["2025-10-24"]),
        ("this Monday", ["2025-10-20", "2025-10-27"]),
        ("next Friday", ["2025-10-24", "2025-10-31"]),
        ("next Monday", ["2025-10-27"]),
        ("this coming Friday", ["2025-10-24"]),
        ("last Friday", ["2025-10-17"]),
        ("last Monday", ["2025-10-13", "2025-10-20"]),
        ("Friday next week", ["2025-10-31"]),
        ("next week on Friday", ["2025-10-31"]),
        ("Sunday next week", ["2025-10-26", "2025-11-02"]),
        ("Friday week", ["2025-10-31"]),
        ("Friday after next", ["2025-10-31", "2025-11-07"]),
    ],
)
def test_a_weekday_means_every_day_that_people_take_it_for(
    phrase: str, expected: list[str]
) -> None:
    assert days(phrase) == expected


@pytest.mark.parametrize(
    ("phrase", "expected"),
    [
        ("the first Monday of December", ["2024-12-02", "2025-12-01"]),
        ("last Friday of the month", ["2025-10-31"]),
        ("second Tuesday of next month", ["2025-11-11"]),
        ("the last day of February 2028", ["2028-02-29"]),
        ("the third Thursday", ["2025-10-16", "2025-11-20"]),
        ("the fifth Monday of November 2025", []),
        ("20th of next month", ["2025-11-20"]),
        ("Tuesday the 28th", ["2025-10-28"]),
        ("the 3rd", ["2025-10-03", "2025-11-03"]),
        ("the thirty first of December", ["2024-12-31", "2025-12-31"]),
    ],
)
def test_ordinals_count_within_the_stretch_that_is_named(phrase: str, expected: list[str]) -> None:
    assert days(phrase) == expected


@pytest.mark.parametrize(
    ("phrase", "expected"),
    [
        ("three Mondays ago", ["2025-10-06"]),
        ("in two Fridays", ["2025-10-31"]),
        ("the Friday before Christmas 2025", ["2025-12-19"]),
        ("the Monday after November 5 2025", ["2025-11-10"]),
        ("a week Friday", ["2025-10-31"]),
        ("Tuesday, two months from today", ["2025-12-23"]),
    ],
)
def test_weekdays_are_counted_from_now_or_from_a_day_that_is_named(
    phrase: str, expected: list[str]
) -> None:
    assert days(phrase) == expected
