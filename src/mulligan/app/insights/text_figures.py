"""Figures about replies and drafts: how often they are written again, and how they end."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from mulligan.app.insights.estimates import Estimate, estimate_share
from mulligan.app.step_log import DRAFT_RESPONDED, REPLY_CHECKED, REPLY_SETTLED
from mulligan.core.call import OWN, LogRow
from mulligan.core.finding import Standing
from mulligan.core.interfaces import Store
from mulligan.core.log_query import LogQuery
from mulligan.core.rating import RATED, Rating, read_rating
from mulligan.core.rollup import HOUR_US
from mulligan.core.text import ITERATIONS_TARGET, RATE_TARGET

MOST = 50_000
"""Rows of one kind that are looked at, the newest: figures of more would be no other."""
_Firsts = Mapping[str | None, Mapping[str, Any]]
"""What was said of the first try of each reply."""
FEW = 20
"""Replies below which a rate says little."""
LEAST = 10
"""Thumbs on what one rule spoke up about, below which they say little."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ReplyShare:
    """How the replies of one agent, or of one hour, went."""

    name: str
    replies: int
    reflected: Estimate
    """The share whose first try was rejected."""
    tries: float
    """Written for one reply, on average."""
    bound: Estimate
    """The share that was sent although it was rejected."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CheckProposal:
    """A rule that people see otherwise than it is set."""

    rule: str
    liked: Estimate
    """The share of thumbs up for replies that were sent although it spoke up."""
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class TextFigures:
    """Replies and drafts of a span of time in numbers."""

    replies: ReplyShare
    by_agent: tuple[ReplyShare, ...]
    by_hour: tuple[ReplyShare, ...]
    by_check: Mapping[str, float]
    """For each rule the share of replies whose first try it was found in, highest first."""
    drafts: int
    accepted: Estimate
    """The share of drafts that were good enough."""
    score: float | None
    """Of the drafts that were judged, on average."""
    rated_up: Estimate
    """The share of thumbs that point up."""
    proposals: tuple[CheckProposal, ...]
    """Rules that people's thumbs speak against as they are set."""
    health: str
    """One sentence on where the figures lie; empty where there are none."""


def read_text_figures(store: Store, *, since: datetime, until: datetime) -> TextFigures:
    """Add up the steps of the loops over text in a span of time."""

    def read(tool: str) -> list[LogRow]:
        query = LogQuery(server=OWN, tool=tool, since=since, until=until, limit=MOST)
        return store.log.list_rows(query)

    settled, checked, drafts = read(REPLY_SETTLED), read(REPLY_CHECKED), read(DRAFT_RESPONDED)
    firsts = {row.parent: _read_facts(row) for row in checked if _read_facts(row)["number"] == 1}
    everything = _build_share("all", settled, firsts=firsts)
    rules = Counter(rule for row in settled for rule in _list_rules(firsts.get(row.id)))
    told = [_read_facts(row) for row in drafts]
    scores = [each["score"] for each in told if isinstance(each.get("score"), int | float)]
    thumbs = [read_rating(row) for row in read(RATED)]
    return TextFigures(
        replies=everything,
        by_agent=_group(settled, firsts=firsts, name_of=lambda row: row.agent or "(nobody named)"),
        by_hour=_group(settled, firsts=firsts, name_of=_name_hour),
        by_check={rule: count / len(settled) for rule, count in rules.most_common()},
        drafts=len(drafts),
        accepted=estimate_share(sum(bool(each.get("accepted")) for each in told), len(told)),
        score=sum(scores) / len(scores) if scores else None,
        rated_up=estimate_share(sum(each.up for each in thumbs), len(thumbs)),
        proposals=propose_checks(settled, thumbs),
        health=describe_health(everything),
    )


