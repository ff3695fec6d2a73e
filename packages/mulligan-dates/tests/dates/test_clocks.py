"""Times of day as people write and say them."""

from __future__ import annotations

import pytest

from tests.dates.said import days, moments


@pytest.mark.parametrize(
    ("phrase", "expected"),
    [
        ("5p.m.", ["2025-10-22 17:00:00"]),
        ("5:00 PM", ["2025-10-22 17:00:00"]),
        ("5 30 pm", ["2025-10-22 17:30:00"]),
        ("5:30 in the afternoon", ["2025-10-22 17:30:00"]),
        ("five-thirty pm", ["2025-10-22 17:30:00"]),
        ("five oh five pm", ["2025-10-22 17:05:00"]),
        ("five o five pm", ["2025-10-22 17:05:00"]),
        ("five forty five pm", ["2025-10-22 17:45:00"]),
        ("12 noon", ["2025-10-22 12:00:00"]),
        ("12 midday", ["2025-10-22 12:00:00"]),
        ("12 o'clock noon", ["2025-10-22 12:00:00"]),
        ("noontime", ["2025-10-22 12:00:00"]),
        ("high noon", ["2025-10-22 12:00:00"]),
        ("17.00", ["2025-10-22 17:00:00"]),
        ("17:00 hrs", ["2025-10-22 17:00:00"]),
        ("0900 hours", ["2025-10-22 09:00:00", "2025-10-23 09:00:00"]),
        ("tomorrow 0900", ["2025-10-23 09:00:00"]),
        ("18:00h", ["2025-10-22 18:00:00"]),
        ("five o'clock", ["2025-10-22 17:00:00", "2025-10-23 05:00:00"]),
        ("7ish", ["2025-10-22 19:00:00", "2025-10-23 07:00:00"]),
        ("about 7pm", ["2025-10-22 19:00:00"]),
        ("ca. 7pm", ["2025-10-22 19:00:00"]),
        ("approx 7pm", ["2025-10-22 19:00:00"]),
        ("approx. 7pm", ["2025-10-22 19:00:00"]),
        ("roughly 7pm", ["2025-10-22 19:00:00"]),
        ("~7pm", ["2025-10-22 19:00:00"]),
        ("7pm sharp", ["2025-10-22 19:00:00"]),
        ("at 7pm sharp", ["2025-10-22 19:00:00"]),
        ("7pm on the dot", ["2025-10-22 19:00:00"]),
        ("just after 7pm", ["2025-10-22 19:00:00"]),
        ("half-past five", ["2025-10-22 17:30:00", "2025-10-23 05:30:00"]),
        ("at half five", ["2025-10-22 17:30:00", "2025-10-23 05:30:00"]),
        ("quarter of nine", ["2025-10-22 20:45:00", "2025-10-23 08:45:00"]),
        ("quarter til nine", ["2025-10-22 20:45:00", "2025-10-23 08:45:00"]),
        ("quarter 'til nine", ["2025-10-22 20:45:00", "2025-10-23 08:45:00"]),
        ("quarter before nine", ["2025-10-22 20:45:00", "2025-10-23 08:45:00"]),
        ("quarter after nine", ["2025-10-22 21:15:00", "2025-10-23 09:15:00"]),
        ("ten minutes to nine pm", ["2025-10-22 20:50:00"]),
        ("20 past 9 pm", ["2025-10-22 21:20:00"]),
        ("5 after 9pm", ["2025-10-22 21:05:00"]),
        ("eight at night", ["2025-10-22 20:00:00"]),
        ("8 tomorrow morning", ["2025-10-23 08:00:00"]),
        ("at 3 this afternoon", ["2025-10-22 15:00:00"]),
        ("at 9 yesterday morning", ["2025-10-21 09:00:00"]),
        ("yesterday evening at 8:15", ["2025-10-21 20:15:00"]),
        ("tomorrow at 4", ["2025-10-23 04:00:00", "2025-10-23 16:00:00"]),
        ("tomorrow8am", ["2025-10-23 08:00:00"]),
        ("tomorrow at four thirty in the afternoon", ["2025-10-23 16:30:00"]),
        ("4pm the day after tomorrow", ["2025-10-24 16:00:00"]),
        ("Fri@4pm", ["2025-10-17 16:00:00", "2025-10-24 16:00:00"]),
        ("at 9 next Monday morning", ["2025-10-27 09:00:00"]),
        ("last Friday at 4:30 pm", ["2025-10-17 16:30:00"]),
        ("in a week at 9am", ["2025-10-29 09:00:00"]),
        ("Dec 5, 2025 at 4:30 PM", ["2025-12-05 16:30:00"]),
        ("5th December 2025 16:30", ["2025-12-05 16:30:00"]),
        ("5.30 tomorrow", ["2025-10-23 05:30:00", "2025-10-23 17:30:00"]),
        ("tomorrow 5.30", ["2025-10-23 05:30:00", "2025-10-23 17:30:00"]),
    ],
)
def test_a_time_of_day_is_known_by_what_stands_around_it(phrase: str, expected: list[str]) -> None:
    assert moments(phrase) == expected


@pytest.mark.parametrize(
    ("phrase", "expected"),
    [
        ("tonigth", ["2025-10-22"]),
        ("the night before last", ["2025-10-20"]),
        ("early tomorrow", ["2025-10-23"]),
        ("later tonight", ["2025-10-22"]),
        ("last thing tonight", ["2025-10-22"]),
        ("tomorrow first thing", ["2025-10-23"]),
        ("all day tomorrow", ["2025-10-23"]),
        ("tomorrow all day", ["2025-10-23"]),
        ("midmorning tomorrow", ["2025-10-23"]),
        ("mid-morning tomorrow", ["2025-10-23"]),
        ("mid-afternoon tomorrow", ["2025-10-23"]),
        ("tomorrow over lunch", ["2025-10-23"]),
    ],
)
def test_parts_of_a_day_are_on_that_day(phrase: str, expected: list[str]) -> None:
    assert days(phrase) == expected
