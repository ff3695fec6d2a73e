"""Replies, drafts and runs: one by one, in figures, and day by day by what checks found."""

from __future__ import annotations

import secrets
import time
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from msgspec import Struct

from mulligan.insights.figures import Estimate, estimate_share, name_agent
from mulligan.insights.filters import ViewFilter, ViewRequest
from mulligan.insights.reader import StoreReader
from mulligan.learning.calibration import compute_difference
from mulligan.runtime.payloads import REPLY, RecordedReply, unpack_reply
from mulligan.types.call import OWN, LogRow
from mulligan.types.errors import ConfigurationError
from mulligan.types.interfaces import Log
from mulligan.types.log import (
    ENDS,
    REPLY_SETTLED,
    TASK_RAN,
    Batch,
    LogQuery,
    TextCounts,
    TextKind,
    TextMeasure,
    TextSlot,
)
from mulligan.types.reply import (
    ITERATIONS_TARGET,
    RATE_TARGET,
    RATED,
    Rating,
    build_rating_row,
    read_rating,
)
from mulligan.types.values import RANDOM_BITS, make_uuid7

if TYPE_CHECKING:
    from mulligan.evaluation.evaluate import Case


FEW = 20
"""Replies below which a rate says little."""
LEAST = 10
"""Thumbs on what one rule flagged, below which they say little."""


class LoopShare(Struct, frozen=True, kw_only=True):
    """How the replies, the drafts, or the runs of tasks, of one agent or one hour went."""

    name: str
    n: int
    reflected: Estimate
    """The share whose first try was rejected, or of runs: after which notes were written."""
    tries: float
    """Replies or drafts written, or runs made, for one that went out, on average."""
    bound: Estimate
    """The share that went out although it was not good enough, or that a check rejected."""
    score: float | None
    """Of those that have one, on average: of 10 for drafts, of 1 for runs."""
    noted: Estimate
    """The share of runs with notes from earlier ones."""


class LoopFigures(Struct, frozen=True, kw_only=True):
    """The replies, the drafts, or the runs of tasks, of a span of time."""

    all: LoopShare
    by_agent: tuple[LoopShare, ...]
    by_hour: tuple[LoopShare, ...]
    by_check: Mapping[str, float]
    """For each rule the share of first tries that it was found in, highest first."""


class CheckProposal(Struct, frozen=True, kw_only=True):
    """A rule that people see otherwise than it is set."""

    rule: str
    liked: Estimate
    """The share of thumbs up for replies that were sent although it spoke up."""
    text: str


class TextFigures(Struct, frozen=True, kw_only=True):
    """Replies, drafts and runs of a span of time in numbers."""

    replies: LoopFigures
    drafts: LoopFigures
    tasks: LoopFigures
    accepted: Estimate
    """The share of drafts that were good enough."""
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


def read_text_figures(log: Log, *, since: datetime, until: datetime) -> TextFigures:
    """Add up what the loops over text came to in a span of time, in whole hours."""
    counts = log.read_texts(since=since, until=until)
    total = TextSum(counts.items())
    replies, up = _build_loop(counts, TextKind.REPLY), total.count(TextKind.THUMB, TextMeasure.UP)
    return TextFigures(
        replies=replies,
        drafts=_build_loop(counts, TextKind.DRAFT),
        tasks=_build_loop(counts, TextKind.TASK),
        accepted=total.estimate(TextKind.DRAFT, TextMeasure.ACCEPTED),
        rated_up=estimate_share(up, up + total.count(TextKind.THUMB, TextMeasure.DOWN)),
        proposals=propose_checks(total),
        health=describe_health(replies.all),
    )


