from __future__ import annotations

from datetime import date

import pytest

from mulligan.learning.coerce import convert_format, read_date


@pytest.mark.parametrize(
    ("text", "day"),
    [
        ("2026-1-5", date(2026, 1, 5)),
        ("2026/01/05", date(2026, 1, 5)),
        ("Jan 5, 2026", date(2026, 1, 5)),
        ("5th January 2026", date(2026, 1, 5)),
        ("25.12.2026", date(2026, 12, 25)),
        ("12/25/2026", date(2026, 12, 25)),
        ("05/05/2026", date(2026, 5, 5)),
        ("03/04/2026", None),
        ("2026-02-30", None),
        ("Friday", None),
        ("1" * 100, None),
    ],
)
def test_a_date_is_read_only_if_it_can_mean_one_day(text: str, day: date | None) -> None:
    assert read_date(text) == day


def test_a_moment_needs_its_zone_to_be_written_as_one() -> None:
    assert convert_format("2026-01-05 10:30 +0200", "date-time") == "2026-01-05T10:30:00+02:00"
    assert convert_format("2026-01-05 10:30", "date-time") is None
