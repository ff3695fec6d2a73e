"""What one more costs, beside few and beside many: counts of a turn, as what is there grows."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import partial
from typing import NamedTuple

from bench.turns import NOW, Desk, Meter, Price, Turn, count_turn, open_meter
from mulligan import Effect, Mulligan
from mulligan.runtime.context import OpenTurn
from mulligan.types.action import Entry, Opening, State
from mulligan.types.failure import ErrorClass
from mulligan.types.lesson import Lesson, LessonState, Remedy
from mulligan.types.values import make_uuid7

ALLOWED = 1.2
"""How much more one may cost beside many than beside few."""
SETTLED = 0.3
"""Seconds in which what a turn has woken is done."""
WARM = 20
"""Failing turns after which all that is loaded and counted at the first ones is there."""


class Grown(NamedTuple):
    """One more, beside few and beside many."""

    few: int
    many: int
    lines: float
    """Beside many ÷ beside few, as all of these."""
    statements: float
    steps: float


@dataclass(frozen=True, slots=True)
class World:
    """An application, and what counts it."""

    m: Mulligan
    desk: Desk
    meter: Meter
    runner: asyncio.Runner

    def count(self, turn: Turn) -> Price:
        """What a turn costs here."""
        return count_turn(self.meter, self.runner, turn, times=1)


@contextmanager
def open_world(*, recover: bool = False) -> Iterator[World]:
    """An application in memory."""
    with (
        open_meter() as meter,
        Mulligan("memory:", checks="standard", recover=recover) as m,
        asyncio.Runner() as runner,
    ):
        yield World(m, Desk(m), meter, runner)


def count_hold(holds: int) -> Price:
    """A turn that leaves a hold, and what it wakes."""
    with open_world(recover=True) as world:
        # Everything is looked at when a loop begins, and by a clock of its own from then on.
        world.m._parts.timer._every = 3_600.0
        world.runner.run(_settle(world.desk.turns["held"]))
        leave_holds(world.m, holds)
        return world.count(partial(_settle, world.desk.turns["held"]))


def count_beside_open(actions: int) -> Price:
    """An accepted turn beside open actions."""
    with open_world() as world:
        leave_holds(world.m, actions)
        return world.count(world.desk.turns["accepted"])


def count_after_turns(turns: int) -> Price:
    """An accepted turn after others."""
    with open_world() as world:
        for _ in range(turns):
            world.runner.run(world.desk.run("accepted"))
        return world.count(world.desk.turns["accepted"])


def count_call(calls: int) -> Price:
    """The last call of so many in one turn."""
    with open_world() as world:
        few, more = (world.count(world.desk.call_often(n)) for n in (calls, calls + 10))
        return Price(*((b - a) // 10 for a, b in zip(few, more, strict=True)))


def count_among_tools(tools: int) -> Price:
    """An accepted turn of an application with many tools."""
    with open_world() as world:
        for number in range(tools):
            world.m.tool(effect=Effect.READ, name=f"find_{number}")(_find)
        return world.count(world.desk.turns["accepted"])


def count_among_tenants(tenants: int) -> Price:
    """An accepted turn of one tenant of many."""
    with open_world() as world:
        for number in range(tenants):
            world.runner.run(world.desk.run("accepted", tenant=f"tenant {number}"))
        return world.count(partial(world.desk.run, "accepted", tenant="tenant 0"))


def count_beside_lessons(lessons: int) -> Price:
    """A failing turn beside lessons about other failures of its tool."""
    with open_world() as world:
        leave_lessons(world.m, lessons)
        for _ in range(WARM):
            world.runner.run(world.desk.run("failing"))
        return world.count(world.desk.turns["failing"])


def count_result(size: int) -> Price:
    """A turn that reads a text of so many characters."""
    with open_world() as world:

        @world.m.tool(effect=Effect.READ)
        async def read_page() -> str:
            return "a line of text\n" * (size // 15)

        async def agent(_: OpenTurn) -> str:
            await read_page()
            return "I read it."

        return world.count(partial(world.desk.act, agent))


GROWTHS: dict[str, tuple[Callable[[int], Price], int, int]] = {
    "holds": (count_hold, 10, 10_000),
    "open actions": (count_beside_open, 10, 100_000),
    "turns": (count_after_turns, 100, 20_000),
    "calls in a turn": (count_call, 10, 1_000),
    "tools": (count_among_tools, 10, 1_000),
    "tenants": (count_among_tenants, 1, 1_000),
    "lessons": (count_beside_lessons, 100, 10_000),
    "characters of a result": (count_result, 1_000, 10_000_000),
}
"""How each is counted, with how few and how many."""


def measure_growth(name: str, *, most: int | None = None) -> Grown:
    """How much more one costs beside many."""
    count, few, many = GROWTHS[name]
    many = min(many, most or many)
    before, after = count(few), count(many)
    lines, statements, _, steps, _ = (b / max(1, a) for a, b in zip(before, after, strict=True))
    return Grown(few, many, round(lines, 2), round(statements, 2), round(steps, 2))


def leave_holds(m: Mulligan, holds: int) -> None:
    """Calls that wait for a person, written all at once."""
    opening = Opening(tool="send_mail", effect=Effect.IRREVERSIBLE)
    ids = [make_uuid7(time.time_ns() // 1000, number) for number in range(holds)]
    at = datetime.now(UTC)
    entries = [Entry(action=i, state=State.HELD, at=at, version=1, opening=opening) for i in ids]
    m._parts.store.journal.submit(entries).result()


def leave_lessons(m: Mulligan, lessons: int) -> None:
    """Lessons about other failures of the tool that fails; each shares most words with the rest."""
    held = [_build_lesson(number) for number in range(lessons)]
    m._parts.store.failures.append(held)


def _build_lesson(number: int) -> Lesson:
    said = f"title must not be empty for reason{number:05}"
    return Lesson(
        id=f"lesson {number:05}",
        version=1,
        tool="move_event",
        fingerprint=f"1:{number:016x}",
        error_class=ErrorClass.VALIDATION,
        when=said,
        statement=f"When `move_event` fails with {said!r}, give `title` in lower case.",
        remedy=Remedy(),
        state=LessonState.ACTIVE,
        learned_at=NOW,
    )


async def _settle(turn: Turn) -> None:
    await turn()
    await asyncio.sleep(SETTLED)


async def _find(title: str) -> str:
    return title
