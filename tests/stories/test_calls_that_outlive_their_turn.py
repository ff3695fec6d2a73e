"""A call that goes on after its turn has ended: a tool in a thread, a task nobody waited for."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta

import pytest

from mulligan import State
from mulligan.runtime.context import OpenTurn
from mulligan_testing.fakes import FixedClock
from mulligan_testing.remote import Item
from tests.world import EVENT, Calendar, World, Worlds


@dataclass
class Slow:
    """A way to move an event that answers when it is let."""

    calendar: Calendar
    begun: threading.Event = field(default_factory=threading.Event)
    let: threading.Event = field(default_factory=threading.Event)

    def move_slowly(self, event_id: str, day: str, key: str | None = None) -> Item:
        self.begun.set()
        self.let.wait()
        return self.calendar.remote.update(event_id, {"day": day}, key=key)


@pytest.fixture
async def world(worlds: Worlds) -> World:
    return await worlds(clock=FixedClock(datetime.now(UTC)))


@pytest.fixture
def slow(world: World) -> Iterator[Slow]:
    made = Slow(world.calendar)
    yield made
    made.let.set()


async def test_nobody_calls_it_undone_while_it_is_under_way(world: World, slow: Slow) -> None:
    move = world.m.tool(**world.calendar.changing, key="key", probe=world.calendar.landed)(
        slow.move_slowly
    )
    calls: list[asyncio.Task[Item]] = []

    async def agent(turn: OpenTurn) -> str:
        calls.append(asyncio.create_task(asyncio.to_thread(move, EVENT, "Friday")))
        await asyncio.to_thread(slow.begun.wait)
        return "It is on its way."

    await world.act(agent, "Move dinner")
    world.clock.move(timedelta(hours=1))
    await world.m.recover()
    under_way = world.states()
    slow.let.set()
    moved = await calls[0]
    landed = world.states()
    await world.m.recover()

    assert under_way == [State.INTENT]
    assert moved.data["day"] == "Friday"
    assert landed == [State.PENDING_REVIEW]
    assert world.states() == []
