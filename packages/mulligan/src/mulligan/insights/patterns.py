"""Recurring failures: new, known, fixed or regressed, and what repaired them."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from datetime import datetime, timedelta
from enum import StrEnum
from typing import Any

from msgspec import Struct
from msgspec.structs import replace

from mulligan.insights.cache import LONG, PatternKey, find_pattern_key, join_patterns
from mulligan.insights.filters import Paging, ViewFilter, ViewRequest, Window, sort_out
from mulligan.insights.insights import Insights
from mulligan.insights.turns import CallSeen, build_call, has_few_calls, parse_parameters
from mulligan.learning.fingerprint import mask_error
from mulligan.learning.pitfalls import is_about
from mulligan.types.call import LogRow, Outcome
from mulligan.types.errors import ConfigurationError
from mulligan.types.failure import ErrorClass
from mulligan.types.lesson import Lesson, LessonQuery, Pattern, shorten_pattern
from mulligan.types.log import LogQuery, PatternSeen
from mulligan.types.values import from_us

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
    """One pattern with its newest call, what repaired it, and what was learned."""

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


def read_patterns(ask: Insights, asked: ViewRequest) -> PatternsView:
    """Failures that are one and the same, the most frequent first."""
    rows = _list_rows(ask, asked.filter)
    lives, paging, shown = sort_out(rows, lambda row: row.life.value, asked=asked, word="life")
    lives = {life.value: lives.get(life.value, 0) for life in PatternLife}
    return PatternsView(asked=asked.filter, paging=paging, lives=lives, rows=tuple(shown))


def read_pattern(ask: Insights, asked: ViewRequest) -> PatternPage:
    """One of them by its fingerprint or the beginning of it, with what repaired it."""
    month = replace(asked.filter, window=Window.MONTH, tool=None, agent=None)
    return ask.cache.keep(
        ("pattern", asked.id, month), lambda: _read_page(ask, asked.id, month), life=LONG / 6
    )


def _list_rows(ask: Insights, asked: ViewFilter) -> list[PatternRow]:
    """Every pattern of a span of time, with its life cycle state."""

    def read() -> list[PatternRow]:
        seen = ask.patterns_seen
        spans = seen.list_spans(asked, ends=(RECENT, RECENT + GAP, MONTH))
        recent, gap, before = ({find_pattern_key(each) for each in span} for span in spans)
        whole = join_patterns(*spans)
        month = {find_pattern_key(each): each for each in whole}
        asked_for = whole if asked.window.length == MONTH else seen.list_patterns(asked)
        rows = [
            _build_row(
                each,
                month.get(find_pattern_key(each), each),
                _find_life(find_pattern_key(each), recent=recent, gap=gap, before=before),
            )
            for each in asked_for
            if asked.agent in (None, *each.agents)
        ]
        return sorted(rows, key=lambda row: (-row.count, row.fingerprint))

    return ask.cache.keep(("patterns", asked), read, life=LONG / 6)


def _read_page(ask: Insights, wanted: str, month: ViewFilter) -> PatternPage:
    near = [row for row in _list_rows(ask, month) if wanted in (row.fingerprint, row.short)]
    if not near:
        raise ConfigurationError(
            f"{wanted!r}: no such pattern was seen in 30 days. `mulligan patterns` has them."
        )
    row = near[0]
    found = ask.log(LogQuery(id_prefix=row.example, limit=1))
    # Where there are many calls, no more than a day before its newest one is looked through.
    within = None if has_few_calls(ask, month) else timedelta(days=1)
    latest = _list_alike(ask, found[0], within=within) if found else []
    pairs = ((each, _find_success(ask, each)) for each in (*found, *latest))
    repaired = next(((old, new) for old, new in pairs if new is not None), None)
    failed, worked = repaired or (found[0] if found else None, None)
    lessons = _find_lessons(ask, row)
    return PatternPage(
        row=row,
        failed=None if failed is None else build_call(failed),
        worked=None if worked is None else build_call(worked),
        changes=_compare_calls(failed, worked),
        lessons=tuple(lessons[:FEW_LESSONS]),
        lessons_in_all=len(lessons),
        latest=tuple(map(build_call, latest)),
    )


def _compare_calls(failed: LogRow | None, worked: LogRow | None) -> tuple[ArgumentChange, ...]:
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
    said = _mask(failed)
    return [row for row in insights.log(query) if _mask(row) == said][:10]


def _mask(row: LogRow) -> str:
    return mask_error(row.error_message or "", parse_parameters(row.parameters))


def _find_lessons(insights: Insights, row: PatternRow) -> list[Lesson]:
    """Lessons about it; they may have seen its words masked otherwise."""
    own = LessonQuery(tool=row.tool, fingerprint=row.fingerprint, limit=MOST_LESSONS)
    like = LessonQuery(tool=row.tool, text=row.template, limit=MOST_LESSONS)
    failures = insights.store.failures
    close = failures.list_lessons(like) if row.template else []
    found = {lesson.id: lesson for lesson in (*failures.list_lessons(own), *close)}
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


def _find_life(
    key: PatternKey,
    *,
    recent: Collection[PatternKey],
    gap: Collection[PatternKey],
    before: Collection[PatternKey],
) -> PatternLife:
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
