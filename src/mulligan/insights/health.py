"""How the store and all around it are: what was lost, what is kept, and who did what on a page.

What takes longer the more there is to read is done beside the pages, that show its last answer.
"""

from __future__ import annotations

import secrets
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from datetime import datetime, timedelta
from typing import TypeVar

from msgspec import Struct

from mulligan.codec import decode_json, encode_json
from mulligan.insights.filters import ViewFilter
from mulligan.insights.insights import Diagnosis, Insights
from mulligan.telemetry.writer import RowCounts
from mulligan.types.action import Action
from mulligan.types.call import OWN, LogRow, Outcome
from mulligan.types.errors import MulliganError
from mulligan.types.events import JUDGE_ASKED
from mulligan.types.finding import FindingCount
from mulligan.types.interfaces import Clock, Health, KnownTool, Store, WriterSeen
from mulligan.types.log import Batch, LogQuery, Loss
from mulligan.types.values import RANDOM_BITS, from_us, make_uuid7, to_us

ACTED = "person.acted"
"""What such a row is of, beside the steps of our own loops."""
EXPORTED = "lessons.exported"
MOST_EXPORTS = 1_000

R = TypeVar("R")


class PersonActed(Struct, frozen=True, kw_only=True):
    """An act of a person as it is on record."""

    at: datetime
    by: str
    act: str
    """What was asked for, with its subject: `approve 0192…`."""
    refused: str
    """Why nothing came of it; empty where it was done."""


class ActLog:
    """Carries acts out, and puts each on record, also one that was refused."""

    def __init__(self, store: Store, *, clock: Clock, tenant: str = "") -> None:
        self._store = store
        self._clock = clock
        self._tenant = tenant

    def record(self, act: Callable[[], R], *, by: str, what: str) -> R:
        """Do it; what it raises comes through, and is on record too."""
        try:
            done = act()
        except MulliganError as error:
            self._write(by=by, what=what, refused=str(error))
            raise
        self._write(by=by, what=what, refused="")
        return done

    def list_acts(self, *, limit: int = 50) -> list[PersonActed]:
        """The latest acts, the newest first."""
        rows = self._store.log.list_rows(LogQuery(server=OWN, tool=ACTED, limit=limit))
        return [
            PersonActed(
                at=from_us(row.at_us),
                by=row.agent,
                act=row.context,
                refused=row.error_message or "",
            )
            for row in rows
        ]

    def record_export(self, tools: Sequence[str], *, by: str) -> None:
        """What was learned about some tools has been taken elsewhere; no tools: about all."""
        for tool in tools or ("",):
            self._write(by=by, what=tool, refused="", kind=EXPORTED)

    def list_exports(self) -> dict[str, datetime]:
        """When what was learned about each tool was last taken elsewhere; empty: about all."""
        query = LogQuery(server=OWN, tool=EXPORTED, limit=MOST_EXPORTS)
        rows = reversed(self._store.log.list_rows(query))
        return {row.context: from_us(row.at_us) for row in rows}

    def _write(self, *, by: str, what: str, refused: str, kind: str = ACTED) -> None:
        at_us = to_us(self._clock(), name="now")
        outcome = Outcome.FAILURE if refused else Outcome.SUCCESS
        row = LogRow(
            id=make_uuid7(at_us, secrets.randbits(RANDOM_BITS)),
            at_us=at_us,
            tenant=self._tenant,
            agent=by,
            server=OWN,
            tool=kind,
            parameters=encode_json({}).decode(),
            context=what,
            outcome=outcome.value,
            duration_us=0,
            error_class=None,
            error_type="Refused" if refused else None,
            error_message=refused[:1000] or None,
            error_code=None,
            error_at=None,
            result=None,
            try_number=1,
            parent=None,
            turn=None,
            weight=1.0,
        )
        self._store.log.write(Batch(rows=[row]))


LOOK_PATIENCE = 0.2
"""Seconds that a page waits for a look: enough where there is little to look at."""
LOOK_LIFE = timedelta(seconds=10)
"""How old a look may be."""
LOOK_REST = 60
"""A look that took long is believed for so many times as long: it is a burden on the store."""


class Looked(Struct, frozen=True, kw_only=True):
    """What a look came to."""

    at: datetime
    took: timedelta
    rows: int | None
    problems: tuple[str, ...]


class ThoroughLook:
    """Reads a store from end to end, one reader at a time. Safe to use from any thread."""

    def __init__(self, read: Callable[[], Health], *, clock: Clock) -> None:
        self._read = read
        self._clock = clock
        self._lock = threading.Lock()
        self._under_way: threading.Event | None = None
        self._last: Looked | None = None

    def read_latest(self, *, patience: float | None = LOOK_PATIENCE) -> Looked | None:
        """The last look, a new one where that is old and quick enough; `None`: there is none yet.

        `patience`: how many seconds to wait for it; `None`: until it is done.
        """
        last = self._last
        if last is not None and self._clock() < last.at + max(LOOK_LIFE, last.took * LOOK_REST):
            return last
        done, began = self._start()
        if patience is None:
            done.wait()
        elif began and (last is None or last.took.total_seconds() < patience):
            # Only who has it begun waits: where it takes long, nobody else should.
            done.wait(patience)
        return self._last

    def _start(self) -> tuple[threading.Event, bool]:
        """When the look is done, and whether it was begun just now."""
        with self._lock:
            if self._under_way is not None:
                return self._under_way, False
            done = self._under_way = threading.Event()
        # A daemon: who stops the server does not wait for a look that nobody will see.
        threading.Thread(target=self._look, args=(done,), name="look", daemon=True).start()
        return done, True

    def _look(self, done: threading.Event) -> None:
        at, began = self._clock(), time.monotonic()
        try:
            rows, problems = self._find()
            took = timedelta(seconds=time.monotonic() - began)
            self._last = Looked(at=at, took=took, rows=rows, problems=problems)
        finally:
            with self._lock:
                self._under_way = None
            done.set()

    def _find(self) -> tuple[int | None, tuple[str, ...]]:
        try:
            health = self._read()
        except MulliganError as error:
            return None, (str(error),)
        return health.rows, health.problems


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
