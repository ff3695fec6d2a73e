"""One application on a store with a past, and each thing that is timed of it."""

from __future__ import annotations

import asyncio
import itertools
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from datetime import timedelta
from functools import partial

from bench import history
from bench.filled import Filled
from mulligan import Effect, Mulligan
from mulligan.insights.filters import Window
from mulligan.runtime.context import OpenTurn
from mulligan.settings import Memory
from mulligan.types.call import Record
from mulligan.types.errors import MulliganError
from mulligan.types.log import LogQuery

OPEN = 20
"""Actions that wait for a person, in every store."""
Question = Callable[[], Awaitable[object]]


class RefusedError(Exception):
    """What a tool of the past says when a place will not do."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Trial:
    """What is asked of one store, by name: awaited, and timed from the outside."""

    m: Mulligan
    questions: dict[str, Question]
    seldom: dict[str, Question]
    """What takes long by its nature, and is asked a few times only."""


def open_application(filled: Filled) -> Mulligan:
    """An application as most are: with memory, standard checks and nothing that runs by itself."""
    return Mulligan(
        filled.url,
        checks="standard",
        recover=False,
        clock=filled.make_clock(),
        memory=Memory(seeds=False),
    )


async def open_trial(m: Mulligan, filled: Filled) -> Trial:
    """Declare its tools, leave a few actions open, and put together what is asked."""
    desk = _Desk(m)
    for _ in range(OPEN):
        await desk.ask_for_hold()
    m.flush()
    insights = m.insights
    questions: dict[str, Question] = {
        "turn": desk.act,
        "failing turn": desk.fail,
        "open": _later(insights.open_list.actions),
        "recovery": m.recover,
        "stats, 24 h": _later(partial(insights.figures, Window.DAY.length)),
        "stats, 30 d": _later(partial(insights.figures, Window.MONTH.length)),
        "doctor, quick": _later(partial(insights.diagnose, thorough=False)),
    }
    newest = m.insights.log(LogQuery(limit=1))[0]
    for name, query in list_filters(filled, id_prefix=newest.id[:12], turn=newest.turn).items():
        questions[f"log, {name}"] = _later(partial(insights.log, query))
    return Trial(m=m, questions=questions, seldom={"doctor": _later(insights.diagnose)})


def list_filters(filled: Filled, *, id_prefix: str, turn: str | None) -> dict[str, LogQuery]:
    """Every filter that the log has, with something to find and with nothing."""
    long_ago = filled.until - timedelta(days=20)
    return {
        "all": LogQuery(),
        "id": LogQuery(id_prefix=id_prefix),
        "turn": LogQuery(turn=turn),
        "tenant": LogQuery(tenant=history.TENANT),
        "agent": LogQuery(agent="agent 1"),
        "server": LogQuery(server="desk"),
        "tool": LogQuery(tool="desk_tool_1"),
        "tool and agent": LogQuery(tool="desk_tool_1", agent="agent 0"),
        "outcome": LogQuery(outcome="failure"),
        "error class": LogQuery(error_class="validation"),
        "since": LogQuery(since=filled.until - timedelta(hours=1)),
        "until": LogQuery(until=long_ago),
        "day, agent": LogQuery(since=long_ago, until=long_ago + timedelta(days=1), agent="agent 2"),
        "no such turn": LogQuery(turn="0" * 32),
        "no such tenant": LogQuery(tenant="nobody there"),
        "no such agent": LogQuery(agent="nobody there"),
        "no such server": LogQuery(server="nowhere"),
        "no such tool": LogQuery(tool="no_such_tool"),
        "no such error class": LogQuery(error_class="rate_limit"),
        "no such outcome": LogQuery(outcome="cancelled"),
        "no such tool and agent": LogQuery(tool="desk_tool_1", agent="nobody there"),
    }


def _later(ask: Callable[[], object]) -> Question:
    async def answer() -> object:
        return ask()

    return answer


class _Desk:
    """Tools of the past's own names, and turns that use them."""

    def __init__(self, m: Mulligan) -> None:
        self._m = m
        self._numbers = itertools.count(1)
        self._places: dict[str, str] = {}

        def take_away(record: Record) -> None:
            self._places.pop(str(record.arguments["place"]), None)

        def look(record: Record) -> str | None:
            return self._places.get(str(record.arguments["place"]))

        @m.tool(effect=Effect.REVERSIBLE, undo=take_away, read=look, server="desk")
        async def desk_tool_1(place: str) -> str:
            if not place.startswith("#"):
                raise RefusedError(f"place {place} is full: give another")
            self._places[place] = place
            return place

        @m.tool(effect=Effect.IRREVERSIBLE, server="desk")
        async def desk_send(place: str) -> str:
            return place

        self._reserve, self._send = desk_tool_1, desk_send

    async def act(self) -> object:
        """A turn of one action, made and reviewed."""

        async def agent(_: OpenTurn) -> str:
            await self._reserve(f"#{next(self._numbers)}")
            return "Done."

        return await self._run(agent)

    async def fail(self) -> object:
        """One whose first call fails as many have before, until it is learned from."""

        async def agent(_: OpenTurn) -> str:
            place = str(next(self._numbers))
            try:
                await self._reserve(place)
            except RefusedError:
                await self._reserve(f"#{place}")
            return "Done."

        done = await self._run(agent)
        await asyncio.to_thread(self._m.flush)
        return done

    async def ask_for_hold(self) -> None:
        """One whose call waits for a person."""

        async def agent(_: OpenTurn) -> str:
            try:
                await self._send(f"#{next(self._numbers)}")
            except MulliganError as held:
                return str(held)
            return "Done."

        await self._run(agent)

    async def _run(self, agent: Callable[[OpenTurn], Awaitable[str]]) -> object:
        return await self._m.act(
            "Reserve a place", agent, agent="agent 1", tenant=history.TENANT, timezone="UTC"
        )
