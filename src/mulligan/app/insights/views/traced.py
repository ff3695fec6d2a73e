"""Questions about single calls: patterns, turns, texts."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta

from mulligan.app.insights.insights import Insights
from mulligan.app.insights.views.answers.pattern_table import (
    PatternPage,
    PatternRow,
    PatternsView,
    count_lives,
    list_pattern_rows,
    read_pattern_page,
)
from mulligan.app.insights.views.answers.text_figures import TextsView, read_texts
from mulligan.app.insights.views.answers.turn_story import (
    TurnPage,
    TurnRow,
    TurnsView,
    list_turn_rows,
    read_turn_page,
)
from mulligan.app.insights.views.counts import CountReader
from mulligan.app.insights.views.filters import ViewFilter, Window
from mulligan.app.insights.views.keeper import LONG, AnswerCache
from mulligan.app.insights.views.paging import cut_page
from mulligan.app.insights.views.pattern_counts import PatternReader

DAY = timedelta(days=1)
MANY = 30_000
"""Rows that are looked at one by one, at most."""


class TracedViews:
    """What happened, one by one."""

    def __init__(
        self,
        insights: Insights,
        *,
        cache: AnswerCache,
        counts: CountReader,
        patterns: PatternReader,
    ) -> None:
        self._insights = insights
        self._cache = cache
        self._counts = counts
        self._patterns = patterns

    def read_patterns(self, asked: ViewFilter, *, page: int = 1, life: str = "") -> PatternsView:
        """Failures that are one and the same, the most frequent first."""
        rows = self._list_patterns(asked)
        paging, shown = cut_page([row for row in rows if life in ("", row.life)], number=page)
        return PatternsView(asked=asked, paging=paging, lives=count_lives(rows), rows=tuple(shown))

    def read_pattern(self, fingerprint: str, asked: ViewFilter) -> PatternPage:
        """One of them, with what mended it."""
        month = replace(asked, window=Window.MONTH, tool=None, agent=None)
        return self._cache.keep(
            ("pattern", fingerprint, month),
            lambda: read_pattern_page(
                self._insights,
                self._list_patterns(month),
                wanted=fingerprint,
                within=None if self._has_few(month) else DAY,
            ),
            life=LONG / 6,
        )

    def read_turns(self, asked: ViewFilter, *, page: int = 1) -> TurnsView:
        """The latest turns."""
        rows = self._cache.keep(("turns", asked), lambda: self._list_turns(asked))
        paging, shown = cut_page(rows, number=page)
        return TurnsView(asked=asked, paging=paging, rows=tuple(shown))

    def read_turn(self, turn: str) -> TurnPage:
        """One turn as it went."""
        return read_turn_page(self._insights, turn)

    def read_texts(self, asked: ViewFilter) -> TextsView:
        """Replies and drafts."""
        return self._cache.keep(("texts", asked), lambda: read_texts(self._insights, asked))

    def _list_turns(self, asked: ViewFilter) -> list[TurnRow]:
        """Rows are found by their time and tool; whose they are takes a look at each."""
        hours = None
        if (asked.agent or asked.tenant) and not self._has_few(asked):
            hours = self._counts.list_hours(asked, most=MANY)
        return list_turn_rows(self._insights, asked, hours=hours)

    def _has_few(self, asked: ViewFilter) -> bool:
        """Whether all rows of a span can be looked at while a page waits."""
        return self._counts.count_calls(asked.window.length) <= MANY

    def _list_patterns(self, asked: ViewFilter) -> list[PatternRow]:
        return self._cache.keep(
            ("patterns", asked), lambda: list_pattern_rows(self._patterns, asked), life=LONG / 6
        )
