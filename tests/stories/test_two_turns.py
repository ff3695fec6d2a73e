"""Two turns of one person at once, in every order their steps can come in."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from itertools import combinations, pairwise
from pathlib import Path
from typing import Any

import pytest

from mulligan import Confidence, Standing, State
from mulligan.loops.actions import Attempted
from mulligan.process.fault_points import Point, watch_points
from mulligan.runtime.context import OpenTurn, find_current_turn
from mulligan.runtime.turn import Done
from mulligan.types.finding import Finding, Severity
from mulligan_testing.remote import FakeRemote, RemoteError
from tests.world import Calendar, World, Worlds, fill, read_version

pytestmark = pytest.mark.full

HASTY, CAREFUL = "hasty", "careful"
"""The first turn is wrong once, undone and made right; the second is right at once."""

STEPS = frozenset({Point.INTENDED, Point.CALLED, Point.LOOKED, Point.TAKEN_BACK})
"""Where the other turn may come in: between any two things that read or write the calendar."""

HASTY_STEPS, CAREFUL_STEPS = 8, 3


def all_orders() -> Iterator[tuple[str, ...]]:
    """Every merge of the steps of the two turns."""
    total = HASTY_STEPS + CAREFUL_STEPS
    for places in combinations(range(total), CAREFUL_STEPS):
        yield tuple(CAREFUL if place in places else HASTY for place in range(total))


def wrong_the_first_time(attempted: Attempted) -> Iterator[Finding]:
    for execution in attempted.executions:
        if execution.call.arguments["day"] == "hasty, attempt 1":
            yield Finding(rule="test.hasty", severity=Severity.ERROR, issue="Too hasty.")


@dataclass
class Stepping:
    """Lets each turn go from one step to its next, in a given order."""

    at: dict[str, asyncio.Event] = field(default_factory=dict)
    go: dict[str, asyncio.Event] = field(default_factory=dict)

    def __post_init__(self) -> None:
        for name in (HASTY, CAREFUL):
            self.at[name], self.go[name] = asyncio.Event(), asyncio.Event()

    async def reached(self, point: Point) -> None:
        turn = find_current_turn()
        if turn is not None and point in STEPS:
            await self.wait(turn.message)

    async def wait(self, name: str) -> None:
        self.at[name].set()
        await self.go[name].wait()
        self.go[name].clear()

    async def play(self, order: tuple[str, ...], turns: dict[str, asyncio.Task[Any]]) -> None:
        for name in (*order, *(HASTY,) * 20, *(CAREFUL,) * 20):
            await self._until_it_stands(name, turns[name])
            self.at[name].clear()
            self.go[name].set()
        await asyncio.gather(*turns.values())

    async def _until_it_stands(self, name: str, turn: asyncio.Task[Any]) -> None:
        stands = asyncio.ensure_future(self.at[name].wait())
        await asyncio.wait([stands, turn], return_when=asyncio.FIRST_COMPLETED)
        stands.cancel()


def bound(calendar: Calendar) -> Mapping[str, Any]:
    # This remote says no before it does anything.
    return {"version": read_version, "if_version": "if_version", "refuses": RemoteError}


@pytest.fixture
async def world(worlds: Worlds) -> World:
    return await worlds(checks=[wrong_the_first_time], promises=bound)


def begin_anew(world: World, folder: Path, number: int) -> None:
    world.calendar.remote = fill(FakeRemote(folder / f"{number}"), "e1", "e2", day="Monday")


async def take_turn(
    world: World, name: str, event: str, stepping: Stepping
) -> tuple[Done, list[str]]:
    told: list[str] = []

    async def agent(turn: OpenTurn) -> str:
        told.append(turn.correction.text if turn.correction else "")
        await stepping.wait(name)
        try:
            await world.move(event, f"{name}, attempt {turn.attempt.number}")
        except RemoteError:
            return "Somebody was quicker."
        return "Moved."

    return await world.act(agent, name), told


async def take_both(
    world: World, order: tuple[str, ...], events: tuple[str, str]
) -> dict[str, Any]:
    stepping = Stepping()
    watch_points(stepping.reached)
    turns = {
        name: asyncio.ensure_future(take_turn(world, name, event, stepping))
        for name, event in zip((HASTY, CAREFUL), events, strict=True)
    }
    try:
        await stepping.play(order, turns)
    finally:
        watch_points(None)
    return {name: task.result() for name, task in turns.items()}


async def test_turns_on_different_events_never_touch_each_other(
    world: World, tmp_path: Path
) -> None:
    for number, order in enumerate(all_orders()):
        begin_anew(world, tmp_path, number)

        came = await take_both(world, order, ("e1", "e2"))

        assert (world.day("e1"), world.day("e2")) == ("hasty, attempt 2", "careful, attempt 1")
        (hasty, told), (careful, told_careful) = came[HASTY], came[CAREFUL]
        assert "Too hasty." in told[1]
        assert "careful" not in told[1]
        assert told_careful == [""]
        assert (len(hasty.attempts), len(careful.attempts)) == (2, 1)
        assert careful.confidence is not Confidence.LOW
        assert world.open() == []


async def test_turns_on_one_event_never_lose_what_the_other_did_right(
    world: World, tmp_path: Path
) -> None:
    for number, order in enumerate(all_orders()):
        begin_anew(world, tmp_path, number)

        came = await take_both(world, order, ("e1", "e1"))

        ledger = [line for line in world.remote.ledger() if line.id == "e1"]
        for before, line in pairwise(ledger):
            if line.by == "undo":
                assert before.data["day"] == "hasty, attempt 1", (order, ledger)
        wrote = [line.data["day"] for line in ledger]
        moved = came[CAREFUL][0].reply == "Moved."
        if moved:
            assert "careful, attempt 1" in wrote
            assert world.day("e1") in ("careful, attempt 1", "hasty, attempt 2"), (order, wrote)
        # Where its only call was refused, there was nothing to look at.
        wanted = Standing.ACCEPTED if moved else Standing.UNCHECKED
        assert came[CAREFUL][0].standing is wanted
        assert set(world.states()) <= {State.CONFLICT, State.UNDO_FAILED}
