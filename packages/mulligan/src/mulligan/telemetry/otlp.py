"""Calls, actions and findings for an OpenTelemetry collector: batched, bounded, never in the way.

What is sent is what subscribers see: names and ids as labels, never a value. A collector that is
away costs what does not fit the queue, and nothing else.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Mapping
from hashlib import sha256
from urllib.parse import urlsplit

from opentelemetry._logs import LogRecord, SeverityNumber
from opentelemetry.context import Context
from opentelemetry.exporter.otlp.proto.http._log_exporter import OTLPLogExporter
from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
from opentelemetry.sdk._logs import LoggerProvider
from opentelemetry.sdk._logs.export import BatchLogRecordProcessor, LogRecordExporter
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import BatchSpanProcessor, SpanExporter
from opentelemetry.trace import (
    NonRecordingSpan,
    SpanContext,
    SpanKind,
    Status,
    StatusCode,
    TraceFlags,
    set_span_in_context,
)

from mulligan.telemetry.spans import has_tracer_provider
from mulligan.types.call import LogRow
from mulligan.types.errors import ConfigurationError
from mulligan.types.events import ActionMoved, AttemptReviewed, CallLogged, Happened
from mulligan.types.finding import Severity

MOST_WAITING = 4_096
"""Spans, and records of the log, that wait for the collector; beyond that the oldest are lost."""
LONGEST_CLOSE = 5.0
"""Seconds that closing waits for the collector to take what is left."""

_SEVERITIES = {
    Severity.ERROR: SeverityNumber.ERROR,
    Severity.WARNING: SeverityNumber.WARN,
}

Attributes = Mapping[str, str | float | None]
"""What is `None` or empty is not known, and not sent."""


class Otlp:
    """A subscriber that sends what happens to a collector, over HTTP.

    Headers, certificates, compression and the service's name are set by `OTEL_…` variables, as
    everywhere in OpenTelemetry.
    """

    def __init__(self, endpoint: str, *, spans: bool | None = None) -> None:
        read = urlsplit(endpoint)
        if read.scheme not in ("http", "https") or not read.hostname:
            raise ConfigurationError(
                "The setting otlp is no address of a collector: it is like http://127.0.0.1:4318."
            )
        base = endpoint.rstrip("/")
        self._spans = spans
        self._tracers = TracerProvider(shutdown_on_exit=False)
        spans_to = OTLPSpanExporter(f"{base}/v1/traces")
        records_to = OTLPLogExporter(f"{base}/v1/logs")
        self._exporters: tuple[SpanExporter, LogRecordExporter] = (spans_to, records_to)
        self._tracers.add_span_processor(BatchSpanProcessor(spans_to, max_queue_size=MOST_WAITING))
        self._tracer = self._tracers.get_tracer("mulligan")
        self._loggers = LoggerProvider(shutdown_on_exit=False)
        self._loggers.add_log_record_processor(
            BatchLogRecordProcessor(records_to, max_queue_size=MOST_WAITING)
        )
        self._logger = self._loggers.get_logger("mulligan")

    def __call__(self, event: Happened) -> None:
        """Queue what is worth sending of an event."""
        match event:
            # Not where the application's own OpenTelemetry has every call already.
            case CallLogged(row=row) if self._spans is False or not has_tracer_provider():
                self._send_call(row)
            case ActionMoved():
                self._send_action(event)
            case AttemptReviewed():
                self._send_review(event)

    def close(self) -> None:
        """Send what is left; a collector that does not take it in time does not get it."""
        closing = [
            threading.Thread(target=provider.shutdown, name="mulligan-otlp", daemon=True)
            for provider in (self._tracers, self._loggers)
        ]
        for each in closing:
            each.start()
        # One deadline for both: a collector that hangs hangs for both.
        until = time.monotonic() + LONGEST_CLOSE
        for each in closing:
            each.join(max(0.0, until - time.monotonic()))
        if any(each.is_alive() for each in closing):
            for exporter in self._exporters:  # else they retry after the application has closed
                exporter.shutdown()

    def _send_call(self, row: LogRow) -> None:
        attributes: Attributes = {
            "gen_ai.operation.name": "execute_tool",
            "gen_ai.tool.name": row.tool,
            "gen_ai.tool.call.id": row.id,
            "mulligan.outcome": row.outcome,
            "mulligan.try": row.try_number,
            "mulligan.weight": row.weight,
            "gen_ai.agent.name": row.agent,
            "mulligan.tenant": row.tenant,
            "mulligan.server": row.server,
            "mulligan.turn": row.turn,
            "mulligan.error.class": row.error_class,
            "error.type": row.error_type,
        }
        span = self._tracer.start_span(
            f"execute_tool {row.tool}",
            context=_find_trace(row.turn),
            kind=SpanKind.INTERNAL,
            attributes=_keep_known(attributes),
            start_time=row.at_us * 1_000,
        )
        if row.error_class is not None:
            span.set_status(Status(StatusCode.ERROR))
        span.end(end_time=(row.at_us + row.duration_us) * 1_000)

    def _send_action(self, event: ActionMoved) -> None:
        self._emit(
            "mulligan.action",
            {
                "mulligan.action": event.action,
                "mulligan.state": event.state.value,
                "gen_ai.tool.name": event.tool,
                "gen_ai.agent.name": event.agent,
                "mulligan.tenant": event.tenant,
                "mulligan.turn": event.turn,
            },
            turn=event.turn,
            at_ns=int(event.at.timestamp() * 1_000_000) * 1_000,
        )

    def _send_review(self, event: AttemptReviewed) -> None:
        about: Attributes = {
            "mulligan.turn": event.turn,
            "mulligan.attempt": event.attempt,
            "gen_ai.agent.name": event.agent,
            "mulligan.tenant": event.tenant,
        }
        reviewed = {
            **about,
            "mulligan.standing": event.standing.value,
            "mulligan.confidence": event.confidence.value if event.confidence else None,
        }
        self._emit("mulligan.review", reviewed, turn=event.turn)
        for seen in event.found:
            self._emit(
                "gen_ai.evaluation.result",
                {
                    **about,
                    "gen_ai.evaluation.name": seen.rule,
                    "gen_ai.evaluation.score.label": seen.severity.value,
                    "gen_ai.tool.name": seen.tool,
                    "mulligan.server": seen.server,
                },
                turn=event.turn,
                severity=_SEVERITIES[seen.severity],
            )

    def _emit(
        self,
        name: str,
        attributes: Attributes,
        *,
        turn: str | None,
        at_ns: int | None = None,
        severity: SeverityNumber = SeverityNumber.INFO,
    ) -> None:
        self._logger.emit(
            LogRecord(
                timestamp=at_ns,
                context=_find_trace(turn),
                severity_number=severity,
                event_name=name,
                attributes=_keep_known(attributes),
            )
        )


def _keep_known(attributes: Attributes) -> dict[str, str | float]:
    return {name: value for name, value in attributes.items() if value is not None and value != ""}


def _find_trace(turn: str | None) -> Context:
    """One trace for a turn across processes; none for a call without a turn."""
    if turn is None:
        return Context()
    digest = sha256(turn.encode()).digest()
    spoken_of = SpanContext(
        trace_id=int.from_bytes(digest[:16]),
        span_id=int.from_bytes(digest[16:24]),
        is_remote=True,
        trace_flags=TraceFlags(TraceFlags.SAMPLED),
    )
    return set_span_in_context(NonRecordingSpan(spoken_of), Context())
