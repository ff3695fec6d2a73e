from __future__ import annotations

from datetime import date, datetime

from mulligan.checks.date_arguments import find_argument_dates, find_impossible_dates


def test_dates_are_found_wherever_they_are_with_the_path_to_them() -> None:
    arguments = {
        "event": {"start": "2025-10-24T19:00:00", "note": "on 2025-10-24, I think"},
        "days": ["2025-10-25"],
        "count": 20251024,
    }

    found = {each.name: each for each in find_argument_dates(arguments, zone=None)}

    assert found.keys() == {"event.start", "days"}
    assert found["event.start"].at == datetime(2025, 10, 24, 19)
    assert [each.timed for each in found.values()] == [True, False]


def test_only_the_parameters_that_are_named_are_looked_at() -> None:
    arguments = {"start": "2025-10-24", "end": "2025-10-25"}

    found = list(find_argument_dates(arguments, zone=None, names=["end"]))

    assert [each.name for each in found] == ["end"]


def test_midnight_in_another_zone_is_also_the_day_it_is_written_as() -> None:
    [found] = find_argument_dates({"day": "2025-10-24T00:00:00+00:00"}, zone="America/New_York")

    assert found.at == datetime(2025, 10, 23, 20)
    assert found.days == {date(2025, 10, 23), date(2025, 10, 24)}


def test_a_day_that_no_calendar_has_is_told_apart_from_prose() -> None:
    arguments = {"day": "2025-11-31", "fine": "2025-11-30", "text": "31 November"}

    assert list(find_impossible_dates(arguments)) == [("day", "2025-11-31")]
