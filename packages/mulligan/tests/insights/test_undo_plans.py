"""Undo of all that a turn, a session or an agent did: first a plan, then as planned."""

from __future__ import annotations

import asyncio
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from mulligan import Effect, State
from mulligan.insights import undo_plans
from mulligan.insights.undo_plans import UndoPlan, UndoScope, UndoStep, plan_undo, request_undo
from mulligan.types import action as actions
from mulligan.types.action import ActionQuery
from mulligan.types.errors import ConfigurationError
from tests.world import DAY, World, Worlds, fill

pytestmark = pytest.mark.promise(3)

BEFORE = datetime(2020, 1, 1, tzinfo=UTC)


@pytest.fixture
async def world(worlds: Worlds, tmp_path: Path) -> World:
    world = await worlds(f"sqlite:///{tmp_path}/family.db")
    fill(world.remote, "lunch", "review")
    return world


async def act(world: World, *moves: tuple[str, str], **about: str) -> str:
    """One turn that moves events; its id."""
    async with world.m.turn("Move them", **about) as turn:
        for event, day in moves:
            await world.move(event, day)
        await turn.review("Moved.")
        return turn.id


def edit(world: World, event: str, day: str) -> None:
    world.remote.update(event, {"day": day}, by="person")


def tell(plan: UndoPlan) -> list[tuple[str, str | None]]:
    return [
        (each.does.value, each.expected.value if each.expected else None) for each in plan.steps
    ]


def states(world: World) -> list[State]:
    found = world.m.insights.open_list.search(ActionQuery())
    return [each.state for each in sorted(found, key=lambda each: each.opened_at)]


async def undo(world: World, scope: UndoScope) -> UndoPlan:
    plan = request_undo(world.m.insights, scope, by="Mum")
    for _ in range(3):
        await world.m.recover()
    return plan


def look(world: World, scope: UndoScope) -> UndoPlan:
    return plan_undo(world.m.insights, scope)


async def planned(world: World, scope: UndoScope) -> UndoPlan:
    """The plan as a command makes it: on a thread without an event loop."""
    return await asyncio.to_thread(look, world, scope)


async def test_a_turn_is_undone_in_reverse_as_planned(world: World) -> None:
    turn = await act(world, ("e1", "2026-11-20"), ("lunch", "2026-11-21"), ("e1", "2026-11-22"))
    scope = UndoScope(turn=turn)

    plan = await planned(world, scope)
    await undo(world, scope)

    assert tell(plan) == [("undo", "undone")] * 3
    assert [each.at for each in plan.steps] == sorted((s.at for s in plan.steps), reverse=True)
    assert world.days() == {"e1": DAY, "lunch": DAY, "review": DAY}
    assert (await planned(world, scope)).counts == {"done": 3}


async def test_what_somebody_has_changed_stays_and_the_rest_is_undone(world: World) -> None:
    turn = await act(world, ("e1", "2026-11-20"), ("lunch", "2026-11-21"), ("e1", "2026-11-22"))
    edit(world, "e1", "2026-12-24")
    scope = UndoScope(turn=turn)

    plan = await planned(world, scope)
    await undo(world, scope)

    assert tell(plan) == [("undo", "conflict"), ("undo", "undone"), ("undo", "undo_failed")]
    assert world.days() == {"e1": "2026-12-24", "lunch": DAY, "review": DAY}
    assert states(world) == [State.UNDO_FAILED, State.UNDONE, State.CONFLICT]
    after = await planned(world, scope)
    assert [each.does for each in after.steps] == [UndoStep.LEAVE, UndoStep.DONE, UndoStep.UNDO]


async def test_an_edit_between_two_calls_of_ours_is_seen_beforehand(world: World) -> None:
    first = await act(world, ("e1", "2026-11-20"), session="s")
    edit(world, "e1", "2026-11-21")
    await act(world, ("e1", "2026-11-22"), session="s")
    scope = UndoScope(session="s")

    plan = await planned(world, scope)
    await undo(world, scope)

    assert first
    assert tell(plan) == [("undo", "undone"), ("undo", "conflict")]
    assert world.day() == "2026-11-21"
    assert states(world) == [State.CONFLICT, State.UNDONE]


async def test_later_work_of_others_on_it_is_named_and_stands(world: World) -> None:
    turn = await act(world, ("e1", "2026-11-20"), ("lunch", "2026-11-21"))
    await act(world, ("e1", "2026-11-22"), agent="other")

    plan = await planned(world, UndoScope(turn=turn))
    await undo(world, UndoScope(turn=turn))

    assert tell(plan) == [("undo", "undone"), ("undo", "undo_failed")]
    assert plan.steps[1].why == "move came after it and would not be undone."
    assert world.days() == {"e1": "2026-11-22", "lunch": DAY, "review": DAY}


