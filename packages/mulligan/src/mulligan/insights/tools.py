"""Tools and agents: where calls fail, the cause, and how many failures are repaired."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from datetime import datetime

from msgspec import Struct
from msgspec.structs import replace

from mulligan.insights.cache import LONG
from mulligan.insights.figures import (
    Estimate,
    SeriesPart,
    Share,
    add_up_by,
    add_up_counts,
    build_share,
    estimate_share,
    name_agent,
    name_tool,
)
from mulligan.insights.filters import ViewFilter, ViewRequest, Window
from mulligan.insights.lessons import MOST_SHOWN
from mulligan.insights.overview import read_trend
from mulligan.insights.reader import StoreReader
from mulligan.types.failure import Blame
from mulligan.types.lesson import LessonQuery
from mulligan.types.log import Rollup, Slot

MOST_CELLS = 12
"""Agents and tools of the heat map, those with the most failures."""


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
    trend: tuple[SeriesPart, ...]
    heat: tuple[HeatCell, ...]
    heat_tools: tuple[str, ...]
    heat_agents: tuple[str, ...]
    changed: tuple[str, ...]
    """Tools whose lessons have changed since they were last exported, or else in this time."""


def read_tools(ask: StoreReader, asked: ViewRequest) -> ToolsView:
    """Every tool and agent, the one with the most failures too many first."""
    whose, seen = asked.filter, dict[str, Counter[str]]()
    slots = ask.counts.join_slots(whose.window.length, whose)
    for each in ask.patterns_seen.list_patterns(whose):
        faults = seen.setdefault(each.pattern.tool, Counter())
        faults[each.pattern.error_class.traits.blame.value] += each.pattern.count
    by_tool, by_agent = add_up_by(slots, name_tool), add_up_by(slots, name_agent)
    faults_of = {name: seen.get(name.rpartition("/")[2], Counter[str]()) for name in by_tool}
    every = replace(whose, tool=None, agent=None)
    rate = _compute_rate(ask.counts.join_slots(whose.window.length, every))
    tools = _rank(by_tool, faults_of, rate=rate)
    cells = add_up_by(slots, lambda slot: (name_agent(slot), name_tool(slot)))
    heat_tools = _list_worst(by_tool)
    shown = {agent for agent, tool in cells if tool in heat_tools}
    heat_agents = _list_worst({name: by_agent[name] for name in shown})
    return ToolsView(
        asked=whose,
        tools=tools,
        agents=_rank(by_agent, {}, rate=rate),
        faults={
            blame.value: sum(row.faults.get(blame.value, 0) for row in tools) for blame in Blame
        },
        trend=read_trend(ask, whose),
        heat=tuple(
            HeatCell(agent=agent, tool=tool, failed=estimate_share(total.failures, total.calls))
            for (agent, tool), total in sorted(cells.items())
            if tool in heat_tools and agent in heat_agents
        ),
        heat_tools=heat_tools,
        heat_agents=heat_agents,
        changed=ask.cache.keep(
            ("changed", whose.window), lambda: _list_changed(ask, whose.window), life=LONG / 6
        ),
    )


def _list_changed(ask: StoreReader, window: Window) -> tuple[str, ...]:
    """Tools whose lessons changed since they were last exported."""
    since, exports = ask.clock() - window.length, ask.acts.list_exports()
    query = LessonQuery(since=min([since, *exports.values()]), limit=MOST_SHOWN)

    def find_last(tool: str) -> datetime:
        return max((exports[name] for name in (tool, "") if name in exports), default=since)

    lessons = ask.store.failures.list_lessons(query)
    return tuple(sorted({e.tool for e in lessons if e.learned_at > find_last(e.tool)}))


def _list_worst(groups: Mapping[str, Rollup]) -> tuple[str, ...]:
    def order(name: str) -> tuple[float, float, str]:
        return -groups[name].failures, -groups[name].calls, name

    return tuple(sorted(groups, key=order)[:MOST_CELLS])


def _compute_rate(slots: Mapping[Slot, Rollup]) -> float:
    total = add_up_counts(slots.values())
    return total.failures / total.calls if total.calls else 0.0


def _rank(
    groups: Mapping[str, Rollup], faults: Mapping[str, Mapping[str, int]], *, rate: float
) -> tuple[ToolRow, ...]:
    """By the failures beyond what `rate`, that of all tools, would lead one to expect."""
    rows = [
        ToolRow(
            name=name,
            share=build_share(name, counts),
            excess=round(counts.failures - counts.calls * rate, 1),
            faults=faults.get(name, {}),
        )
        for name, counts in groups.items()
    ]
    return tuple(sorted(rows, key=lambda row: (-row.excess, row.name)))


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
    """The stages of failures."""

    asked: ViewFilter
    funnel: tuple[FunnelStep, ...]
    retried: float
    wasted: float
    """Calls that were made again and did not work."""
    wasted_share: Estimate
    suggestions_right: Estimate
    agents: tuple[Reliance, ...]
    """Agents that depend on repairs, most first."""
    trend: tuple[SeriesPart, ...]


def read_repairs(ask: StoreReader, asked: ViewRequest) -> RepairsView:
    """How many failures became a success."""
    slots = ask.counts.join_slots(asked.filter.window.length, asked.filter)
    return build_repairs(asked.filter, slots, trend=read_trend(ask, asked.filter))


def build_repairs(
    asked: ViewFilter, slots: Mapping[Slot, Rollup], *, trend: tuple[SeriesPart, ...]
) -> RepairsView:
    """The results of some failed calls."""
    total = add_up_counts(slots.values())
    failed, wasted = total.failures, max(0.0, total.retried - total.repaired)
    steps = (
        ("failed", "Calls whose first try failed.", failed),
        ("corrected", "A suggestion was tried.", total.suggested),
        ("retried", "Retried, unchanged or corrected.", total.retried),
        ("repaired", "Succeeded in the end.", min(total.repaired, failed)),
    )
    agents = [_measure_reliance(*each) for each in add_up_by(slots, name_agent).items()]
    return RepairsView(
        asked=asked,
        funnel=tuple(
            FunnelStep(name=name, about=about, count=count, share=estimate_share(count, failed))
            for name, about, count in steps
        ),
        retried=total.retried,
        wasted=wasted,
        wasted_share=estimate_share(wasted, total.retried),
        suggestions_right=estimate_share(total.suggested_right, total.suggested),
        agents=tuple(sorted(agents, key=lambda each: -(each.needed.figure or 0))),
        trend=trend,
    )


def _measure_reliance(agent: str, total: Rollup) -> Reliance:
    repaired = min(total.repaired, total.failures)
    return Reliance(
        agent=agent,
        calls=total.calls,
        repaired=repaired,
        needed=estimate_share(repaired, total.calls - total.failures + repaired),
        wasted=max(0.0, total.retried - repaired),
    )
