from __future__ import annotations

from enum import Enum
from types import SimpleNamespace

from mulligan.checks.subject import Heard, numbers, records, texts


class Colour(Enum):
    RED = "red"


def test_texts_are_found_in_any_shape_and_a_cycle_ends() -> None:
    cycle: list[object] = ["a"]
    cycle.append(cycle)

    assert "a" in set(texts(cycle))
    assert list(texts({"k": (1, {2.5}, None, True, SimpleNamespace(x="y", _z="hidden"))})) == [
        "k", "1", "2.5", "x", "y",
    ]  # fmt: skip
    assert list(texts([Colour.RED, {}, []])) == ["Colour.RED"]


def test_numbers_are_numbers_and_not_texts_or_truths() -> None:
    assert list(numbers({"a": 1, "b": ["2", True, 3.5, float("inf")]})) == [1.0, 3.5]


def test_records_are_found_at_any_depth() -> None:
    found = list(records([{"id": 1, "inner": {"id": 2}}, SimpleNamespace(id=3), "text"]))

    assert [record["id"] for record in found] == [1, 2, 3]


def test_a_value_is_heard_whole_and_in_any_case() -> None:
    heard = Heard("Mail Ann@Example.com.", {"id": "a-1"})

    assert "ann@example.com" in heard
    assert "A-1" in heard
    assert "ann@example" not in heard or "n@example.com" not in heard
