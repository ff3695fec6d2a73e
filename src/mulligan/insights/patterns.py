"""Failures that are one and the same: where each stands in its life, and what mended one."""

from __future__ import annotations

import itertools
from collections.abc import Collection, Iterable, Mapping, Sequence
from datetime import datetime, timedelta
from enum import StrEnum
from typing import Any

from msgspec import Struct
from msgspec.structs import replace

from mulligan.insights.cache import COUNTS_LIFE, OPEN_HOURS, AnswerCache
from mulligan.insights.filters import Paging, ViewFilter
from mulligan.insights.insights import Insights
from mulligan.insights.overview import MOST_PATTERNS
from mulligan.insights.turns import CallSeen, build_call, parse_parameters
from mulligan.learning.pitfalls import is_about
from mulligan.types.call import LogRow, Outcome
from mulligan.types.errors import ConfigurationError
from mulligan.types.failure import ErrorClass
from mulligan.types.interfaces import Clock, Log
from mulligan.types.lesson import Lesson, LessonQuery, Pattern, shorten_pattern
from mulligan.types.log import LogQuery, PatternQuery, PatternSeen
from mulligan.types.values import from_us

HOUR = timedelta(hours=1)

PatternSpan = list[PatternSeen]
"""What failed in some hours, the most frequent first."""
Whose = tuple[str | None, str | None]
"""Of which tenant and tool."""


class PatternReader(Struct, frozen=True, kw_only=True):
    """Reads patterns of a span up to now."""

    log: Log
    clock: Clock
    cache: AnswerCache

    def list_patterns(self, asked: ViewFilter) -> list[PatternSeen]:
        """What was asked for, the most frequent first."""
        since = self._find_hour(asked.window.length)
        found = self._read_until_now(since, whose=_find_whose(asked))
        return [each for each in found if asked.agent in (None, *each.agents)]

    def list_spans(self, asked: ViewFilter, *, ends: Sequence[timedelta]) -> list[PatternSpan]:
        """Those of now until the first of `ends` ago, from there to the second, and so on."""
        whose = _find_whose(asked)
        begins = [self._find_hour(ago) for ago in ends]
        over = itertools.pairwise(begins)
        return [
            self._read_until_now(begins[0], whose=whose),
            *(self._read_over(since, until - HOUR, whose=whose) for until, since in over),
        ]

    def _read_until_now(self, since: datetime, *, whose: Whose) -> PatternSpan:
        begins = self._find_hour((OPEN_HOURS - 1) * HOUR)
        return self.cache.keep(
            ("patterns that may change", since, begins, whose),
            lambda: join_patterns(
                self._read_over(since, begins - HOUR, whose=whose),
                self._read(begins, self.clock(), whose=whose),
            ),
        )

    def _read_over(self, since: datetime, until: datetime, *, whose: Whose) -> PatternSpan:
        return self.cache.keep(
            ("patterns", since, until, whose),
            lambda: self._read(since, until, whose=whose),
            life=COUNTS_LIFE,
        )

    def _find_hour(self, ago: timedelta) -> datetime:
        return (self.clock() - ago).replace(minute=0, second=0, microsecond=0)

    def _read(self, since: datetime, until: datetime, *, whose: Whose) -> PatternSpan:
        tenant, tool = whose
        query = PatternQuery(
            since=since, until=until, tenant=tenant, tool=tool, limit=MOST_PATTERNS
        )
        return self.log.list_patterns(query)


def _find_whose(asked: ViewFilter) -> Whose:
    return asked.tenant, None if asked.tool is None else asked.tool.rpartition("/")[2]


def join_patterns(*parts: Sequence[PatternSeen]) -> list[PatternSeen]:
    """Those of several spans together, the most frequent first."""
    found: dict[tuple[str, str], list[PatternSeen]] = {}
    for each in (each for part in parts for each in part):
        found.setdefault((each.pattern.tool, each.pattern.fingerprint), []).append(each)
    joined = [_add_up(group) for group in found.values()]
    return sorted(joined, key=lambda e: (-e.pattern.count, e.pattern.tool, e.pattern.fingerprint))


