from __future__ import annotations

import pytest

from mulligan.types.errors import ConfigurationError
from mulligan.types.reply import LONGEST_NOTE, RATED, Rating, build_rating_row, read_rating


def test_a_rating_comes_back_from_its_row() -> None:
    rating = Rating(of="a1", up=False, note="wrong price")

    row = build_rating_row(rating, row_id="b2", at_us=1_000_000, tenant="t")
    read = read_rating(row)

    assert (row.tool, row.parent, row.tenant) == (RATED, "a1", "t")
    assert (read.of, read.up, read.note) == ("a1", False, "wrong price")


def test_a_note_is_no_letter() -> None:
    rating = Rating(of="a", up=True, note="x" * 9_999)

    row = build_rating_row(rating, row_id="b", at_us=0, tenant="")

    assert len(read_rating(row).note) == LONGEST_NOTE


@pytest.mark.parametrize("wrong", [{"of": "", "up": True}, {"of": "a", "up": "yes"}])
def test_a_rating_of_nothing_or_of_neither_is_refused(wrong: dict[str, object]) -> None:
    with pytest.raises(ConfigurationError):
        Rating(**wrong)  # type: ignore[arg-type]
