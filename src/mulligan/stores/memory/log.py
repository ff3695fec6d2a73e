"""The log in dictionaries."""

from __future__ import annotations

import threading
from collections import Counter
from copy import deepcopy
from datetime import datetime

from mulligan.core.call import LogRow
from mulligan.core.finding import FindingCount, FindingRow, Severity
from mulligan.core.instants import to_us
from mulligan.core.log import Batch, LogQuery, Loss
from mulligan.core.rollup import HOUR_US, Rollup, Slot, roll_up
from mulligan.stores.filter import fits


class MemoryLog:
    """Rows, roll-ups and losses. Compressing them would only cost time."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._rows: dict[str, LogRow] = {}
        self._rollups: dict[Slot, Rollup] = {}
        self._losses: dict[Loss, None] = {}
        self._findings: dict[str, FindingRow] = {}

    def write(self, batch: Batch) -> None:
        """Store a batch. A row whose id is there already is left alone."""
        for loss in batch.losses:
            to_us(loss.at, name="The time of a loss")
        with self._lock:
            new = {row.id: row for row in batch.rows if row.id not in self._rows}
            repeated = len(new) != len(batch.rows)
            self._rows |= new
            rollups = roll_up(new.values()) if repeated and batch.rollups else batch.rollups
            for slot, counts in rollups.items():
                _add(self._rollups.setdefault(slot, Rollup()), counts)
            self._losses |= dict.fromkeys(batch.losses)
            for row in batch.findings:
                self._findings.setdefault(row.id, row)

    def rows(self, query: LogQuery) -> list[LogRow]:
        """Rows that fit, newest first unless asked otherwise."""
        with self._lock:
            ids = sorted(self._rows, reverse=not query.oldest_first)
            fitting = [self._rows[name] for name in ids if fits(self._rows[name], query)]
        return fitting[: query.limit]

    def rollups(self, *, since: datetime, until: datetime) -> dict[Slot, Rollup]:
        """The hourly counts from `since` to `until`, both hours included."""
        first = to_us(since, name="since") // HOUR_US
        last = to_us(until, name="until") // HOUR_US
        with self._lock:
            return {
                slot: deepcopy(counts)
                for slot, counts in self._rollups.items()
                if first <= slot.hour <= last
            }

    def losses(self) -> list[Loss]:
        """Every loss on record, oldest first."""
        with self._lock:
            return sorted(self._losses, key=lambda loss: (loss.at, loss.reason))

    def findings(self, *, since: datetime, until: datetime) -> list[FindingCount]:
        """How often each rule spoke up, by tool and agent, most first."""
        first, last = to_us(since, name="since"), to_us(until, name="until")
        with self._lock:
            seen = Counter(
                (row.rule, row.severity, row.server, row.tool, row.agent)
                for row in self._findings.values()
                if first <= row.at_us <= last
            )
        return [
            FindingCount(
                rule=rule,
                severity=Severity(severity),
                server=server,
                tool=tool,
                agent=agent,
                count=count,
            )
            for (rule, severity, server, tool, agent), count in sorted(
                seen.items(), key=lambda each: (-each[1], each[0])
            )
        ]

    def prune(self, *, before: datetime) -> int:
        """Delete rows, roll-ups, losses and findings older than that. Returns how many rows."""
        before_us = to_us(before, name="before")
        with self._lock:
            old = [row.id for row in self._rows.values() if row.at_us < before_us]
            for name in old:
                del self._rows[name]
            hour = before_us // HOUR_US
            self._rollups = {s: counts for s, counts in self._rollups.items() if s.hour >= hour}
            self._losses = {loss: None for loss in self._losses if loss.at >= before}
            self._findings = {
                name: row for name, row in self._findings.items() if row.at_us >= before_us
            }
        return len(old)

    def compress(self, *, before: datetime) -> int:
        """There is nothing to gain in memory."""
        to_us(before, name="before")
        return 0

    def count(self) -> int:
        """How many rows there are."""
        return len(self._rows)

    def forked(self) -> None:
        """In a child: a lock another thread held is nobody's now."""
        self._lock = threading.Lock()


def _add(total: Rollup, counts: Rollup) -> None:
    total.calls += counts.calls
    total.failures += counts.failures
    total.repaired += counts.repaired
    total.with_context += counts.with_context
    total.duration_us += counts.duration_us
    for bucket, calls in counts.latency.items():
        total.latency[bucket] = total.latency.get(bucket, 0) + calls