async def test_all_later_work_is_held_against_what_is_undone(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    turn = await act(world, ("e1", "2026-11-20"))
    await act(world, ("e1", "2026-11-22"), ("lunch", "2026-11-21"), ("review", "2026-11-21"))
    monkeypatch.setattr(actions, "PAGE", 1)

    plan = await planned(world, UndoScope(turn=turn))
    await undo(world, UndoScope(turn=turn))

    assert plan.steps[0].why == "move came after it and would not be undone."
    assert world.day() == "2026-11-22"


async def test_turns_that_were_opened_inside_it_are_part_of_it_however_much_came_since(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with world.m.turn("All of it") as outer:
        await act(world, ("lunch", "2026-11-21"))
        await world.move("e1", "2026-11-20")
        await outer.review("Moved.")
    for day in range(10, 14):
        await act(world, ("review", f"2026-12-{day}"))
    monkeypatch.setattr(actions, "PAGE", 2)

    plan = await undo(world, UndoScope(turn=outer.id))

    assert len(plan.steps) == 2
    assert world.days() == {"e1": DAY, "lunch": DAY, "review": "2026-12-13"}


async def test_an_agent_is_undone_since_a_time_and_others_are_not(world: World) -> None:
    await act(world, ("review", "2026-11-19"), agent="planner")
    since = datetime.now(UTC)
    await act(world, ("e1", "2026-11-20"), agent="planner")
    await act(world, ("lunch", "2026-11-20"), agent="other")

    await undo(world, UndoScope(agent="planner", since=since))

    assert world.days() == {"e1": DAY, "lunch": "2026-11-20", "review": "2026-11-19"}


async def test_what_cannot_be_undone_is_left_and_what_was_not_made_is_denied(world: World) -> None:
    sent: list[str] = []

    @world.m.tool(effect=Effect.IRREVERSIBLE)
    async def mail(text: str) -> None:
        sent.append(text)

    async with world.m.turn("All of it", session="s") as turn:
        await world.create("dinner", "2026-11-20")
        first = await mail("now")
        await turn.review("Done.")
        await mail("later")
    world.m.insights.open_list.approve(first.hold.action, by="Mum")
    await world.m.recover()
    scope = UndoScope(session="s")

    plan = await planned(world, scope)
    await undo(world, scope)

    assert [(each.tool, each.does.value) for each in plan.steps] == [
        ("mail", "deny"), ("mail", "leave"), ("create", "undo"),
    ]  # fmt: skip
    assert "cannot be undone" in plan.steps[1].why
    assert "dinner" not in world.days()
    assert sent == ["now"]
    assert states(world) == [State.UNDONE, State.UNCHECKED, State.DENIED]


async def test_whoever_sees_one_tenant_has_its_turns_undone_and_no_others(world: World) -> None:
    theirs = await act(world, ("lunch", "2026-11-21"), tenant="jones")
    own = await act(world, ("e1", "2026-11-20"), tenant="smith")
    insights = world.m._ask_about("smith")

    request_undo(insights, UndoScope(turn=own), by="Mum")
    with pytest.raises(ConfigurationError):
        request_undo(insights, UndoScope(turn=theirs), by="Mum")
    await world.m.recover()

    assert states(world) == [State.UNCHECKED, State.UNDONE]


@pytest.mark.parametrize("scope", [{"session": "s"}, {"agent": "planner", "since": BEFORE}])
async def test_what_was_done_for_several_tenants_is_undone_for_one_by_its_name(
    world: World, scope: dict[str, Any]
) -> None:
    await act(world, ("lunch", "2026-11-21"), tenant="jones", agent="planner", session="s")
    await act(world, ("e1", "2026-11-20"), tenant="smith", agent="planner", session="s")
    insights = world.m.insights

    plan = await planned(world, UndoScope(**scope))
    with pytest.raises(ConfigurationError, match=r"2 tenants.*--tenant"):
        request_undo(insights, UndoScope(**scope), by="Mum")
    request_undo(insights, UndoScope(**scope, tenant="smith"), by="Mum")
    await world.m.recover()

    assert len({each.tenant for each in plan.steps}) == 2
    assert states(world) == [State.UNCHECKED, State.UNDONE]


async def test_calls_that_were_not_looked_through_are_not_called_none(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    turn = await act(world, ("e1", "2026-11-20"), ("lunch", "2026-11-21"))
    world.m.flush()

    whole = await planned(world, UndoScope(turn=turn))
    monkeypatch.setattr(undo_plans, "MOST_CALLS", 1)
    cut = await planned(world, UndoScope(turn=turn))

    assert (whole.every_call, cut.every_call) == (True, False)


async def test_a_plan_that_is_out_of_date_is_not_carried_out(world: World) -> None:
    turn = await act(world, ("e1", "2026-11-20"))
    plan = await planned(world, UndoScope(turn=turn))
    edit(world, "e1", "2026-12-24")

    with pytest.raises(ConfigurationError, match="has changed since"):
        await asyncio.to_thread(
            request_undo, world.m.insights, UndoScope(turn=turn), by="Mum", mark=plan.mark
        )
    assert states(world) == [State.UNCHECKED]


@pytest.mark.parametrize(
    "scope",
    [UndoScope(), UndoScope(turn="a", agent="b"), UndoScope(agent="planner"), UndoScope(turn="0")],
)
async def test_whose_actions_are_meant_is_said_exactly(world: World, scope: UndoScope) -> None:
    with pytest.raises(ConfigurationError):
        look(world, scope)
    assert world.undos() == 0
