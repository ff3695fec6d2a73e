from __future__ import annotations

from enum import Enum
from typing import Literal

import pytest

from mulligan.turns.tools.signature import read_signature


class Colour(Enum):
    RED = "r"


def find(where: str, /, limit: int = 10, *more: str, day: str = "") -> None: ...


def test_arguments_have_their_names_however_they_were_given() -> None:
    signature = read_signature(find)

    assert signature.bind(("here",), {"limit": 3}) == {"where": "here", "limit": 3}
    assert signature.bind(("here", 3, "a", "b"), {}) == {
        "where": "here",
        "limit": 3,
        "more": ("a", "b"),
    }
    assert signature.places("limit", ("here", 3))
    assert not signature.places("limit", ("here",))


@pytest.mark.parametrize(
    ("args", "kwargs"),
    [(("here",), {"limit": 3}), (("here", 3, "a"), {"day": "Friday"}), (("here",), {})],
)
def test_what_was_bound_can_be_called_again(
    args: tuple[object, ...], kwargs: dict[str, object]
) -> None:
    signature = read_signature(find)

    again = signature.unbind(signature.bind(args, kwargs))

    assert signature.bind(*again) == signature.bind(args, kwargs)


def test_a_methods_object_is_no_argument() -> None:
    class Finder:
        def find(self, where: str) -> None: ...

    assert read_signature(Finder.find).bind((Finder(), "here"), {}) == {"where": "here"}


def test_parameters_with_few_values_are_known_by_them() -> None:
    def paint(colour: Colour, how: Literal["wet", "dry"] | None, where: str) -> None: ...

    paint.__annotations__ = {"colour": Colour, "how": Literal["wet", "dry"] | None, "where": str}

    assert read_signature(paint).enums == {
        "colour": frozenset({"r"}),
        "how": frozenset({"wet", "dry"}),
    }


def test_a_builtin_without_a_signature_has_made_up_names() -> None:
    assert read_signature(type).bind((1, 2), {}) == {"args": (1, 2)}
