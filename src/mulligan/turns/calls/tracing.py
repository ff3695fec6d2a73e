"""A span for each call, where the application traces. It may fail; the tool may not."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

from mulligan.turns.calls.tool import Tool

if TYPE_CHECKING:
    from mulligan.telemetry.spans import ToolSpan


def open_span(tool: Tool, *, call: str, agent: str) -> ToolSpan | None:
    """A span that lasts as long as the call; `None` where nobody traces."""
    # Importing OpenTelemetry takes 9 ms. Who has set up tracing has imported it already.
    wanted = tool.runtime.spans
    if wanted is None and "opentelemetry.trace" not in sys.modules:
        return None
    try:
        from mulligan.telemetry.spans import ToolSpan, has_tracer_provider

        if wanted is None and not has_tracer_provider():
            return None
        return ToolSpan(tool=tool.name, call=call, agent=agent)
    except Exception as error:  # noqa: BLE001 - tracing may fail, the tool may not
        tool.warn("No span for a call of %s", error)
        return None


def end_span(span: ToolSpan, *, tool: Tool, error_type: str | None = None) -> None:
    """The call is back."""
    try:
        span.end(error_type=error_type)
    except Exception as error:  # noqa: BLE001 - tracing may fail, the log and the tool may not
        tool.warn("A span of %s did not end well", error)
