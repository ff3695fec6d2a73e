"""Turns and their calls: the list, one of them step by step, and exports in pages."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from mulligan import Effect, Mulligan
from mulligan.insights import turns
from mulligan.insights.filters import ViewFilter, ViewRequest, Window
from mulligan.insights.turns import (
    build_call,
    parse_parameters,
    read_calls,
    read_turn,
    read_turns,
)
from mulligan.runtime.context import OpenTurn
from mulligan.types.action import ActionQuery, State, read_all
from mulligan.types.call import Record
from mulligan.types.errors import ConfigurationError
from mulligan.types.log import LogQuery
from tests.dashboard.stage import Stage

MONTH = ViewFilter(window=Window.MONTH)


def test_turns_beyond_those_that_are_read_are_not_called_all(
    lived: Mulligan, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(turns, "MOST_ROWS", 50)

    view = read_turns(lived.insights, ViewRequest(filter=MONTH))

    assert not view.paging.whole


@pytest.mark.full
def test_turns_of_one_agent_are_the_same_however_they_are_looked_for(
    lived: Mulligan, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked = ViewFilter(window=Window.MONTH, agent="analyst")
    looked_through = read_turns(lived.insights, ViewRequest(filter=asked))

    monkeypatch.setattr(turns, "MANY", 10)
    few = read_turns(lived.insights, ViewRequest(filter=asked))
    monkeypatch.setattr(turns, "MANY", 100)
    by_hour = read_turns(lived.insights, ViewRequest(filter=asked))

    assert 0 < few.paging.total < by_hour.paging.total <= looked_through.paging.total
    assert {row.agent for row in by_hour.rows} == {"analyst"}
    assert by_hour.rows[:5] == looked_through.rows[:5]


def test_turns_of_agents_that_nobody_named_can_be_asked_for(m: Mulligan) -> None:
    @m.tool
    def find() -> str:
        return "found"

    def serve() -> None:
        for agent in ("", "planner"):
            with m.turn("Find it", agent=agent):
                find()

    serve()
    m.flush()

    view = read_turns(m.insights, ViewRequest(filter=ViewFilter(agent="(serve)")))

    assert [row.agent for row in view.rows] == ["(serve)"]


def test_a_turn_is_told_from_the_request_to_the_second_pass(lived: Mulligan) -> None:
    insights = lived.insights
    turns = [
        read_turn(insights, ViewRequest(id=row.turn))
        for row in read_turns(
            insights, ViewRequest(filter=ViewFilter(window=Window.MONTH, tool="move_event"))
        ).rows
    ]

    corrected = next(page for page in turns if page.standing == "corrected")

    # Requests are kept for a week, and the story's mistakes fall on other days every day.
    requests = [page.request for page in turns if page.request]
    assert corrected.attempts == 2
    assert requests
    assert all(each.startswith("Move the ") for each in requests)
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
    assert (second.attempt, second.standing, second.by) == (
        2,
        "accepted",
        ("checks", "facts"),
    )
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


@pytest.mark.parametrize(
    ("text", "read"),
    [
        ('{"limit": 3}', {"limit": 3}),
        ("[1]", {"value": [1]}),
        ('{"limit": "cut', {"cut short": '{"limit": "cut'}),
        ("[" * 50_000, {"cut short": "[" * 50_000}),
    ],
)
def test_what_a_call_was_given(text: str, read: dict[str, object]) -> None:
    assert parse_parameters(text) == read


def test_a_row_says_what_went_wrong(filled: Stage) -> None:
    (row,) = filled.m.insights.log(LogQuery(tool="share_file"))

    seen = build_call(row)

    assert seen.error.startswith("PermissionError: not for")
    assert (seen.agent, seen.outcome, seen.error_class) == ("helper", "failure", "policy")


AT = datetime(2026, 11, 15, 9, tzinfo=UTC)


@pytest.mark.parametrize("page", [1, 2, 3, 100])
@pytest.mark.parametrize("step", [timedelta(0), timedelta(seconds=1)])
def test_pages_have_everything_once(page: int, step: timedelta, tmp_path: Path) -> None:
    now = [AT]
    with Mulligan(f"sqlite:///{tmp_path}/a.db", clock=lambda: now[-1], recover=False) as m:

        @m.tool(effect="reversible", before=lambda record: "", undo=lambda record: None)
        def note(text: str) -> str:
            return text

        for number in range(7):
            with m.turn("Note it"):
                note(str(number))
            now.append(now[-1] + step)
        m.flush()
        calls = [row.id for row in read_calls(m.insights, LogQuery(), page=page)]
        search = m.insights.open_list.search
        actions = [each.id for each in read_all(search, ActionQuery(), page=page)]

    assert len(set(calls)) == len(calls) == 7
    assert len(set(actions)) == len(actions) == 7
    assert calls == sorted(calls)


def test_a_turn_that_is_not_there_is_said(filled: Stage) -> None:
    with pytest.raises(ConfigurationError, match="no calls"):
        read_turn(filled.m.insights, ViewRequest(id="nothing"))


def test_a_turn_found_by_one_tool_or_among_the_newest_calls_counts_all_of_its_calls(
    filled: Stage, monkeypatch: pytest.MonkeyPatch
) -> None:
    whole = {row.turn: row for row in read_turns(filled.m.insights, ViewRequest()).rows}
    by_tool = read_turns(filled.m.insights, ViewRequest(filter=ViewFilter(tool="share_file"))).rows
    filled.m.insights.cache.forget()
    monkeypatch.setattr(turns, "MOST_ROWS", 1)
    newest = read_turns(filled.m.insights, ViewRequest(filter=ViewFilter(agent="helper"))).rows

    assert [row.calls for row in by_tool] == [4]
    assert [whole[row.turn] for row in by_tool] == list(by_tool)
    assert newest
    assert not read_turn(filled.m.insights, ViewRequest(id=newest[0].turn)).whole
