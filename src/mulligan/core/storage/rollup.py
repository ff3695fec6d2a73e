"""Counts by the hour, added up as rows are written so that questions stay fast."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import field
from typing import NamedTuple

from mulligan.core.call import DERIVED, OWN, LogRow, Outcome
from mulligan.core.failures.suggestion import Pattern
from mulligan.core.runtime.dataclass import dataclass

HOUR_US = 3_600_000_000
_SUCCESS = Outcome.SUCCESS.value


class Slot(NamedTuple):
    """What a roll-up counts: one tool, used by one agent, in one hour."""

    hour: int
    """Hours since the epoch."""
    tenant: str
    server: str
    tool: str
    agent: str


@dataclass(slots=True)
class Rollup:
    """The counts of one slot."""

    calls: float = 0
    """Also those that no row is kept of, once a later one is. A call counts once."""
    failures: float = 0
    """Calls whose first try was no success."""
    repaired: float = 0
    """Of these, the calls that worked on a later try, in the hour of the first."""
    with_context: float = 0
    """Calls of which somebody said which agent made them, and what for."""
    duration_us: float = 0
    latency: dict[int, float] = field(default_factory=dict)
    """Tries by latency bucket."""
    repairs: dict[int, float] = field(default_factory=dict)
    """Repaired calls by the latency bucket of the whole repair, first try included."""
    retried: float = 0
    """Calls that were made again."""
    suggested: float = 0
    """Suggestions that were tried."""
    suggested_right: float = 0
    """Those by which a call worked."""
    tries: float = 0
    """Executions: every call once, and again each time it was made again."""
    derived: float = 0
    """Calls of which nobody said it all, and what is missing was told from their turn."""

    def add(self, more: Rollup) -> None:
        """Add the counts of another."""
        self.calls += more.calls
        self.failures += more.failures
        self.repaired += more.repaired
        self.with_context += more.with_context
        self.duration_us += more.duration_us
        self.retried += more.retried
        self.suggested += more.suggested
        self.suggested_right += more.suggested_right
        self.tries += more.tries
        self.derived += more.derived
        for total, counts in ((self.latency, more.latency), (self.repairs, more.repairs)):
            for bucket, calls in counts.items():
                total[bucket] = total.get(bucket, 0) + calls


class PatternSlot(NamedTuple):
    """What failures are counted by: one pattern, met by one agent, in one hour."""

    hour: int
    tenant: str
    tool: str
    fingerprint: str
    agent: str


@dataclass(slots=True)
class PatternCount:
    """The failures of one slot."""

    error_class: str
    template: str
    failures: int
    first_us: int
    last_us: int
    example: str
    """Id of the newest call."""


def compute_latency_bucket(duration_us: int) -> int:
    """The bucket of a duration: four to each doubling, so a bound is at most a quarter off."""
    if duration_us < 4:
        return max(duration_us, 0)
    length = duration_us.bit_length()
    return (length - 1) * 4 + (duration_us >> (length - 3)) - 8


def compute_bucket_floor_us(bucket: int) -> int:
    """The shortest duration that falls into a bucket."""
    if bucket < 4:
        return bucket
    octave, quarter = divmod(bucket, 4)
    return (4 + quarter) << (octave - 1)


def roll_up(rows: Iterable[LogRow]) -> dict[Slot, Rollup]:
    """Add calls and their tries up by slot; steps of our own loops are none."""
    slots: dict[tuple[object, ...], Rollup] = {}
    # Runs once for every row ever logged: unpacking is twice as fast as naming each field, and
    # of a part of a row, which is a plain tuple, three times.
    for row in rows:
        (
            at_us, tenant, agent, server, tool, _, context, outcome, duration_us,
            _, _, _, _, _, _, try_number, _, _, weight,
        ) = row[1:]  # fmt: skip
        key = (at_us // HOUR_US, tenant, server, tool, agent)
        counts = slots.get(key)
        if counts is None:
            counts = slots[key] = Rollup()
        counts.tries += weight
        counts.duration_us += weight * duration_us
        if try_number == 1:
            counts.calls += weight
            if outcome != _SUCCESS:
                counts.failures += weight
            if agent and context:
                if context.startswith(DERIVED) or agent[0] == "(":
                    counts.derived += weight
                else:
                    counts.with_context += weight
        bucket = compute_latency_bucket(duration_us)
        counts.latency[bucket] = counts.latency.get(bucket, 0) + weight
    counted = ((Slot._make(key), counts) for key, counts in slots.items())
    return {slot: counts for slot, counts in counted if slot.server != OWN}


def list_first_tries(rows: Iterable[LogRow]) -> set[str]:
    """Ids of the first tries that some of these rows come after."""
    return {row.parent for row in rows if row.try_number > 1 and row.parent}


def roll_up_tries(rows: Iterable[LogRow], tries: Iterable[LogRow]) -> dict[Slot, Rollup]:
    """Add up what later tries tell only beside the tries before them, where the first counts.

    `tries` are all that the log has of the calls that `rows`, the new ones, are tries of. One with
    other arguments than the first was made as a suggestion said: by itself, or by an agent that was
    told. What the log shows of equal arguments is equal; made again, it is the same suggestion.
    """
    new = {row.id for row in rows}
    # What was there before comes first, also before new rows that are older.
    ordered = sorted(tries, key=lambda row: (row.id in new, row.id))
    firsts = {row.id: row for row in ordered}
    retried: set[str] = set()
    repaired: set[str] = set()
    tried: set[tuple[str, str]] = set()
    right: set[tuple[str, str]] = set()
    slots: dict[Slot, Rollup] = {}
    for row in ordered:
        if row.try_number == 1 or not row.parent:
            continue
        first = firsts.get(row.parent)
        suggestion = (row.parent, row.parameters)
        corrected = first is not None and first.parameters != row.parameters
        worked = row.outcome == _SUCCESS
        mended = worked and row.parent not in repaired
        counts = Rollup(
            retried=row.parent not in retried,
            repaired=mended,
            repairs=_measure_repair(row, first) if mended else {},
            suggested=corrected and suggestion not in tried,
            suggested_right=corrected and worked and suggestion not in right,
        )
        retried.add(row.parent)
        tried.add(suggestion)
        if worked:
            repaired.add(row.parent)
            right.add(suggestion)
        if row.id in new:
            slots.setdefault(_find_slot(row, first), Rollup()).add(counts)
    return slots


def _find_slot(row: LogRow, first: LogRow | None) -> Slot:
    """Where a call counts: with its first try, also where the log has lost that."""
    said = first or row
    at_us = said.at_us if first else _read_time(row.parent) or row.at_us
    return Slot(at_us // HOUR_US, said.tenant, said.server, said.tool, said.agent)


def _measure_repair(row: LogRow, first: LogRow | None) -> dict[int, float]:
    """How long a repair took, from when the first try began to the end of the one that worked."""
    began_us = first.at_us if first else _read_time(row.parent)
    if began_us is None:
        return {}
    return {compute_latency_bucket(row.at_us + row.duration_us - began_us): 1}


def _read_time(name: str | None) -> int | None:
    """When an id was made, in microseconds; one of somebody else's making tells no time."""
    try:
        return int((name or "")[:12], 16) * 1000
    except ValueError:
        return None


