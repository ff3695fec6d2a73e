"""What fails alike, by the hour: written with its rows, read without them."""

from __future__ import annotations

from collections.abc import Mapping

from mulligan.core.escape import escape
from mulligan.core.log_query import PatternQuery, PatternSeen
from mulligan.core.rollup import PatternCount, PatternSlot
from mulligan.stores.driver import Session
from mulligan.stores.pattern import build_pattern

_BETWEEN = "\x1f"
"""Between the names of agents, where none of them can have it."""


def add_patterns(session: Session, counted: Mapping[PatternSlot, PatternCount]) -> None:
    """Add failures to their hours."""
    # In one order everywhere, so that two writers never wait for each other in a circle.
    for slot, count in sorted(counted.items(), key=lambda each: each[0][1:]):
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
        session.run(
            "count_failures",
            hour=slot.hour,
            pattern=number,
            failures=count.failures,
            first_us=count.first_us,
        )


def read_patterns(
    session: Session, query: PatternQuery, *, since: int, until: int
) -> list[PatternSeen]:
    """The patterns of some hours, the most frequent first."""
    rows = session.fetch(
        "patterns",
        tenant=None if query.tenant is None else escape(query.tenant),
        tool=None if query.tool is None else escape(query.tool),
        since=since,
        until=until,
        most=query.limit,
        between=_BETWEEN,
    )
    return [
        build_pattern(
            tool, fingerprint, counted=PatternCount(*counted), agents=agents.split(_BETWEEN)
        )
        for tool, fingerprint, agents, *counted in rows
    ]
