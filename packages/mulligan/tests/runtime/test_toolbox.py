from __future__ import annotations

from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from typing import Any

import pytest

from mulligan import Effect, Mulligan
from mulligan.runtime import toolbox
from mulligan.runtime.tool import Tool
from mulligan.types.action import Action, Opening, State

NOW = datetime(2026, 11, 15, 9, 0, tzinfo=UTC)


@pytest.fixture
def m() -> Iterator[Mulligan]:
    with Mulligan("memory:", recover=False) as made:
        yield made


def declare_for(m: Mulligan, user: object, **said: Any) -> Tool:
    @m.tool(effect=Effect.IRREVERSIBLE, **said)
    def send(to: str) -> object:
        return user

    return next(iter(m._parts.toolbox))


def declare_plain(m: Mulligan) -> Tool:
    def make() -> Callable[..., Any]:
        def send(to: str) -> None: ...

        return send

    m.tool(effect=Effect.IRREVERSIBLE)(make())
    return next(iter(m._parts.toolbox))


def build_action(mark: str, *, server: str = "") -> Action:
    opening = Opening(tool="send", server=server, effect=Effect.IRREVERSIBLE, binding=mark)
    return Action(
        id="a", opening=opening, state=State.HELD, version=1, opened_at=NOW, changed_at=NOW,
        writer="w",
    )  # fmt: skip


def test_an_action_is_found_by_what_its_tool_was_bound_to(m: Mulligan) -> None:
    ann, bob = declare_for(m, "ann"), declare_for(m, "bob")

    assert m._parts.toolbox.find(build_action(ann.mark)) is ann
    assert m._parts.toolbox.find(build_action(bob.mark)) is bob
    assert m._parts.toolbox.find(build_action("another")) is None


def test_what_is_declared_again_for_the_same_is_the_same(m: Mulligan) -> None:
    account = object()
    first, again = declare_for(m, account), declare_for(m, account)

    assert m._parts.toolbox.find(build_action(first.mark)) is again
    assert not again.mistakable


def test_by_its_server_a_tool_is_the_same_with_another_client(m: Mulligan) -> None:
    before = declare_for(m, object(), server="ann").mark
    tool = declare_for(m, object(), server="ann")

    assert m._parts.toolbox.find(build_action(before, server="ann")) is tool
    assert not tool.mistakable


def test_objects_that_nothing_tells_apart_find_nobody_and_it_is_said(m: Mulligan, caplog) -> None:
    before = declare_for(m, object()).mark
    tool = declare_for(m, object())

    assert tool.mistakable
    assert "Say whom each acts for with server=…" in caplog.text
    assert m._parts.toolbox.find(build_action(before)) is None
    assert m._parts.toolbox.find(build_action(tool.mark)) is None


def test_a_tool_that_is_bound_to_nothing_acts_for_everybody(m: Mulligan) -> None:
    tool = declare_plain(m)

    assert tool.mark == ""
    assert m._parts.toolbox.find(build_action("")) is tool
    assert m._parts.toolbox.find(build_action("earlier")) is tool


def test_of_very_many_the_oldest_are_found_no_more(
    m: Mulligan, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(toolbox, "MOST_BOUND", 1)
    ann, bob = declare_for(m, "ann"), declare_for(m, "bob")

    assert m._parts.toolbox.find(build_action(ann.mark)) is None
    assert m._parts.toolbox.find(build_action(bob.mark)) is bob
