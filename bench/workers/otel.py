"""OpenTelemetry: a GenAI tool span for each call, through the batch processor as it comes.

The first argument says what the exporter does: `drop` throws spans away, `json` writes each as a
line to the file that the second argument names.
"""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import orjson
from opentelemetry.sdk.resources import Resource
from opentelemetry.sdk.trace import ReadableSpan, TracerProvider
from opentelemetry.sdk.trace.export import BatchSpanProcessor, SpanExporter, SpanExportResult
from opentelemetry.trace import Status, StatusCode

from bench.payloads import AGENT, CONTEXT, plan_event
from bench.workers.block import ObservedTool, call_block, stall_block
from bench.workers.protocol import serve


class Counting(SpanExporter):
    """Throws spans away, but counts them: a span the queue lost would flatter us."""

    exported = 0

    def export(self, spans: Sequence[ReadableSpan]) -> SpanExportResult:
        self.exported += len(spans)
        return SpanExportResult.SUCCESS


class JsonLines(Counting):
    """Writes each span as a line of JSON."""

    def __init__(self, path: Path) -> None:
        self._file = path.open("a", encoding="utf-8")

    def export(self, spans: Sequence[ReadableSpan]) -> SpanExportResult:
        self._file.writelines(span.to_json(indent=None) + "\n" for span in spans)
        self._file.flush()
        return super().export(spans)

    def shutdown(self) -> None:
        self._file.close()


def observed(provider: TracerProvider) -> ObservedTool:
    """The tool in a span, as an application would write it by hand."""
    tracer = provider.get_tracer("bench")
    succeeded = Status(StatusCode.OK)

    async def call(**arguments: Any) -> dict[str, Any]:
        attributes = {
            "gen_ai.operation.name": "execute_tool",
            "gen_ai.tool.name": "plan_event",
            "gen_ai.agent.name": AGENT,
            "app.context": CONTEXT,
            "gen_ai.tool.call.arguments": orjson.dumps(arguments).decode(),
        }
        with tracer.start_as_current_span("execute_tool plan_event", attributes=attributes) as span:
            result = await plan_event(**arguments)
            span.set_attribute("gen_ai.tool.call.result", orjson.dumps(result).decode())
            span.set_status(succeeded)
            return result

    return call


def main(kind: str, path: str = "") -> None:
    exporter = JsonLines(Path(path)) if kind == "json" else Counting()
    processor = BatchSpanProcessor(exporter)
    provider = TracerProvider(resource=Resource.create({"service.name": "bench"}))
    provider.add_span_processor(processor)
    tool = observed(provider)

    async def flush() -> None:
        processor.force_flush()

    with asyncio.Runner() as runner:

        def calls(*, n: int, seed: int) -> dict[str, Any]:
            before = exporter.exported
            answer = runner.run(call_block(tool, flush, n=n, seed=seed))
            return {**answer, "lost": n - (exporter.exported - before)}

        def stall(*, rate: int, seconds: float, seed: int) -> dict[str, Any]:
            before = exporter.exported
            answer = runner.run(stall_block(tool, flush, rate=rate, seconds=seconds, seed=seed))
            return {**answer, "lost": int(rate * seconds) - (exporter.exported - before)}

        serve({"calls": calls, "stall": stall}, packages=["opentelemetry-sdk", "orjson"])
    provider.shutdown()


main(*sys.argv[1:])
