"""What a collector gets of calls, actions and findings, and what it costs when it is away."""

from __future__ import annotations

import asyncio
import socket
from collections.abc import Iterator

import pytest

from mulligan import Mulligan, Record
from mulligan.loops.actions import Attempted
from mulligan.runtime.context import OpenTurn
from mulligan.telemetry import otlp
from mulligan.types.errors import ConfigurationError
from mulligan.types.finding import Finding, Severity
from tests.telemetry.collector import start_collector

SAID = "kitchen-table-4711"


def reject_moves(attempted: Attempted) -> Iterator[Finding]:
    if any(each.call.tool == "move" for each in attempted.executions):
        yield Finding(rule="story.unwanted", severity=Severity.ERROR, issue=f"Not {SAID}.")


def run_story(address: str, **settings: object) -> dict[str, int]:
    """A call that fails, and a move that nobody wanted and that is undone."""
    book = {SAID: 18}

    async def agent(turn: OpenTurn) -> str:
        if turn.correction is None:
            look(SAID)
            move(SAID, 23)
        return "Done."

    with Mulligan("memory:", otlp=address, checks=[reject_moves], recover=False, **settings) as m:

        def put_back(record: Record) -> None:
            book[SAID] = int(str(record.before))

        @m.tool(effect="reversible", before=lambda record: book[SAID], undo=put_back)
        def move(what: str, hour: int) -> int:
            book[what] = hour
            return hour

        @m.tool(effect="read")
        def look(what: str) -> str:
            return f"error: no {what}"

        asyncio.run(m.act("Move dinner", agent, agent="planner", tenant="casa"))
    return book


def test_calls_actions_and_findings_of_a_turn_arrive_in_one_trace() -> None:
    with start_collector() as collector:
        run_story(collector.address)

    tools = {attributes["gen_ai.tool.name"] for _, attributes in collector.spans}
    states = [each["mulligan.state"] for name, each in collector.records if "action" in name]
    found = [each for name, each in collector.records if name == "gen_ai.evaluation.result"]
    assert tools == {"look", "move"}
    assert (states[:2], states[-1]) == (["intent", "executed"], "undone")
    assert "story.unwanted" in [each["gen_ai.evaluation.name"] for each in found]
    assert {each["gen_ai.agent.name"] for _, each in collector.spans + collector.records} == {
        "planner"
    }
    assert len(collector.traces) == 1


def test_no_value_is_sent() -> None:
    with start_collector() as collector:
        run_story(collector.address)

    assert collector.bodies
    assert SAID not in repr(collector.bodies)


def test_what_failed_is_marked_as_such() -> None:
    with start_collector() as collector:
        run_story(collector.address)

    classes = {name: each.get("mulligan.error.class") for name, each in collector.spans}
    assert classes["execute_tool look"]
    assert classes["execute_tool move"] is None


@pytest.mark.parametrize("status", [200, 400, 503])
def test_a_collector_that_refuses_changes_nothing_of_the_turn(
    status: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(otlp, "LONGEST_CLOSE", 0.2)
    with start_collector(status=status) as collector:
        book = run_story(collector.address)

    assert book == {SAID: 18}


def test_nobody_waits_for_a_collector_that_hears_and_never_answers(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(otlp, "LONGEST_CLOSE", 0.2)
    with socket.create_server(("127.0.0.1", 0)) as deaf:
        book = run_story(f"http://127.0.0.1:{deaf.getsockname()[1]}")

    assert book == {SAID: 18}


@pytest.mark.parametrize("address", ["collector:4318", "ftp://a", "http://", "4318"])
def test_what_is_no_address_is_refused_when_the_application_opens(address: str) -> None:
    with pytest.raises(ConfigurationError, match="otlp is no address"):
        Mulligan("memory:", otlp=address)
