from __future__ import annotations

import pytest

from mulligan.learning.protected_fields import is_said_number, keeps_said_numbers, read_number


@pytest.mark.parametrize(
    ("said", "value"),
    [
        ("A table for 12 people", 12),
        ("A table for 12 people", "12"),
        ("A table for twelve people", 12),
        ("Twelve of us.", 12.0),
        ("one hundred and twenty-five seats", 125),
        ("two thousand five hundred", 2500),
        ("two dozen eggs", 24),
        ("print 1,200 copies", 1200),
        ("print 1.200 copies", 1200),
        ("print 1 200 copies", 1200),
        ("500mg of it", 500),
        ("12k shares", 12_000),
        ("between 10-12", 12),
        ("$12.50, please", 12.5),
        ("minus -5 degrees", -5),
        ("Ein Tisch für zwölf", 12),
        ("une table pour douze", 12),
    ],
)
def test_a_number_is_said_in_digits_and_in_words(said: str, value: object) -> None:
    assert is_said_number(value, [said])


@pytest.mark.parametrize(
    ("said", "value"),
    [
        ("A table for us", 12),
        ("Where is order W12?", 12),
        ("one hundred and twenty", 12),
        ("A table for 12", True),
        ("A table for 12", "twelve"),
        ("A table for 12", None),
    ],
)
def test_what_nobody_said_or_is_no_number_is_none(said: str, value: object) -> None:
    assert not is_said_number(value, [said])


@pytest.mark.parametrize(
    ("after", "kept"),
    [
        ({"people": 12, "hall": 3}, True),
        ({"guests": "12"}, True),
        ({"people": ["#12"]}, True),
        ({"people": 10, "hall": 3}, False),
        ({"hall": 3}, False),
        ({"people": "-12"}, False),
    ],
)
def test_a_correction_keeps_every_number_that_was_said(after, kept: bool) -> None:
    before = {"people": 12, "hall": 3}

    assert keeps_said_numbers(before, after, said=["A table for twelve"]) is kept
    assert keeps_said_numbers(before, after, said=[])


def test_a_number_is_read_from_a_text_that_is_nothing_else() -> None:
    assert read_number(" 1,200 ") == 1200.0
    assert read_number("12 people") is None
    assert read_number(10**400) is None
