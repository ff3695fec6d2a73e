"""Figures about replies, drafts and runs of tasks, read from their counts by the hour alone."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping
from datetime import UTC, datetime
from typing import TypeVar

from mulligan.app.insights.estimates import Estimate, estimate_share
from mulligan.core.interfaces import Store
from mulligan.core.runtime.dataclass import dataclass
from mulligan.core.storage.text_rollup import TextCounts, TextKind, TextMeasure, TextSlot
from mulligan.core.text import ITERATIONS_TARGET, RATE_TARGET

FEW = 20
"""Replies below which a rate says little."""
LEAST = 10
"""Thumbs on what one rule spoke up about, below which they say little."""
NOBODY = "(nobody named)"

T = TypeVar("T")


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
class LoopShare:
    """How the drafts, or the runs of tasks, of one agent or one hour went."""

    name: str
    n: int
    reflected: Estimate
    """The share of drafts that were revised, or of runs after which notes were written."""
    tries: float
    """Drafts written for one answer, or runs made for one output, on average."""
    bound: Estimate
    """The share that went out although it was not good enough, or that a check rejected."""
    score: float | None
    """Of those that have one, on average: of 10 for drafts, of 1 for runs."""


@dataclass(frozen=True, slots=True, kw_only=True)
class LoopFigures:
    """The drafts, or the runs of tasks, of a span of time."""

    all: LoopShare
    by_agent: tuple[LoopShare, ...]
    by_hour: tuple[LoopShare, ...]
    by_check: Mapping[str, float]
    """For each rule the share of runs that it was found in, highest first."""
    noted: Estimate
    """The share of runs with notes from earlier ones."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CheckProposal:
    """A rule that people see otherwise than it is set."""

    rule: str
    liked: Estimate
    """The share of thumbs up for replies that were sent although it spoke up."""
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class TextFigures:
    """Replies, drafts and runs of a span of time in numbers."""

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
    drafted: LoopFigures
    tasks: LoopFigures
    rated_up: Estimate
    """The share of thumbs that point up."""
    proposals: tuple[CheckProposal, ...]
    """Rules that people's thumbs speak against as they are set."""
    health: str
    """One sentence on where the figures lie; empty where there are none."""


class TextSum:
    """What some counts come to; nothing in here depends on how many texts there were."""

    def __init__(self, counts: Iterable[tuple[TextSlot, float]]) -> None:
        self._sums: defaultdict[tuple[str, str, str], float] = defaultdict(float)
        for slot, n in counts:
            self._sums[slot.kind, slot.what, slot.name] += n

    def count(self, kind: TextKind, what: TextMeasure) -> float:
        """One measure of one kind of text."""
        return self._sums.get((kind, what, ""), 0.0)

    def list_names(self, kind: TextKind, what: TextMeasure) -> dict[str, float]:
        """A measure that is counted by name, the most frequent first."""
        found = {key[2]: n for key, n in self._sums.items() if key[:2] == (kind, what) and n > 0}
        return dict(sorted(found.items(), key=lambda each: (-each[1], each[0])))

    def estimate(self, kind: TextKind, what: TextMeasure) -> Estimate:
        """The share of texts that a measure was counted for."""
        return estimate_share(self.count(kind, what), self.count(kind, TextMeasure.SETTLED))

    def compute_average(
        self, kind: TextKind, what: TextMeasure, *, over: TextMeasure
    ) -> float | None:
        """A measure for one text, on average; `None` where there is none."""
        n = self.count(kind, over)
        return self.count(kind, what) / n if n > 0 else None


