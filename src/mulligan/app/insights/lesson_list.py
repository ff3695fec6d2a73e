"""What was learned from failures, a person's word on it, and what an agent should know of it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta

from mulligan.app.consolidating import (
    MOST_LESSONS,
    Consolidated,
    consolidate,
    list_episodes,
    take_back,
)
from mulligan.app.insights.name_lookup import NameLookup
from mulligan.core.errors import ConfigurationError, StaleLessonError
from mulligan.core.interfaces import Clock, Store
from mulligan.core.lesson import (
    Balance,
    Lesson,
    LessonQuery,
    LessonState,
    Use,
)
from mulligan.learning.lessons import life
from mulligan.learning.lessons.calibration.calibrate import (
    Calibration,
    Lift,
    measure_calibration,
    measure_lift,
)
from mulligan.learning.lessons.lines import decode_lessons, encode_lessons
from mulligan.learning.lessons.pitfalls import render_pitfalls

MOST_RACES = 5
"""How often a change is made again because another process made one first."""
WINDOW = timedelta(days=90)
"""How far back offers are looked at: as long as episodes are kept."""

Decide = Callable[..., Lesson]


@dataclass(frozen=True, slots=True, kw_only=True)
class LessonSeen:
    """A lesson as it stands, and what its uses came to."""

    lesson: Lesson
    balance: Balance


@dataclass(frozen=True, slots=True, kw_only=True)
class LessonHistory:
    """One lesson with all its versions, and every call it touched."""

    versions: tuple[Lesson, ...]
    balance: Balance
    uses: tuple[Use, ...]

    @property
    def lesson(self) -> Lesson:
        """As it stands now."""
        return self.versions[-1]


@dataclass(frozen=True, slots=True, kw_only=True)
class Measured:
    """Whether the probabilities mean what they say, and what memory is worth."""

    calibration: Calibration
    lift: Lift | None
    """`None` while one of the groups is empty."""


class LessonList:
    """Questions about lessons, and what a person may decide."""

    def __init__(self, store: Store, *, clock: Clock, names: NameLookup) -> None:
        self._store = store
        self._names = names
        self._casebook = store.casebook
        self._clock = clock

    def list_lessons(self, query: LessonQuery) -> list[LessonSeen]:
        """Lessons that fit, each in its latest version."""
        found = self._casebook.list_lessons(self._find_names(query))
        balances = self._casebook.read_balances([lesson.id for lesson in found])
        return [
            LessonSeen(lesson=lesson, balance=balances.get(lesson.id, Balance()))
            for lesson in found
        ]

    def read_history(self, lesson: str) -> LessonHistory:
        """One lesson, by its id or the beginning of it."""
        found = self._find(lesson)
        return LessonHistory(
            versions=tuple(self._casebook.list_lesson_versions(found.id)),
            balance=self._casebook.read_balances([found.id]).get(found.id, Balance()),
            uses=tuple(self._casebook.list_uses(found.id)),
        )

    def approve(self, lesson: str, *, by: str, note: str = "") -> Lesson:
        """A person's word: it is used from now on, whatever the evidence."""
        return self._record_decision(lesson, life.approve, by=by, note=note)

    def quarantine(self, lesson: str, *, by: str, note: str = "") -> Lesson:
        """Nobody uses it until it is approved."""
        return self._record_decision(lesson, life.quarantine, by=by, note=note)

    def revoke(self, lesson: str, *, by: str, note: str = "") -> LessonHistory:
        """Take it out for good. Every call it touched is in the answer."""
        return self.read_history(self._record_decision(lesson, life.revoke, by=by, note=note).id)

    def consolidate(self) -> Consolidated:
        """Draw lessons from everything that is remembered, now."""
        return consolidate(self._store, now=self._clock())

    def take_back(self, batch: str, *, by: str) -> list[Lesson]:
        """Undo a consolidation; the lessons that changed."""
        return take_back(self._casebook, batch, now=self._clock(), by=by)

    def export(self, query: LessonQuery) -> Iterator[str]:
        """Lessons as JSON lines."""
        return encode_lessons(self._casebook.list_lessons(self._find_names(query)))

    def add(self, lines: Iterable[str], *, tenant: str = "") -> list[Lesson]:
        """Take lessons of a file in as candidates: all of them or, with one sentence, none.

        One that is known here already is left as it is.
        """
        tools = {tool.tool for tool in self._store.catalog.list_tools()} or None
        whose = self._names.find_tenant(tenant) or ""
        read = decode_lessons(lines, at=self._clock(), tools=tools, tenant=whose)
        new = [lesson for lesson in read if not self._casebook.list_lesson_versions(lesson.id)]
        self._casebook.append(new)
        return new

    def describe_pitfalls(
        self, tools: Iterable[str], *, tokens: int, link: str = "", tenant: str = ""
    ) -> str:
        """What a tenant knows to go wrong with some tools, for a prompt or a tool's description."""
        asked = LessonQuery(tenant=tenant, state=LessonState.ACTIVE, limit=MOST_LESSONS)
        own = self._find_names(asked)
        lessons = [
            lesson
            for tool in dict.fromkeys(tools)
            for lesson in self._casebook.list_lessons(replace(own, tool=tool))
        ]
        return self._render(lessons, tokens=tokens, link=link)

    def describe_pitfalls_for(
        self, agent: str, *, tokens: int, link: str = "", tenant: str = ""
    ) -> str:
        """The same for every tool that has failed an agent."""
        query = LessonQuery(
            tenant=tenant, agent=agent, state=LessonState.ACTIVE, limit=MOST_LESSONS
        )
        found = self._casebook.list_lessons(self._find_names(query))
        return self._render(found, tokens=tokens, link=link)

    def _render(self, lessons: Sequence[Lesson], *, tokens: int, link: str) -> str:
        known = self._store.catalog.list_tools()
        return render_pitfalls(lessons, tokens=tokens, link=link, tools=known)

    def list_changed_tools(self, since: datetime) -> list[str]:
        """Tools whose lessons have changed since then."""
        found = self._casebook.list_lessons(LessonQuery(since=since, limit=MOST_LESSONS))
        return sorted({lesson.tool for lesson in found})

    def measure(self) -> Measured:
        """The probabilities that were given against what came of them."""
        offers = [episode.offer for episode in list_episodes(self._casebook)]
        forecasts = [
            (offer.probability, bool(offer.helped)) for offer in offers if offer and offer.taken
        ]
        since = (self._clock() - WINDOW).date()
        return Measured(
            calibration=measure_calibration(forecasts),
            lift=measure_lift(self._casebook.count_episodes(since=since)),
        )

    def _find_names(self, query: LessonQuery) -> LessonQuery:
        return replace(
            query,
            tenant=self._names.find_tenant(query.tenant),
            agent=self._names.find_agent(query.agent),
        )

    def _record_decision(self, lesson: str, decide: Decide, *, by: str, note: str) -> Lesson:
        for _ in range(MOST_RACES):
            decided = decide(self._find(lesson), by=by, at=self._clock(), why=note)
            try:
                self._casebook.append([decided])
            except StaleLessonError:
                continue
            return decided
        raise ConfigurationError(f"Lesson {lesson} is being changed by others: try again.")

    def _find(self, lesson: str) -> Lesson:
        exact = self._casebook.list_lesson_versions(lesson)[-1:]
        if exact:
            return exact[0]
        every = self._casebook.list_lessons(LessonQuery(limit=MOST_LESSONS))
        found = [each for each in every if lesson and each.id.startswith(lesson)]
        if len(found) == 1:
            return found[0]
        what = f"{len(found)} lessons start so" if found else "there is no such lesson"
        raise ConfigurationError(f"{lesson!r}: {what}. `mulligan lessons list` has them.")
