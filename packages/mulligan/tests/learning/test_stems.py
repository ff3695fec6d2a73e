from __future__ import annotations

from mulligan.learning.closeness import stem_words


def test_a_text_is_compared_by_the_starts_of_its_words() -> None:
    assert stem_words("The order was locked") & stem_words("locks_of_orders") == {"lock", "ord"}