def describe_health(share: ReplyShare) -> str:
    """Where the rate and the tries lie beside what is healthy, and what to do where they do not."""
    rate = share.reflected.figure
    if rate is None:
        return ""
    said = (
        f"{rate:.0%} of the replies were written again (healthy: {RATE_TARGET[0]:.0%} to "
        f"{RATE_TARGET[1]:.0%}), {share.tries:.2f} tries each "
        f"(healthy: {ITERATIONS_TARGET[0]:g} to {ITERATIONS_TARGET[1]:g})"
    )
    if share.replies < FEW:
        return f"{said}; too few replies to tell yet."
    if rate > RATE_TARGET[1]:
        return f"{said}; too often: put the requirements into the writer's prompt."
    if rate < RATE_TARGET[0]:
        return f"{said}; seldom: good replies, or checks that see too little."
    return f"{said}; healthy."


def propose_checks(
    settled: Sequence[LogRow], ratings: Iterable[Rating]
) -> tuple[CheckProposal, ...]:
    """Rules whose findings most people clearly liked, or clearly did not, the clearest first.

    Of several thumbs for one reply the last one counts, as people change their minds.
    """
    thumbs = {each.of: each.up for each in reversed(list(ratings))}
    told: dict[str, list[bool]] = {}
    for row in settled:
        if row.id in thumbs:
            for rule in _list_rules(_read_facts(row)):
                told.setdefault(rule, []).append(thumbs[row.id])
    found = [_propose(rule, votes) for rule, votes in told.items() if len(votes) >= LEAST]
    clear = [each for each in found if each is not None]
    return tuple(sorted(clear, key=lambda each: (-_measure_clearness(each.liked), each.rule)))


def _build_share(name: str, settled: Sequence[LogRow], *, firsts: _Firsts) -> ReplyShare:
    facts = [_read_facts(row) for row in settled]
    rejected = [firsts.get(row.id, {}).get("standing") == Standing.REJECTED for row in settled]
    tries = [each["iterations"] for each in facts if isinstance(each.get("iterations"), int)]
    return ReplyShare(
        name=name,
        replies=len(settled),
        reflected=estimate_share(sum(rejected), len(settled)),
        tries=sum(tries) / len(tries) if tries else 0.0,
        bound=estimate_share(sum(bool(each.get("bound_reached")) for each in facts), len(settled)),
    )


def _group(
    settled: Sequence[LogRow], *, firsts: _Firsts, name_of: Callable[[LogRow], str]
) -> tuple[ReplyShare, ...]:
    groups: dict[str, list[LogRow]] = {}
    for row in settled:
        groups.setdefault(name_of(row), []).append(row)
    return tuple(_build_share(name, rows, firsts=firsts) for name, rows in sorted(groups.items()))


def _name_hour(row: LogRow) -> str:
    return f"{datetime.fromtimestamp(row.at_us // HOUR_US * 3600, UTC):%Y-%m-%d %H:00}"


def _list_rules(facts: Mapping[str, Any] | None) -> list[str]:
    rules = (facts or {}).get("rules")
    return list(dict.fromkeys(map(str, rules))) if isinstance(rules, list | tuple) else []


def _read_facts(row: LogRow) -> dict[str, Any]:
    facts = json.loads(row.parameters)
    return {"number": None, **facts} if isinstance(facts, dict) else {"number": None}


def _propose(rule: str, votes: Sequence[bool]) -> CheckProposal | None:
    liked = estimate_share(sum(votes), len(votes))
    said = f"people liked {sum(votes)} of {len(votes)} replies that {rule} spoke up about"
    if liked.low is not None and liked.low > 0.5:
        return CheckProposal(rule=rule, liked=liked, text=f"{said}: see whether it is too strict.")
    if liked.high is not None and liked.high < 0.5:
        text = f"{said}: see whether it should keep more of them back."
        return CheckProposal(rule=rule, liked=liked, text=text)
    return None


def _measure_clearness(liked: Estimate) -> float:
    return abs((liked.figure or 0.0) - 0.5)
