from __future__ import annotations

import pytest

from mulligan.insights.filters import cut_page


@pytest.mark.parametrize(
    ("number", "first", "last"), [(1, 1, 20), (2, 21, 40), (3, 41, 41), (9, 41, 41)]
)
def test_a_list_is_cut_into_pages(number: int, first: int, last: int) -> None:
    paging, rows = cut_page(range(1, 42), number=number)

    assert (paging.first, paging.last, paging.pages) == (first, last, 3)
    assert (rows[0], rows[-1]) == (first, last)


def test_an_empty_list_is_one_empty_page() -> None:
    paging, rows = cut_page([], number=4)

    assert (paging.number, paging.first, paging.last, paging.pages) == (1, 0, 0, 1)
    assert list(rows) == []
