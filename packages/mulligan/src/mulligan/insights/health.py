"""Health of the store: losses, retention, processes, and decisions made on pages."""

from __future__ import annotations

from collections import Counter
from datetime import datetime, timedelta

from msgspec import Struct

from mulligan.codec import decode_json
from mulligan.insights.cache import Looked
from mulligan.insights.filters import ViewFilter, ViewRequest
from mulligan.insights.insights import Insights
from mulligan.insights.reader import PersonActed
from mulligan.telemetry.writer import RowCounts
from mulligan.types.call import OWN, LogRow, Outcome
from mulligan.types.finding import FindingCount
from mulligan.types.interfaces import Health, KnownTool, WriterSeen
from mulligan.types.log import JUDGE_ASKED, LogQuery, Loss
from mulligan.types.values import from_us

DIAGNOSIS_LIFE = timedelta(seconds=5)
"""How old the quick part of a look at the store may be."""
MOST_SHOWN = 50
MOST_OUTAGES = 1_000


class JudgeOutage(Struct, frozen=True, kw_only=True):
    """A question without an answer, as it is on record."""

    at: datetime
    purpose: str
    model: str
    outcome: str
    """`late`, `down`, `unreadable`, …"""
    took: timedelta
    turn: str | None


class Worker(Struct, frozen=True, kw_only=True):
    """A process that writes the journal."""

    seen: WriterSeen
    open_actions: int
    """Whose last entry is its own."""


class RetentionSpan(Struct, frozen=True, kw_only=True):
    """How long one kind of record is kept, in days."""

    what: str
    days: float


class HealthView(Struct, frozen=True, kw_only=True):
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


def read_health(ask: Insights, asked: ViewRequest) -> HealthView:
    """How the store and all around it are."""
    found = ask.cache.keep("health", lambda: ask.diagnose(thorough=False), life=DIAGNOSIS_LIFE)
    looked = ask.thorough.read_latest()
    since = ask.clock() - asked.filter.window.length
    silent = LogQuery(
        server=OWN, tool=JUDGE_ASKED, outcome=Outcome.FAILURE, since=since, limit=MOST_OUTAGES
    )
    outages = ask.store.log.list_rows(silent)
    retention = found.retention
    kept = {
        "Calls in the log": retention.log,
        "Settled actions in the journal": retention.settled,
        "Raw values in the vault, after settlement": retention.kept,
        "Episodes and runs that were learned from": retention.learned,
    }
    # What others left is whoever recovers it.
    held = Counter(action.writer for action in ask.list_open(ViewFilter()))
    return HealthView(
        asked=asked.filter,
        health=found.health,
        looked=looked,
        problems=tuple(dict.fromkeys((*(looked.problems if looked else ()), *found.problems))),
        advice=found.advice,
        calls=found.calls,
        failures=found.failures,
        with_context=found.with_context,
        derived_context=found.derived_context,
        dropped=found.dropped,
        losses=found.losses[::-1][:MOST_SHOWN],
        retention=tuple(
            RetentionSpan(what=what, days=span / timedelta(days=1)) for what, span in kept.items()
        ),
        outside=found.outside,
        rows=ask.tally(),
        tools=found.tools,
        acts=tuple(ask.acts.list_acts()),
        outages=tuple(map(read_outage, outages[:MOST_SHOWN])),
        outage_count=len(outages),
        workers=tuple(
            Worker(seen=each, open_actions=held[each.id]) for each in found.health.writers
        ),
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
