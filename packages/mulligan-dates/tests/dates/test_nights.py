"""The night: its early hours are of the next day. It is Wednesday 2026-10-28 at noon, in Berlin."""

from __future__ import annotations

from datetime import datetime

import pytest

from tests.dates.said import BERLIN, resolved

AT_NIGHT = datetime(2026, 10, 28, 1, 30, tzinfo=BERLIN)


@pytest.mark.parametrize(
    ("phrase", "expected"),
    [
        ("tonight at 1am", "2026-10-29 01:00"),
        ("1am tonight", "2026-10-29 01:00"),
        ("tonight at 12:30am", "2026-10-29 00:30"),
        ("tonight at 01:30", "2026-10-29 01:30"),
        ("tonight at 11pm", "2026-10-28 23:00"),
        ("tonight at 7", "2026-10-28 19:00"),
        ("last night at 2am", "2026-10-28 02:00"),
        ("last night at 11", "2026-10-27 23:00"),
        ("tomorrow night at 1am", "2026-10-30 01:00"),
        ("Friday night at 1am", "2026-10-31 01:00"),
        ("Freitagnacht um 01:00 Uhr", "2026-10-31 01:00"),
        ("heute Nacht um 02:00 Uhr", "2026-10-29 02:00"),
        ("letzte Nacht um 02:00 Uhr", "2026-10-28 02:00"),
    ],
)
def test_the_early_hours_of_a_night_are_of_the_next_day(phrase: str, expected: str) -> None:
    assert resolved(phrase)[0] == expected


@pytest.mark.parametrize("phrase", ["this evening at 1am", "tomorrow morning at 3pm"])
def test_an_hour_that_its_part_of_the_day_does_not_have_is_unknown(phrase: str) -> None:
    assert resolved(phrase) == []


def test_said_at_night_tonight_is_also_the_night_that_it_is() -> None:
    assert set(resolved("tonight", AT_NIGHT)) == {
        "2026-10-27 17:00/2026-10-28 06:00",
        "2026-10-28 17:00/2026-10-29 06:00",
    }
    assert resolved("heute Nacht um 02:00", AT_NIGHT) == ["2026-10-28 02:00", "2026-10-29 02:00"]
    assert resolved("tonight at 11pm", AT_NIGHT) == ["2026-10-28 23:00"]


def test_said_at_night_last_night_is_over() -> None:
    assert resolved("last night at 2am", AT_NIGHT) == ["2026-10-27 02:00"]
    assert set(resolved("last night at 11pm", AT_NIGHT)) == {"2026-10-27 23:00", "2026-10-26 23:00"}
