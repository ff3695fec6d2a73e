"""Spans as an application with OpenTelemetry's SDK sees them."""

from __future__ import annotations

import subprocess
import sys

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
