"""The casebook in dictionaries."""

from __future__ import annotations

import threading
from collections import Counter
from collections.abc import Collection, Iterable, Sequence
from datetime import date, datetime

from mulligan.core.failures.advice import Decision
from mulligan.core.failures.lesson import (
    Balance,
    Episode,
    EpisodeQuery,
    EpisodeSlot,
    Lesson,
    LessonQuery,
    Use,
    build_episode_slot,
    compute_balance,
    count_sources,
)
from mulligan.core.storage.instants import require_aware
from mulligan.stores.columns.lesson_search import (
    decode_episode,
    decode_lesson,
    decode_use,
    encode_word,
    list_lesson_words,
    make_stale_error,
    split_words,
)


class MemoryCasebook:
    """Everything under one lock, and read through its own text, so that nothing stays shared."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._episodes: dict[str, Episode] = {}
        self._counts: Counter[EpisodeSlot] = Counter()
        self._endings: dict[tuple[str, str, str, Decision], Counter[str]] = {}
        """Episodes by who they happened to, by pattern and decision."""
        self._lessons: dict[str, list[Lesson]] = {}
        self._uses: dict[str, dict[str, Use]] = {}

    def record(self, episodes: Sequence[Episode]) -> None:
        """Add episodes and count them; one whose id is there already is left alone."""
        copies = [decode_episode((each.id, encode_word(each))) for each in episodes]
        with self._lock:
            for each in copies:
                if each.id in self._episodes:
                    continue
                self._episodes[each.id] = each
                self._counts[build_episode_slot(each)] += 1
                if each.decision is not None:
                    pattern = (each.tool, each.fingerprint, each.tenant)
                    people = self._endings.setdefault((*pattern, each.decision), Counter())
                    people[each.principal] += 1

    def list_episodes(self, query: EpisodeQuery) -> list[Episode]:
        """Episodes that fit, oldest first unless asked otherwise."""
        with self._lock:
            found = sorted(self._episodes.items(), reverse=query.newest_first)
        fitting = [each for name, each in found if name > query.after and _fits(each, query)]
        return fitting[: query.limit]

    def count_episodes(self, *, since: date) -> dict[EpisodeSlot, int]:
        """How many episodes there were of each kind, that day and later."""
        with self._lock:
            return {slot: seen for slot, seen in self._counts.items() if slot.day >= since}

    def read_endings(self, tool: str, *, fingerprint: str, tenant: str = "") -> dict[Decision, int]:
        """What turned out to be right for failures of one pattern, and for how many."""
        with self._lock:
            counted = {
                decision: count_sources(self._endings[key].elements())
                for decision in Decision
                if (key := (tool, fingerprint, tenant, decision)) in self._endings
            }
        return {decision: seen for decision, seen in counted.items() if seen}

    def append(self, lessons: Sequence[Lesson]) -> None:
        """Add versions of lessons, all or none, each numbered one above its last."""
        copies = [decode_lesson((each.id, encode_word(each))) for each in lessons]
        with self._lock:
            added: dict[str, list[Lesson]] = {}
            for each in sorted(copies, key=lambda lesson: (lesson.id, lesson.version)):
                versions = added.setdefault(each.id, [*self._lessons.get(each.id, ())])
                if each.version != len(versions) + 1:
                    raise make_stale_error(each)
                versions.append(each)
            self._lessons |= added

    def list_lessons(self, query: LessonQuery) -> list[Lesson]:
        """The latest version of each lesson that fits: by tool, or the closest to a text first."""
        if query.since is not None:
            require_aware(query.since, name="since")
        with self._lock:
            latest = [versions[-1] for versions in self._lessons.values()]
        found = [lesson for lesson in latest if _is_wanted(lesson, query)]
        found.sort(key=lambda lesson: (lesson.tool, lesson.id))
        if query.text:
            found = _sort_closest(found, split_words(query.text))
        return found[: query.limit]

    def list_lesson_versions(self, lesson: str) -> list[Lesson]:
        """Every version of a lesson, oldest first."""
        with self._lock:
            return list(self._lessons.get(lesson, ()))

    def use(self, uses: Sequence[Use]) -> None:
        """Add uses of lessons; a call that a lesson is known to have touched counts once."""
        copies = [decode_use((each.lesson, encode_word(each))) for each in uses]
        with self._lock:
            for each in copies:
                self._uses.setdefault(each.lesson, {}).setdefault(each.call, each)

    def list_uses(self, lesson: str, *, newest: int | None = None) -> list[Use]:
        """Every call a lesson touched, oldest first; or no more than the `newest`."""
        with self._lock:
            found = list(self._uses.get(lesson, {}).values())
        found.sort(key=lambda use: (use.at, use.call))
        return found if newest is None else found[max(0, len(found) - newest) :]

    def read_balances(
        self, lessons: Collection[str], *, principal: str | None = None
    ) -> dict[str, Balance]:
        """What the uses of some lessons came to; a lesson without any is left out."""
        with self._lock:
            touched = {name: list(self._uses.get(name, {}).values()) for name in lessons}
        found = {
            name: [use for use in uses if principal in (None, use.principal)]
            for name, uses in touched.items()
        }
        return {name: compute_balance(uses) for name, uses in found.items() if uses}

    def prune(self, *, before: datetime) -> int:
        """Forget episodes older than that; lessons, uses and counts stay. Returns how many."""
        require_aware(before, name="before")
        with self._lock:
            kept = {name: each for name, each in self._episodes.items() if each.at >= before}
            forgotten = len(self._episodes) - len(kept)
            self._episodes = kept
        return forgotten

    def reset_after_fork(self) -> None:
        """In a child: a lock another thread held is nobody's now."""
        self._lock = threading.Lock()


def _fits(episode: Episode, query: EpisodeQuery) -> bool:
    return all(
        wanted is None or wanted == found
        for wanted, found in (
            (query.tenant, episode.tenant),
            (query.tool, episode.tool),
            (query.fingerprint, episode.fingerprint),
            (query.ending, episode.ending),
        )
    )


def _is_wanted(lesson: Lesson, query: LessonQuery) -> bool:
    if query.ids and lesson.id not in query.ids:
        return False
    if query.since is not None and lesson.learned_at < query.since:
        return False
    if query.agent is not None and query.agent not in lesson.agents:
        return False
    return all(
        wanted is None or wanted == found
        for wanted, found in (
            (query.tenant, lesson.tenant),
            (query.tool, lesson.tool),
            (query.fingerprint, lesson.fingerprint),
            (query.state, lesson.state),
        )
    )


def _sort_closest(lessons: Iterable[Lesson], words: frozenset[str]) -> list[Lesson]:
    """Those that share a word, most shared words first, then those that say little else."""
    compared = [(lesson, list_lesson_words(lesson)) for lesson in lessons]
    close = [(-len(own & words), len(own), lesson) for lesson, own in compared if own & words]
    return [lesson for *_, lesson in sorted(close, key=lambda each: each[:2])]
