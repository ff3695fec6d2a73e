"""How long, with every kind of fraction."""

from __future__ import annotations

import pytest

from tests.dates.said import moments


@pytest.mark.parametrize(
    ("phrase", "expected"),
    [
        ("in 2 h", ["2025-10-22 12:15:00"]),
        ("in a half hour", ["2025-10-22 10:45:00"]),
        ("in a half an hour", ["2025-10-22 10:45:00"]),
        ("an hour and a half ago", ["2025-10-22 08:45:00"]),
        ("in 2 1/2 hours", ["2025-10-22 12:45:00"]),
        ("in 2½ hours", ["2025-10-22 12:45:00"]),
        ("in ½ hour", ["2025-10-22 10:45:00"]),
        ("in 2,5 hours", ["2025-10-22 12:45:00"]),
        ("in a quarter hour", ["2025-10-22 10:30:00"]),
        ("in an hour and a quarter", ["2025-10-22 11:30:00"]),
        ("in 1 hour 20 minutes", ["2025-10-22 11:35:00"]),
        ("in 1h20", ["2025-10-22 11:35:00"]),
        ("in 1h20min", ["2025-10-22 11:35:00"]),
        ("in forty five minutes", ["2025-10-22 11:00:00"]),
        ("2h ago", ["2025-10-22 08:15:00"]),
        ("a second ago", ["2025-10-22 10:14:59"]),
        ("five hours earlier", ["2025-10-22 05:15:00"]),
        ("about 2 hours from now", ["2025-10-22 12:15:00"]),
        ("roughly three hours ago", ["2025-10-22 07:15:00"]),
        ("in around 20 minutes", ["2025-10-22 10:35:00"]),
        ("in roughly an hour", ["2025-10-22 11:15:00"]),
        ("in exactly one hour", ["2025-10-22 11:15:00"]),
        ("in another hour", ["2025-10-22 11:15:00"]),
        ("two hours before noon", ["2025-10-22 10:00:00"]),
        ("an hour after noon", ["2025-10-22 13:00:00"]),
        ("half an hour before 6pm", ["2025-10-22 17:30:00"]),
        ("2 hours after 5pm tomorrow", ["2025-10-23 19:00:00"]),
        ("at the moment", ["2025-10-22 10:15:00"]),
    ],
)
def test_hours_and_minutes_are_counted_with_fractions_and_without_a_unit_of_their_own(
    phrase: str, expected: list[str]
) -> None:
    assert moments(phrase) == expected
