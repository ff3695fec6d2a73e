from __future__ import annotations

import pytest

from mulligan.learning.closeness import stem, stem_words


@pytest.mark.parametrize(
    "forms", [("locked", "locks", "lock"), ("creation", "creations"), ("entries", "entr")]
)
def test_the_forms_of_a_word_share_their_start(forms: tuple[str, ...]) -> None:
    assert len({stem(form) for form in forms}) == 1


def test_what_would_leave_too_little_stays_whole() -> None:
    assert stem("access") == "access"
    assert stem("use") == "use"
    assert stem("red") == "red"


def test_a_text_is_compared_by_the_starts_of_its_words() -> None:
    assert stem_words("The order was locked") & stem_words("locks_of_orders") == {"lock", "ord"}
