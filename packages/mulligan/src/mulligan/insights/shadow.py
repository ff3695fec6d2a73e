"""What shadow mode has only reported: by tool and agent, and which rules spoke up."""

from __future__ import annotations

from collections import Counter

from msgspec import Struct

from mulligan.insights.figures import name_agent, name_tool
from mulligan.insights.filters import ViewFilter, ViewRequest
from mulligan.insights.reader import StoreReader

_AREA = "shadow."


class ShadowRow(Struct, frozen=True, kw_only=True):
    """What would have been done about the calls of one tool of an agent, how often."""

    tool: str
    agent: str
    held: int
    """Calls that would have waited for approval."""
    rejected: int
    """Attempts that would have been rejected, and their agent corrected."""
    undone: int
    """Calls that would have been undone then."""
    advised: int
    """Failed calls whose agent would have been given a suggestion."""
    rules: tuple[str, ...]
    """What was found about them, the most frequent first."""


class ShadowView(Struct, frozen=True, kw_only=True):
    """All that would have been done in a span of time."""

    asked: ViewFilter
    rows: tuple[ShadowRow, ...]
    """The most frequent first."""


def read_shadow(ask: StoreReader, asked: ViewRequest) -> ShadowView:
    """Add up what is on record of shadow mode."""
    whose, until = asked.filter, ask.clock()
    found = ask.store.log.list_finding_counts(
        since=until - whose.window.length, until=until, tenant=whose.tenant
    )
    would: dict[tuple[str, str], Counter[str]] = {}
    for each in found:
        if each.rule.startswith(_AREA) and whose.fits_finding(each):
            counts = would.setdefault((name_tool(each), name_agent(each)), Counter())
            counts[each.rule.removeprefix(_AREA)] += each.count
    rows = [
        ShadowRow(
            tool=tool,
            agent=agent,
            held=counts["held"],
            rejected=counts["rejected"],
            undone=counts["undone"],
            advised=counts["advised"],
            rules=tuple(
                dict.fromkeys(
                    each.rule
                    for each in found
                    if (name_tool(each), name_agent(each)) == (tool, agent)
                    and not each.rule.startswith(_AREA)
                )
            ),
        )
        for (tool, agent), counts in would.items()
    ]
    return ShadowView(
        asked=whose,
        rows=tuple(sorted(rows, key=lambda row: -would[row.tool, row.agent].total())),
    )
