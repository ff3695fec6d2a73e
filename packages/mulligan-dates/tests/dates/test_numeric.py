from __future__ import annotations

import pytest

from mulligan_dates.readings import choose_pins
from tests.dates.said import days


def test_figures_are_read_in_the_order_of_the_country_and_in_both_if_it_is_not_known() -> None:
    assert days("3/4/2026", pins=choose_pins("en-US")) == ["2026-03-04"]
    assert days("3/4/2026", pins=choose_pins("en-GB")) == ["2026-04-03"]
    assert days("3/4/2026", pins=frozenset()) == ["2026-03-04", "2026-04-03"]


@pytest.mark.parametrize(
    ("written", "expected"),
    [
        ("2026-03-04", ["2026-03-04"]),
        ("20260304", ["2026-03-04"]),
        ("2026/3/4", ["2026-03-04"]),
        ("25.4.2026", ["2026-04-25"]),
        ("4/25", ["2025-04-25", "2026-04-25"]),
        ("2026-13-04", []),
        ("31.4.2026", []),
        ("1/2/3/4", []),
    ],
)
def test_a_date_in_figures_is_one_only_if_a_calendar_has_it(
    written: str, expected: list[str]
) -> None:
    assert days(written) == expected
