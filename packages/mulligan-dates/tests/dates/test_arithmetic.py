from __future__ import annotations

from datetime import date, datetime

import pytest

from mulligan_dates.calendar import (
    add,
    advance_to_weekday,
    compute_easter,
    find_month_span,
    find_nth_day,
    find_week_start,
    make_date,
)
from mulligan_dates.parts import Amount

WEDNESDAY = date(2025, 10, 22)
FRIDAY = 4


@pytest.mark.parametrize(
    ("start", "months", "days", "end"),
    [
        ("2025-01-31", 1, 0, "2025-02-28"),
        ("2024-01-31", 1, 0, "2024-02-29"),
        ("2025-10-22", 3, 5, "2026-01-27"),
        ("2025-12-31", 0, 1, "2026-01-01"),
    ],
)
def test_months_are_added_first_and_end_with_their_last_day(
    start: str, months: int, days: int, end: str
) -> None:
    moved = add(datetime.fromisoformat(start), Amount(months=months, days=days))

    assert moved == datetime.fromisoformat(end)


def test_what_no_calendar_holds_is_nothing_and_no_error() -> None:
    assert add(datetime(9999, 12, 1), Amount(months=1)) is None
    assert add(datetime(9999, 12, 31), Amount(days=1)) is None
    assert add(datetime(1, 1, 1), Amount(months=1), sign=-1) is None
    assert make_date(2025, 11, day=31) is None
    assert make_date(2025, 11, day=30) == date(2025, 11, 30)
    assert find_month_span(9999, 12) is None


def test_a_week_begins_where_one_says_it_does() -> None:
    assert find_week_start(WEDNESDAY) == date(2025, 10, 20)
    assert find_week_start(WEDNESDAY, first=6) == date(2025, 10, 19)
    assert advance_to_weekday(WEDNESDAY, FRIDAY) == date(2025, 10, 24)
    assert advance_to_weekday(date(2025, 10, 24), FRIDAY) == date(2025, 10, 24)


@pytest.mark.parametrize(
    ("number", "weekday", "found"),
    [
        (1, FRIDAY, date(2025, 10, 3)),
        (5, FRIDAY, date(2025, 10, 31)),
        (6, FRIDAY, None),
        (-1, FRIDAY, date(2025, 10, 31)),
        (-5, FRIDAY, date(2025, 10, 3)),
        (-6, FRIDAY, None),
        (31, None, date(2025, 10, 31)),
        (32, None, None),
        (-1, None, date(2025, 10, 31)),
    ],
)
def test_days_are_counted_from_either_end_and_never_beyond_it(
    number: int, weekday: int | None, found: date | None
) -> None:
    start, end = date(2025, 10, 1), date(2025, 11, 1)

    assert find_nth_day(start, end, number=number, weekday=weekday) == found


def test_a_thirteenth_month_is_the_next_january() -> None:
    assert find_month_span(2025, 13) == (date(2026, 1, 1), date(2026, 2, 1))


@pytest.mark.parametrize(
    ("year", "easter"), [(2024, "2024-03-31"), (2025, "2025-04-20"), (2038, "2038-04-25")]
)
def test_easter_is_when_the_churches_keep_it(year: int, easter: str) -> None:
    assert compute_easter(year) == date.fromisoformat(easter)
