from __future__ import annotations

import pytest

from mulligan.stores.database import UnreadableError
from mulligan.stores.relational.failures import list_readable, list_unreadable


def asking(rows: list[object]):
    def ask(*, most: int, skip: int) -> list[tuple[object]]:
        return [(row,) for row in rows[skip : skip + most]]

    return ask


def read(row: tuple[object]) -> int:
    if not isinstance(row[0], int):
        raise UnreadableError(f"{row[0]} makes no sense")
    return row[0]


@pytest.mark.parametrize(
    ("rows", "whole", "broken"),
    [
        ([1, 2, 3, 4], [1, 2, 3], []),
        ([1, "x", 3, 4, 5], [1, 3, 4], ["x makes no sense"]),
        (["x", "y"], [], ["x makes no sense", "y makes no sense"]),
        ([], [], []),
    ],
)
def test_a_row_that_cannot_be_read_hides_no_other(
    rows: list[object], whole: list[int], broken: list[str]
) -> None:
    assert list_readable(asking(rows), read=read, limit=3) == whole
    assert list_unreadable(asking(rows), read=read, limit=3) == broken
