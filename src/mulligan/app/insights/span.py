"""A span of time in numbers: how calls went by tool and agent, what failed alike, and texts."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from datetime import datetime

from mulligan.app.insights.estimates import Estimate, estimate_share
from mulligan.app.insights.figures import NOBODY, Share, add_up_counts, build_share, name_tool
from mulligan.app.insights.text_figures import TextFigures, read_text_figures
from mulligan.core.finding import FindingCount
from mulligan.core.interfaces import Store
from mulligan.core.runtime.dataclass import dataclass
from mulligan.core.storage.log_query import PatternQuery, PatternSeen
from mulligan.core.storage.rollup import Rollup, Slot
from mulligan.learning.calibration import Lift, measure_lift


@dataclass(frozen=True, slots=True, kw_only=True)
class Figures:
    """A span of time in numbers."""

    since: datetime
    until: datetime
    all_calls: Share
    tools: tuple[Share, ...]
    agents: tuple[Share, ...]
    with_context: Estimate
    """Of all calls: those of which somebody said which agent made them, and what for."""
    derived_context: Estimate
    """Those of which nobody did, and Mulligan told it from their turn."""
    recovered: Estimate
    """Of the calls that failed in turns, on these days: those after which one of the same tool
    worked, whoever mended it and however. Later tries of a call are no calls of their own."""
    lift: Lift | None
    """How much more often a failure was repaired where memory had its say; `None` while nothing
    was left alone to compare with."""
    patterns: tuple[PatternSeen, ...]
    findings: tuple[FindingCount, ...]
    """What reviews found, warnings too, by rule, tool and agent; the most frequent first."""
    texts: TextFigures
    """Replies and drafts, which are no calls."""


def read_figures(store: Store, *, since: datetime, until: datetime, patterns: int = 5) -> Figures:
    """Add up what a store knows of a span of time."""
    log = store.log
    slots = log.sum_rollups(since=since, until=until)
    counts = add_up_counts(slots.values())
    endings = store.casebook.count_episodes(since=since.date())
    calls = {slot: n for slot, n in endings.items() if not slot.later}
    return Figures(
        since=since,
        until=until,
        all_calls=build_share("all", counts),
        tools=_group_shares(slots, name_tool),
        agents=_group_shares(slots, lambda slot: slot.agent or NOBODY),
        with_context=estimate_share(counts.with_context, counts.calls),
        derived_context=estimate_share(counts.derived, counts.calls),
        recovered=estimate_share(
            sum(n for slot, n in calls.items() if slot.repaired), sum(calls.values())
        ),
        lift=measure_lift(endings),
        patterns=tuple(log.list_patterns(PatternQuery(since=since, until=until, limit=patterns))),
        findings=tuple(log.list_finding_counts(since=since, until=until)),
        texts=read_text_figures(store, since=since, until=until),
    )


def _group_shares(
    slots: Mapping[Slot, Rollup], name_of: Callable[[Slot], str]
) -> tuple[Share, ...]:
    groups: dict[str, list[Rollup]] = {}
    for slot, counts in slots.items():
        groups.setdefault(name_of(slot), []).append(counts)
    shares = [build_share(name, add_up_counts(group)) for name, group in groups.items()]
    return tuple(sorted(shares, key=lambda share: -share.calls))
