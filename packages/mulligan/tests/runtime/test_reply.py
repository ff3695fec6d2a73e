"""The joined arc: actions first, then the words about them."""

from __future__ import annotations

import asyncio
import threading
import time
from contextlib import suppress
from datetime import UTC, datetime, timedelta
from types import SimpleNamespace

import pytest
from msgspec.structs import replace

from mulligan import Confidence, Effect, Mulligan
from mulligan.checks.grounding import grounded
from mulligan.loops.replies import ReplyRules
from mulligan.runtime.context import OpenTurn
from mulligan.types.errors import ConfigurationError
from mulligan.types.finding import Correction, Standing
from mulligan.types.limits import Budget

NOW = datetime(2026, 11, 15, 9, 0, tzinfo=UTC)
RULES = ReplyRules(checks=[grounded()])
SOON = Budget(time=timedelta(milliseconds=50))


def application(budget: Budget | None = None) -> tuple[Mulligan, object]:
    rules = RULES if budget is None else replace(RULES, budget=budget)
    m = Mulligan("memory:", replies=rules, recover=False)

    @m.tool(effect=Effect.READ)
    async def quote(what: str) -> dict[str, object]:
        return {"price": 48, "currency": "EUR"}

    async def agent(turn: OpenTurn) -> str:
        await quote("cake")
        return "The cake costs 84 EUR."

    return m, agent


async def test_a_price_nobody_quoted_is_written_again_from_what_the_tool_returned() -> None:
    m, agent = application()
    told: list[Correction] = []

    async def rewrite(correction: Correction) -> str:
        told.append(correction)
        return "The cake costs 48 EUR."

    with m:
        done = await m.act("What does the cake cost?", agent, rewrite=rewrite, now=NOW)

    assert done.reply == "The cake costs 48 EUR."
    assert "84" in told[0].text
    assert done.replied is not None
    assert done.replied.metadata["iteration_count"] == 2


async def test_where_nobody_can_write_it_again_the_reply_is_marked() -> None:
    m, agent = application()

    with m:
        done = await m.act("What does the cake cost?", agent, now=NOW)

    assert done.reply == "The cake costs 84 EUR."
    assert done.replied is not None
    assert done.replied.standing is Standing.REJECTED
    assert done.replied.confidence is Confidence.LOW


async def test_a_reply_can_be_written_without_a_turn() -> None:
    async def write(correction: Correction | None) -> str:
        return "It costs 112 EUR." if correction is None else "It costs 110 EUR."

    with Mulligan("memory:") as m:
        replied = await m.reply(write, context=["The price is 110 EUR."], rules=RULES)
        asked = m.requirements(RULES)

    assert replied.text == "It costs 110 EUR."
    assert asked


def test_a_program_without_a_loop_has_its_replies_checked_too() -> None:
    with Mulligan("memory:", replies=RULES, recover=False) as m:
        done = m.act_sync("What does it cost?", lambda _: "It costs 84 EUR.", now=NOW)

    assert done.replied is not None
    assert done.replied.standing is Standing.REJECTED


def test_turns_and_questions_go_by_the_clock_that_was_passed_in() -> None:
    with Mulligan("memory:", clock=lambda: NOW) as m:
        turn = m.turn("When is it?")
        figures = m.insights.figures(timedelta(days=1))

    assert turn.turn.now == NOW
    assert figures.until == NOW


RIGHT = "The cake costs 48 EUR."


class Asked:
    """An agent of nobody's framework: it has a `run`."""

    async def run(self, prompt: str, **_: object) -> SimpleNamespace:
        assert "84" in prompt
        return SimpleNamespace(output=RIGHT, new_messages=list)


async def write_later(correction: Correction) -> str:
    return RIGHT


@pytest.mark.parametrize(
    "rewrite",
    [lambda _: RIGHT, write_later, lambda _: write_later(_), Asked()],
    ids=["plain", "async", "returns a coroutine", "agent"],
)
async def test_whoever_can_write_a_reply_can_write_it_again(rewrite: object) -> None:
    m, agent = application()

    with m:
        done = await m.act("What does the cake cost?", agent, rewrite=rewrite, now=NOW)

    assert (done.reply, done.replied.standing) == (RIGHT, Standing.ACCEPTED)


