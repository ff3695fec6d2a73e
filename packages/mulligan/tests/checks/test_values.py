from __future__ import annotations

from enum import Enum
from types import SimpleNamespace

from mulligan.checks.tool_outputs import list_numbers, list_records, list_texts


class Colour(Enum):
    RED = "red"


def test_texts_are_found_in_any_shape() -> None:
    nested = {"k": (1, [2.5], None, True, SimpleNamespace(x="y", _z="hidden"))}

    assert list(list_texts(nested)) == ["k", "1", "2.5", "x", "y"]
    assert list(list_texts([Colour.RED, {}, []])) == ["Colour.RED"]


def test_neither_a_cycle_nor_a_web_nor_a_shaft_keeps_a_reader_for_ever() -> None:
    cycle: list[object] = ["a"]
    cycle += [cycle, cycle]
    web: list[object] = ["b"]
    for _ in range(60):
        web = [web, web]
    shaft: object = "c"
    for _ in range(100_000):
        shaft = [shaft]

    assert [*list_texts(cycle), *list_texts(web), *list_texts(shaft)] == ["a", "b", "c"]


def test_numbers_are_numbers_and_not_texts_or_truths() -> None:
    assert list(list_numbers({"a": 1, "b": ["2", True, 3.5, float("inf"), 10**400]})) == [
        1,
        3.5,
        10**400,
    ]


def test_records_are_found_at_any_depth() -> None:
    found = list(list_records([{"id": 1, "inner": {"id": 2}}, SimpleNamespace(id=3), "text"]))

    assert [record["id"] for record in found] == [1, 2, 3]