def describe_health(share: LoopShare) -> str:
    """Where the rate and the tries lie beside what is healthy, and what to do where they do not."""
    rate = share.reflected.figure
    if rate is None:
        return ""
    said = (
        f"{rate:.0%} of the replies were rewritten (healthy: {RATE_TARGET[0]:.0%} to "
        f"{RATE_TARGET[1]:.0%}), {share.tries:.2f} tries each "
        f"(healthy: {ITERATIONS_TARGET[0]:g} to {ITERATIONS_TARGET[1]:g})"
    )
    if share.n < FEW:
        return f"{said}; too few replies to judge yet."
    if rate > RATE_TARGET[1]:
        return f"{said}; too often: put the requirements into the writer's prompt."
    if rate < RATE_TARGET[0]:
        return f"{said}; seldom: the replies are good, or the checks miss problems."
    if share.tries < ITERATIONS_TARGET[0]:
        return f"{said}; the rate is healthy, and rewrites mostly succeed at once."
    if share.tries > ITERATIONS_TARGET[1]:
        return (
            f"{said}; the rate is healthy, but rewrites seldom succeed: see whether the feedback "
            "says how to fix it."
        )
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
    return tuple(
        sorted(clear, key=lambda each: (-abs((each.liked.figure or 0.0) - 0.5), each.rule))
    )


def name_hour(slot: TextSlot) -> str:
    """When it was begun."""
    return f"{datetime.fromtimestamp(slot.hour * 3600, UTC):%Y-%m-%d %H:00}"


def _build_loop(counts: TextCounts, kind: TextKind) -> LoopFigures:
    fitting = {slot: n for slot, n in counts.items() if slot.kind == kind}
    total = TextSum(fitting.items())
    n = total.count(kind, TextMeasure.SETTLED)
    rules = total.list_names(kind, TextMeasure.RULE) if n else {}
    return LoopFigures(
        all=build_loop_share("all", total, kind),
        by_agent=_group(fitting, kind, name_of=name_agent),
        by_hour=_group(fitting, kind, name_of=name_hour),
        by_check={rule: min(1.0, count / n) for rule, count in rules.items()},
    )


def build_loop_share(name: str, some: TextSum, kind: TextKind) -> LoopShare:
    """How some texts of one kind went."""
    return LoopShare(
        name=name,
        n=round(some.count(kind, TextMeasure.SETTLED)),
        reflected=some.estimate(kind, TextMeasure.REFLECTED),
        tries=some.compute_average(kind, TextMeasure.TRIES, over=TextMeasure.SETTLED) or 0.0,
        bound=some.estimate(kind, TextMeasure.BOUND),
        score=some.compute_average(kind, TextMeasure.SCORE, over=TextMeasure.JUDGED),
        noted=some.estimate(kind, TextMeasure.NOTED),
    )


def _group(
    counts: TextCounts, kind: TextKind, *, name_of: Callable[[TextSlot], str]
) -> tuple[LoopShare, ...]:
    """The texts of a kind by agent or by hour, as far as any went out."""
    groups: dict[str, list[tuple[TextSlot, float]]] = {}
    for slot, n in counts.items():
        groups.setdefault(name_of(slot), []).append((slot, n))
    shares = (
        build_loop_share(name, TextSum(group), kind) for name, group in sorted(groups.items())
    )
    return tuple(share for share in shares if share.n)


def _propose(rule: str, *, up: int, votes: int) -> CheckProposal | None:
    if votes < LEAST:
        return None
    liked = estimate_share(up, votes)
    said = f"people liked {up} of {votes} replies that {rule} flagged"
    if liked.low is not None and liked.low > 0.5:
        return CheckProposal(rule=rule, liked=liked, text=f"{said}: see whether it is too strict.")
    if liked.high is not None and liked.high < 0.5:
        text = f"{said}: see whether it should keep more of them back."
        return CheckProposal(rule=rule, liked=liked, text=text)
    return None


MOST_STEPS = 1_000


class TextStory(Struct, frozen=True, kw_only=True):
    """One reply, draft or run of a task, and all that happened to it."""

    settled: LogRow
    steps: tuple[LogRow, ...]
    """In their order."""
    written: RecordedReply | None
    """Every try, as long as it is kept, less secrets; `None`: it is not kept any more."""
    ratings: tuple[Rating, ...]


