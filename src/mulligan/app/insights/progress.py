"""What a store says of calls over time: whether they go better, and whether goals are met."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime, timedelta

from mulligan.app.insights.figures import add_up_counts
from mulligan.app.insights.goals import Criterion, GoalEvidence, judge_goals, list_failing_tools
from mulligan.app.insights.lesson_list import RECENT, LessonList
from mulligan.app.insights.series import EPOCH, HOUR, Series, SeriesStep, read_series
from mulligan.core.interfaces import Clock, Store
from mulligan.core.storage.log_query import PatternQuery, PatternSeen
from mulligan.core.storage.rollup import Rollup
from mulligan.learning.calibration import measure_lift

MOST_PATTERNS = 100_000


class Progress:
    """Questions about a span of time up to now."""

    def __init__(self, store: Store, *, clock: Clock, lessons: LessonList) -> None:
        self._store = store
        self._clock = clock
        self._lessons = lessons

    def read_series(
        self,
        window: timedelta,
        *,
        step: SeriesStep,
        tool: str | None = None,
        agent: str | None = None,
    ) -> Series:
        """How calls went by the hour or the day, of all tools and agents or of those named."""
        now = self._clock()
        return read_series(
            self._store.log, since=now - window, until=now, step=step, tool=tool, agent=agent
        )

    def read_goals(self, window: timedelta) -> tuple[Criterion, ...]:
        """What calls were to come to, each goal with its figure."""
        now = self._clock()
        since = now - window
        middle = find_middle(since, now)
        log = self._store.log
        earlier = log.sum_rollups(since=since, until=middle - HOUR)
        later = log.sum_rollups(since=middle, until=now)
        patterns = log.list_patterns(PatternQuery(since=since, until=now, limit=MOST_PATTERNS))
        halves = (add_up_counts(earlier.values()), add_up_counts(later.values()))
        return self.judge_goals(window, halves=halves, patterns=patterns)

    def judge_goals(
        self,
        window: timedelta,
        *,
        halves: tuple[Rollup, Rollup],
        patterns: Sequence[PatternSeen],
    ) -> tuple[Criterion, ...]:
        """The same for who has read already how calls went in both halves, and what failed."""
        since = self._clock() - window
        failing = list_failing_tools(patterns)
        endings = self._store.casebook.count_episodes(since=since.date())
        return judge_goals(
            GoalEvidence(
                earlier=halves[0],
                later=halves[1],
                lift=measure_lift(endings),
                failing=failing,
                told=self._lessons.list_told_tools(
                    failing, seen=patterns if window == RECENT else None
                ),
            )
        )


def find_middle(since: datetime, until: datetime) -> datetime:
    """The hour at which the later half of a span begins."""
    half = since + (until - since) / 2
    return half + (EPOCH - half) % HOUR
