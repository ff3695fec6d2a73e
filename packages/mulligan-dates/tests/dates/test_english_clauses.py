from __future__ import annotations

import pytest

from mulligan_dates.english import CLAUSES
from mulligan_dates.tokens import END, tokenize


def test_whatever_moves_a_thing_does_something() -> None:
    assert [word for word in CLAUSES.moving if not CLAUSES.doing.opens(word)] == []


@pytest.mark.parametrize("word", ["if", "unless", "and", "please", "to", "not"])
def test_words_that_only_hold_a_sentence_together_are_no_verbs(word: str) -> None:
    assert word not in CLAUSES.doing


def test_a_request_may_be_polite() -> None:
    tokens = [*tokenize("could you book it"), *[END] * 4]

    assert CLAUSES.courtesies.match(tokens, 0) == (None, 2)
    assert CLAUSES.doing.match(tokens, 2) == (None, 3)
