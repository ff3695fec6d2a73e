"""Lessons drawn from what was remembered, in batches that can be taken back.

What failed just now is drawn from at once, kind by kind; everything together about once a day.
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
from mulligan.types.interfaces import Casebook, KnownTool, Store
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
"""Failures of one kind, the newest, that are read where one of them has just happened."""
MEMORY = timedelta(days=360)
"""How far back people are counted."""

Hashes = Mapping[tuple[str, str], str]
"""The hash of each tool's schema as it is now, by server and name."""


People = Mapping[str, int]
"""How many people there are, by tenant."""


GoOn = Callable[[], None]
"""Asked between the steps of a batch; it raises where the rest is for another time."""


class Consolidated(Struct, frozen=True, kw_only=True):
    """What one batch came to."""

    batch: str
    episodes: int
    lessons: tuple[Lesson, ...] = ()
    """New versions, in the order they were written."""


def name_batch(now: datetime) -> str:
    """The name of a batch: two processes that consolidate in one second have two."""
    return f"{now:%Y%m%dT%H%M%S%f}"


def hash_schemas(tools: Sequence[KnownTool]) -> Hashes:
    """The schemas that tools are declared with now."""
    return {(tool.server, tool.tool): hash_schema(tool.schema) for tool in tools}


def has_grown(before: int, now: int) -> bool:
    """Whether there is so much more of something that it may say something else."""
    return 3 * now >= 4 * before


def draw_lessons(store: Store, pool: LessonPool, *, now: datetime) -> Consolidated:
    """Learn from failures of one kind, one of which has just happened.

    A process that draws the same at the same time changes nothing: a lesson's name and its versions
    follow from the failures, and of two that write one version the second is refused.
    """
    casebook, batch = store.casebook, name_batch(now)
    tenant, tool, pattern = pool.tenant, pool.tool, pool.fingerprint
    alike = EpisodeQuery(tenant=tenant, tool=tool, fingerprint=pattern)
    newest = casebook.list_episodes(replace(alike, newest_first=True, limit=MOST_OF_POOL))
    episodes = [each for each in reversed(newest) if find_pool(each) == pool]
    about = LessonQuery(tenant=tenant, tool=tool, fingerprint=pattern)
    known = {each.id: each for each in casebook.list_lessons(about)}
    # Of a part of them, no count would be right.
    whole = len(newest) < MOST_OF_POOL
    written = [
        each
        for each in mine(episodes, known=list(known.values()), at=now, batch=batch)
        # Where it says little more it is no other version, or every failure would be one.
        if each.id not in known
        or (whole and has_grown(known[each.id].met, each.met))
        or (whole and differs_in(known[each.id], each, MARKS))
        if _append(casebook, each)
    ]
    new = [each for each in written if each.id not in known]
    casebook.use(find_uses(episodes, new))
    people = count_people(casebook, now=now) if new else {}
    schemas = hash_schemas(store.catalog.list_tools()) if new else {}
    for lesson in new:
        moved = grow(casebook, lesson, now=now, schemas=schemas, people=people, batch=batch)
        written += [] if moved is None else [moved]
    return Consolidated(batch=batch, episodes=len(newest), lessons=tuple(written))


def consolidate(store: Store, *, now: datetime, go_on: GoOn = lambda: None) -> Consolidated:
    """Mine every episode that is kept, then let each lesson's uses say where it stands.

    What it has written stays where `go_on` raises; the next batch goes on from there.
    """
    casebook, batch = store.casebook, name_batch(now)
    schemas = hash_schemas(store.catalog.list_tools())
    episodes = list(renew_episodes(list_episodes(casebook, go_on=go_on)))
    written = renew_lessons(
        casebook, casebook.list_lessons(LessonQuery(limit=MOST_LESSONS)), now=now
    )
    known = casebook.list_lessons(LessonQuery(limit=MOST_LESSONS))
    for each in mine_pools(episodes, known=known, at=now, batch=batch):
        written += [each] if _append(casebook, each) else []
        go_on()
    lessons = casebook.list_lessons(LessonQuery(limit=MOST_LESSONS))
    uses = find_uses(episodes, lessons)
    for start in range(0, len(uses), PAGE):
        casebook.use(uses[start : start + PAGE])
        go_on()
    people = count_people(casebook, now=now)
    for lesson in lessons:
        moved = grow(casebook, lesson, now=now, schemas=schemas, people=people, batch=batch)
        written += [] if moved is None else [moved]
        go_on()
    return Consolidated(batch=batch, episodes=len(episodes), lessons=tuple(written))


