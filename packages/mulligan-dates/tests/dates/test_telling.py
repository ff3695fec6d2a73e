from __future__ import annotations

from datetime import date, datetime

import pytest

from mulligan_dates.readings import (
    Reading,
    describe_reading,
    describe_readings,
    make_day,
    make_instant,
    make_span,
)

FRIDAY = date(2025, 10, 24)


@pytest.mark.parametrize(
    ("reading", "told"),
    [
        (make_day(FRIDAY), "Friday 2025-10-24"),
        (make_instant(datetime(2025, 10, 24, 19, 5)), "Friday 2025-10-24 19:05"),
        (make_span(FRIDAY, date(2025, 10, 27)), "Friday 2025-10-24 to Sunday 2025-10-26"),
        (
            make_span(datetime(2025, 10, 24, 15), datetime(2025, 10, 24, 17, 30)),
            "Friday 2025-10-24 15:00 to 17:30",
        ),
    ],
)
def test_a_reading_is_told_with_its_weekday_and_as_finely_as_it_is(
    reading: Reading, told: str
) -> None:
    assert describe_reading(reading) == told


def test_the_first_four_are_told_and_the_others_counted() -> None:
    days = [make_day(date(2025, 10, n)) for n in range(20, 26)]

    assert describe_readings(days[:2]) == "Monday 2025-10-20 or Tuesday 2025-10-21"
    assert describe_readings(days).endswith("Thursday 2025-10-23 or 2 more")
    assert describe_readings([]) == "nothing that is known here"
