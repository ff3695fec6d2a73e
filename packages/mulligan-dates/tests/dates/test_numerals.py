from __future__ import annotations

import pytest

from mulligan_dates.english import ENGLISH
from mulligan_dates.scan import join_numerals
from mulligan_dates.tokens import tokenize


@pytest.mark.parametrize(
    ("text", "numbers", "ordinals"),
    [
        ("seven", [7], []),
        ("twenty nine", [29], []),
        ("twenty-nine", [29], []),
        ("twenty ninth", [], [29]),
        ("thirty-first", [], [31]),
        ("2nd", [], [2]),
        ("2 nd", [2], []),
        ("two thousand and thirty two", [2032], []),
        ("nineteen hundred ninety three", [1993], []),
        ("nineteen eighty six", [19, 86], []),
        ("1 234567890123", [1], []),
        ("\u0663", [3], []),
    ],
)
def test_a_number_in_words_or_figures_is_one_token(
    text: str, numbers: list[int], ordinals: list[int]
) -> None:
    tokens = join_numerals(tokenize(text), ENGLISH)

    assert [each.number for each in tokens if each.number is not None] == numbers
    assert [each.ordinal for each in tokens if each.ordinal is not None] == ordinals


def test_a_folded_number_spans_all_its_words() -> None:
    text = "on the twenty-first of May"

    (day,) = (each for each in join_numerals(tokenize(text), ENGLISH) if each.ordinal is not None)

    assert text[day.start : day.end] == "twenty-first"
