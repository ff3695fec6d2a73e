"""A call that goes on after its turn has ended: a tool in a thread, a task nobody waited for."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import AsyncIterator
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from mulligan import Effect, Mulligan, State
from mulligan.core.action import Action
from mulligan.core.record import Record
from mulligan.testing.fakes import FixedClock
from mulligan.testing.remote import FakeRemote, Item
from mulligan.turns.turn.context import OpenTurn


@dataclass
class World:
    """A calendar that answers when it is let."""

    m: Mulligan
    remote: FakeRemote
    clock: FixedClock
    begun: threading.Event = field(default_factory=threading.Event)
    let: threading.Event = field(default_factory=threading.Event)

    def __post_init__(self) -> None:
        remote = self.remote

        def read(record: Record) -> Item | None:
            return remote.get("e1")

        def put_back(record: Record) -> None:
            before: Any = record.before
            remote.update("e1", before.data, if_version=record.version, by="undo")

        @self.m.tool(
            effect=Effect.REVERSIBLE, before=read, undo=put_back, key="key",
            probe=lambda record: remote.answer_to(record.key),
            version=lambda record: record.result.version,
        )  # fmt: skip
        def move(day: str, key: str | None = None) -> Item:
            self.begun.set()
            self.let.wait()
            return remote.update("e1", {"day": day}, key=key)

        self.move = move

    def open(self) -> list[Action]:
        return self.m._parts.store.journal.list_open_actions()


@pytest.fixture
async def world(tmp_path: Path) -> AsyncIterator[World]:
    remote, clock = FakeRemote(tmp_path / "remote"), FixedClock(datetime.now(UTC))
    remote.create({"day": "Monday"}, id="e1", by="person")
    async with Mulligan("memory:", clock=clock, recover=False) as m:
        made = World(m=m, remote=remote, clock=clock)
        yield made
        made.let.set()


async def test_nobody_calls_it_undone_while_it_is_under_way(world: World) -> None:
    calls: list[asyncio.Task[Item]] = []

    async def agent(turn: OpenTurn) -> str:
        calls.append(asyncio.create_task(asyncio.to_thread(world.move, "Friday")))
        await asyncio.to_thread(world.begun.wait)
        return "It is on its way."

    await world.m.act("Move dinner", agent)
    world.clock.move(timedelta(hours=1))
    await world.m.recover()
    under_way = [action.state for action in world.open()]
    world.let.set()
    moved = await calls[0]
    landed = [action.state for action in world.open()]
    await world.m.recover()

    assert under_way == [State.INTENT]
    assert moved.data["day"] == "Friday"
    assert landed == [State.PENDING_REVIEW]
    assert world.open() == []
