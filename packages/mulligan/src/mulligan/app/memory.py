"""What turns leave behind, written down and learned from in the background."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from datetime import datetime, timedelta
from functools import partial
from typing import TYPE_CHECKING

from msgspec.structs import replace

from mulligan.redaction import Redactor
from mulligan.runtime.context import OpenTurn
from mulligan.runtime.episodes import Ended, OpenEpisode
from mulligan.telemetry.events import Errands
from mulligan.types.events import LessonLearned
from mulligan.types.interfaces import Clock, Store, Subscriber, run_as_leader
from mulligan.types.lesson import Episode, Lesson, LessonQuery
from mulligan.types.values import IdentityKind

if TYPE_CHECKING:
    from mulligan.learning.mining import LessonPool

MOST_WAITING = 1_000
MOST_UNDRAWN = 100
"""Failures that wait for a pause before lessons are drawn from them."""
MOST_POOLS = 1_000
"""Kinds of failures whose number is remembered here."""
EPISODES = 500
"""After so many failures of one process all that is kept is gone through …"""
DAY = timedelta(hours=23)
"""… and about once a day by the store's clock, whichever process is there then."""
HOUR = timedelta(hours=1)
"""How long a process believes that another has seen to it."""
NO_TIME = timedelta()
PATIENCE = 0.1
"""Seconds that a caller may wait for everything to be kept."""


class _AwaitedError(Exception):
    """The wait is over: the rest is done later."""


class FailureMemory:
    """Remembers failures and how they ended. What goes wrong in here never fails a turn."""

    def __init__(
        self,
        store: Store,
        *,
        redactor: Redactor,
        clock: Clock,
        tell: Subscriber,
    ) -> None:
        self._store = store
        self._redactor = redactor
        self._clock = clock
        self._tell = tell
        self.errands = Errands("mulligan-memory", most=MOST_WAITING)
        """What its thread does."""
        self._undrawn: Counter[LessonPool] = Counter()
        """Failures of each kind that no lesson was drawn from yet."""
        self._drawn: dict[LessonPool, int] = {}
        """How many of a kind there were when lessons were last drawn from them here."""
        self._kept = 0
        """Failures since everything was last gone through."""
        self._ask_at: datetime | None = None
        """When to ask the store again whether that is due; `None`: it was never asked."""

    def remember(self, turn: OpenTurn, calls: Sequence[Ended]) -> None:
        """A turn is over: see to its failures. Never waits, never raises."""
        opened = list(turn.episodes)
        turn.episodes.clear()
        if opened:
            self.errands.add(partial(self._learn, turn, opened, calls))

    def flush(self) -> bool:
        """Wait until everything so far is written down. False if it took too long."""
        return self.errands.flush()

    def close(self) -> None:
        """Write down what is left, then stop."""
        self.errands.close()

    def _learn(self, turn: OpenTurn, opened: Sequence[OpenEpisode], calls: Sequence[Ended]) -> None:
        # The rules and their tables take a while to load, and most turns have no failure.
        from mulligan.learning.mining import find_pool
        from mulligan.runtime.endings import build_episodes

        found = build_episodes(turn.turn, opened, calls=calls)
        episodes = [self._scrub_episode(each, turn) for each in found]
        self._store.failures.record(episodes)
        self._grow(episodes)
        self._undrawn.update(map(find_pool, episodes))
        self._kept += len(episodes)
        if self.errands.idle or self._undrawn.total() >= MOST_UNDRAWN:
            self._draw()
            self._consolidate_if_due()

    def _draw(self) -> None:
        """Learn from what failed just now: what fails next may do so in another process."""
        from mulligan.learning.consolidation import draw_lessons, has_grown

        for pool, new in list(self._undrawn.items()):
            before = self._drawn.get(pool, 0)
            if not has_grown(before, before + new):
                continue
            drawn = draw_lessons(self._store, pool, now=self._clock())
            if len(self._drawn) >= MOST_POOLS:
                self._drawn.clear()
            self._drawn[pool] = drawn.episodes
            del self._undrawn[pool]
            self._announce(drawn.lessons)

    def _consolidate_if_due(self) -> None:
        now, many = self._clock(), self._kept >= EPISODES
        if not many and self._ask_at is not None and now < self._ask_at:
            return
        try:
            done = self.consolidate(every=NO_TIME if many else DAY, go_on=self._give_way)
        except _AwaitedError:
            # It is as due as it was, for this process later on or for another.
            done = None
        self._ask_at = now + (HOUR if done is None else DAY)
        self._kept = 0

    def _give_way(self) -> None:
        """Who waits for us, as a process at its end, waits for a moment and no longer."""
        if self.errands.waited > PATIENCE:
            raise _AwaitedError

    def consolidate(
        self, *, every: timedelta, go_on: Callable[[], None] = lambda: None
    ) -> int | None:
        """Draw lessons from everything that is kept; returns the number of versions.

        `None`: another process is at it, or did so within `every`.
        """
        from mulligan.learning.consolidation import consolidate

        with run_as_leader(self._store, "consolidate", every=every) as ours:
            if not ours:
                return None
            lessons = consolidate(self._store, now=self._clock(), go_on=go_on).lessons
        self._announce(lessons)
        return len(lessons)

    def _grow(self, episodes: Sequence[Episode]) -> None:
        """What these episodes say of the lessons about them counts at once: harm above all."""
        from mulligan.learning.consolidation import count_people, grow, hash_schemas
        from mulligan.learning.mining import find_uses

        failure_store = self._store.failures
        patterns = {(each.tenant, each.tool, each.fingerprint) for each in episodes}
        offered = {each.offer.lesson for each in episodes if each.offer and each.offer.lesson}
        lessons = {
            lesson.id: lesson
            for tenant, tool, fingerprint in patterns
            for lesson in failure_store.list_lessons(
                LessonQuery(tenant=tenant, tool=tool, fingerprint=fingerprint)
            )
        }
        for name in offered - set(lessons):
            lessons |= {
                lesson.id: lesson for lesson in failure_store.list_lesson_versions(name or "")[-1:]
            }
        uses = find_uses(episodes, list(lessons.values()))
        failure_store.use(uses)
        touched = {use.lesson for use in uses}
        if not touched:
            return
        schemas = hash_schemas(self._store.catalog.list_tools())
        people = count_people(failure_store, now=self._clock())
        moved = [
            grow(failure_store, lesson, now=self._clock(), schemas=schemas, people=people)
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

    def _scrub_episode(self, episode: Episode, turn: OpenTurn) -> Episode:
        """With identities for names, and no secret in what an error said."""
        labels, redactor = turn.labels, self._redactor
        return replace(
            episode,
            tenant=labels.tenant,
            agent=redactor.identify(turn.turn.agent, IdentityKind.AGENT),
            context=labels.context if turn.turn.context else "",
            principal=turn.principal,
            template=redactor.redact_text(episode.template),
        )
