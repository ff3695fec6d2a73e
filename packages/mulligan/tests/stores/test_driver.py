from __future__ import annotations

from mulligan.stores.database import fetch_one


class Fetching:
    def __init__(self, *rows: tuple[object, ...]) -> None:
        self.rows = list(rows)
        self.asked: list[object] = []

    def fetch(self, query: str, **values: object) -> list[tuple[object, ...]]:
        self.asked.append((query, values))
        return self.rows


def test_the_first_row_is_one_and_no_row_is_none() -> None:
    full, empty = Fetching((1, "a"), (2, "b")), Fetching()

    assert fetch_one(full, "find", id=7) == (1, "a")
    assert full.asked == [("find", {"id": 7})]
    assert fetch_one(empty, "find") is None
