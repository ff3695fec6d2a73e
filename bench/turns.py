"""What one turn costs, as counts: the same on a busy machine."""

from __future__ import annotations

import asyncio
import itertools
import sys
import threading
import time
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from datetime import UTC, datetime
from functools import partial
from statistics import median_low
from typing import Any, NamedTuple

import apsw

from bench.counts.counter import Lines
from mulligan import Effect, Mulligan, MulliganError
from mulligan.runtime.context import OpenTurn
from mulligan.stores.postgres.session import PostgresSession
from mulligan.types.call import Record

NOW = datetime(2026, 11, 16, 9, tzinfo=UTC)
RIGHT, WRONG = "2026-11-20", "2026-11-21"
TIMES = 9
"""Each turn is counted so often, and the median is taken."""
TIMED = 100
"""Turns that are timed, without counting."""
ELSEWHERE = ("mulligan-log", "mulligan-events", "mulligan-memory")
"""Threads whose work is done in batches, for many turns at once: `bench counts` counts theirs."""

Turn = Callable[..., Awaitable[object]]


class Price(NamedTuple):
    """What one turn costs."""

    lines: int
    """Of Python in our packages, on the loop and on the journal's thread."""
    statements: int
    """That the journal and the vault are given, `begin` and `commit` among them."""
    commits: int
    steps: int
    """Of SQLite's machine; 0 on Postgres."""
    hops: int
    """How often another thread has woken the loop."""


@dataclass(slots=True)
class Meter:
    """Counts what goes on between two readings."""

    lines: Lines = field(default_factory=Lines)
    statements: list[str] = field(default_factory=list)
    steps: int = 0
    hops: int = 0

    def read(self) -> tuple[int, ...]:
        """All counts so far, in the order of `Price`."""
        commits = sum(sql.startswith("commit") for sql in self.statements)
        return self.lines.n, len(self.statements), commits, self.steps, self.hops

    def note(self, sql: str, steps: int = 0) -> None:
        """One statement was run here."""
        if threading.current_thread().name not in ELSEWHERE:
            self.statements.append(sql)
            self.steps += steps

    def follow(self, *given: Any) -> Any:
        """Follow a function, unless its thread works for many turns at once."""
        return None if threading.current_thread().name in ELSEWHERE else self.lines.on_call(*given)


@contextmanager
def open_meter() -> Iterator[Meter]:
    """Counts in stores that are opened, and threads that are started, in here."""
    meter, send = Meter(), PostgresSession._send

    def on_connection(connection: apsw.Connection) -> None:
        connection.trace_v2(apsw.SQLITE_TRACE_PROFILE, on_statement)

    def on_statement(event: dict[str, Any]) -> None:
        meter.note(event["sql"], event["stmt_status"]["SQLITE_STMTSTATUS_VM_STEP"])

    def send_noted(session: PostgresSession, sql: str, values: Any = None) -> Any:
        meter.note(sql)
        return send(session, sql, values)

    apsw.connection_hooks.append(on_connection)
    threading.settrace(meter.follow)
    try:
        with _replaced(PostgresSession, "_send", send_noted):
            yield meter
    finally:
        threading.settrace(None)
        apsw.connection_hooks.remove(on_connection)


def count_turn(meter: Meter, runner: asyncio.Runner, turn: Turn, *, times: int = TIMES) -> Price:
    """The median of each count; the first turns load what is loaded at first use."""
    found = [_count_once(meter, runner, turn) for _ in range(times + 2)][2:]
    return Price(*(median_low(each) for each in zip(*found, strict=True)))


def _count_once(meter: Meter, runner: asyncio.Runner, turn: Turn) -> list[int]:
    loop = runner.get_loop()
    wake = loop.call_soon_threadsafe

    def wake_noted(*given: Any, **named: Any) -> Any:
        meter.hops += 1
        return wake(*given, **named)

    before = meter.read()
    sys.settrace(meter.follow)
    try:
        with _replaced(loop, "call_soon_threadsafe", wake_noted):
            runner.run(_await(turn))
    finally:
        sys.settrace(None)
    return [now - then for now, then in zip(meter.read(), before, strict=True)]


