from __future__ import annotations

import pytest

from mulligan_dates.parts import DayNumber, NumericDate, Weekday
from mulligan_dates.readings import Convention
from mulligan_dates.spans import resolve_day_names
from tests.dates.said import days, moment


@pytest.mark.parametrize(
    ("phrase", "expected"),
    [
        ("2025-11-03", ["2025-11-03"]),
        ("3 November 2025", ["2025-11-03"]),
        ("November 3rd, 2025", ["2025-11-03"]),
        ("Nov. 3", ["2024-11-03", "2025-11-03"]),
        ("11/3/2025", ["2025-11-03"]),
        ("25/3/2025", ["2025-03-25"]),
        ("3-Nov-25", ["2025-11-03"]),
        ("2025-nov-3", ["2025-11-03"]),
        ("November third two thousand and twenty five", ["2025-11-03"]),
        ("June second nineteen ninety eight", ["1998-06-02"]),
        ("Feb 29", ["2024-02-29", "2028-02-29"]),
        ("Feb 30", []),
        ("Monday, November 3", ["2025-11-03"]),
        ("Friday, November 3 2025", []),
        ("tomorrow, October 23", ["2025-10-23"]),
        ("tomorrow, October 24", []),
    ],
)
def test_written_dates_are_read_and_contradictions_are_not(
    phrase: str, expected: list[str]
) -> None:
    assert days(phrase) == expected


def test_figures_that_make_a_date_in_one_order_only_rest_on_no_convention() -> None:
    either = resolve_day_names([NumericDate(first=3, second=4, year=2026)], moment())
    only = resolve_day_names([NumericDate(first=25, second=4, year=2026)], moment())

    assert {each.start.month: set(each.rests_on) for each in either} == {
        3: {Convention.ORDER_MONTH},
        4: {Convention.ORDER_DAY},
    }
    assert [set(each.rests_on) for each in only] == [set()]


def test_the_day_of_this_month_is_meant_if_it_has_that_weekday() -> None:
    found = resolve_day_names([Weekday(day=4), DayNumber(day=24)], moment())

    assert [str(each.start.date()) for each in found] == ["2025-10-24"]
