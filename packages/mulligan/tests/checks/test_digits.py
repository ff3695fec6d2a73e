from __future__ import annotations

from mulligan.checks.quantities import find_digit_runs, find_word_before


def test_every_run_of_digits_is_found_once_and_in_order() -> None:
    text = "12 of 305, 7"

    assert [text[a:b] for a, b in find_digit_runs(text)] == ["12", "305", "7"]
    assert find_digit_runs("none at all") == []


def test_the_word_before_a_place_is_without_signs() -> None:
    text = "It was in May, 2025"

    assert find_word_before(text, text.index("2025")) == "May"
    assert find_word_before("2025", 0) == ""