class TextList:
    """Finds replies, drafts and runs, and records their ratings."""

    def __init__(self, ask: StoreReader) -> None:
        self._store = ask.store
        self._scrub = ask.redactor.redact_text

    def find(self, id_or_prefix: str) -> LogRow | None:
        """The row that a reply, a draft or a run ended with; `None`: there is none of that id."""
        prefix = id_or_prefix.replace("-", "").lower()
        rows = self._store.log.list_rows(LogQuery(id_prefix=prefix, server=OWN, limit=MOST_STEPS))
        ends = [row for row in rows if row.tool in ENDS]
        return ends[0] if len(ends) == 1 else None

    def read_story(self, settled: LogRow) -> TextStory:
        """Everything that is known of it."""
        # Steps are made within the time of the whole, a rating may come at any time after.
        rows = self._store.log.list_rows(
            LogQuery(server=OWN, turn=settled.turn, after=settled.id, oldest_first=True,
                     limit=MOST_STEPS)
        )  # fmt: skip
        thumbs = self._store.log.list_rows(LogQuery(server=OWN, tool=RATED, limit=MOST_STEPS))
        return TextStory(
            settled=settled,
            steps=tuple(row for row in rows if row.parent == settled.id and row.tool != RATED),
            written=self._read_written(settled),
            ratings=tuple(read_rating(row) for row in thumbs if row.parent == settled.id),
        )

    def list_cases(self, *, limit: int | None = None) -> tuple[Case, ...]:
        """The latest replies that are still kept, the newest first, as cases with all their tries.

        For trying other checks on what was really written.
        """
        from mulligan.evaluation.evaluate import Case

        cases: dict[str, Case] = {}
        query = LogQuery(server=OWN, tool=REPLY_SETTLED, limit=limit or MOST_STEPS)
        for row in self._store.log.list_rows(query):
            owner = row.turn or row.id
            kept = None if owner in cases else self._store.vault.get(owner, REPLY)
            if kept is not None:
                told = unpack_reply(kept)
                cases[owner] = Case(
                    id=owner, question=told.query, context=told.context, recorded=told.tries
                )
        return tuple(cases.values())

    def rate(self, id_or_prefix: str, *, up: bool, note: str = "") -> Rating:
        """Take down a thumb, and its note less secrets."""
        found = self.find(id_or_prefix)
        of = id_or_prefix if found is None else found.id
        tenant = None if found is None else found.tenant
        if found is None or found.tool == TASK_RAN:
            # A thumb is a run's score, while that is kept: of whichever tenant it is.
            task_versions = self._store.task_versions
            whose = dict.fromkeys(ground.tenant for ground in task_versions.list_grounds())
            scored = (
                each for each in whose if task_versions.rate(of, score=float(up), tenant=each)
            )
            first = next(scored, None)
            tenant = first if tenant is None else tenant
        if tenant is None:
            raise ConfigurationError(
                f"There is no reply, draft or run {id_or_prefix!r}. "
                f"`mulligan log --tool {REPLY_SETTLED}` lists those there are."
            )
        rating = Rating(of=of, up=up, note=self._scrub(note))
        at_us = time.time_ns() // 1000
        name = make_uuid7(at_us, secrets.randbits(RANDOM_BITS))
        row = build_rating_row(rating, row_id=name, at_us=at_us, tenant=tenant)
        self._store.log.write(Batch(rows=[row]))
        return rating

    def _read_written(self, settled: LogRow) -> RecordedReply | None:
        kept = self._store.vault.get(settled.turn or settled.id, REPLY)
        if kept is None:
            return None
        told = unpack_reply(kept)
        return RecordedReply(
            query=self._scrub(told.query),
            context=tuple(map(self._scrub, told.context)),
            tries=tuple(map(self._scrub, told.tries)),
        )


MOST_THUMBS = 12


class RatePoint(Struct, frozen=True, kw_only=True):
    """The replies of one day or hour."""

    at: datetime
    n: int
    reflected: Estimate
    """The share whose first try was rejected."""
    marked: bool
    """It differs from all before by more than chance would make it."""


class CheckRate(Struct, frozen=True, kw_only=True):
    """How often one check spoke up."""

    rule: str
    replies: int
    share: Estimate


