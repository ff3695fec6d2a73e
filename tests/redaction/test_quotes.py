from __future__ import annotations

import pytest

from mulligan.redaction.quotes import (
    Quotable,
    Span,
    TooMuchError,
    count_shared,
    find_quotes,
    fold,
    replace,
)

SECRET = "my dog is called Rex the Third"


def hide(text: str, *secrets: str) -> str:
    known = [Quotable(each, fold(each), "<it>") for each in secrets or (SECRET,)]
    return replace(text, find_quotes(text, known))


@pytest.mark.parametrize(
    "text",
    [
        f"Error: {SECRET!r} is unknown",
        f"Error: {SECRET.upper()} is unknown",
        "Error: 'dog is called Rex' is unknown",
        "Error: my%20dog%20is%20called%20Rex is unknown",
        "Error: bXkgZG9nIGlzIGNhbGxlZCBSZXggdGhlIFRoaXJk is unknown",
    ],
)
def test_a_quote_is_found_whole_in_part_in_another_case_and_encoded(text: str) -> None:
    shown = hide(text)

    assert "<it>" in shown
    assert "Rex" not in shown
    assert shown.startswith("Error: ")
    assert shown.endswith(" is unknown")


def test_words_that_anybody_uses_are_no_quote() -> None:
    assert hide("the dog was here") == "the dog was here"


def test_overlapping_spans_are_one_mask() -> None:
    spans = [Span(2, 6, "<a>"), Span(4, 8, "<b>"), Span(8, 9, "<b>")]

    assert replace("0123456789", spans) == "01<a>9"


def test_a_search_without_end_is_given_up_as_such() -> None:
    with pytest.raises(TooMuchError):
        hide("ab" * 5_000, *["ab" * 500 + str(n) for n in range(200)])


def test_what_two_texts_share_is_counted_from_their_beginning() -> None:
    assert (count_shared("abc", "abd"), count_shared("ab", "abc"), count_shared("", "a")) == (
        2,
        2,
        0,
    )
