from __future__ import annotations

from collections.abc import Callable
from typing import Annotated, NewType

import pytest

from mulligan import Arguments, Effect, Mulligan
from mulligan.runtime.declaration import find_misfit
from mulligan.types.errors import ConfigurationError

Key = NewType("Key", str)


def by_position(day: str, key: str, /) -> None: ...
def before_the_rest(day: str, key: str = "", *more: str) -> None: ...
def numbered(day: str, key: int) -> None: ...
def required(day: str, key: str, if_version: str) -> None: ...


@pytest.mark.parametrize(
    ("tool", "named", "why"),
    [
        (by_position, {"key": "key"}, "takes 'key' by its position"),
        (before_the_rest, {"key": "key"}, "takes 'key' by its position"),
        (before_the_rest, {"key": "more"}, "without a name of its own"),
        (numbered, {"key": "key"}, "annotate 'key' with str"),
        (required, {"if_version": "if_version"}, "has no default for 'if_version'"),
        (required, {"key": "key", "if_version": "key"}, "names 'key' twice: if_version=…"),
        (required, {"key": "taken"}, "names 'taken' twice: key=…"),
    ],
)
def test_what_could_not_be_ours_to_fill_is_refused_with_the_reason(
    tool: Callable[..., object], named: dict[str, str], why: str
) -> None:
    assert why in find_misfit(tool, named, taken={"taken", None})


def test_text_of_any_kind_may_carry_the_key() -> None:
    def plain(key) -> None: ...
    def optional(key: str | None = None) -> None: ...
    def named(key: Key) -> None: ...
    def noted(key: Annotated[str, "at most 40"]) -> None: ...
    def anything(**more: object) -> None: ...

    for tool in (plain, optional, named, noted, anything):
        assert find_misfit(tool, {"key": "key"}, taken=()) == ""


def test_a_declaration_that_could_not_be_kept_is_refused_when_it_is_made() -> None:
    with Mulligan("memory:") as m:
        with pytest.raises(ConfigurationError, match="'numbered' has a key that is no text"):
            m.tool(effect=Effect.READ, key="key")(numbered)
        with pytest.raises(ConfigurationError, match="names 'day' twice: key=…"):
            m.tool(effect=Effect.READ, key="day", arguments=Arguments(leave_out=["day"]))(numbered)
        with pytest.raises(ConfigurationError, match="nothing that a framework fills"):
            m.tool(effect=Effect.READ, arguments=Arguments(provide=lambda record: {}))(numbered)
        with pytest.raises(ConfigurationError, match="mapping of what a framework fills: day"):
            m.tool(effect=Effect.READ, arguments=Arguments(leave_out=["day"], provide={"key": 1}))(
                numbered
            )
