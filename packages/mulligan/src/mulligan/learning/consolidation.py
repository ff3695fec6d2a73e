"""Draws lessons from stored failures, in batches that can be undone.

A new failure is consolidated at once with others of its kind; everything together about once a day.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from datetime import datetime, timedelta

from msgspec import Struct
from msgspec.structs import replace

from mulligan.learning.fingerprint import renew_fingerprint
from mulligan.learning.lessons import find_count_start, judge_life
from mulligan.learning.mining import (
    MARKS,
    LessonPool,
    differs_in,
    find_pool,
    find_uses,
    hash_lesson,
    mine,
    mine_pools,
)
from mulligan.types.errors import ConfigurationError, StaleLessonError
from mulligan.types.interfaces import FailureStore, KnownTool, Store
from mulligan.types.lesson import (
    Episode,
    EpisodeQuery,
    Lesson,
    LessonQuery,
    LessonState,
    compute_balance,
    count_known_people,
    hash_schema,
)

MOST_LESSONS = 100_000
PAGE = 500
MOST_OF_POOL = 200
"""The newest failures of a kind that are read when another one happens."""
MEMORY = timedelta(days=360)
"""The window in which people are counted."""

Hashes = Mapping[tuple[str, str], str]
"""The hash of each tool's schema as it is now, by server and name."""


People = Mapping[str, int]
"""How many people there are, by tenant."""


GoOn = Callable[[], None]
"""Called between the steps of a batch; it raises to postpone the rest."""


class Consolidated(Struct, frozen=True, kw_only=True):
    """The result of one batch."""

    batch: str
    episodes: int
    lessons: tuple[Lesson, ...] = ()
    """New versions, in the order they were written."""


def name_batch(now: datetime) -> str:
    """The name of a batch, unique also for two processes in the same second."""
    return f"{now:%Y%m%dT%H%M%S%f}"


def hash_schemas(tools: Sequence[KnownTool]) -> Hashes:
    """The schemas that tools are declared with now."""
    return {(tool.server, tool.tool): hash_schema(tool.schema) for tool in tools}


def has_grown(before: int, now: int) -> bool:
    """Whether a count has grown enough to justify a new version."""
    return 3 * now >= 4 * before


def draw_lessons(store: Store, pool: LessonPool, *, now: datetime) -> Consolidated:
    """Learn from the failures of one kind, one of which has just happened.

    Concurrent processes do no harm: a lesson's name and versions follow from the failures, and the
    second writer of a version is refused.
    """
    failure_store, batch = store.failures, name_batch(now)
    tenant, tool, pattern = pool.tenant, pool.tool, pool.fingerprint
    alike = EpisodeQuery(tenant=tenant, tool=tool, fingerprint=pattern)
    newest = failure_store.list_episodes(replace(alike, newest_first=True, limit=MOST_OF_POOL))
    episodes = [each for each in reversed(newest) if find_pool(each) == pool]
    about = LessonQuery(tenant=tenant, tool=tool, fingerprint=pattern)
    known = {each.id: each for each in failure_store.list_lessons(about)}
    # Counts of a part of them would be wrong.
    whole = len(newest) < MOST_OF_POOL
    written = [
        each
        for each in mine(episodes, known=list(known.values()), at=now, batch=batch)
        # A small difference is no new version, or every failure would make one.
        if each.id not in known
        or (whole and has_grown(known[each.id].met, each.met))
        or (whole and differs_in(known[each.id], each, MARKS))
        if _append(failure_store, each)
    ]
    new = [each for each in written if each.id not in known]
    failure_store.use(find_uses(episodes, new))
    people = count_people(failure_store, now=now) if new else {}
    schemas = hash_schemas(store.catalog.list_tools()) if new else {}
    for lesson in new:
        moved = grow(failure_store, lesson, now=now, schemas=schemas, people=people, batch=batch)
        written += [] if moved is None else [moved]
    return Consolidated(batch=batch, episodes=len(newest), lessons=tuple(written))


def consolidate(store: Store, *, now: datetime, go_on: GoOn = lambda: None) -> Consolidated:
    """Mine all stored episodes, then update each lesson's state from its uses.

    If `go_on` raises, what was written stays; the next batch continues from there.
    """
    failure_store, batch = store.failures, name_batch(now)
    schemas = hash_schemas(store.catalog.list_tools())
    episodes = list(renew_episodes(list_episodes(failure_store, go_on=go_on)))
    written = renew_lessons(
        failure_store, failure_store.list_lessons(LessonQuery(limit=MOST_LESSONS)), now=now
    )
    known = failure_store.list_lessons(LessonQuery(limit=MOST_LESSONS))
    for each in mine_pools(episodes, known=known, at=now, batch=batch):
        written += [each] if _append(failure_store, each) else []
        go_on()
    lessons = failure_store.list_lessons(LessonQuery(limit=MOST_LESSONS))
    uses = find_uses(episodes, lessons)
    for start in range(0, len(uses), PAGE):
        failure_store.use(uses[start : start + PAGE])
        go_on()
    people = count_people(failure_store, now=now)
    for lesson in lessons:
        moved = grow(failure_store, lesson, now=now, schemas=schemas, people=people, batch=batch)
        written += [] if moved is None else [moved]
        go_on()
    return Consolidated(batch=batch, episodes=len(episodes), lessons=tuple(written))