def _add_up(group: Sequence[PatternSeen]) -> PatternSeen:
    if len(group) == 1:
        return group[0]
    newest = max(group, key=lambda each: each.example)
    return replace(
        newest,
        pattern=replace(newest.pattern, count=sum(each.pattern.count for each in group)),
        first_at=min(each.first_at for each in group),
        last_at=max(each.last_at for each in group),
        agents=tuple(sorted(_list_agents(group))),
    )


def _list_agents(group: Iterable[PatternSeen]) -> set[str]:
    return {agent for each in group for agent in each.agents}


RECENT = timedelta(days=3)
GAP = timedelta(days=5)
"""How long a pattern is silent before it counts as fixed."""
MONTH = timedelta(days=30)
FEW_LESSONS = 10
MOST_LESSONS = 20
"""Of its fingerprint, and of those whose words are closest to it."""


class PatternLife(StrEnum):
    """Where a pattern stands."""

    REGRESSED = "regressed"
    """It was silent for days, and is back."""
    NEW = "new"
    """Never seen before these days."""
    KNOWN = "known"
    FIXED = "fixed"
    """Silent for days."""


class PatternRow(Struct, frozen=True, kw_only=True):
    """One pattern."""

    fingerprint: str
    short: str
    tool: str
    error_class: str
    template: str
    count: int
    """In the time that is asked for."""
    agents: tuple[str, ...]
    first_at: datetime
    last_at: datetime
    life: PatternLife
    example: str
    """Id of its newest call."""

    @property
    def pattern(self) -> Pattern:
        """What a lesson is held against."""
        return Pattern(
            fingerprint=self.fingerprint,
            tool=self.tool,
            error_class=ErrorClass(self.error_class),
            template=self.template,
            count=self.count,
        )


class PatternsView(Struct, frozen=True, kw_only=True):
    """Patterns, the most frequent first."""

    asked: ViewFilter
    paging: Paging
    lives: Mapping[str, int]
    rows: tuple[PatternRow, ...]


class ArgumentChange(Struct, frozen=True, kw_only=True):
    """One argument of a failing call beside that of the call that worked."""

    name: str
    failed: str
    worked: str
    changed: bool


class PatternPage(Struct, frozen=True, kw_only=True):
    """One pattern with its newest call, what mended it, and what was learned."""

    row: PatternRow
    failed: CallSeen | None
    worked: CallSeen | None
    """The call after it that worked, in the same turn."""
    changes: tuple[ArgumentChange, ...]
    lessons: tuple[Lesson, ...]
    """The first ones about it."""
    lessons_in_all: int
    latest: tuple[CallSeen, ...]
    """The newest failures of its tool and class."""


def list_pattern_rows(patterns: PatternReader, asked: ViewFilter) -> list[PatternRow]:
    """Every pattern of a span of time, with where it stands in its life."""
    spans = patterns.list_spans(asked, ends=(RECENT, RECENT + GAP, MONTH))
    recent, gap, before = ({_find_key(each) for each in span} for span in spans)
    whole = join_patterns(*spans)
    month = {_find_key(each): each for each in whole}
    asked_for = whole if asked.window.length == MONTH else patterns.list_patterns(asked)
    rows = [
        _build_row(
            each,
            month.get(_find_key(each), each),
            _find_life(each, recent=recent, gap=gap, before=before),
        )
        for each in asked_for
        if asked.agent in (None, *each.agents)
    ]
    return sorted(rows, key=lambda row: (-row.count, row.fingerprint))


def count_lives(rows: Iterable[PatternRow]) -> dict[str, int]:
    """How many patterns stand where."""
    counts = dict.fromkeys((life.value for life in PatternLife), 0)
    for row in rows:
        counts[row.life.value] += 1
    return counts


