"""Repairs: how far failures come on the way back to a success, and who leans on that."""

from __future__ import annotations

from collections.abc import Mapping

from mulligan.app.insights.estimates import Estimate, estimate_share
from mulligan.app.insights.figures import NOBODY, add_up_counts
from mulligan.app.insights.views.answers.overview import TrendPoint
from mulligan.app.insights.views.filters import ViewFilter
from mulligan.core.runtime.dataclass import dataclass
from mulligan.core.storage.rollup import Rollup, Slot


@dataclass(frozen=True, slots=True, kw_only=True)
class FunnelStep:
    """One step of the funnel."""

    name: str
    about: str
    count: float
    share: Estimate
    """Of the failures."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Reliance:
    """How many of an agent's successes needed a repair."""

    agent: str
    calls: float
    repaired: float
    needed: Estimate
    wasted: float
    """Calls that were made again, for nothing."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RepairsView:
    """What became of failures."""

    asked: ViewFilter
    funnel: tuple[FunnelStep, ...]
    retried: float
    wasted: float
    """Calls that were made again and did not work."""
    wasted_share: Estimate
    suggestions_right: Estimate
    agents: tuple[Reliance, ...]
    """Who leans on repairs most first."""
    trend: tuple[TrendPoint, ...]


def build_funnel(counts: Rollup) -> tuple[FunnelStep, ...]:
    """Failed, suggested, retried, repaired."""
    failed = counts.failures
    steps = (
        ("failed", "Calls whose first try did not work.", failed),
        ("corrected", "A suggestion was tried.", counts.suggested),
        ("retried", "Made again, as they were or corrected.", counts.retried),
        ("repaired", "Worked in the end.", min(counts.repaired, failed)),
    )
    return tuple(
        FunnelStep(name=name, about=about, count=count, share=estimate_share(count, failed))
        for name, about, count in steps
    )


def list_reliance(slots: Mapping[Slot, Rollup]) -> tuple[Reliance, ...]:
    """Agents by the share of their successes that needed a repair."""
    groups: dict[str, list[Rollup]] = {}
    for slot, counts in slots.items():
        groups.setdefault(slot.agent or NOBODY, []).append(counts)
    found = []
    for agent, group in groups.items():
        total = add_up_counts(group)
        repaired = min(total.repaired, total.failures)
        found.append(
            Reliance(
                agent=agent,
                calls=total.calls,
                repaired=repaired,
                needed=estimate_share(repaired, total.calls - total.failures + repaired),
                wasted=max(0.0, total.retried - repaired),
            )
        )
    return tuple(sorted(found, key=lambda each: -(each.needed.figure or 0)))


def build_repairs(
    asked: ViewFilter, slots: Mapping[Slot, Rollup], *, trend: tuple[TrendPoint, ...]
) -> RepairsView:
    """All of it."""
    total = add_up_counts(slots.values())
    wasted = max(0.0, total.retried - total.repaired)
    return RepairsView(
        asked=asked,
        funnel=build_funnel(total),
        retried=total.retried,
        wasted=wasted,
        wasted_share=estimate_share(wasted, total.retried),
        suggestions_right=estimate_share(total.suggested_right, total.suggested),
        agents=list_reliance(slots),
        trend=trend,
    )
