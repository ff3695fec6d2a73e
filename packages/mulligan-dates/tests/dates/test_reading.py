from __future__ import annotations

from datetime import date, datetime, timedelta

import pytest

from mulligan_dates.readings import Expression, Reading, make_day, make_instant, make_span

FRIDAY = date(2025, 10, 24)
WEEK = make_span(date(2025, 10, 20), date(2025, 10, 27))


@pytest.mark.parametrize(
    ("reading", "last"),
    [
        (make_day(FRIDAY), FRIDAY),
        (WEEK, date(2025, 10, 26)),
        (make_instant(datetime(2025, 10, 24, 0, 0)), FRIDAY),
        (make_span(FRIDAY, datetime(2025, 10, 25, 0, 1)), date(2025, 10, 25)),
    ],
)
def test_the_last_day_is_the_last_one_that_is_touched(reading: Reading, last: date) -> None:
    assert reading.last_day == last


def test_a_week_holds_its_seven_days_and_no_more() -> None:
    held = [n for n in range(-3, 12) if WEEK.holds_day(date(2025, 10, 20) + timedelta(days=n))]

    assert held == list(range(7))


@pytest.mark.parametrize(
    ("readings", "vague", "known"),
    [((WEEK,), False, True), ((WEEK,), True, False), ((), False, False)],
)
def test_only_what_has_a_reading_that_is_no_guess_can_be_held_against_a_date(
    readings: tuple[Reading, ...], vague: bool, known: bool
) -> None:
    said = Expression(text="soon", start=0, end=4, readings=readings, vague=vague)

    assert said.known is known