def renew_episodes(episodes: Iterable[Episode]) -> Iterator[Episode]:
    """Each under its pattern's current name."""
    for each in episodes:
        name = renew_fingerprint(each.fingerprint, tool=each.tool, template=each.template)
        yield each if name == each.fingerprint else replace(each, fingerprint=name)


def renew_lessons(
    failure_store: FailureStore, lessons: Iterable[Lesson], *, now: datetime
) -> list[Lesson]:
    """Move each lesson of an older pattern to its current name, with its state and uses.

    A change of the masks renames every pattern, and a lesson is proven for its pattern alone. The
    stored masked error is masked again; the old lesson stays on record, retired.
    """
    written = []
    for old in lessons:
        name = renew_fingerprint(old.fingerprint, tool=old.tool, template=old.when)
        if name == old.fingerprint or old.state is LessonState.RETIRED:
            continue
        pool = LessonPool(old.tenant, old.tool, old.server, old.schema_hash, name)
        new = replace(
            old,
            id=hash_lesson(pool, old.remedy),
            version=1,
            fingerprint=name,
            why=f"lesson {old.id}, whose pattern has a new name; {old.why}"[:500],
            batch="",
            learned_at=now,
        )
        left = replace(
            old,
            version=old.version + 1,
            state=LessonState.RETIRED,
            why=f"its pattern has a new name: it is lesson {new.id} now",
            batch="",
            learned_at=now,
        )
        # The new one first: a duplicate lesson does no harm, a lost one does. It exists already if
        # another lesson moved to the same pattern, or another process was first.
        if _append(failure_store, new):
            failure_store.use(
                [replace(use, lesson=new.id) for use in failure_store.list_uses(old.id)]
            )
            written.append(new)
        _append(failure_store, left)
    return written


def count_people(failure_store: FailureStore, *, now: datetime) -> People:
    """The number of known people by tenant, from recent failures."""
    return count_known_people(failure_store.count_episodes(since=(now - MEMORY).date()))


def grow(
    failure_store: FailureStore,
    lesson: Lesson,
    *,
    now: datetime,
    schemas: Hashes,
    people: People,
    batch: str = "",
) -> Lesson | None:
    """Update a lesson's state from its uses; returns the new version, if it changed."""
    since = find_count_start(failure_store.list_lesson_versions(lesson.id))
    uses = failure_store.list_uses(lesson.id)
    moved = judge_life(
        lesson,
        compute_balance(uses, since=since),
        now=now,
        schema_hash=schemas.get((lesson.server, lesson.tool), ""),
        people=people.get(lesson.tenant, 0) if lesson.tenant or lesson.shared else None,
        last_needed=max((use.at for use in uses), default=None),
    )
    if moved is None:
        return None
    moved = replace(moved, batch=batch)
    return moved if _append(failure_store, moved) else None


def undo_consolidation(
    failure_store: FailureStore, batch: str, *, now: datetime, by: str
) -> list[Lesson]:
    """Undo a consolidation: its versions stay on record, and the earlier ones apply again."""
    written = []
    for lesson in failure_store.list_lessons(LessonQuery(limit=MOST_LESSONS)):
        if lesson.batch != batch or not batch:
            continue
        before = [
            each for each in failure_store.list_lesson_versions(lesson.id) if each.batch != batch
        ]
        # A lesson that the batch created has no earlier version. It is quarantined, or the next
        # consolidation would create it again.
        content = before[-1] if before else replace(lesson, state=LessonState.QUARANTINED)
        back = replace(
            content,
            version=lesson.version + 1,
            why=f"consolidation {batch} was undone",
            by=by,
            batch="",
            learned_at=now,
        )
        written += [back] if _append(failure_store, back) else []
    if not written:
        raise ConfigurationError(
            f"No lesson is still at the version that consolidation {batch!r} wrote. "
            "`mulligan lessons list --json` shows the batch of each."
        )
    return written


def list_episodes(failure_store: FailureStore, *, go_on: GoOn = lambda: None) -> Iterator[Episode]:
    """All stored ones, oldest first, page by page."""
    after = ""
    while page := failure_store.list_episodes(EpisodeQuery(after=after, limit=PAGE)):
        yield from page
        after = page[-1].id
        go_on()


def _append(failure_store: FailureStore, lesson: Lesson) -> bool:
    """Whether it was written; `False` if another process wrote that version first."""
    try:
        failure_store.append([lesson])
    except StaleLessonError:
        return False
    return True
