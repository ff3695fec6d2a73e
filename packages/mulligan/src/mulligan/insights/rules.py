"""What checks found, rule by rule, and what people say of it: mute it, soften it, harden it."""

from __future__ import annotations

from collections import Counter
from datetime import date

from msgspec import Struct

from mulligan.insights.filters import ActOrder, ViewFilter, ViewRequest
from mulligan.insights.insights import Insights
from mulligan.redaction.redactor import hide_secrets
from mulligan.types.effect import OUTSIDE
from mulligan.types.errors import ConfigurationError
from mulligan.types.finding import Severity, Waiver

SEVERITIES = {"mute": None, "soften": Severity.WARNING, "harden": Severity.ERROR}
"""What each act has findings count as."""


class RuleRow(Struct, frozen=True, kw_only=True):
    """How often a rule spoke up about a tool of an agent's."""

    rule: str
    tool: str
    agent: str
    errors: int
    warnings: int


class RulesView(Struct, frozen=True, kw_only=True):
    """What was found in a span of time, and what of it is waived now."""

    asked: ViewFilter
    rows: tuple[RuleRow, ...]
    """The most frequent first."""
    waivers: tuple[Waiver, ...]


def read_rules(ask: Insights, asked: ViewRequest) -> RulesView:
    """Count findings by rule, tool and agent."""
    whose, until = asked.filter, ask.clock()
    found = ask.store.log.list_finding_counts(
        since=until - whose.window.length, until=until, tenant=whose.tenant
    )
    counts: dict[tuple[str, str, str], Counter[Severity]] = {}
    for each in found:
        # What is only counted, and was said by no check, cannot be said to count otherwise.
        by_check = each.rule != OUTSIDE and not each.rule.startswith("shadow.")
        if by_check and whose.fits_finding(each):
            key = (each.rule, each.tool, each.agent)
            counts.setdefault(key, Counter())[each.severity] += each.count
    rows = [
        RuleRow(
            rule=rule,
            tool=tool,
            agent=agent,
            errors=count[Severity.ERROR],
            warnings=count[Severity.WARNING],
        )
        for (rule, tool, agent), count in counts.items()
    ]
    rows.sort(key=lambda row: (-row.errors - row.warnings, row.rule, row.tool, row.agent))
    return RulesView(asked=whose, rows=tuple(rows), waivers=tuple(ask.list_waivers()))


def decide_rule(ask: Insights, order: ActOrder) -> RulesView:
    """Mute, soften or harden a rule, or end that; the log records who did."""
    words = order.words
    tool, agent = words.get("tool", ""), words.get("agent", "")
    scope = "".join(f" {name} {each}" for name, each in (("of", tool), ("by", agent)) if each)

    def carry_out() -> None:
        if order.act == "end":
            ask.end_waiver(order.id, tool=tool, agent=agent)
            return
        waiver = Waiver(
            rule=order.id,
            tool=tool,
            agent=agent,
            severity=SEVERITIES[order.act],
            until=_read_day(words.get("until", "")),
            reason=words.get("note", ""),
            by=order.by,
        )
        ask.waive(waiver)

    said = f" until {words.get('until')}: {hide_secrets(words.get('note', ''))}"
    said = "" if order.act == "end" else said
    ask.acts.record(carry_out, by=order.by, what=f"{order.act} {order.id}{scope}{said}")
    return read_rules(ask, ViewRequest())


def _read_day(said: str) -> date:
    try:
        return date.fromisoformat(said)
    except ValueError as error:
        raise ConfigurationError(f"{said!r} is no day; write it as 2026-12-31.") from error
