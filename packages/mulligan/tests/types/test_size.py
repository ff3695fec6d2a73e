from __future__ import annotations

from collections import OrderedDict, defaultdict
from dataclasses import dataclass
from itertools import count

import pytest

from mulligan.types.display import LONG, SaidText, is_long, is_tame, is_tangled


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


class Lazy(str):
    """A text that is loaded when it is needed, and cannot be."""

    def __len__(self) -> int:
        raise LookupError("not loaded")


class Posing:
    """Stands in for a text, as what tests are given in its place."""

    __class__ = str  # type: ignore[assignment]


class Endless(dict[int, int]):
    def items(self) -> object:  # type: ignore[override]
        return ((each, each) for each in count())


def test_a_text_that_cannot_say_how_long_it_is_stands_in_nobodys_way() -> None:
    assert not is_long(Lazy("a"), Posing())
    assert is_long(Lazy("a"), "a" * (LONG + 1))


def hold_itself(names: str) -> dict[str, object]:
    value: dict[str, object] = {}
    value.update(dict.fromkeys(names, value))
    return value


def share_parts(names: str) -> dict[str, object]:
    value: dict[str, object] = {"text": "a"}
    for _ in range(12):
        value = dict.fromkeys(names, value)
    return value


def test_what_holds_itself_or_the_same_over_and_over_is_tangled() -> None:
    assert is_tangled(hold_itself("abcdefghij"))
    assert is_tangled(share_parts("abc"))
    assert not is_tangled({"rows": [{"id": number, "tags": ["a"]} for number in range(100)]})


def test_what_reads_itself_in_a_way_of_its_own_is_not_tame() -> None:
    assert not is_tame({"rows": [Endless(a=1)]})
    assert is_tame([{"a": (1, {2})}, OrderedDict(a=1), defaultdict(list, a=[1]), hold_itself("a")])
