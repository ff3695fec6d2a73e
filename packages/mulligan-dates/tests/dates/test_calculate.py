from __future__ import annotations

import json
from datetime import UTC, datetime

import pytest

from mulligan_dates.reader import calculate_datetime
from mulligan_dates.readings import Convention

NOW = datetime(2026, 10, 28, 12, 0, tzinfo=UTC)
"""A Wednesday."""


def readings(phrase: str, zone: str = "America/New_York") -> list[dict[str, object]]:
    return calculate_datetime(phrase, NOW, timezone=zone)["readings"]


def test_the_answer_is_data_with_every_reading_and_its_weekday() -> None:
    answer = calculate_datetime("next Friday", NOW, timezone="Europe/Berlin")

    assert json.loads(json.dumps(answer)) == {
        "phrase": "next Friday",
        "known": True,
        "now": "Wednesday 2026-10-28 13:00:00",
        "vague": False,
        "readings": [
            {
                "kind": "day",
                "weekday": "Friday",
                "told": "Friday 2026-10-30",
                "start": "2026-10-30",
                "end": "2026-10-31",
                "rests_on": ["next.soonest"],
            },
            {
                "kind": "day",
                "weekday": "Friday",
                "told": "Friday 2026-11-06",
                "start": "2026-11-06",
                "end": "2026-11-07",
                "rests_on": ["next.week_after"],
            },
        ],
    }


def test_a_pin_leaves_one() -> None:
    pins = frozenset({Convention.NEXT_SOONEST})

    answer = calculate_datetime("next Friday", NOW, timezone="Europe/Berlin", pins=pins)

    assert [each["start"] for each in answer["readings"]] == ["2026-10-30"]


def test_a_time_the_clocks_show_twice_is_two_instants() -> None:
    found = readings("1:30am on November 1, 2026")

    assert [(each["start"], each["rests_on"]) for each in found] == [
        ("2026-11-01T01:30:00-04:00", ["fold.first"]),
        ("2026-11-01T01:30:00-05:00", ["fold.second"]),
    ]


def test_a_time_the_clocks_skip_is_as_much_later_as_they_jump() -> None:
    (found,) = readings("2:30am on March 14, 2027")

    assert (found["start"], found["rests_on"]) == ("2027-03-14T03:30:00-04:00", ["gap.later"])


def test_a_time_told_in_another_zone_is_moved_to_the_persons() -> None:
    (found,) = readings("tomorrow at 4pm CET")

    assert found["start"] == "2026-10-29T11:00:00-04:00"


def test_what_is_not_understood_says_why() -> None:
    phrase = calculate_datetime("when the cows come home", NOW, timezone="Europe/Berlin")
    zone = calculate_datetime("tomorrow", NOW, timezone="Mars/Phobos")

    assert (phrase["known"], phrase["readings"]) == (False, [])
    assert "ask the person" in phrase["why"]
    assert (zone["known"], zone["readings"]) == (False, [])
    assert "'Mars/Phobos' is not an IANA zone" in zone["why"]


def test_a_time_without_a_zone_is_refused() -> None:
    with pytest.raises(ValueError, match="has no zone"):
        calculate_datetime("tomorrow", NOW.replace(tzinfo=None), timezone="Europe/Berlin")
