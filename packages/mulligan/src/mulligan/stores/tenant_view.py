"""A store restricted to one tenant, for surfaces that serve that tenant.

Closed by default: a query that is not listed here does not exist.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from concurrent.futures import Future
from datetime import date, datetime
from types import SimpleNamespace
from typing import TYPE_CHECKING, Generic, TypeVar, cast

from msgspec.structs import replace

from mulligan.types.action import Action, ActionQuery, Entry, Kept
from mulligan.types.interfaces import FailureStore, Health, Journal, Log, Store, TaskVersions
from mulligan.types.lesson import (
    Balances,
    Episode,
    EpisodeQuery,
    EpisodeSlot,
    Lesson,
    LessonQuery,
    Use,
    compute_balance,
)
from mulligan.types.log import (
    Batch,
    LogQuery,
    Loss,
    PatternQuery,
    PatternSeen,
    Rollup,
    Slot,
    TextSlot,
)

if TYPE_CHECKING:
    from mulligan.types.call import LogRow
    from mulligan.types.finding import FindingCount
    from mulligan.types.log import TextCounts
    from mulligan.types.notes import Ground, Notes, NotesState, Scorecard, TaskRun


K = TypeVar("K", Slot, TextSlot, EpisodeSlot)
V = TypeVar("V")
P = TypeVar("P")
Q = TypeVar("Q", LogQuery, PatternQuery, ActionQuery, EpisodeQuery, LessonQuery)

MOST_OPEN = 10_000


def keep_to_tenant(store: Store, tenant: str) -> Store:
    """The store for one tenant, by its identity; an empty one is a tenant of its own."""
    return cast("Store", _OneTenantStore(store, tenant))


class _Tenant:
    """The tenant's identity."""

    def __init__(self, tenant: str) -> None:
        self.tenant = tenant

    def ask(self, question: Callable[[Q], list[V]], query: Q) -> list[V]:
        """What is found of this tenant alone; nothing, where the query is about another."""
        if query.tenant not in (None, self.tenant):
            return []
        return question(replace(query, tenant=self.tenant))

    def pick(self, counts: Mapping[K, V]) -> dict[K, V]:
        """Of counts, this tenant's."""
        return {slot: count for slot, count in counts.items() if slot.tenant == self.tenant}


class _OneTenantStore:
    def __init__(self, store: Store, tenant: str) -> None:
        whose = _Tenant(tenant)
        self._store = store
        self.journal = _OneTenantJournal(store.journal, whose)
        # Looked up by ids found in the others, which cannot be guessed.
        self.vault = store.vault
        # What decides whether a lesson still holds. It names no tenant: `Insights.tools` shows.
        self.catalog = SimpleNamespace(
            list_tools=lambda: store.catalog.list_tools(),
            list_limits=lambda: store.catalog.list_limits(),
            list_waivers=lambda: store.catalog.list_waivers(),
        )
        self.log = _OneTenantLog(store.log, whose)
        self.task_versions = _OneTenantTaskVersions(store.task_versions, whose)
        self.failures = _OneTenantFailures(store.failures, whose)

    def load_secret(self) -> bytes:
        return self._store.load_secret()

    def check_health(self, *, thorough: bool = True) -> Health:
        """The health of the store, without the sizes and processes of others."""
        health = self._store.check_health(thorough=thorough)
        open_actions = len(self.journal.list_open_actions(limit=MOST_OPEN))
        return replace(health, rows=None, open_actions=open_actions, writers=())

    def close(self) -> None:
        self._store.close()


class _TenantPart(Generic[P]):
    def __init__(self, part: P, whose: _Tenant) -> None:
        self._part = part
        self._whose = whose


class _OneTenantJournal(_TenantPart[Journal]):
    def submit(self, entries: Sequence[Entry], *, keep: Sequence[Kept] = ()) -> Future[None]:
        return self._part.submit(entries, keep=keep)

    def find_action(self, action: str) -> Action | None:
        found = self._part.find_action(action)
        return found if found and found.opening.tenant == self._whose.tenant else None

    def list_open_actions(
        self, *, tenant: str | None = None, after: str = "", limit: int = 100
    ) -> list[Action]:
        own = self._whose.tenant
        if tenant not in (None, own):
            return []
        return self._part.list_open_actions(tenant=own, after=after, limit=limit)

    def list_actions(self, query: ActionQuery) -> list[Action]:
        return self._whose.ask(self._part.list_actions, query)

    def list_entries(self, action: str) -> list[Entry]:
        return [] if self.find_action(action) is None else self._part.list_entries(action)

    def find_dead_writers(self, writers: Collection[str]) -> set[str]:
        return self._part.find_dead_writers(writers)


