from __future__ import annotations

import pytest

from mulligan.checks.words import fold, is_blank, normalize_spaces


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("HELLO", "hello"),
        ("Stra\u00dfe", "STRASSE"),
        ("\u201cso\u201d", '"so"'),
        ("don\u2019t", "don't"),
        ("re\u2011do", "re-do"),
        ("del\u200bve", "delve"),
        ("\ufb01ne", "fine"),
    ],
)
def test_what_a_reader_takes_for_the_same_is_the_same(one: str, other: str) -> None:
    assert fold(one) == fold(other)


def test_different_words_stay_different() -> None:
    assert fold("schon") != fold("sch\u00f6n")


def test_gaps_of_any_width_are_one_space_and_nothing_is_no_gap() -> None:
    assert normalize_spaces(" a\u00a0\t b\u200bc\n") == "a bc"


@pytest.mark.parametrize("text", ["", " \n\t", "\u200b\ufeff", "\x1c\x85\u2028", "\u00ad \u2060"])
def test_what_a_reader_sees_nothing_of_is_blank(text: str) -> None:
    assert is_blank(text)
    assert normalize_spaces(text) == ""
    assert not is_blank(f"{text}a{text}")
