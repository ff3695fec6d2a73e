"""What an undeclared tool did stands after a rejection, and everybody is told so."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable
from contextlib import suppress
from typing import Any

import pytest

from mulligan import AlreadyDoneError, Effect, Finding, Mode, Mulligan, Standing, State
from mulligan.loops.actions import Attempted
from mulligan.runtime.context import OpenTurn
from mulligan.types.call import Call
from mulligan.types.display import render_recipe
from tests.world import World, Worlds

FRIDAY, SATURDAY = "2026-11-20", "2026-11-21"


def rejects_saturday(attempted: Attempted) -> Iterable[Finding]:
    for execution in attempted.executions:
        if SATURDAY in execution.call.arguments.values():
            yield Finding(rule="day.wrong", severity="error", issue="Saturday is wrong.")


@pytest.fixture
async def world(worlds: Worlds) -> World:
    return await worlds(checks=[rejects_saturday])


def declare_note(world: World, **declared: Any) -> Any:
    @world.m.tool(**declared)
    async def note(day: str) -> str:
        return world.remote.create({"day": day}).id

    return note


def days(world: World) -> list[object]:
    return [line.data["day"] for line in world.remote.ledger() if line.by == "agent"]


async def test_it_is_named_as_standing_and_stays_on_the_open_list(world: World) -> None:
    note = declare_note(world)
    told = []

    async def agent(turn: OpenTurn) -> str:
        told.append(turn.correction)
        await note(FRIDAY if turn.correction else SATURDAY)
        return "Noted."

    done = await world.act(agent)

    [action] = world.open()
    assert "do not repeat it:\n- note(day=2026-11-21) (its effect is not declared" in told[1].text
    assert "Nothing else is in effect" in told[1].text
    assert told[1].standing_actions == (action.id,)
    assert days(world) == [SATURDAY, FRIDAY]
    assert (action.state, action.id) == (State.DISPUTED, done.open_actions[0])
    assert done.standing is Standing.ACCEPTED
    stands = "although a problem was found:\n- Note (day: 2026-11-21)"
    assert stands in str(done.reply)
    assert all("mulligan undo" not in step for step in render_recipe(action))


async def test_its_repeat_is_blocked_and_the_question_names_it(world: World) -> None:
    note = declare_note(world)
    refused = []

    async def agent(turn: OpenTurn) -> str:
        try:
            await note(SATURDAY)
        except AlreadyDoneError as error:
            refused.append(error)
            await world.move("e1", SATURDAY)
        return "Noted."

    done = await world.act(agent)

    assert "declare it READ" in str(refused[0])
    assert days(world) == [SATURDAY, SATURDAY]
    assert done.standing is Standing.REJECTED
    assert "Still in effect:\n- Note (day: 2026-11-21) (its effect is not declared" in str(
        done.reply
    )
    assert len(done.open_actions) == 1


async def test_one_that_failed_after_its_effect_is_told_as_not_certain(world: World) -> None:
    @world.m.tool
    async def note(day: str) -> None:
        world.remote.create({"day": day})
        raise RuntimeError("broken")

    async def agent(turn: OpenTurn) -> str:
        if turn.correction is None:
            with pytest.raises(RuntimeError):
                await note(SATURDAY)
        await world.move("e1", SATURDAY)
        return "Noted."

    done = await world.act(agent)

    (left,) = map(world.m.insights.open_list.with_findings, world.open())
    assert left.state is State.NEEDS_HUMAN
    assert "It failed, and may have taken effect." in left.detail["why"]
    assert "Saturday is wrong." in left.detail["why"]
    assert "Not certain:\n- Note (day: 2026-11-21) (it failed, and may have" in str(done.reply)
    assert "Nothing is in effect" not in str(done.reply)


async def test_what_a_tool_that_is_only_watched_did_is_no_reason_to_reject(world: World) -> None:
    note = declare_note(world, **world.calendar.creating, mode=Mode.OBSERVE)

    async def agent(turn: OpenTurn) -> str:
        await note(SATURDAY)
        return "Noted."

    done = await world.act(agent)

    assert (days(world), done.reply, world.states()) == ([SATURDAY], "Noted.", [])
    assert done.standing is Standing.UNCHECKED


async def test_a_tool_that_is_only_watched_is_named_too(world: World) -> None:
    note = declare_note(world, **world.calendar.creating, mode=Mode.OBSERVE)

    async def agent(turn: OpenTurn) -> str:
        await note(SATURDAY)
        await world.move("e1", SATURDAY)
        return "Noted."

    done = await world.act(agent)

    assert str(done.reply).count("its tool is only watched") == 2
    assert State.DISPUTED in world.states()


async def test_arguments_that_cannot_be_kept_do_not_keep_it_off_the_list(world: World) -> None:
    @world.m.tool
    async def note(day: str, context: object) -> None:
        world.remote.create({"day": day})

    async def agent(turn: OpenTurn) -> str:
        if turn.correction is None:
            await note(SATURDAY, object())
        return "Noted."

    await world.act(agent)

    assert world.states() == [State.DISPUTED]


async def test_what_was_accepted_is_on_no_list(world: World) -> None:
    note = declare_note(world)

    async def agent(turn: OpenTurn) -> str:
        await note(FRIDAY)
        return "Noted."

    done = await world.act(agent)

    assert (done.standing, world.open(), done.reply) == (Standing.ACCEPTED, [], "Noted.")


async def test_a_call_that_its_agent_gave_up_on_may_have_landed_and_is_named(world: World) -> None:
    sent: list[str] = []
    note = declare_note(world)

    @world.m.tool
    async def send(to: str) -> str:
        sent.append(to)
        await asyncio.sleep(60)
        return "sent"

    async def agent(turn: OpenTurn) -> str:
        with suppress(TimeoutError):  # its own time limit
            await asyncio.wait_for(send("bob" if turn.correction else "ann"), 0.05)
        await note(FRIDAY if turn.correction else SATURDAY)
        return "Noted."

    done = await world.m.act("Mail Ann", agent)

    assert sent == ["ann", "bob"]
    (left,) = [a for a in world.m.insights.open_list.actions() if a.opening.tool == "send"]
    assert left.state is State.NEEDS_HUMAN
    assert "ann" in str(done.reply)


@pytest.mark.parametrize("effect", [Effect.READ, Effect.UNDECLARED])
def test_a_tool_that_acts_only_through_tools_is_declared_as_a_read(effect: Effect) -> None:
    shelf = dict[str, int]()
    with Mulligan("memory:", recover=False, attempts=1) as m:

        @m.tool(
            effect=Effect.REVERSIBLE,
            read=lambda record: shelf.get(str(record.result)),
            undo=lambda record: shelf.pop(str(record.result)),
            about=lambda record: record.result,
        )
        def add(name: str) -> str:
            shelf[name] = 1
            return name

        @m.tool(effect=effect)
        def ask_an_agent(task: str) -> str:
            return str(m.act_sync(task, lambda turn: add("milk")).reply)

        @m.check("add")
        def check(call: Call) -> str | None:
            return "Not wanted." if call.arguments["name"] == "beer" else None

        def agent(turn: OpenTurn) -> str:
            ask_an_agent("Add milk")
            add("beer")
            return "Done."

        done = m.act_sync("Add milk", agent)
        promises = [" ".join(each.promises) for each in m.insights.tools()]

    assert shelf == {}
    if effect is Effect.READ:
        assert done.open_actions == ()
        assert "everything was undone" in str(done.reply)
    else:
        assert len(done.open_actions) == 1
        assert "(its effect is not declared beside the tools that it called" in str(done.reply)
        assert any("READ, if it acts only through other tools" in each for each in promises)