def add_up(hours: Mapping[Slot, Rollup]) -> dict[Slot, Rollup]:
    """The counts of all hours together, each slot in hour 0."""
    totals: dict[Slot, Rollup] = {}
    for slot, counts in hours.items():
        totals.setdefault(slot._replace(hour=0), Rollup()).add(counts)
    return totals


def count_patterns(
    rows: Iterable[LogRow], patterns: Mapping[str, Pattern]
) -> dict[PatternSlot, PatternCount]:
    """Add failed rows up by the pattern each belongs to; `patterns` has them by the row's id."""
    slots: dict[PatternSlot, PatternCount] = {}
    for row in rows:
        pattern = patterns.get(row.id)
        if pattern is None:
            continue
        slot = PatternSlot(
            row.at_us // HOUR_US, row.tenant, row.tool, pattern.fingerprint, row.agent
        )
        seen = PatternCount(
            str(pattern.error_class), pattern.template, 1, row.at_us, row.at_us, row.id
        )
        slots[slot] = add_failures(slots[slot], seen) if slot in slots else seen
    return slots


def add_failures(counted: PatternCount, more: PatternCount) -> PatternCount:
    """Both together, as the newer describes them."""
    newer = max(counted, more, key=lambda each: each.example)
    return PatternCount(
        newer.error_class,
        newer.template,
        counted.failures + more.failures,
        min(counted.first_us, more.first_us),
        max(counted.last_us, more.last_us),
        newer.example,
    )
