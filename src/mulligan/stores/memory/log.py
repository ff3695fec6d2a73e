"""The log in dictionaries."""

from __future__ import annotations

import threading
from collections import Counter
from collections.abc import Mapping
from copy import deepcopy
from datetime import datetime
from functools import reduce

from mulligan.core.call import LogRow
from mulligan.core.finding import FindingCount, FindingRow, Severity
from mulligan.core.storage.instants import to_us
from mulligan.core.storage.log_query import Batch, LogQuery, Loss, PatternQuery, PatternSeen
from mulligan.core.storage.rollup import (
    HOUR_US,
    PatternCount,
    PatternSlot,
    Rollup,
    Slot,
    add_failures,
    add_up,
    count_patterns,
    list_first_tries,
    roll_up,
    roll_up_tries,
)
from mulligan.core.storage.text_rollup import (
    TextCounts,
    add_texts,
    list_rated,
    roll_up_texts,
    roll_up_thumbs,
)
from mulligan.stores.columns.filter import fits
from mulligan.stores.columns.pattern import build_pattern


class MemoryLog:
    """Rows, roll-ups and losses. Compressing them would only cost time."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._rows: dict[str, LogRow] = {}
        self._rollups: dict[Slot, Rollup] = {}
        self._patterns: dict[PatternSlot, PatternCount] = {}
        self._texts: TextCounts = {}
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
            if batch.rollups:
                self._add(roll_up(new.values()) if repeated else batch.rollups)
                self._add(
                    roll_up_tries(new.values(), self._find_tries(list_first_tries(new.values())))
                )
            self._add_texts(list(new.values()))
            for pattern, failures in count_patterns(new.values(), batch.patterns).items():
                known = self._patterns.get(pattern)
                self._patterns[pattern] = add_failures(known, failures) if known else failures
            self._losses |= dict.fromkeys(batch.losses)
            for row in batch.findings:
                self._findings.setdefault(row.id, row)

    def list_rows(self, query: LogQuery) -> list[LogRow]:
        """Rows that fit, newest first unless asked otherwise."""
        with self._lock:
            ids = sorted(self._rows, reverse=not query.oldest_first)
            fitting = [self._rows[name] for name in ids if fits(self._rows[name], query)]
        return fitting[: query.limit]

    def read_rollups(self, *, since: datetime, until: datetime) -> dict[Slot, Rollup]:
        """The hourly counts from `since` to `until`, both hours included."""
        first = to_us(since, name="since") // HOUR_US
        last = to_us(until, name="until") // HOUR_US
        with self._lock:
            return {
                slot: deepcopy(counts)
                for slot, counts in self._rollups.items()
                if first <= slot.hour <= last
            }

    def sum_rollups(self, *, since: datetime, until: datetime) -> dict[Slot, Rollup]:
        """The counts of all those hours together, each slot in hour 0."""
        return add_up(self.read_rollups(since=since, until=until))

    def read_texts(self, *, since: datetime, until: datetime) -> TextCounts:
        """The hourly counts of replies, drafts and tasks, both hours included."""
        first = to_us(since, name="since") // HOUR_US
        last = to_us(until, name="until") // HOUR_US
        with self._lock:
            return {slot: n for slot, n in self._texts.items() if first <= slot.hour <= last and n}

    def list_patterns(self, query: PatternQuery) -> list[PatternSeen]:
        """What failed alike in some hours, the most frequent first."""
        first = to_us(query.since, name="since") // HOUR_US
        last = to_us(query.until, name="until") // HOUR_US
        groups: dict[tuple[str, str], list[tuple[str, PatternCount]]] = {}
        with self._lock:
            for slot, count in self._patterns.items():
                whose = query.tenant in (None, slot.tenant) and query.tool in (None, slot.tool)
                if whose and first <= slot.hour <= last:
                    group = groups.setdefault((slot.tool, slot.fingerprint), [])
                    group.append((slot.agent, count))
        found = [
            build_pattern(
                *pattern,
                counted=reduce(add_failures, (count for _, count in group)),
                agents=(agent for agent, _ in group),
            )
            for pattern, group in sorted(groups.items())
        ]
        return sorted(found, key=lambda each: -each.pattern.count)[: query.limit]

    def list_losses(self) -> list[Loss]:
        """Every loss on record, oldest first."""
        with self._lock:
            return sorted(self._losses, key=lambda loss: (loss.at, loss.reason))

    def list_finding_counts(
        self, *, since: datetime, until: datetime, tenant: str | None = None
    ) -> list[FindingCount]:
        """How often each rule spoke up, by tool and agent, most first."""
        first, last = to_us(since, name="since"), to_us(until, name="until")
        with self._lock:
            seen = Counter(
                (row.rule, row.severity, row.server, row.tool, row.agent)
                for row in self._findings.values()
                if first <= row.at_us <= last and tenant in (None, row.tenant)
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
            self._patterns = {s: count for s, count in self._patterns.items() if s.hour >= hour}
            self._texts = {slot: n for slot, n in self._texts.items() if slot.hour >= hour}
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

    def reset_after_fork(self) -> None:
        """In a child: a lock another thread held is nobody's now."""
        self._lock = threading.Lock()

    def _add(self, rollups: Mapping[Slot, Rollup]) -> None:
        for slot, counts in rollups.items():
            self._rollups.setdefault(slot, Rollup()).add(counts)

    def _add_texts(self, rows: list[LogRow]) -> None:
        add_texts(self._texts, roll_up_texts(rows))
        if rated := list_rated(rows):
            known = [row for row in self._rows.values() if rated & {row.id, row.parent}]
            add_texts(self._texts, roll_up_thumbs(rows, known))

    def _find_tries(self, firsts: set[str]) -> list[LogRow]:
        if not firsts:
            return []
        return [row for row in self._rows.values() if firsts & {row.id, row.parent}]
