from __future__ import annotations

from mulligan.checks.words import load_word_lists


def test_the_lists_that_ship_are_there_and_read_once() -> None:
    lists = load_word_lists()

    assert lists
    assert all(lists.values())
    assert load_word_lists() is lists