def read_pattern_page(
    insights: Insights, rows: Iterable[PatternRow], *, wanted: str, within: timedelta | None
) -> PatternPage:
    """One pattern by its fingerprint or the beginning of it.

    `within`: how long before its newest call others are looked for; `None`: as long as there are.
    """
    near = [row for row in rows if wanted in (row.fingerprint, row.short)]
    if not near:
        raise ConfigurationError(
            f"{wanted!r}: no such pattern was seen in 30 days. `mulligan patterns` has them."
        )
    row = near[0]
    found = insights.log(LogQuery(id_prefix=row.example, limit=1))
    latest = _list_alike(insights, found[0], within=within) if found else []
    pairs = ((each, _find_success(insights, each)) for each in (*found, *latest))
    mended = next(((old, new) for old, new in pairs if new is not None), None)
    failed, worked = mended or (found[0] if found else None, None)
    lessons = _find_lessons(insights, row)
    return PatternPage(
        row=row,
        failed=None if failed is None else build_call(failed),
        worked=None if worked is None else build_call(worked),
        changes=compare_calls(failed, worked),
        lessons=tuple(lessons[:FEW_LESSONS]),
        lessons_in_all=len(lessons),
        latest=tuple(build_call(each) for each in latest),
    )


def compare_calls(failed: LogRow | None, worked: LogRow | None) -> tuple[ArgumentChange, ...]:
    """The arguments of both calls side by side, as the log shows them."""
    if failed is None:
        return ()
    old = parse_parameters(failed.parameters)
    new = parse_parameters(worked.parameters) if worked is not None else old
    return tuple(
        ArgumentChange(
            name=name,
            failed=_show(old, name),
            worked=_show(new, name) if worked is not None else "",
            changed=worked is not None and old.get(name) != new.get(name),
        )
        for name in dict.fromkeys((*old, *new))
    )


def _list_alike(insights: Insights, failed: LogRow, *, within: timedelta | None) -> list[LogRow]:
    """The newest failures that say the same, as far as a short look finds them."""
    since = None if within is None else from_us(failed.at_us) - within
    query = LogQuery(tool=failed.tool, error_class=failed.error_class, since=since, limit=50)
    rows = insights.log(query)
    return [row for row in rows if row.error_message == failed.error_message][:10]


def _find_lessons(insights: Insights, row: PatternRow) -> list[Lesson]:
    """Lessons about it; they may have seen its words masked otherwise."""
    own = LessonQuery(tool=row.tool, fingerprint=row.fingerprint, limit=MOST_LESSONS)
    like = LessonQuery(tool=row.tool, text=row.template, limit=MOST_LESSONS)
    casebook = insights.store.casebook
    close = casebook.list_lessons(like) if row.template else []
    found = {lesson.id: lesson for lesson in (*casebook.list_lessons(own), *close)}
    return [each for each in found.values() if is_about(each, row.pattern)]


def _show(arguments: Mapping[str, Any], name: str) -> str:
    return str(arguments[name]) if name in arguments else "left out"


def _find_success(insights: Insights, failed: LogRow) -> LogRow | None:
    if failed.turn is None:
        return None
    query = LogQuery(
        turn=failed.turn, tool=failed.tool, after=failed.id, oldest_first=True, limit=20
    )
    return next((row for row in insights.log(query) if row.outcome == Outcome.SUCCESS), None)


def _find_key(seen: PatternSeen) -> tuple[str, str]:
    return seen.pattern.tool, seen.pattern.fingerprint


def _find_life(
    seen: PatternSeen,
    *,
    recent: Collection[tuple[str, str]],
    gap: Collection[tuple[str, str]],
    before: Collection[tuple[str, str]],
) -> PatternLife:
    key = _find_key(seen)
    if key in recent:
        if key in gap:
            return PatternLife.KNOWN
        return PatternLife.REGRESSED if key in before else PatternLife.NEW
    return PatternLife.KNOWN if key in gap else PatternLife.FIXED


def _build_row(seen: PatternSeen, whole: PatternSeen, life: PatternLife) -> PatternRow:
    pattern = seen.pattern
    return PatternRow(
        fingerprint=pattern.fingerprint,
        short=shorten_pattern(pattern.fingerprint),
        tool=pattern.tool,
        error_class=pattern.error_class.value,
        template=pattern.template,
        count=pattern.count,
        agents=seen.agents,
        first_at=whole.first_at,
        last_at=whole.last_at,
        life=life,
        example=seen.example,
    )
