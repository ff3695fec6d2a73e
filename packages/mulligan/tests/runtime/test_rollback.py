"""What could not be undone is undone later, as far as that is safe, and can be looked at."""

from __future__ import annotations

import errno
from collections.abc import Callable, Iterator
from contextlib import suppress
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from mulligan import Effect, Mulligan, State
from mulligan.app.application import build_inspector
from mulligan.insights.undo_plans import UndoScope, request_undo
from mulligan.loops.actions import Attempted
from mulligan.runtime.context import OpenTurn
from mulligan.types.action import MOST_TRIES, Action, ActionQuery
from mulligan.types.errors import ConfigurationError
from mulligan.types.finding import Finding, Severity
from mulligan_testing.fakes import FixedClock
from tests.world import EVENT, World, Worlds, moves

NOW = datetime(2026, 11, 15, 9, 0, tzinfo=UTC)


def reject_all(attempted: Attempted) -> Iterator[Finding]:
    if attempted.executions:
        yield Finding(rule="test.wrong", severity=Severity.ERROR, issue="Wrong on purpose.")


def undo_one(m: Mulligan, action: Action) -> None:
    m.insights.open_list.undo(action.id, by="Mum")


def undo_turn(m: Mulligan, action: Action) -> None:
    request_undo(m.insights, UndoScope(turn=action.opening.turn or ""), by="Mum")


@pytest.mark.parametrize("undo", [undo_one, undo_turn])
@pytest.mark.parametrize(("versioned", "left"), [(True, []), (False, [State.UNDO_FAILED])])
async def test_an_undo_that_had_no_room_is_made_once_there_is_room_again(
    undo: Callable[[Mulligan, Action], None], versioned: bool, left: list[State]
) -> None:
    clock, there, full = FixedClock(NOW), {"text": "old", "etag": 1}, [True]

    def put(text: str) -> dict[str, Any]:
        there.update(text=text, etag=there["etag"] + 1)
        return dict(there)

    def put_back(record: Any) -> None:
        if full:
            raise OSError(errno.ENOSPC, "No space left on device")
        put(record.before["text"])

    async def agent(turn: OpenTurn) -> str:
        if turn.attempt.number == 1:
            tool("new")
        return "Done."

    async with Mulligan("memory:", checks=[reject_all], recover=False, clock=clock) as m:
        look = lambda _: dict(there)  # noqa: E731
        version = {"version": lambda record: record.result["etag"]} if versioned else {}
        declared = {"before": look, "read": look, "undo": put_back, "about": lambda _: "it"}
        tool = m.tool(effect=Effect.REVERSIBLE, **declared, **version)(put)
        await m.act("Write it", agent)
        for _ in range(2 * MOST_TRIES):
            clock.move(timedelta(minutes=10))
            await m.recover()
        states = [action.state for action in m.insights.open_list.actions()]
        full.clear()
        clock.move(timedelta(minutes=10))
        await m.recover()

        assert states == [State.UNDO_FAILED]
        assert [action.state for action in m.insights.open_list.actions()] == left
        for action in m.insights.open_list.actions():
            undo(m, action)
            await m.recover()
        assert m.insights.open_list.actions() == []
        assert there["text"] == "old"


@pytest.mark.full
async def test_a_call_is_undone_whatever_became_of_one_on_something_else() -> None:
    there = {"text": "old"}

    def put(text: str) -> None:
        there["text"] = text

    def put_back(record: Any) -> None:
        there["text"] = record.before["text"]

    def light() -> None:
        raise TimeoutError("no answer")

    async def agent(turn: OpenTurn) -> str:
        tool("new")
        with suppress(TimeoutError):  # the remote gave no answer
            lamp()
        return "Done."

    async with Mulligan("memory:", checks=[reject_all], recover=False) as m:
        look = lambda _: dict(there)  # noqa: E731
        tool = m.tool(effect=Effect.REVERSIBLE, before=look, undo=put_back)(put)
        nothing = lambda _: None  # noqa: E731
        said = {"effect": Effect.REVERSIBLE, "before": nothing, "undo": nothing}
        lamp = m.tool(about=lambda _: "lamp", **said)(light)
        await m.act("Write it", agent)

    assert there["text"] == "old"


async def test_an_edit_is_known_as_a_persons_beside_the_undo_of_a_call_on_something_else() -> None:
    there, lamp = {"text": "old", "etag": 1}, {"on": False}

    def put(text: str) -> dict[str, Any]:
        there.update(text=text, etag=there["etag"] + 1)
        return dict(there)

    def switch(on: bool) -> None:
        lamp["on"] = on

    async def agent(turn: OpenTurn) -> str:
        tool("new")
        light(on=True)
        put("hers")
        return "Done."

    async with Mulligan("memory:", checks=[reject_all], recover=False) as m:
        tool = m.tool(
            effect=Effect.REVERSIBLE,
            before=lambda _: dict(there),
            undo=lambda record: put(record.before["text"]),
            version=lambda record: record.result["etag"],
        )(put)
        light = m.tool(
            effect=Effect.REVERSIBLE,
            before=lambda _: dict(lamp),
            undo=lambda record: lamp.update(record.before),
            about=lambda _: "lamp",
        )(switch)
        await m.act("Write it", agent)
        left = [action.state for action in m.insights.open_list.actions()]

    assert (there["text"], lamp, left) == ("hers", {"on": False}, [State.CONFLICT])


