"""A rejection is one entry: what it concerns is doomed, denied and disputed together, or not."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

import pytest

from mulligan import Effect, Finding, Mulligan, Severity, State
from mulligan.core.action import Entry
from mulligan.core.points import Point
from mulligan.loops.actions import Attempted
from mulligan.stores.opening import open_store
from mulligan.testing.faults import Deed, Faults, PlannedError, Strike
from mulligan.turns.turn.context import OpenTurn
from tests.world import DAY, Agent, World, Worlds

NOW = datetime(2026, 11, 15, 9, 0, tzinfo=UTC)
FRIDAY = "2026-11-20"


def reject_all(attempted: Attempted) -> list[Finding]:
    return [Finding(rule="day.wrong", severity=Severity.ERROR, issue="Not that day.")]


@pytest.fixture
async def world(worlds: Worlds, tmp_path: Path) -> World:
    about = {"now": NOW, "timezone": "UTC"}
    return await worlds(f"sqlite:///{tmp_path}/family.db", checks=[reject_all], about=about)


def moves_and_asks(world: World, sent: list[str]) -> Agent:
    """An agent that moves dinner, and wants to send a mail that a person has to approve."""

    @world.m.tool(effect=Effect.IRREVERSIBLE)
    async def invite(whom: str) -> None:
        sent.append(whom)

    async def agent(turn: OpenTurn) -> str:
        await world.move("e1", FRIDAY)
        if turn.correction is None:
            await invite("Grandma")
        return "Moved, and invited."

    return agent


@pytest.mark.parametrize("deed", [Deed.RAISE, Deed.CANCEL])
async def test_a_failure_right_after_a_rejection_leaves_no_hold_for_anybody_to_approve(
    world: World, deed: Deed
) -> None:
    sent: list[str] = []
    expected = PlannedError if deed is Deed.RAISE else BaseException
    with Faults(Strike(deed=deed, point=Point.DOOMED)), pytest.raises(expected):
        await world.act(moves_and_asks(world, sent))

    assert State.HELD not in world.states()
    await world.m.recover()
    assert world.states() == []
    assert world.day() == DAY
    assert sent == []


async def test_what_a_person_let_through_meanwhile_stands_and_the_rest_is_rejected(
    world: World, tmp_path: Path
) -> None:
    sent: list[str] = []

    def approve() -> None:
        with Mulligan(f"sqlite:///{tmp_path}/family.db", recover=False) as beside:
            held = [a for a in beside.insights.open_list.actions() if a.state is State.HELD]
            beside.insights.open_list.approve(held[0].id, by="a person")

    with Faults(Strike(deed=Deed.EDIT, point=Point.REVIEWED), edit=approve):
        await world.act(moves_and_asks(world, sent))

    assert State.APPROVED in world.states()
    assert world.day() == DAY


async def test_what_another_process_took_over_is_left_to_it_and_the_rest_is_taken_back(
    world: World, tmp_path: Path
) -> None:
    async def agent(turn: OpenTurn) -> str:
        await world.create("e2", FRIDAY)
        await world.move("e1", FRIDAY)
        return "Both."

    def take_over() -> None:
        store = open_store(f"sqlite:///{tmp_path}/family.db")
        moved = next(a for a in store.journal.list_open_actions() if a.opening.tool == "move")
        entry = Entry(action=moved.id, state=State.DISPUTED, at=NOW, version=moved.version + 1)
        store.journal.submit([entry]).result()
        store.close()

    with Faults(Strike(deed=Deed.EDIT, point=Point.REVIEWED), edit=take_over):
        done = await world.act(agent)

    assert world.days() == {"e1": FRIDAY}
    assert len(done.attempts) == 1
    assert world.states() == [State.DISPUTED]
