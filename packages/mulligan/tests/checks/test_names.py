from __future__ import annotations

import pytest

from mulligan.checks.entities import find_names, normalize_word


@pytest.mark.parametrize(
    ("said", "found"),
    [
        ("We met Ann Lee there.", [("Ann Lee", ("ann", "lee"))]),
        ("Ann Lee was there.", [("Ann Lee", ("lee",))]),
        ("We saw the Bank of England.", [("Bank of England", ("bank", "england"))]),
        ("Opening Hours: nine to five", []),
        ("We use the NASA API here.", []),
        ("We met Ann, Lee and others.", []),
        ("nobody is named here", []),
        ("a × b × c is no name", []),
        ("iPhone Pro is one word of two", []),
    ],
)
def test_a_name_is_two_capitals_in_a_row_that_a_sentence_does_not_explain(
    said: str, found: list[tuple[str, tuple[str, ...]]]
) -> None:
    assert list(find_names([said])) == found


def test_a_possessive_is_the_same_name() -> None:
    assert normalize_word("Lee\u2019s") == normalize_word("LEE") == "lee"
