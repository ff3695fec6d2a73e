"""What a store says of calls over time: whether they go better, and whether goals are met."""

from __future__ import annotations

from datetime import timedelta

from mulligan.app.insights.goals import Criterion, list_failing_tools, read_goals
from mulligan.app.insights.lesson_list import LessonList
from mulligan.app.insights.series import Series, SeriesStep, read_series
from mulligan.core.interfaces import Clock, Store

MOST_TOKENS = 400


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
        failing = list_failing_tools(self._store, since=since, until=now)
        described = {
            tool: self._lessons.describe_pitfalls([tool], tokens=MOST_TOKENS, tenant=None)
            for tool in failing
        }
        told = {tool for tool, text in described.items() if text}
        return read_goals(self._store, since=since, until=now, told=told)
