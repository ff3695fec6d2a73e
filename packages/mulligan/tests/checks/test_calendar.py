from __future__ import annotations

import pytest

from mulligan.checks.entities import ClockTime, Date, find_dates, find_times
from mulligan.checks.quantities import find_digit_runs


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("on 2025-10-24", [(2025, 10, 24)]),
        ("on may 3rd, 2019", [(2019, 5, 3)]),
        ("the 3rd of may", [(None, 5, 3)]),
        ("in may 2019", [(2019, 5, None)]),
        ("on 24.10.2025", [(2025, 10, 24)]),
        ("on 10/24/25", [(2025, 10, 24)]),
        ("version 1.2.3.4", []),
        ("24 of them", []),
        ("on 2024年5月3日", [(2024, 5, 3)]),
        ("march 450, 20245 may, 123.4.25", []),
    ],
)
def test_dates_are_found_as_far_as_they_are_told(
    text: str, found: list[tuple[int | None, ...]]
) -> None:
    dates = find_dates(text, find_digit_runs(text))

    assert [(each.year, each.month, each.day) for each in dates] == found


@pytest.mark.parametrize(
    ("text", "minutes"),
    [
        ("at 7 pm", [1140]),
        ("at 12am", [0]),
        ("at 12:30 p.m.", [750]),
        ("at 19:05", [1145]),
        ("ratio 1:2", []),
        ("7 people", []),
    ],
)
def test_times_of_day_are_found_on_either_clock(text: str, minutes: list[int]) -> None:
    assert [each.minutes for each in find_times(text, find_digit_runs(text))] == minutes


def test_a_context_tells_what_is_in_it_and_a_year_may_be_understood() -> None:
    known = Date(month=5, day=3)

    assert known.tells(Date(year=2019, month=5, day=3))
    assert known.tells(Date(month=5))
    assert not known.tells(Date(month=5, day=4))
    assert not Date(month=5).tells(known)
    assert Date(month=3, day=5, swapped=True).tells(known)


def test_a_time_without_its_half_may_be_either() -> None:
    seven = ClockTime(minutes=7 * 60, certain=False)

    assert seven.tells(ClockTime(minutes=19 * 60, certain=True))
    assert not ClockTime(minutes=7 * 60, certain=True).tells(
        ClockTime(minutes=19 * 60, certain=True)
    )
