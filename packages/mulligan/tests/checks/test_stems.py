from __future__ import annotations

import pytest

from mulligan.checks.quantities import stem


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("cities", "city"),
        ("stopped", "stop"),
        ("creations", "creation"),
        ("payments", "payment"),
        ("quickly", "quick"),
        ("shop's", "shop"),
    ],
)
def test_the_forms_of_a_word_have_one_stem(one: str, other: str) -> None:
    assert stem(one) == stem(other)


def test_short_words_and_other_words_stay_apart() -> None:
    assert stem("red") == "red"
    assert stem("price") != stem("print")
