from __future__ import annotations

from mulligan_dates.german import HARMLESS, TWISTING


def test_a_word_that_makes_another_day_is_not_harmless() -> None:
    assert TWISTING
    assert TWISTING.isdisjoint(HARMLESS)
