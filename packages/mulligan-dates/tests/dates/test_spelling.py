from __future__ import annotations

import pytest

from mulligan_dates.tables import with_slips
from tests.dates.said import days


@pytest.mark.parametrize(
    ("phrase", "expected"),
    [
        ("thursady 30 october", ["2025-10-30"]),
        ("thurday 30 ocotber", ["2025-10-30"]),
        ("wednsday 29 october", ["2025-10-29"]),
        ("27 septmber 2025", ["2025-09-27"]),
        ("Febuary 5 2026", ["2026-02-05"]),
        ("tomorow", ["2025-10-23"]),
        ("tommorrow", ["2025-10-23"]),
        ("yesteday", ["2025-10-21"]),
    ],
)
def test_one_slip_in_a_long_name_is_forgiven(phrase: str, expected: list[str]) -> None:
    assert days(phrase) == expected


@pytest.mark.parametrize("phrase", ["Sunda", "fridge", "mayor", "marsh", "apil", "wensday"])
def test_what_could_be_another_word_is_not(phrase: str) -> None:
    assert days(phrase) == []


def test_a_slip_never_hides_a_name_that_is_meant() -> None:
    groups = with_slips({1: "marches", 2: "machres | march"})

    assert "machres" not in groups[1]
    assert "march" not in groups[1].split(" | ")