class _OneTenantLog(_TenantPart[Log]):
    def write(self, batch: Batch) -> None:
        self._part.write(batch)

    def list_rows(self, query: LogQuery) -> list[LogRow]:
        return self._whose.ask(self._part.list_rows, query)

    def read_rollups(self, *, since: datetime, until: datetime) -> dict[Slot, Rollup]:
        return self._whose.pick(self._part.read_rollups(since=since, until=until))

    def sum_rollups(self, *, since: datetime, until: datetime) -> dict[Slot, Rollup]:
        return self._whose.pick(self._part.sum_rollups(since=since, until=until))

    def read_texts(self, *, since: datetime, until: datetime) -> TextCounts:
        return self._whose.pick(self._part.read_texts(since=since, until=until))

    def list_patterns(self, query: PatternQuery) -> list[PatternSeen]:
        return self._whose.ask(self._part.list_patterns, query)

    def list_losses(self) -> list[Loss]:
        """None: the tenants of lost rows are unknown."""
        return []

    def list_finding_counts(
        self, *, since: datetime, until: datetime, tenant: str | None = None
    ) -> list[FindingCount]:
        own = self._whose.tenant
        if tenant not in (None, own):
            return []
        return self._part.list_finding_counts(since=since, until=until, tenant=own)


class _OneTenantTaskVersions(_TenantPart[TaskVersions]):
    """Grounds and versions name their tenant; the rest is queried by one of these."""

    def list_grounds(self, task: str | None = None) -> list[Ground]:
        return [g for g in self._part.list_grounds(task) if g.tenant == self._whose.tenant]

    def list_versions(
        self, task: str, *, tenant: str = "", limit: int | None = None
    ) -> list[Notes]:
        if tenant != self._whose.tenant:
            return []
        return self._part.list_versions(task, tenant=tenant, limit=limit)

    def list_scorecards(self, ground: Ground) -> list[Scorecard]:
        return self._part.list_scorecards(ground) if self._owns(ground) else []

    def list_runs(self, ground: Ground, *, limit: int) -> list[TaskRun]:
        return self._part.list_runs(ground, limit=limit) if self._owns(ground) else []

    def move(
        self, ground: Ground, *, version: int, state: NotesState, was: NotesState | None
    ) -> bool:
        return self._owns(ground) and self._part.move(ground, version=version, state=state, was=was)

    def rate(self, run: str, *, score: float, tenant: str = "") -> bool:
        own = tenant == self._whose.tenant
        return own and self._part.rate(run, score=score, tenant=tenant)

    def clear(self, task: str, *, tenant: str = "") -> int:
        return self._part.clear(task, tenant=tenant) if tenant == self._whose.tenant else 0

    def _owns(self, ground: Ground) -> bool:
        return ground.tenant == self._whose.tenant


class _OneTenantFailures(_TenantPart[FailureStore]):
    def list_episodes(self, query: EpisodeQuery) -> list[Episode]:
        return self._whose.ask(self._part.list_episodes, query)

    def count_episodes(self, *, since: date) -> dict[EpisodeSlot, int]:
        return self._whose.pick(self._part.count_episodes(since=since))

    def append(self, lessons: Sequence[Lesson]) -> None:
        self._part.append(lessons)

    def list_lessons(self, query: LessonQuery) -> list[Lesson]:
        return self._whose.ask(self._part.list_lessons, query)

    def list_lesson_versions(self, lesson: str) -> list[Lesson]:
        found = self._part.list_lesson_versions(lesson)
        return [each for each in found if each.tenant == self._whose.tenant]

    def use(self, uses: Sequence[Use]) -> None:
        self._part.use(uses)

    def list_uses(self, lesson: str, *, newest: int | None = None) -> list[Use]:
        if self.list_lesson_versions(lesson):
            return self._part.list_uses(lesson, newest=newest)
        own = self._list_uses_of_built_in(lesson)
        return own if newest is None else own[max(0, len(own) - newest) :]

    def read_balances(self, lessons: Collection[str], *, principal: str | None = None) -> Balances:
        asked = LessonQuery(tenant=self._whose.tenant, ids=tuple(lessons), limit=len(lessons))
        own = {each.id for each in self._part.list_lessons(asked)} if lessons else set()
        found = self._part.read_balances(own, principal=principal)
        for lesson in set(lessons) - own:
            uses = self._list_uses_of_built_in(lesson)
            if uses := [each for each in uses if principal in (None, each.principal)]:
                found[lesson] = compute_balance(uses)
        return found

    def _list_uses_of_built_in(self, lesson: str) -> list[Use]:
        """Every tenant uses these; each sees only its own results."""
        uses = self._part.list_uses(lesson)
        return [each for each in uses if each.tenant == self._whose.tenant]
