"""Failures that are one and the same: where each stands in its life, and what mended one."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from datetime import datetime, timedelta
from enum import StrEnum
from typing import Any

from mulligan.app.insights.insights import Insights
from mulligan.app.insights.views.filters import ViewFilter
from mulligan.app.insights.views.paging import Paging
from mulligan.app.insights.views.pattern_counts import PatternReader, join_patterns
from mulligan.app.insights.views.rows import CallSeen, build_call, parse_parameters
from mulligan.core.call import LogRow, Outcome
from mulligan.core.errors import ConfigurationError
from mulligan.core.failures.error_class import ErrorClass
from mulligan.core.failures.lesson import Lesson, LessonQuery
from mulligan.core.failures.suggestion import Pattern, shorten_pattern
from mulligan.core.runtime.dataclass import dataclass
from mulligan.core.storage.instants import from_us
from mulligan.core.storage.log_query import LogQuery, PatternSeen
from mulligan.learning.pitfalls import is_about

RECENT = timedelta(days=3)
GAP = timedelta(days=5)
"""How long a pattern is silent before it counts as fixed."""
LIFE = timedelta(days=30)
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


@dataclass(frozen=True, slots=True, kw_only=True)
class PatternRow:
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


@dataclass(frozen=True, slots=True, kw_only=True)
class PatternsView:
    """Patterns, the most frequent first."""

    asked: ViewFilter
    paging: Paging
    lives: Mapping[str, int]
    rows: tuple[PatternRow, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class ArgumentChange:
    """One argument of a failing call beside that of the call that worked."""

    name: str
    failed: str
    worked: str
    changed: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class PatternPage:
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
    spans = patterns.list_spans(asked, ends=(RECENT, RECENT + GAP, LIFE))
    recent, gap, before = ({_find_key(each) for each in span} for span in spans)
    whole = join_patterns(*spans)
    month = {_find_key(each): each for each in whole}
    asked_for = whole if asked.window.length == LIFE else patterns.list_patterns(asked)
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
