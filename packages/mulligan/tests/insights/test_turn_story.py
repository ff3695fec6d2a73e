from __future__ import annotations

from datetime import timedelta

import pytest

from mulligan import Effect, Mulligan
from mulligan.insights.filters import ViewFilter, ViewRequest, Window
from mulligan.insights.turns import read_turn, read_turns
from mulligan.runtime.context import OpenTurn
from mulligan.types.action import State
from mulligan.types.call import Record
from mulligan.types.errors import ConfigurationError
from tests.dashboard.stage import Stage

MONTH = ViewFilter(window=Window.MONTH)


def test_a_turn_is_told_from_the_request_to_the_second_pass(lived: Mulligan) -> None:
    insights = lived.insights
    turns = [
        read_turn(insights, ViewRequest(id=row.turn))
        for row in read_turns(
            insights, ViewRequest(filter=ViewFilter(window=Window.MONTH, tool="move_event"))
        ).rows
    ]

    corrected = next(page for page in turns if page.standing == "corrected" and page.request)

    assert corrected.attempts == 2
    assert corrected.request.startswith("Move the ")
    states = [step.state for step in corrected.calls if step.action]
    assert {State.UNDONE, State.VERIFIED} <= set(states)
    why = [entry.said.get("why", "") for step in corrected.calls for entry in step.history]
    assert any("asked for another day" in str(each) for each in why)


async def test_a_turn_with_a_call_that_nobody_looked_at_is_not_called_verified() -> None:
    written: set[str] = set()

    def forget(record: Record) -> None:
        written.discard(str(record.result))

    async with Mulligan("memory:", recover=False) as m:
        keeps = {"read": lambda r: r.result in written or None, "undo": forget}

        @m.tool(effect=Effect.REVERSIBLE, **keeps)
        async def draft(to: str) -> str:
            written.add(to)
            return to

        @m.tool(effect=Effect.REVERSIBLE, **keeps)
        async def note(text: str) -> str:
            written.add(text)
            return text

        m.check("draft")(lambda call: None)

        async def agent(turn: OpenTurn) -> str:
            await draft("Ann")
            await note("Ann knows")
            return "Done."

        await m.act("Write to Ann", agent)
        m.flush()
        insights = m.insights
        page = read_turn(insights, ViewRequest(id=read_turns(insights, ViewRequest()).rows[0].turn))

    assert [step.state for step in page.calls] == [State.VERIFIED, State.UNCHECKED]
    assert (page.standing, page.confidence) == ("unchecked", "")


def test_calls_are_counted_and_steps_of_our_own_are_not(filled: Stage) -> None:
    rows = read_turns(filled.m.insights, ViewRequest()).rows

    helper = next(row for row in rows if row.agent == "helper")
    assert (helper.calls, helper.failed) == (4, 2)
    assert helper.tools == ("find_events", "share_file")


def test_a_turn_that_is_not_there_is_said(filled: Stage) -> None:
    with pytest.raises(ConfigurationError, match="no calls"):
        read_turn(filled.m.insights, ViewRequest(id="nothing"))


async def test_each_attempt_is_told_with_its_facts_findings_and_verdict(stage: Stage) -> None:
    days = iter(["Sunday", "Thursday"])

    async def agent(turn: OpenTurn) -> str:
        await stage.move_event("dinner", next(days))
        return "Moved."

    await stage.m.act("Move dinner to Thursday", agent, agent="planner")
    stage.m.flush()
    insights = stage.m.insights

    page = read_turn(insights, ViewRequest(id=read_turns(insights, ViewRequest()).rows[0].turn))

    first, second = page.reviews
    assert (first.attempt, first.standing, first.told) == (1, "rejected", "")
    assert [(f.severity, f.issue) for f in first.findings] == [
        ("error", "Nobody asked for that day.")
    ]
    assert (second.attempt, second.standing, second.by) == (2, "accepted", ("checks",))
    assert "Nobody asked for that day." in second.told
    assert (page.confidence, page.attempts) == (second.confidence, 2)
    order = [type(step).__name__ for step in page.timeline]
    assert order == ["TurnCall", "KeptReview", "AgentTold", "TurnCall", "KeptReview"]


async def test_what_a_review_quotes_ends_with_the_message_it_quotes(m: Mulligan) -> None:
    stage = Stage(m)

    async def agent(turn: OpenTurn) -> str:
        await stage.move_event("dinner", "Friday")
        return "Moved."

    await m.act("Move dinner to Friday", agent)
    m.flush()
    insights = m.insights
    turn = read_turns(insights, ViewRequest()).rows[0].turn
    assert read_turn(insights, ViewRequest(id=turn)).reviews

    m.insights.store.vault.shred(now=m.insights.clock() + timedelta(days=8))

    assert read_turn(insights, ViewRequest(id=turn)).reviews == ()
