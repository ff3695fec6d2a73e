from __future__ import annotations

import pytest

from mulligan.checks.quantities import find_digit_runs, find_quantities, write_out


@pytest.mark.parametrize(
    ("words", "digits"),
    [
        ("over a hundred", "over a 100"),
        ("one hundred and five", "105"),
        ("two thousand three hundred", "2300"),
        ("half a million", "half a 500000"),
        ("two dozen", "24"),
        ("seventy-five", "75"),
        ("one", "1"),
        ("someone tens", "someone tens"),
        ("5.2 million", "5.2 million"),
        ("a tent", "a tent"),
    ],
)
def test_number_words_become_digits(words: str, digits: str) -> None:
    assert write_out(words) == digits


@pytest.mark.parametrize(
    ("text", "values"),
    [
        ("1,500", [(1500.0,)]),
        ("1.500", [(1.5, 1500.0)]),
        ("1.5", [(1.5,)]),
        ("1.500.000,5", [(1_500_000.5,)]),
        ("1'500", [(1500.0,)]),
        ("20k", [(20_000.0,)]),
        ("3 bn", [(3_000_000_000.0,)]),
        ("2nd 3d a4 24/7 1/2 v2 gpt-4 #1 3.11.2", []),
        ("10 to 20 km", [(10_000.0,), (20_000.0,)]),
        ("$5-10", [(5.0,), (10.0,)]),
    ],
)
def test_numerals_are_read_as_they_are_written_in_several_countries(
    text: str, values: list[tuple[float, ...]]
) -> None:
    assert [each.values for each in find_quantities(text, find_digit_runs(text))] == values
