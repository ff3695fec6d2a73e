"""Counted failures as patterns that were seen."""

from __future__ import annotations

from collections.abc import Iterable

from mulligan.core.error_class import ErrorClass
from mulligan.core.instants import from_us
from mulligan.core.log_query import PatternSeen
from mulligan.core.rollup import PatternCount
from mulligan.core.suggestion import Pattern
from mulligan.stores.encoding import report_unreadable


def build_pattern(
    tool: str, fingerprint: str, *, counted: PatternCount, agents: Iterable[str]
) -> PatternSeen:
    """A pattern with what was counted of it, and all who met it by name."""
    with report_unreadable(f"What is known of failures of {tool}"):
        return PatternSeen(
            pattern=Pattern(
                fingerprint=fingerprint,
                tool=tool,
                error_class=ErrorClass(counted.error_class),
                template=counted.template,
                count=int(counted.failures),
            ),
            first_at=from_us(counted.first_us),
            last_at=from_us(counted.last_us),
            agents=tuple(sorted({agent for agent in agents if agent})),
            example=counted.example,
        )