async def test_what_half_an_undo_left_is_kept_for_who_decides() -> None:
    there = {"text": "old", "note": "", "etag": 1}

    def put(text: str) -> dict[str, Any]:
        there.update(text=text, note="by the agent", etag=there["etag"] + 1)
        return dict(there)

    def put_back(record: Any) -> None:
        there.update(text=record.before["text"], etag=there["etag"] + 1)

    async def agent(turn: OpenTurn) -> str:
        tool("new")
        return "Done."

    async with Mulligan("memory:", checks=[reject_all], recover=False) as m:
        tool = m.tool(
            effect=Effect.REVERSIBLE,
            before=lambda _: dict(there),
            undo=put_back,
            version=lambda record: record.result["etag"],
        )(put)
        await m.act("Write it", agent)
        (left,) = m.insights.open_list.actions()
        story = m.insights.open_list.read_story(left.id)

    assert left.state is State.UNDO_FAILED
    assert story.contents["theirs"] == {"text": "old", "note": "by the agent", "etag": 3}


async def test_a_call_is_not_undone_under_a_later_one_that_gave_no_answer() -> None:
    there = {"text": "old"}

    def put(text: str) -> None:
        there["text"] = text
        if text == "second":
            raise TimeoutError("no answer")

    def put_back(record: Any) -> None:
        there["text"] = record.before["text"]

    async def agent(turn: OpenTurn) -> str:
        tool("first")
        with suppress(TimeoutError):  # the remote gave no answer
            tool("second")
        return "Done."

    async with Mulligan("memory:", checks=[reject_all], recover=False) as m:
        look = lambda _: dict(there)  # noqa: E731
        tool = m.tool(effect=Effect.REVERSIBLE, before=look, undo=put_back)(put)
        await m.act("Write it", agent)
        left = [action.state for action in m.insights.open_list.actions()]

    assert there["text"] == "second"
    assert left == [State.UNDO_FAILED, State.NEEDS_HUMAN]


@pytest.mark.parametrize("beside", [False, True])
async def test_without_versions_what_was_undone_beside_others_is_not_tried_again_by_itself(
    beside: bool,
) -> None:
    clock, there, away = FixedClock(NOW), {"a": "old", "b": "old"}, set[str]()

    def look(record: Any) -> str:
        if record.arguments["name"] in away:
            raise ConnectionError
        return there[record.arguments["name"]]

    def put(name: str) -> None:
        there[name] = "new"

    async def agent(turn: OpenTurn) -> str:
        if turn.attempt.number == 1:
            tool("a")
            if beside:
                tool("b")
            away.add("a")
        return "Done."

    async with Mulligan("memory:", checks=[reject_all], recover=False, clock=clock) as m:
        undo = lambda record: there.update({record.arguments["name"]: record.before})  # noqa: E731
        about = lambda record: record.arguments["name"]  # noqa: E731
        tool = m.tool(effect=Effect.REVERSIBLE, before=look, undo=undo, about=about)(put)
        await m.act("Write it", agent)
        away.clear()
        clock.move(timedelta(minutes=10))
        await m.recover()

    assert there == {"a": "new" if beside else "old", "b": "old"}


def list_actions(world: World) -> list:
    return world.m.insights.store.journal.list_actions(ActionQuery())


async def test_what_is_gone_is_nothing_and_what_cannot_be_read_is_said(worlds: Worlds) -> None:
    world = await worlds()
    await world.act(moves(world, "2026-11-20"))
    [action] = list_actions(world)
    look = build_inspector(world.m)

    world.remote.delete(EVENT)
    assert await look.read_now(action) is None

    world.calendar.remote = None
    with pytest.raises(ConfigurationError, match="could not be read"):
        await look.read_now(action)


async def test_later_calls_on_the_same_object_are_known_the_latest_first(worlds: Worlds) -> None:
    world = await worlds()
    for day in ("2026-11-20", "2026-11-21", "2026-11-22"):
        await world.act(moves(world, day))
    latest, middle, first = list_actions(world)
    look = build_inspector(world.m)

    assert [each.id for each in look.list_later(first)] == [latest.id, middle.id]
    assert look.list_later(latest) == []


async def test_where_a_tool_names_no_object_nobody_knows_what_came_later(worlds: Worlds) -> None:
    world = await worlds()

    @world.m.tool(effect=Effect.REVERSIBLE, before=lambda _: 1, undo=lambda _: None)
    async def shout() -> None:
        pass

    async def agent(_: object) -> str:
        await shout()
        return "done"

    await world.act(agent)
    [action] = list_actions(world)

    with pytest.raises(ConfigurationError, match="the latest first"):
        build_inspector(world.m).list_later(action)
