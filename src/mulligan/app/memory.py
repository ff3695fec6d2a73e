"""What turns leave behind, written down and learned from where nobody waits for it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from datetime import datetime, timedelta
from functools import partial

from mulligan.core.failures.lesson import Episode, Lesson, LessonQuery
from mulligan.core.happened.event import LessonLearned
from mulligan.core.interfaces import Clock, Store, Subscriber
from mulligan.core.storage.identity import IdentityKind
from mulligan.core.storage.sharing import share_duty
from mulligan.redaction import Redactor
from mulligan.telemetry.errands import Errands
from mulligan.turns.memory.episodes import Ended, OpenEpisode
from mulligan.turns.turn.context import OpenTurn

MOST_WAITING = 1_000
CALLS = 1_000
"""After so many calls everything is consolidated …"""
DAY = timedelta(days=1)
"""… and at least so often while there are turns."""
NO_TIME = timedelta()
ALMOST_A_DAY = timedelta(hours=23)


class Memory:
    """Remembers failures and how they ended. What goes wrong in here reaches nobody's turn."""

    def __init__(
        self,
        store: Store,
        *,
        redactor: Redactor,
        clock: Clock,
        calls: Callable[[], int],
        tell: Subscriber,
    ) -> None:
        self._store = store
        self._redactor = redactor
        self._clock = clock
        self._calls = calls
        """How many calls were made so far."""
        self._tell = tell
        self.errands = Errands("mulligan-memory", most=MOST_WAITING)
        """What its thread does."""
        self._consolidated_after = 0
        self._consolidated_at: datetime | None = None

    def remember(self, turn: OpenTurn, calls: Sequence[Ended]) -> None:
        """A turn is over: see to its failures. Never waits, never raises."""
        opened = list(turn.episodes)
        turn.episodes.clear()
        if opened or self._is_due():
            self.errands.add(partial(self._learn, turn, opened, calls))

    def flush(self) -> bool:
        """Wait until everything so far is written down. False if it took too long."""
        return self.errands.flush()

    def close(self) -> None:
        """Write down what is left, then stop."""
        self.errands.close()

    def _learn(self, turn: OpenTurn, opened: Sequence[OpenEpisode], calls: Sequence[Ended]) -> None:
        # The rules and their tables take a while to load, and most turns have no failure.
        from mulligan.turns.memory.endings import build_episodes

        found = build_episodes(turn.turn, opened, calls=calls)
        episodes = [self._scrub_episode(each, turn) for each in found]
        self._store.casebook.record(episodes)
        self._grow(episodes)
        if self._is_due():
            self.consolidate(every=NO_TIME if self._has_calls_enough() else ALMOST_A_DAY)

    def consolidate(self, *, every: timedelta) -> int | None:
        """Draw lessons from everything that is kept; how many versions that came to.

        `None`: another process is at it, or did so within `every`.
        """
        from mulligan.app.upkeep.consolidating import consolidate

        with share_duty(self._store, "consolidate", every=every) as ours:
            if not ours:
                # Who is at it now may have missed what was learned here a moment ago.
                self._consolidated_at = self._clock() if every else self._consolidated_at
                return None
            now = self._clock()
            self._consolidated_after, self._consolidated_at = self._calls(), now
            lessons = consolidate(self._store, now=now).lessons
        self._announce(lessons)
        return len(lessons)

    def _grow(self, episodes: Sequence[Episode]) -> None:
        """What these episodes say of the lessons about them counts at once: harm above all."""
        from mulligan.app.upkeep.consolidating import count_people, grow, hash_schemas
        from mulligan.learning.lessons.uses import find_uses

        casebook = self._store.casebook
        patterns = {(each.tenant, each.tool, each.fingerprint) for each in episodes}
        offered = {each.offer.lesson for each in episodes if each.offer and each.offer.lesson}
        lessons = {
            lesson.id: lesson
            for tenant, tool, fingerprint in patterns
            for lesson in casebook.list_lessons(
                LessonQuery(tenant=tenant, tool=tool, fingerprint=fingerprint)
            )
        }
        for name in offered - set(lessons):
            lessons |= {
                lesson.id: lesson for lesson in casebook.list_lesson_versions(name or "")[-1:]
            }
        uses = find_uses(episodes, list(lessons.values()))
        casebook.use(uses)
        touched = {use.lesson for use in uses}
        if not touched:
            return
        schemas = hash_schemas(self._store.catalog.list_tools())
        people = count_people(casebook, now=self._clock())
        moved = [
            grow(casebook, lesson, now=self._clock(), schemas=schemas, people=people)
            for lesson in lessons.values()
            if lesson.id in touched
        ]
        self._announce(each for each in moved if each is not None)

    def _announce(self, lessons: Iterable[Lesson]) -> None:
        for lesson in lessons:
            self._tell(
                LessonLearned(
                    lesson=lesson.id,
                    version=lesson.version,
                    tool=lesson.tool,
                    state=lesson.state,
                    why=lesson.why,
                )
            )

    def _is_due(self) -> bool:
        if self._consolidated_at is None:
            # A program's first turns say nothing yet of how long ago the last batch was.
            self._consolidated_at = self._clock()
        return self._has_calls_enough() or self._clock() - self._consolidated_at >= DAY

    def _has_calls_enough(self) -> bool:
        return self._calls() - self._consolidated_after >= CALLS

    def _scrub_episode(self, episode: Episode, turn: OpenTurn) -> Episode:
        """With identities for names, and no secret in what an error said."""
        labels, redactor = turn.labels, self._redactor
        return replace(
            episode,
            tenant=labels.tenant,
            agent=redactor.identify(turn.turn.agent, IdentityKind.AGENT),
            context=labels.context,
            principal=turn.principal,
            template=redactor.redact_text(episode.template),
        )
