"""The joined arc: actions first, then the words about them."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

from mulligan import Confidence, Effect, Mulligan
from mulligan.checks.grounding.check import grounded
from mulligan.core.finding import Correction, Standing
from mulligan.loops.replies import ReplyRules
from mulligan.turns.turn.context import OpenTurn

NOW = datetime(2026, 11, 15, 9, 0, tzinfo=UTC)
RULES = ReplyRules(checks=[grounded()])


def application() -> tuple[Mulligan, object]:
    m = Mulligan("memory:", replies=RULES, recover=False)

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
