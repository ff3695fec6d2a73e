"""How the store and all around it are: what was lost, what is kept, and who did what."""

from __future__ import annotations

from dataclasses import dataclass

from mulligan.app.insights.insights import Diagnosis, Insights
from mulligan.app.insights.views.acts import ActLog, PersonActed
from mulligan.app.insights.views.filters import ViewFilter
from mulligan.core.finding import FindingCount
from mulligan.core.interfaces import Health, KnownTool
from mulligan.core.log_query import Loss
from mulligan.telemetry.writer import RowCounts


@dataclass(frozen=True, slots=True, kw_only=True)
class RetentionSpan:
    """How long one kind of record is kept, in days."""

    what: str
    days: float


@dataclass(frozen=True, slots=True, kw_only=True)
class HealthView:
    """What an operator wants to know of the machinery itself."""

    asked: ViewFilter
    health: Health
    problems: tuple[str, ...]
    advice: tuple[str, ...]
    calls: float
    """In the last 24 hours."""
    failures: float
    with_context: float | None
    dropped: int
    losses: tuple[Loss, ...]
    """The newest first."""
    retention: tuple[RetentionSpan, ...]
    outside: tuple[FindingCount, ...]
    rows: RowCounts
    """Of this process, where it is an application's own."""
    tools: tuple[KnownTool, ...]
    acts: tuple[PersonActed, ...]
    """What people did, the newest first."""


def build_health_view(
    diagnosis: Diagnosis, *, insights: Insights, acts: ActLog, asked: ViewFilter
) -> HealthView:
    """All of it."""
    retention = diagnosis.retention
    kept = {
        "Calls in the log": retention.log,
        "Settled actions in the journal": retention.settled,
        "Raw values in the vault, after settlement": retention.kept,
        "Episodes and runs that were learned from": retention.learned,
    }
    return HealthView(
        asked=asked,
        health=diagnosis.health,
        problems=diagnosis.problems,
        advice=diagnosis.advice,
        calls=diagnosis.calls,
        failures=diagnosis.failures,
        with_context=diagnosis.with_context,
        dropped=diagnosis.dropped,
        losses=tuple(reversed(diagnosis.losses))[:50],
        retention=tuple(
            RetentionSpan(what=what, days=span.total_seconds() / 86_400)
            for what, span in kept.items()
        ),
        outside=diagnosis.outside,
        rows=insights.tally(),
        tools=diagnosis.tools,
        acts=tuple(acts.list_acts()),
    )
