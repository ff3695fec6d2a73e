"""An undo that fails, so often and so: what the agent and the people are told is true."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, datetime, timedelta

import pytest

from mulligan import State
from mulligan.loops.actions import Attempted
from mulligan.runtime.recovery import PAUSES
from mulligan.types.action import MOST_TRIES
from mulligan.types.display import render_recipe
from mulligan.types.finding import Finding, Severity
from mulligan_testing.fakes import FixedClock
from mulligan_testing.remote import Fault
from tests.world import DAY, World, Worlds, moves

QUICK_TRIES = 2
FAILURES: Mapping[str, Fault] = {
    "policy": Fault.FORBIDDEN,
    "rate limit": Fault.BUSY,
    "not sent": Fault.REFUSED,
    "lost on the way there": Fault.LOST_BEFORE,
    "missing": Fault.GONE,
    "lost on the way back": Fault.LOST_AFTER,
    "error after": Fault.ERROR_AFTER,
}
TOOK_EFFECT = (Fault.LOST_AFTER, Fault.ERROR_AFTER)
"""The undo worked, and only its answer says otherwise."""


def wrong_the_first_time(attempted: Attempted) -> list[Finding]:
    days = [execution.call.arguments["day"] for execution in attempted.executions]
    return [
        Finding(rule="test.wrong", severity=Severity.ERROR, issue="It was wrong.")
        for day in days
        if day == "Saturday"
    ]


@pytest.fixture
async def world(worlds: Worlds) -> World:
    return await worlds(checks=[wrong_the_first_time], clock=FixedClock(datetime.now(UTC)))


async def recover_patiently(world: World) -> None:
    for pause in (*PAUSES, PAUSES[-1]):
        world.clock.move(pause)
        await world.m.recover()


@pytest.mark.parametrize("failure", FAILURES)
@pytest.mark.parametrize("times", [1, QUICK_TRIES])
async def test_restored_is_said_only_of_what_is(world: World, failure: str, times: int) -> None:
    fault = FAILURES[failure]
    world.remote.plan(*[fault] * times, by="undo")
    agent = moves(world, "Saturday", "Friday")

    done = await world.act(agent)

    if times < QUICK_TRIES or fault in TOOK_EFFECT:
        assert "Undone and verified:" in agent.told[1].text
        assert world.day() == "Friday"
        assert world.open() == []
    else:
        assert agent.told == [None]
        assert "Nothing is in effect" not in str(done.reply)
        assert "Still in effect:" in str(done.reply)
        assert world.day() == "Saturday"
        [action] = world.open()
        assert (action.state, action.detail["result"]) == (State.UNDO_FAILED, "failed")
        assert action.detail["why"]
        assert f"mulligan undo {action.id}" in render_recipe(action)[0]
        assert done.open_actions == (action.id,)


@pytest.mark.full
@pytest.mark.parametrize("failure", FAILURES)
@pytest.mark.parametrize("times", [6, 40])
async def test_it_keeps_trying_and_then_a_person_is_asked(
    world: World, failure: str, times: int
) -> None:
    world.remote.plan(*[FAILURES[failure]] * times, by="undo")
    done = await world.act(moves(world, "Saturday", "Friday"))

    await recover_patiently(world)
    await recover_patiently(world)

    undone = FAILURES[failure] in TOOK_EFFECT or times <= QUICK_TRIES * (MOST_TRIES + 1)
    if done.open_actions:
        assert world.day() == (DAY if undone else "Saturday")
    assert world.states() == ([] if undone else [State.UNDO_FAILED])
    assert world.undos() == int(undone)


async def test_a_read_back_that_fails_is_not_called_restored(world: World) -> None:
    world.remote.plan(Fault.NONE, Fault.NONE, *[Fault.LOST_BEFORE] * 3, by="read")
    agent = moves(world, "Saturday")

    done = await world.act(agent)

    assert agent.told == [None]
    assert "could not be verified" in str(done.reply)
    assert world.states() == [State.UNDO_FAILED]
    world.remote.plan(by="read")
    world.clock.move(timedelta(hours=1))
    await world.m.recover()
    assert world.open() == []
    assert world.day() == DAY
