"""How long hostile text holds up the event loop, wherever text comes in from outside."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager, suppress
from datetime import UTC, datetime
from typing import Any, cast

from mulligan import Effect, Mode, Mulligan
from mulligan.checks.dates import dates_as_said
from mulligan.checks.grounding import grounded
from mulligan.checks.ids import not_glued
from mulligan.checks.provenance import addresses_seen, ids_seen
from mulligan.checks.requests import condition_met, made_once, quotes_kept
from mulligan.checks.text import call_to_action, length, structure

NOW = datetime(2026, 11, 15, 9, tzinfo=UTC)
TICK = 0.001
Surface = Callable[[Mulligan, str], Awaitable[object]]


def open_application() -> Mulligan:
    """An application with every kind of check, so that text meets every reader of it."""
    ids = {"move_event": ["event"]}
    return Mulligan(
        "memory:",
        checks=[
            dates_as_said(),
            ids_seen(ids),
            not_glued(ids),
            addresses_seen("move_event"),
            made_once("move_event"),
            condition_met("move_event"),
            quotes_kept({"move_event": ["note"]}),
        ],
        replies=[grounded(), call_to_action(), length(at_most=2500), structure(list_above=500)],
    )


def make_tools(m: Mulligan, answer: Callable[[], str]) -> tuple[Any, Any]:
    """A tool that reads, with what it answers or raises, and one that changes something."""
    events: dict[str, Any] = {"dinner": {"day": "2026-11-18", "etag": 1}}

    @m.tool(effect=Effect.READ, mode=Mode.AUTO)
    async def find_events(query: str) -> str:
        """Find the events of a `query`."""
        del query
        return answer()

    @m.tool(
        effect=Effect.REVERSIBLE,
        before=lambda record: dict(events[str(record.arguments["event"])]),
        undo=lambda record: events.update(dinner=record.before),
        version=lambda record: dict(cast("Any", record.result))["etag"],
        about=lambda record: record.arguments["event"],
    )
    async def move_event(event: str, day: str, note: str = "") -> dict[str, object]:
        """Move an `event` to a `day`, with a `note`."""
        del note
        events["dinner"] = {"day": day, "etag": 2}
        return dict(events[event])

    return find_events, move_event


async def show_result(m: Mulligan, text: str) -> None:
    """A tool's result, then a change that is reviewed with it in view."""
    find, move = make_tools(m, lambda: text)

    async def agent(_turn: object) -> str:
        await find("dinner")
        await move("dinner", "2026-11-20")
        return "Dinner is moved."

    await m.act("Move dinner to Friday", agent, now=NOW, timezone="Europe/Berlin")


async def show_error(m: Mulligan, text: str) -> None:
    """A tool's error, which is classified, remembered and advised on."""

    def fail() -> str:
        raise ValueError(text)

    find, _ = make_tools(m, fail)

    async def agent(_turn: object) -> str:
        with suppress(ValueError):  # the text itself, which the agent is told
            await find("dinner")
        return "Nothing was found."

    await m.act("Find my dinner", agent, now=NOW, timezone="Europe/Berlin")


async def show_message(m: Mulligan, text: str) -> None:
    """What a person says, against which a change is checked."""
    _, move = make_tools(m, lambda: "")

    async def agent(_turn: object) -> str:
        await move("dinner", "2026-11-20")
        return "Dinner is moved."

    await m.act(text, agent, now=NOW, timezone="Europe/Berlin")


async def show_argument(m: Mulligan, text: str) -> None:
    """What an agent passes to a tool."""
    _, move = make_tools(m, lambda: "")

    async def agent(_turn: object) -> str:
        await move("dinner", "2026-11-20", text)
        return "Dinner is moved."

    await m.act("Move dinner to Friday", agent, now=NOW, timezone="Europe/Berlin")


async def show_reply(m: Mulligan, text: str) -> None:
    """What an agent replies, checked against what its tools returned."""
    find, _ = make_tools(m, lambda: "Dinner is on 2026-11-18 at 19:00, and costs 40 EUR.")

    async def agent(_turn: object) -> str:
        await find("dinner")
        return text

    await m.act("When is dinner?", agent, now=NOW, timezone="Europe/Berlin")


SURFACES: dict[str, Surface] = {
    "result": show_result,
    "error": show_error,
    "message": show_message,
    "argument": show_argument,
    "reply": show_reply,
}


@asynccontextmanager
async def watch_loop() -> AsyncIterator[Callable[[], float]]:
    """The longest stretch of this process's own work in which the loop came to nothing else.

    In seconds of processor time, so that others who use the machine do not count.
    """
    worst = 0.0

    async def tick() -> None:
        nonlocal worst
        while True:
            before = time.process_time()
            await asyncio.sleep(TICK)
            worst = max(worst, time.process_time() - before)

    ticking = asyncio.create_task(tick())
    await asyncio.sleep(TICK)
    try:
        yield lambda: worst
        await asyncio.sleep(2 * TICK)
    finally:
        ticking.cancel()


async def measure_stall(surface: Surface, text: str, *, runs: int = 2) -> float:
    """The worst stall that a text causes at a surface; the best of some runs."""
    best = float("inf")
    for _ in range(runs):
        m = open_application()
        try:
            async with watch_loop() as read_worst:
                await surface(m, text)
            best = min(best, read_worst())
        finally:
            await asyncio.to_thread(m.close)
    return best
