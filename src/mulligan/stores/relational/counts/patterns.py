"""What fails alike, by the hour and the day: written with its rows, read without them."""

from __future__ import annotations

from collections.abc import Mapping

from mulligan.core.display.escape import escape
from mulligan.core.storage.log_query import PatternQuery, PatternSeen
from mulligan.core.storage.rollup import PatternCount, PatternSlot, add_failures
from mulligan.stores.columns.pattern import build_pattern
from mulligan.stores.database.driver import Session
from mulligan.stores.relational.counts.rollups import HOURS, split_hours

Counts = dict[tuple[int, int], tuple[int, int]]
"""By time and pattern: how many failures, and when the first was."""
_BETWEEN = "\x1f"
"""Between the names of agents, where none of them can have it."""


def add_patterns(session: Session, counted: Mapping[PatternSlot, PatternCount]) -> None:
    """Add failures to their hours: each pattern is looked up once, however many hours it is in."""
    known: dict[PatternSlot, PatternCount] = {}
    for slot, count in counted.items():
        pattern = slot._replace(hour=0)
        known[pattern] = add_failures(known[pattern], count) if pattern in known else count
    # In one order everywhere, so that two writers never wait for each other in a circle.
    numbers = {each: _add_pattern(session, each, known[each]) for each in sorted(known)}
    hours: Counts = {}
    for slot, count in counted.items():
        at = (slot.hour, numbers[slot._replace(hour=0)])
        failures, first_us = hours.get(at, (0, count.first_us))
        hours[at] = (failures + count.failures, min(first_us, count.first_us))
    session.run_many("count_failures", _list_counts(hours))
    session.run_many("count_failure_days", _list_counts(_sum_days(hours)))


def _sum_days(hours: Counts) -> Counts:
    days: Counts = {}
    for (hour, number), (failures, first_us) in hours.items():
        known, earlier_us = days.get((hour // HOURS, number), (0, first_us))
        days[hour // HOURS, number] = (known + failures, min(earlier_us, first_us))
    return days


def _list_counts(counts: Counts) -> list[tuple[int, ...]]:
    return [(*at, *count) for at, count in sorted(counts.items())]


def _add_pattern(session: Session, slot: PatternSlot, count: PatternCount) -> int:
    [(number,)] = session.fetch(
        "know_pattern",
        tenant=escape(slot.tenant),
        tool=escape(slot.tool),
        fingerprint=slot.fingerprint,
        agent=escape(slot.agent),
        error_class=count.error_class,
        template=escape(count.template),
        last_us=count.last_us,
        example=escape(count.example),
    )
    return int(number)


def read_patterns(
    session: Session, query: PatternQuery, *, since: int, until: int
) -> list[PatternSeen]:
    """The patterns of some hours, the most frequent first."""
    rows = session.fetch(
        "patterns",
        tenant=None if query.tenant is None else escape(query.tenant),
        tool=None if query.tool is None else escape(query.tool),
        **split_hours(since, until),
        most=query.limit,
        between=_BETWEEN,
    )
    return [
        build_pattern(
            tool, fingerprint, counted=PatternCount(*counted), agents=agents.split(_BETWEEN)
        )
        for tool, fingerprint, agents, *counted in rows
    ]
