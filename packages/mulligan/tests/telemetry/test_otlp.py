"""What OpenTelemetry gets of calls, actions and findings, and what it costs when it is away."""

from __future__ import annotations

import asyncio
import socket
import subprocess
import sys
import threading
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


def test_calls_actions_and_findings_of_a_turn_arrive_in_one_trace_without_values() -> None:
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
    classes = {name: each.get("mulligan.error.class") for name, each in collector.spans}
    assert classes["execute_tool look"]
    assert classes["execute_tool move"] is None
    assert SAID not in repr(collector.bodies), "no value is sent"


@pytest.mark.full
@pytest.mark.parametrize("status", [400, 503])
def test_a_collector_that_refuses_changes_nothing_of_the_turn(
    status: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(otlp, "LONGEST_CLOSE", 0.2)
    with start_collector(status=status) as collector:
        book = run_story(collector.address)

    assert book == {SAID: 18}


@pytest.mark.full
def test_a_closed_application_retries_no_more(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(otlp, "LONGEST_CLOSE", 0.2)
    with start_collector(status=503) as collector:
        run_story(collector.address)
        sent = len(collector.bodies)
        for each in threading.enumerate():
            if each.name == "mulligan-otlp":
                each.join()

    assert len(collector.bodies) == sent


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


PROGRAM = """
import json, sys
from opentelemetry import trace
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter

seen = InMemorySpanExporter()
provider = TracerProvider()
provider.add_span_processor(SimpleSpanProcessor(seen))
trace.set_tracer_provider(provider)

from mulligan import Mulligan

m = Mulligan("memory:")

@m.tool
def outer(password: str) -> str:
    return inner(password)

@m.tool
def inner(password: str) -> str:
    raise ValueError(f"wrong: {password}")

with m.turn(agent="planner"):
    try:
        outer("hunter2-secret")
    except ValueError:
        pass
m.close()
print(json.dumps([json.loads(s.to_json()) for s in seen.get_finished_spans()]))
"""


def test_calls_become_nested_spans_that_tell_names_and_never_values() -> None:
    import json

    output = subprocess.run(
        [sys.executable, "-c", PROGRAM], capture_output=True, text=True, check=True
    ).stdout

    inner, outer = json.loads(output)
    assert [inner["name"], outer["name"]] == ["execute_tool inner", "execute_tool outer"]
    assert inner["parent_id"] == outer["context"]["span_id"]
    assert inner["attributes"]["gen_ai.operation.name"] == "execute_tool"
    assert inner["attributes"]["gen_ai.tool.name"] == "inner"
    assert inner["attributes"]["gen_ai.agent.name"] == "planner"
    assert inner["attributes"]["error.type"] == "ValueError"
    assert inner["status"]["status_code"] == "ERROR"
    assert "hunter2" not in output


def test_without_a_provider_opentelemetry_is_not_even_imported() -> None:
    program = (
        "import sys; from mulligan import Mulligan; m = Mulligan('memory:')\n"
        "m.tool(len)([1]); m.close(); print('opentelemetry' in sys.modules)"
    )

    output = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)

    assert output.stdout.strip() == "False", output.stderr