@contextmanager
def _replaced(owner: object, name: str, function: Callable[..., Any]) -> Iterator[None]:
    before = getattr(owner, name)
    setattr(owner, name, function)
    try:
        yield
    finally:
        setattr(owner, name, before)


async def _await(turn: Turn) -> None:
    await turn()


def time_turn(runner: asyncio.Runner, turn: Turn, *, turns: int = TIMED) -> dict[str, float]:
    """Milliseconds of processor time a turn takes, on all threads and on the loop's."""
    runner.run(_await(turn))
    before, on_loop = time.process_time(), time.thread_time()
    for _ in range(turns):
        runner.run(_await(turn))
    spent = {"ms": time.process_time() - before, "loop_ms": time.thread_time() - on_loop}
    return {name: round(1000 * seconds / turns, 2) for name, seconds in spent.items()}


class Desk:
    """An application's tools, and the turns that are counted of it."""

    def __init__(self, m: Mulligan) -> None:
        self.m = m
        self.days: dict[str, str] = {}
        self._numbers = itertools.count()
        reversible = m.tool(effect=Effect.REVERSIBLE, read=self._read, undo=self._undo)
        self._move = reversible(self.move_event)
        self._find = m.tool(effect=Effect.READ)(self.find_event)
        self._send = m.tool(effect=Effect.IRREVERSIBLE)(self.send_mail)

    @property
    def turns(self) -> dict[str, Turn]:
        """Each kind of turn, by name."""
        return {
            "empty": partial(self.act, self._rest),
            "read": partial(self.act, self._read_one),
            "accepted": partial(self.act, self._move_right),
            "rejected": partial(self.act, self._move_wrong),
            "failing": partial(self.act, self._fail),
            "held": partial(self.act, self._hold),
        }

    async def run(self, kind: str, **about: Any) -> object:
        """One turn of a kind."""
        return await self.turns[kind](**about)

    async def act(self, agent: Callable[[OpenTurn], Awaitable[str]], **about: Any) -> object:
        """One turn of an agent."""
        self.days.clear()
        about = {"now": NOW, "timezone": "UTC", **about}
        return await self.m.act("Move dinner to Friday", agent, **about)

    def call_often(self, calls: int) -> Turn:
        """A turn of so many calls."""

        async def agent(_: OpenTurn) -> str:
            for number in range(calls):
                await self._move(title=f"Dinner {number}", day=RIGHT)
            return "I moved them to Friday."

        return partial(self.act, agent)

    async def move_event(self, title: str, day: str) -> str:
        """A tool that can be undone; it fails without a title."""
        if not title:
            raise ValueError("title must not be empty")
        self.days[title] = day
        return day

    async def find_event(self, title: str) -> str:
        """A tool that reads."""
        return title

    async def send_mail(self, to: str) -> str:
        """A tool that cannot be undone."""
        return to

    async def _rest(self, _: OpenTurn) -> str:
        return "There is nothing to do."

    async def _read_one(self, _: OpenTurn) -> str:
        await self._find(title="Dinner")
        return "I found dinner."

    async def _move_right(self, _: OpenTurn) -> str:
        await self._move(title="Dinner", day=RIGHT)
        return "I moved dinner to Friday."

    async def _move_wrong(self, turn: OpenTurn) -> str:
        await self._move(title="Dinner", day=WRONG if turn.correction is None else RIGHT)
        return "I moved dinner to Friday."

    async def _fail(self, _: OpenTurn) -> str:
        with suppress(ValueError):
            await self._move(title="", day=RIGHT)
        return "I could not move dinner."

    async def _hold(self, _: OpenTurn) -> str:
        with suppress(MulliganError):
            await self._send(to=f"guest {next(self._numbers)}")
        return "The mail waits."

    def _read(self, record: Record) -> str | None:
        return self.days.get(str(record.arguments["title"]))

    def _undo(self, record: Record) -> None:
        self.days.pop(str(record.arguments["title"]), None)
