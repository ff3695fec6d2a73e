"""OpenTelemetry spans for tool calls, through the API alone: no SDK installed means no spans."""

from __future__ import annotations

from opentelemetry import context, trace
from opentelemetry.trace import SpanKind, Status, StatusCode


def has_tracer_provider() -> bool:
    """Whether the application set up a tracer provider."""
    return not isinstance(trace.get_tracer_provider(), trace.ProxyTracerProvider)


class ToolSpan:
    """A span that is open and current. It carries names and ids, never values."""

    __slots__ = ("_span", "_token")

    def __init__(self, *, tool: str, call: str, agent: str) -> None:
        attributes = {
            "gen_ai.operation.name": "execute_tool",
            "gen_ai.tool.name": tool,
            "gen_ai.tool.call.id": call,
        }
        if agent:
            attributes["gen_ai.agent.name"] = agent
        self._span = trace.get_tracer("mulligan").start_span(
            f"execute_tool {tool}", kind=SpanKind.INTERNAL, attributes=attributes
        )
        self._token = context.attach(trace.set_span_in_context(self._span))

    def end(self, *, error_type: str | None = None) -> None:
        """Close it. Only an error's type is recorded; its text may hold anything."""
        context.detach(self._token)
        if error_type is not None:
            self._span.set_attribute("error.type", error_type)
            self._span.set_status(Status(StatusCode.ERROR))
        self._span.end()
