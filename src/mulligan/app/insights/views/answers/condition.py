"""How the store and all around it are: what was lost, what is kept, and who did what."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from datetime import datetime, timedelta

from mulligan.app.insights.insights import Diagnosis, Insights
from mulligan.app.insights.views.acts import ActLog, PersonActed
from mulligan.app.insights.views.filters import ViewFilter
from mulligan.app.insights.views.thorough import Looked
from mulligan.codec.json_text import decode_json
from mulligan.core.action import Action
from mulligan.core.call import OWN, LogRow
from mulligan.core.finding import FindingCount
from mulligan.core.happened.event import JUDGE_ASKED
from mulligan.core.interfaces import Health, KnownTool
from mulligan.core.runtime.dataclass import dataclass
from mulligan.core.storage.instants import from_us
from mulligan.core.storage.log_query import LogQuery, Loss
from mulligan.core.storage.writer import WriterSeen
from mulligan.telemetry.writer import RowCounts

MOST_SHOWN = 50
MOST_OUTAGES = 1_000


@dataclass(frozen=True, slots=True, kw_only=True)
class JudgeOutage:
    """A question without an answer, as it is on record."""

    at: datetime
    purpose: str
    model: str
    outcome: str
    """`late`, `down`, `unreadable`, …"""
    took: timedelta
    turn: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Worker:
    """A process that writes the journal."""

    seen: WriterSeen
    open_actions: int
    """Whose last entry is its own."""


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
    looked: Looked | None
    """When the store was last read from end to end; `None`: that is under way."""
    problems: tuple[str, ...]
    advice: tuple[str, ...]
    calls: float
    """In the last 24 hours."""
    failures: float
    with_context: float | None
    derived_context: float | None
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
    outages: tuple[JudgeOutage, ...]
    """Questions that a judge gave no answer to in this time, the newest first; at most 50."""
    outage_count: int
    """All of them, up to a thousand."""
    workers: tuple[Worker, ...]
    """Processes that wrote the journal in the last days, the latest first."""


def list_workers(writers: Iterable[WriterSeen], actions: Iterable[Action]) -> tuple[Worker, ...]:
    """Writers with what they are at work on; what others left is whoever recovers it."""
    held = Counter(action.writer for action in actions)
    return tuple(Worker(seen=seen, open_actions=held[seen.id]) for seen in writers)


def build_health_view(
    diagnosis: Diagnosis,
    *,
    looked: Looked | None,
    insights: Insights,
    acts: ActLog,
    asked: ViewFilter,
    actions: Iterable[Action],
) -> HealthView:
    """All of it; `actions` are those that are open."""
    since = insights.clock() - asked.window.length
    silent = LogQuery(server=OWN, tool=JUDGE_ASKED, since=since, limit=MOST_OUTAGES)
    outages = insights.store.log.list_rows(silent)
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
        looked=looked,
        problems=tuple(dict.fromkeys((*(looked.problems if looked else ()), *diagnosis.problems))),
        advice=diagnosis.advice,
        calls=diagnosis.calls,
        failures=diagnosis.failures,
        with_context=diagnosis.with_context,
        derived_context=diagnosis.derived_context,
        dropped=diagnosis.dropped,
        losses=tuple(reversed(diagnosis.losses))[:MOST_SHOWN],
        retention=tuple(
            RetentionSpan(what=what, days=span.total_seconds() / 86_400)
            for what, span in kept.items()
        ),
        outside=diagnosis.outside,
        rows=insights.tally(),
        tools=diagnosis.tools,
        acts=tuple(acts.list_acts()),
        outages=tuple(map(read_outage, outages[:MOST_SHOWN])),
        outage_count=len(outages),
        workers=list_workers(diagnosis.health.writers, actions),
    )


def read_outage(row: LogRow) -> JudgeOutage:
    """The outage that a row keeps."""
    said = decode_json(row.parameters)
    return JudgeOutage(
        at=from_us(row.at_us),
        purpose=str(said.get("purpose", "")),
        model=str(said.get("model", "")),
        outcome=row.error_type or "",
        took=timedelta(microseconds=row.duration_us),
        turn=row.turn,
    )