class TextsView(Struct, frozen=True, kw_only=True):
    """How texts went."""

    asked: ViewFilter
    replies: LoopShare
    health: str
    """One sentence on where that lies; empty where there are no replies."""
    trend: tuple[RatePoint, ...]
    checks: tuple[CheckRate, ...]
    drafts: LoopShare
    accepted: Estimate
    """Drafts that were good enough in the end."""
    scores: Mapping[str, int]
    """Drafts by their score, rounded down."""
    runs: LoopShare
    """Of tasks."""
    rated: int
    """Thumbs of people, for replies, drafts and runs."""
    rated_up: Estimate
    thumbs: tuple[Rating, ...]
    """The newest of them."""


def read_texts(ask: StoreReader, asked: ViewRequest) -> TextsView:
    """What the counts have of replies, drafts and runs in a span of time."""
    whose = asked.filter
    return ask.cache.keep(("texts", whose), lambda: _count_texts(ask, whose))


def _count_texts(ask: StoreReader, asked: ViewFilter) -> TextsView:
    now, log = ask.clock(), ask.store.log
    since = now - asked.window.length
    counts = log.read_texts(since=since, until=now)
    fitting = {slot: n for slot, n in counts.items() if _fits(slot, asked)}
    total = TextSum(fitting.items())
    replies = build_loop_share("all", total, TextKind.REPLY)
    up = total.count(TextKind.THUMB, TextMeasure.UP)
    rated = up + total.count(TextKind.THUMB, TextMeasure.DOWN)
    marks = total.list_names(TextKind.DRAFT, TextMeasure.MARK)
    thumbs = LogQuery(server=OWN, tool=RATED, tenant=asked.tenant, since=since, limit=MOST_THUMBS)
    return TextsView(
        asked=asked,
        replies=replies,
        health=describe_health(replies),
        trend=build_rates(fitting, asked),
        checks=tuple(
            CheckRate(
                rule=rule,
                replies=round(count),
                share=estimate_share(min(count, replies.n), replies.n),
            )
            for rule, count in total.list_names(TextKind.REPLY, TextMeasure.RULE).items()
        ),
        drafts=build_loop_share("all", total, TextKind.DRAFT),
        accepted=total.estimate(TextKind.DRAFT, TextMeasure.ACCEPTED),
        scores={mark: round(marks[mark]) for mark in sorted(marks, key=int)},
        runs=build_loop_share("all", total, TextKind.TASK),
        rated=round(rated),
        rated_up=estimate_share(up, rated),
        thumbs=tuple(map(read_rating, log.list_rows(thumbs))),
    )


def build_rates(counts: TextCounts, asked: ViewFilter) -> tuple[RatePoint, ...]:
    """The share of replies that were written again by day or hour, the oldest first."""
    groups: dict[datetime, list[tuple[TextSlot, float]]] = {}
    for slot, n in counts.items():
        at = datetime.fromtimestamp(slot.hour * 3600, UTC)
        begins = at if asked.window.value == "24h" else at.replace(hour=0)
        groups.setdefault(begins, []).append((slot, n))
    points: list[RatePoint] = []
    before = (0.0, 0.0)
    for at, group in sorted(groups.items()):
        some = TextSum(group)
        n = some.count(TextKind.REPLY, TextMeasure.SETTLED)
        if not n:
            continue
        again = min(n, some.count(TextKind.REPLY, TextMeasure.REFLECTED))
        points.append(
            RatePoint(
                at=at,
                n=round(n),
                reflected=estimate_share(again, n),
                marked=is_beyond_chance((again, n), before),
            )
        )
        before = (before[0] + again, before[1] + n)
    return tuple(points)


def is_beyond_chance(some: tuple[float, float], before: tuple[float, float]) -> bool:
    """Whether two shares, each so many of so many, differ by more than their interval."""
    if not some[1] or not before[1]:
        return False
    _, low, high = compute_difference(some, before)
    return low > 0 or high < 0


def _fits(slot: TextSlot, asked: ViewFilter) -> bool:
    """Whether it matches. Ratings have no agent: only the tenant filters them."""
    whose = asked.tenant in (None, slot.tenant)
    return whose and (slot.kind == TextKind.THUMB or asked.agent in (None, name_agent(slot)))
