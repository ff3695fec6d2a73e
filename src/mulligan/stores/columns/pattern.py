"""Counted failures as patterns that were seen."""

from __future__ import annotations

from collections.abc import Iterable

from mulligan.core.failures.error_class import ErrorClass
from mulligan.core.failures.suggestion import Pattern
from mulligan.core.storage.instants import from_us
from mulligan.core.storage.log_query import PatternSeen
from mulligan.core.storage.rollup import PatternCount
from mulligan.stores.columns.encoding import report_unreadable


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
