"""What failed alike, of hours that are over read once: a busy month has many of them."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Sequence
from dataclasses import replace
from datetime import datetime, timedelta

from mulligan.app.insights.progress import MOST_PATTERNS
from mulligan.app.insights.views.counts import LIFE, OPEN_HOURS
from mulligan.app.insights.views.filters import ViewFilter
from mulligan.app.insights.views.keeper import AnswerCache
from mulligan.core.interfaces import Clock, Log
from mulligan.core.runtime.dataclass import dataclass
from mulligan.core.storage.log_query import PatternQuery, PatternSeen

HOUR = timedelta(hours=1)

PatternSpan = list[PatternSeen]
"""What failed in some hours, the most frequent first."""
Whose = tuple[str | None, str | None]
"""Of which tenant and tool."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PatternReader:
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
            life=LIFE,
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
