from __future__ import annotations

from dataclasses import dataclass

import pytest

from mulligan.core.size import LONG, SaidText, is_long


@dataclass
class Answer:
    content: list[dict[str, str]]


class RejectedError(Exception):
    """As many libraries do: the text is made where it is printed."""

    def __str__(self) -> str:
        return "a" * (LONG + 1)


class Refusing:
    def __getattr__(self, name: str) -> object:
        raise OSError(name)


@pytest.mark.parametrize(
    "value",
    [
        "a" * (LONG + 1),
        ["a" * LONG, "b"],
        {"a": {"b": ["c" * (LONG + 1)]}},
        ValueError("a" * (LONG + 1)),
        RejectedError(),
        SaidText("1/2/" * (LONG // 20)),
        Answer(content=[{"text": "a" * (LONG + 1)}]),
        b"a" * (LONG + 1),
        [0] * 1000,
        {"rows": [{"id": number} for number in range(100)]},
    ],
)
def test_much_text_is_seen_wherever_it_is_and_many_parts_count_as_much(value: object) -> None:
    assert is_long(value)


@pytest.mark.parametrize(
    "value",
    [
        "a" * LONG,
        SaidText("Move dinner to Friday"),
        None,
        7,
        True,
        {"a": "b"},
        [],
        ValueError("no"),
        object(),
    ],
)
def test_little_text_is_not_long_nor_is_what_cannot_be_looked_into(value: object) -> None:
    assert not is_long(value)


def test_several_values_count_together() -> None:
    assert is_long("a" * LONG, "b")
    assert not is_long("a", "b")


def test_a_value_that_refuses_to_be_looked_into_is_taken_as_it_is() -> None:
    assert not is_long(Refusing())
