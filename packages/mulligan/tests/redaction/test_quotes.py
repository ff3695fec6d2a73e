from __future__ import annotations

import time
from contextlib import suppress

import pytest

from mulligan.redaction.mask import (
    Quotable,
    TooMuchError,
    find_quotes,
    fold_unspaced,
    replace,
)

SECRET = "my dog is called Rex the Third"


def hide(text: str, *secrets: str) -> str:
    known = [Quotable(each, fold_unspaced(each), "<it>") for each in secrets or (SECRET,)]
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


def test_a_search_without_end_is_given_up_as_such() -> None:
    with pytest.raises(TooMuchError):
        hide("ab" * 5_000, *["ab" * 500 + str(n) for n in range(200)])


def page(size: int) -> str:
    """The same letters between ever other signs: every gram is shared, and no run is long."""
    return "".join(f"abcdefg{chr(0x4E00 + n * 7919 % 20000)}" for n in range(size // 8))


def test_work_is_counted_by_what_it_costs_wherever_a_quote_may_begin() -> None:
    text = page(8_000)
    began = time.thread_time()

    # Given up or gone through with: neither may take long.
    with suppress(TooMuchError):
        hide(text, page(100_000))

    assert time.thread_time() - began < 3
