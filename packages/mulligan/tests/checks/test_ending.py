from __future__ import annotations

import pytest

from mulligan.checks.text import ends_with
from mulligan.types.reply import Reply


@pytest.mark.parametrize("text", ["All done. Kind regards", "All done.\n\n*KIND  regards*"])
def test_an_ending_is_recognised_as_a_reader_sees_it(text: str) -> None:
    assert list(ends_with(phrase="Kind regards")(Reply(text=text))) == []


def test_another_ending_is_found_and_shown() -> None:
    [found] = ends_with(phrase="Kind regards")(Reply(text="Kind regards, and bye"))

    assert found.rule == "text.other_ending"
    assert found.correction == "End with exactly: Kind regards"
    assert found.quote == "ards, and bye"[-len("Kind regards") :]


def test_it_is_added_only_where_that_was_asked_for() -> None:
    mend = ends_with(phrase="Bye", add=True).mend

    assert mend is not None
    assert mend("Done. \n") == "Done.\n\nBye"
    assert ends_with(phrase="Bye").mend is None