@pytest.mark.parametrize("rewrite", [42, b"text", ["a"], lambda: RIGHT, lambda _, __: RIGHT, Asked])
async def test_what_cannot_write_is_refused_before_anything_is_done(rewrite: object) -> None:
    m, agent = application()
    begun: list[str] = []

    async def begin(turn: OpenTurn) -> str:
        begun.append(turn.id)
        return await agent(turn)

    with m, pytest.raises(ConfigurationError, match=r"cannot write\. Pass a function that takes"):
        await m.act("What does the cake cost?", begin, rewrite=rewrite, now=NOW)

    assert begun == []


async def test_a_plain_rewriter_that_hangs_holds_neither_the_loop_nor_the_person() -> None:
    m, agent = application(budget=SOON)
    go_on = threading.Event()

    with m:
        done = await m.act("What is it?", agent, rewrite=lambda _: go_on.wait(60), now=NOW)
    go_on.set()

    assert (done.reply, done.replied.limit) == ("The cake costs 84 EUR.", "time")


def test_a_rewriter_that_swallows_its_cancellation_does_not_hold_up_a_program() -> None:
    m, agent = application(budget=SOON)

    async def resist(correction: Correction) -> str:
        while True:
            with suppress(asyncio.CancelledError):  # as some writers do, too
                await asyncio.sleep(60)

    began = time.monotonic()
    with m:
        done = m.act_sync("What does the cake cost?", agent, rewrite=resist, now=NOW)

    assert (done.reply, done.replied.limit) == ("The cake costs 84 EUR.", "time")
    assert time.monotonic() - began < 30


@pytest.mark.parametrize("plain", [True, False])
async def test_a_tool_that_changes_something_is_refused_to_who_writes_again(
    caplog, *, plain: bool
) -> None:
    m, agent = application()
    booked: list[str] = []

    @m.tool(effect=Effect.IRREVERSIBLE)
    def book(what: str) -> None:
        booked.append(what)

    @m.tool
    async def note(what: str) -> None:
        booked.append(what)

    def rewrite_here(correction: Correction) -> str:
        book("a cake")
        return RIGHT

    async def rewrite(correction: Correction) -> str:
        await asyncio.create_task(note("a cake"))
        return RIGHT

    with m:
        by = rewrite_here if plain else rewrite
        done = await m.act("What does the cake cost?", agent, rewrite=by, now=NOW)

    assert (booked, done.reply, done.standing) == ([], "The cake costs 84 EUR.", Standing.REJECTED)
    assert "was called while a reply was being rewritten, and nothing was done" in caplog.text


async def test_a_rewriter_that_no_rule_would_ever_ask_is_refused_before_the_agent_acts() -> None:
    acted: list[str] = []

    refused = pytest.raises(ConfigurationError, match=r"no rules say .* Mulligan\(replies=")
    with Mulligan("memory:", recover=False) as m, refused:
        await m.act("What does it cost?", acted.append, rewrite=lambda _: RIGHT, now=NOW)

    assert acted == []


async def test_a_rewriter_may_look_things_up() -> None:
    m, agent = application()

    @m.tool(effect=Effect.READ)
    async def look(what: str) -> int:
        return 48

    async def rewrite(correction: Correction) -> str:
        return f"The cake costs {await look('cake')} EUR."

    with m:
        done = await m.act("What does the cake cost?", agent, rewrite=rewrite, now=NOW)

    assert (done.reply, done.replied.standing) == (RIGHT, Standing.ACCEPTED)


async def test_an_agent_writes_again_without_its_tools() -> None:
    ai, test = pytest.importorskip("pydantic_ai"), pytest.importorskip("pydantic_ai.models.test")
    m, agent = application()
    called: list[str] = []
    writer = ai.Agent(test.TestModel(custom_output_text=RIGHT))

    @writer.tool_plain
    def book() -> str:
        called.append("book")
        return "booked"

    with m:
        done = await m.act("What does the cake cost?", agent, rewrite=writer, now=NOW)

    assert (done.reply, called) == (RIGHT, [])