def read_text_figures(store: Store, *, since: datetime, until: datetime) -> TextFigures:
    """Add up what the loops over text came to in a span of time, in whole hours."""
    counts = store.log.read_texts(since=since, until=until)
    total = TextSum(counts.items())
    everything = build_reply_share("all", total)
    reply, drafts, up = TextKind.REPLY, TextKind.DRAFT, total.count(TextKind.THUMB, TextMeasure.UP)
    return TextFigures(
        replies=everything,
        by_agent=_group(counts, kind=reply, name_of=name_agent, build=build_reply_share),
        by_hour=_group(counts, kind=reply, name_of=name_hour, build=build_reply_share),
        by_check=_list_check_shares(total, TextKind.REPLY),
        drafts=round(total.count(drafts, TextMeasure.SETTLED)),
        accepted=total.estimate(drafts, TextMeasure.ACCEPTED),
        score=total.compute_average(drafts, TextMeasure.SCORE, over=TextMeasure.JUDGED),
        drafted=_build_loop(counts, total=total, kind=drafts),
        tasks=_build_loop(counts, total=total, kind=TextKind.TASK),
        rated_up=estimate_share(up, up + total.count(TextKind.THUMB, TextMeasure.DOWN)),
        proposals=propose_checks(total),
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


def propose_checks(total: TextSum) -> tuple[CheckProposal, ...]:
    """Rules whose findings most people clearly liked, or clearly did not, the clearest first."""
    liked = total.list_names(TextKind.REPLY, TextMeasure.LIKED)
    disliked = total.list_names(TextKind.REPLY, TextMeasure.DISLIKED)
    votes = {
        rule: (round(liked.get(rule, 0)), round(disliked.get(rule, 0)))
        for rule in {**liked, **disliked}
    }
    found = [_propose(rule, up=up, votes=up + down) for rule, (up, down) in votes.items()]
    clear = [each for each in found if each is not None]
    return tuple(sorted(clear, key=lambda each: (-_measure_clearness(each.liked), each.rule)))


def name_agent(slot: TextSlot) -> str:
    """Whose text it was."""
    return slot.agent or NOBODY


def name_hour(slot: TextSlot) -> str:
    """When it was begun."""
    return f"{datetime.fromtimestamp(slot.hour * 3600, UTC):%Y-%m-%d %H:00}"


def _build_loop(counts: TextCounts, *, total: TextSum, kind: TextKind) -> LoopFigures:
    def build(name: str, some: TextSum) -> LoopShare:
        return LoopShare(
            name=name,
            n=round(some.count(kind, TextMeasure.SETTLED)),
            reflected=some.estimate(kind, TextMeasure.REFLECTED),
            tries=some.compute_average(kind, TextMeasure.TRIES, over=TextMeasure.SETTLED) or 0.0,
            bound=some.estimate(kind, TextMeasure.BOUND),
            score=some.compute_average(kind, TextMeasure.SCORE, over=TextMeasure.JUDGED),
        )

    return LoopFigures(
        all=build("all", total),
        by_agent=_group(counts, kind=kind, name_of=name_agent, build=build),
        by_hour=_group(counts, kind=kind, name_of=name_hour, build=build),
        by_check=_list_check_shares(total, kind),
        noted=total.estimate(kind, TextMeasure.NOTED),
    )


def build_reply_share(name: str, some: TextSum) -> ReplyShare:
    """How some replies went."""
    kind = TextKind.REPLY
    return ReplyShare(
        name=name,
        replies=round(some.count(kind, TextMeasure.SETTLED)),
        reflected=some.estimate(kind, TextMeasure.REFLECTED),
        tries=some.compute_average(kind, TextMeasure.TRIES, over=TextMeasure.SETTLED) or 0.0,
        bound=some.estimate(kind, TextMeasure.BOUND),
    )


def _group(
    counts: TextCounts,
    *,
    kind: TextKind,
    name_of: Callable[[TextSlot], str],
    build: Callable[[str, TextSum], T],
) -> tuple[T, ...]:
    """The texts of a kind by agent or by hour, as far as any went out."""
    groups: dict[str, list[tuple[TextSlot, float]]] = {}
    for slot, n in counts.items():
        if slot.kind == kind:
            groups.setdefault(name_of(slot), []).append((slot, n))
    sums = {name: TextSum(group) for name, group in groups.items()}
    return tuple(
        build(name, some)
        for name, some in sorted(sums.items())
        if some.count(kind, TextMeasure.SETTLED)
    )


def _list_check_shares(total: TextSum, kind: TextKind) -> dict[str, float]:
    n = total.count(kind, TextMeasure.SETTLED)
    found = total.list_names(kind, TextMeasure.RULE) if n else {}
    return {rule: min(1.0, count / n) for rule, count in found.items()}


def _propose(rule: str, *, up: int, votes: int) -> CheckProposal | None:
    if votes < LEAST:
        return None
    liked = estimate_share(up, votes)
    said = f"people liked {up} of {votes} replies that {rule} spoke up about"
    if liked.low is not None and liked.low > 0.5:
        return CheckProposal(rule=rule, liked=liked, text=f"{said}: see whether it is too strict.")
    if liked.high is not None and liked.high < 0.5:
        text = f"{said}: see whether it should keep more of them back."
        return CheckProposal(rule=rule, liked=liked, text=text)
    return None


def _measure_clearness(liked: Estimate) -> float:
    return abs((liked.figure or 0.0) - 0.5)
