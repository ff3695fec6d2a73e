"""Tools and agents: where calls fail, whose fault it is, and how many failures are repaired."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from datetime import datetime
from enum import StrEnum

from msgspec import Struct

from mulligan.insights.figures import (
    NOBODY,
    Estimate,
    Share,
    add_up_counts,
    build_share,
    estimate_share,
    name_tool,
)
from mulligan.insights.filters import ViewFilter
from mulligan.insights.overview import TrendPoint
from mulligan.types.failure import ErrorClass
from mulligan.types.lesson import Lesson
from mulligan.types.log import PatternSeen, Rollup, Slot

MOST_CELLS = 12
"""Agents and tools of the heat map, the busiest."""


class Blame(StrEnum):
    """Whose fault a failure is, most of the time."""

    MODEL = "model"
    """It asked for what cannot be."""
    TOOL = "tool"
    INFRASTRUCTURE = "infrastructure"
    """What lies between: it was down, slow, or too much was asked at once."""
    POLICY = "policy"
    """It is not permitted."""


_BLAMES: Mapping[ErrorClass, Blame] = {
    ErrorClass.VALIDATION: Blame.MODEL,
    ErrorClass.MISSING: Blame.MODEL,
    ErrorClass.RULE: Blame.MODEL,
    ErrorClass.CONFLICT: Blame.MODEL,
    ErrorClass.AUTH: Blame.POLICY,
    ErrorClass.POLICY: Blame.POLICY,
    ErrorClass.RATE_LIMIT: Blame.INFRASTRUCTURE,
    ErrorClass.NOT_SENT: Blame.INFRASTRUCTURE,
    ErrorClass.AMBIGUOUS: Blame.INFRASTRUCTURE,
}


def find_blame(error_class: ErrorClass) -> Blame:
    """Whose fault errors of a class are; an exception that says nothing is its tool's."""
    return _BLAMES.get(error_class, Blame.TOOL)


class ToolRow(Struct, frozen=True, kw_only=True):
    """One tool or agent."""

    name: str
    share: Share
    excess: float
    """Failures beyond what all tools together would lead one to expect."""
    faults: Mapping[str, int]
    """Failures by whose fault they are, as far as their patterns say."""


class HeatCell(Struct, frozen=True, kw_only=True):
    """How often the calls of one tool fail one agent."""

    agent: str
    tool: str
    failed: Estimate


class ToolsView(Struct, frozen=True, kw_only=True):
    """Every tool and agent, the one with the most failures too many first."""

    asked: ViewFilter
    tools: tuple[ToolRow, ...]
    agents: tuple[ToolRow, ...]
    faults: Mapping[str, int]
    trend: tuple[TrendPoint, ...]
    heat: tuple[HeatCell, ...]
    heat_tools: tuple[str, ...]
    heat_agents: tuple[str, ...]
    changed: tuple[str, ...]
    """Tools whose lessons have changed since they were last exported, or else in this time."""


def find_changed(
    lessons: Iterable[Lesson], exports: Mapping[str, datetime], *, since: datetime
) -> tuple[str, ...]:
    """Tools about which something was learned that nobody has exported."""

    def find_last(tool: str) -> datetime:
        last = [exports[name] for name in (tool, "") if name in exports]
        return max(last, default=since)

    return tuple(sorted({e.tool for e in lessons if e.learned_at > find_last(e.tool)}))


def rank_tools(slots: Mapping[Slot, Rollup], patterns: Iterable[PatternSeen]) -> list[ToolRow]:
    """Tools by their excess failures."""
    seen: dict[str, dict[str, int]] = {}
    for each in patterns:
        faults = seen.setdefault(each.pattern.tool, {})
        blame = find_blame(each.pattern.error_class).value
        faults[blame] = faults.get(blame, 0) + each.pattern.count
    groups = _group(slots, name_tool)
    return _rank(groups, {name: seen.get(name.rpartition("/")[2], {}) for name in groups})


def rank_agents(slots: Mapping[Slot, Rollup]) -> list[ToolRow]:
    """Agents by their excess failures."""
    groups = _group(slots, lambda slot: slot.agent or NOBODY)
    return _rank(groups, {})


def build_heat(slots: Mapping[Slot, Rollup]) -> tuple[tuple[HeatCell, ...], list[str], list[str]]:
    """How often each tool fails each agent, of the busiest of both."""
    tools, agents = _group(slots, name_tool), _group(slots, lambda slot: slot.agent or NOBODY)
    busiest = [
        sorted(group, key=lambda name: -group[name].calls)[:MOST_CELLS] for group in (tools, agents)
    ]
    cells: dict[tuple[str, str], list[Rollup]] = {}
    for slot, counts in slots.items():
        cells.setdefault((slot.agent or NOBODY, name_tool(slot)), []).append(counts)
    shown = []
    for (agent, tool), group in sorted(cells.items()):
        if tool in busiest[0] and agent in busiest[1]:
            total = add_up_counts(group)
            failed = estimate_share(total.failures, total.calls)
            shown.append(HeatCell(agent=agent, tool=tool, failed=failed))
    return tuple(shown), busiest[0], busiest[1]


def add_up_faults(rows: Iterable[ToolRow]) -> dict[str, int]:
    """All failures together, by whose fault they are."""
    total = dict.fromkeys((blame.value for blame in Blame), 0)
    for row in rows:
        for blame, count in row.faults.items():
            total[blame] += count
    return total


def _group(slots: Mapping[Slot, Rollup], name_of: Callable[[Slot], str]) -> dict[str, Rollup]:
    groups: dict[str, list[Rollup]] = {}
    for slot, counts in slots.items():
        groups.setdefault(name_of(slot), []).append(counts)
    return {name: add_up_counts(group) for name, group in groups.items()}


def _rank(groups: Mapping[str, Rollup], faults: Mapping[str, Mapping[str, int]]) -> list[ToolRow]:
    total = add_up_counts(groups.values())
    rate = total.failures / total.calls if total.calls else 0.0
    rows = [
        ToolRow(
            name=name,
            share=build_share(name, counts),
            excess=round(counts.failures - counts.calls * rate, 1),
            faults=faults.get(name, {}),
        )
        for name, counts in groups.items()
    ]
    return sorted(rows, key=lambda row: (-row.excess, row.name))


class FunnelStep(Struct, frozen=True, kw_only=True):
    """One step of the funnel."""

    name: str
    about: str
    count: float
    share: Estimate
    """Of the failures."""


class Reliance(Struct, frozen=True, kw_only=True):
    """How many of an agent's successes needed a repair."""

    agent: str
    calls: float
    repaired: float
    needed: Estimate
    wasted: float
    """Calls that were made again, for nothing."""


class RepairsView(Struct, frozen=True, kw_only=True):
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
