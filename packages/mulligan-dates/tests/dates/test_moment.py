from __future__ import annotations

from datetime import date, datetime

from mulligan_dates.readings import (
    Convention,
    Grain,
    Moment,
    make_day,
    make_instant,
    make_midnight,
    make_span,
)

FRIDAY = date(2025, 10, 24)
EVENING = datetime(2025, 10, 24, 19, 30)


def test_today_is_the_day_of_the_persons_clock() -> None:
    assert Moment(now=EVENING).today == FRIDAY


def test_a_day_goes_from_midnight_to_midnight() -> None:
    day = make_day(FRIDAY, Convention.NEXT_SOONEST)

    assert (day.start, day.end) == (datetime(2025, 10, 24), datetime(2025, 10, 25))
    assert (day.grain, day.rests_on) == (Grain.DAY, {Convention.NEXT_SOONEST})


def test_a_stretch_may_begin_in_the_middle_of_a_day() -> None:
    span = make_span(EVENING, date(2025, 10, 27))

    assert (span.start, span.end) == (EVENING, datetime(2025, 10, 27))
    assert span.grain is Grain.SPAN


def test_a_moment_ends_when_it_begins_and_is_no_midnight() -> None:
    now = make_instant(EVENING)

    assert (now.start, now.end, now.grain) == (EVENING, EVENING, Grain.SECOND)
    assert make_midnight(EVENING) == EVENING
