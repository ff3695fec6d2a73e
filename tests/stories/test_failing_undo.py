"""An undo that fails, so often and so: what the agent and the people are told is true."""

from __future__ import annotations

from collections.abc import AsyncIterator, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from mulligan import Effect, Mulligan, State
from mulligan.core.action import Action
from mulligan.core.errors import ConflictError
from mulligan.core.finding import Finding, Severity
from mulligan.core.recipe import render_recipe
from mulligan.core.record import Record
from mulligan.loops.actions import Attempted
from mulligan.testing.fakes import FixedClock
from mulligan.testing.remote import FakeRemote, Fault, Item, RemoteError
from mulligan.turns.recovery.recovery import MOST_TRIES, PAUSES
from mulligan.turns.turn.act import Done
from mulligan.turns.turn.context import OpenTurn

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


@dataclass
class World:
    """A calendar whose undo can be made to fail."""

    m: Mulligan
    remote: FakeRemote
    clock: FixedClock
    told: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        remote = self.remote

        def read(record: Record) -> Item | None:
            return remote.get("e1")

        def put_back(record: Record) -> None:
            before: Any = record.before
            try:
                remote.update("e1", before.data, if_version=record.version, by="undo")
            except RemoteError as error:
                if error.status == 412:
                    raise ConflictError(str(error)) from error
                raise

        @self.m.tool(
            effect=Effect.REVERSIBLE, before=read, undo=put_back,
            version=lambda record: record.result.version,
        )  # fmt: skip
        async def move(day: str) -> Item:
            return remote.update("e1", {"day": day})

        self.move = move

    async def act(self) -> Done:
        async def agent(turn: OpenTurn) -> str:
            self.told.append(turn.correction.text if turn.correction else "")
            await self.move("Saturday" if turn.attempt.number == 1 else "Friday")
            return "Moved."

        return await self.m.act("Move dinner to Friday", agent)

    async def recover(self) -> None:
        for pause in (*PAUSES, PAUSES[-1]):
            self.clock.move(pause)
            await self.m.recover()

    def open(self) -> list[Action]:
        return self.m._parts.store.journal.list_open_actions()

    def day(self) -> object:
        return self.remote.list_items()["e1"].data["day"]


@pytest.fixture
async def world(tmp_path: Path) -> AsyncIterator[World]:
    remote, clock = FakeRemote(tmp_path / "remote"), FixedClock(datetime.now(UTC))
    remote.create({"day": "Monday"}, id="e1", by="person")
    async with Mulligan("memory:", checks=[wrong_the_first_time], clock=clock, recover=False) as m:
        yield World(m=m, remote=remote, clock=clock)


@pytest.mark.parametrize("failure", FAILURES)
@pytest.mark.parametrize("times", range(7))
async def test_restored_is_said_only_of_what_is(world: World, failure: str, times: int) -> None:
    fault = FAILURES[failure]
    world.remote.plan(*[fault] * times, by="undo")

    done = await world.act()

    if times < QUICK_TRIES or fault in TOOK_EFFECT:
        assert "Taken back, and read back to be sure:" in world.told[1]
        assert world.day() == "Friday"
        assert world.open() == []
    else:
        assert world.told == [""]
        assert "Nothing of it is in effect" not in str(done.reply)
        assert "Still in effect:" in str(done.reply)
        assert world.day() == "Saturday"
        assert [action.state for action in world.open()] == [State.UNDO_FAILED]
        assert done.open_actions == tuple(action.id for action in world.open())


@pytest.mark.parametrize("failure", FAILURES)
@pytest.mark.parametrize("times", [2, 6, 40])
async def test_it_keeps_trying_and_then_a_person_is_asked(
    world: World, failure: str, times: int
) -> None:
    world.remote.plan(*[FAILURES[failure]] * times, by="undo")
    done = await world.act()

    await world.recover()
    await world.recover()

    undone = FAILURES[failure] in TOOK_EFFECT or times <= QUICK_TRIES * (MOST_TRIES + 1)
    if done.open_actions:
        assert world.day() == ("Monday" if undone else "Saturday")
    assert [action.state for action in world.open()] == ([] if undone else [State.UNDO_FAILED])
    assert sum(line.by == "undo" for line in world.remote.ledger()) == int(undone)


async def test_what_could_not_be_undone_says_why_and_how_often_it_was_tried(world: World) -> None:
    world.remote.plan(*[Fault.FORBIDDEN] * 40, by="undo")

    await world.act()

    (action,) = world.open()
    assert "403" in str(action.detail["why"])
    assert action.detail["result"] == "failed"
    assert action.detail["tries"] == 1
    assert f"mulligan undo {action.id}" in render_recipe(action)[0]


async def test_a_read_back_that_fails_is_not_called_restored(world: World) -> None:
    world.remote.plan(Fault.NONE, Fault.NONE, *[Fault.LOST_BEFORE] * 3, by="read")

    done = await world.act()

    assert world.told == [""]
    assert "could not be read back" in str(done.reply)
    assert [action.state for action in world.open()] == [State.UNDO_FAILED]
    world.remote.plan(by="read")
    world.clock.move(timedelta(hours=1))
    await world.m.recover()
    assert world.open() == []
    assert world.day() == "Monday"