def renew_episodes(episodes: Iterable[Episode]) -> Iterator[Episode]:
    """Each under the name that its pattern has today."""
    for each in episodes:
        name = renew_fingerprint(each.fingerprint, tool=each.tool, template=each.template)
        yield each if name == each.fingerprint else replace(each, fingerprint=name)


def renew_lessons(casebook: Casebook, lessons: Iterable[Lesson], *, now: datetime) -> list[Lesson]:
    """Move each lesson of an older pattern to the one of today, with its state and its uses.

    A change of the masks renames every pattern, and a lesson is proven for its pattern alone. What
    an error was masked to is kept, and masked again; the old lesson stays on record, retired.
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
            why=f"lesson {old.id}, whose pattern is masked anew; {old.why}"[:500],
            batch="",
            learned_at=now,
        )
        left = replace(
            old,
            version=old.version + 1,
            state=LessonState.RETIRED,
            why=f"its pattern is masked anew: it is lesson {new.id} now",
            batch="",
            learned_at=now,
        )
        # The new one first: a lesson that is there twice does no harm, one that is lost does. It is
        # there if another has come to the same pattern, or another process was first.
        if _append(casebook, new):
            casebook.use([replace(use, lesson=new.id) for use in casebook.list_uses(old.id)])
            written.append(new)
        _append(casebook, left)
    return written


def count_people(casebook: Casebook, *, now: datetime) -> People:
    """How many people each tenant is known to have, by what has failed of late."""
    return count_known_people(casebook.count_episodes(since=(now - MEMORY).date()))


def grow(
    casebook: Casebook,
    lesson: Lesson,
    *,
    now: datetime,
    schemas: Hashes,
    people: People,
    batch: str = "",
) -> Lesson | None:
    """Let what a lesson's uses came to say where it stands; its new version, if it has moved."""
    since = find_count_start(casebook.list_lesson_versions(lesson.id))
    uses = casebook.list_uses(lesson.id)
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
    return moved if _append(casebook, moved) else None


def take_back(casebook: Casebook, batch: str, *, now: datetime, by: str) -> list[Lesson]:
    """Undo a consolidation: what it wrote stays on record, and what stood before counts again."""
    written = []
    for lesson in casebook.list_lessons(LessonQuery(limit=MOST_LESSONS)):
        if lesson.batch != batch or not batch:
            continue
        before = [each for each in casebook.list_lesson_versions(lesson.id) if each.batch != batch]
        # A lesson that the batch brought forth has no earlier self to go back to: it waits for a
        # person, or the next consolidation would bring it back.
        content = before[-1] if before else replace(lesson, state=LessonState.QUARANTINED)
        back = replace(
            content,
            version=lesson.version + 1,
            why=f"consolidation {batch} was taken back",
            by=by,
            batch="",
            learned_at=now,
        )
        written += [back] if _append(casebook, back) else []
    if not written:
        raise ConfigurationError(
            f"No lesson stands as consolidation {batch!r} left it. "
            "`mulligan lessons list --json` shows the batch of each."
        )
    return written


def list_episodes(casebook: Casebook, *, go_on: GoOn = lambda: None) -> Iterator[Episode]:
    """All that are kept, oldest first, a page at a time."""
    after = ""
    while page := casebook.list_episodes(EpisodeQuery(after=after, limit=PAGE)):
        yield from page
        after = page[-1].id
        go_on()


def _append(casebook: Casebook, lesson: Lesson) -> bool:
    """Whether it was written; another process that was first has said something newer."""
    try:
        casebook.append([lesson])
    except StaleLessonError:
        return False
    return True
