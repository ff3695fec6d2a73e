"""Lessons out of episodes, in batches: the same episodes give the same lessons."""

from __future__ import annotations

import hashlib
import json
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from typing import NamedTuple

from mulligan.core.failures.lesson import (
    Ending,
    Episode,
    Lesson,
    Remedy,
    Transformation,
    count_sources,
)
from mulligan.learning.lessons.explain import measure_cost
from mulligan.learning.lessons.general import (
    cluster_words,
    extract_words,
    is_general,
    list_subjects,
)
from mulligan.learning.lessons.life import EVIDENCE
from mulligan.learning.lessons.telling.phrase import (
    describe_correction,
    describe_example,
    describe_exceptions,
    describe_lesson,
    describe_mistake,
)

MOST_LESSONS = 3
"""Lessons about one pattern: beyond the third, a failure has no common remedy."""
MOST_AGENTS = 20
NEEDED = ("sign", "tool", "what", "like", "said")
SUPPOSED = 0.3
"""What an account is worth that leaves out a call which was made before the success."""

LONGEST_WORDS = 200


class LessonPool(NamedTuple):
    """What is learned together: never across tenants, tools, schemas or patterns."""

    tenant: str
    tool: str
    server: str
    schema_hash: str
    fingerprint: str


def mine(
    episodes: Sequence[Episode], *, known: Sequence[Lesson] = (), at: datetime, batch: str = ""
) -> list[Lesson]:
    """New lessons, and new versions of known ones that explain more or less than they did.

    A quarantined or retired lesson is not learned anew. Versions go on from those known.
    """
    return list(mine_pools(episodes, known=known, at=at, batch=batch))


def mine_pools(
    episodes: Sequence[Episode], *, known: Sequence[Lesson] = (), at: datetime, batch: str = ""
) -> Iterator[Lesson]:
    """The same, one after the other: it may be left between two."""
    latest = {lesson.id: lesson for lesson in known}
    pools = {**_group_episodes(episodes), **_group_by_words(episodes)}
    for pool, held in sorted(pools.items()):
        for lesson in _build_lessons(pool, held, at=at, batch=batch):
            before = latest.get(lesson.id)
            if before is None:
                yield lesson
            elif before.state.living and _says_more(before, lesson):
                yield _build_next_version(before, lesson)


def find_pool(episode: Episode) -> LessonPool:
    """Which others it is learned from together with."""
    return LessonPool(
        episode.tenant, episode.tool, episode.server, episode.schema_hash, episode.fingerprint
    )


def hash_lesson(pool: LessonPool, remedy: Remedy) -> str:
    """The same for the same remedy of the same pattern, also after the schema has changed."""
    named = json.dumps([pool.tenant, pool.server, pool.tool, pool.fingerprint])
    written = f"{named}\n{build_remedy_key(remedy)}".encode("utf-8", "replace")
    return hashlib.sha256(written).hexdigest()[:16]


def build_remedy_key(remedy: Remedy) -> str:
    """A remedy as text: equal for equal remedies."""
    first = [[call.tool, list(map(_encode_change, call.arguments))] for call in remedy.first]
    return json.dumps([list(map(_encode_change, remedy.changes)), first], default=str)


def _encode_change(made: Transformation) -> list[object]:
    return [made.argument, made.how, sorted(made.given.items())]


def _group_episodes(episodes: Sequence[Episode]) -> Mapping[LessonPool, list[Episode]]:
    found: dict[LessonPool, list[Episode]] = defaultdict(list)
    for each in episodes:
        found[find_pool(each)].append(each)
    return found


def _group_by_words(episodes: Sequence[Episode]) -> Mapping[LessonPool, list[Episode]]:
    """Failures in the same words about arguments of the same names, whatever the tool."""
    repaired = [each for each in episodes if each.ending is Ending.REPAIRED]
    words = {each.id: extract_words(each.template, each.tool) for each in repaired}
    heads = cluster_words(words.values())
    found: dict[LessonPool, list[Episode]] = defaultdict(list)
    for each in repaired:
        said = " ".join(sorted(heads[words[each.id]]))
        for subjects, remedies in _group_by_subjects(each).items() if said else ():
            about = f"words:{said}"[:LONGEST_WORDS] + f":{','.join(sorted(subjects))}"
            pool = LessonPool(each.tenant, "", each.server, "", about[: 2 * LONGEST_WORDS])
            found[pool].append(replace(each, tool="", template=said, remedies=remedies))
    return {pool: held for pool, held in found.items() if len({e.fingerprint for e in held}) > 1}


def _group_by_subjects(episode: Episode) -> Mapping[frozenset[str], tuple[Remedy, ...]]:
    found: dict[frozenset[str], tuple[Remedy, ...]] = {}
    for remedy in filter(is_general, episode.remedies):
        subjects = list_subjects(remedy)
        found[subjects] = (*found.get(subjects, ()), remedy)
    return found


def _build_lessons(
    pool: LessonPool, episodes: Sequence[Episode], *, at: datetime, batch: str
) -> Iterator[Lesson]:
    repaired = [each for each in episodes if each.ending is Ending.REPAIRED]
    able = {each.id: frozenset().union(*map(list_needs, each.remedies)) for each in repaired}
    for remedy, explained in cover(repaired):
        if not pool.tool and len({each.fingerprint for each in explained}) < 2:
            continue
        ids = {each.id for each in explained}
        others = [each for each in episodes if each.id not in ids]
        first = explained[0]
        yield Lesson(
            id=hash_lesson(pool, remedy),
            version=1,
            tool=pool.tool,
            server=pool.server,
            schema_hash=pool.schema_hash,
            tenant=pool.tenant,
            fingerprint=pool.fingerprint,
            error_class=first.error_class,
            when=first.template,
            when_not=describe_exceptions(remedy, others),
            statement=describe_lesson(remedy, tool=pool.tool, template=first.template),
            mistake=describe_mistake(remedy),
            correction=describe_correction(pool.tool, remedy),
            example=describe_example(remedy),
            remedy=remedy,
            why=f"{len(explained)} of {len(repaired)} repairs were made so",
            by=EVIDENCE,
            seen=count_sources(each.principal for each in explained),
            of=count_sources(
                each.principal for each in repaired if list_needs(remedy) <= able[each.id]
            ),
            agents=tuple(sorted({each.agent for each in explained if each.agent})[:MOST_AGENTS]),
            met=count_sources(each.principal for each in episodes),
            shared=any(each.principal for each in explained),
            batch=batch,
            learned_at=at,
        )


def cover(repaired: Sequence[Episode]) -> Iterator[tuple[Remedy, list[Episode]]]:
    """The remedies that explain most, one after the other, each with all that it explains.

    Of two that explain as much, the simpler one is kept; of two as simple, the one found first.
    """
    by_remedy: dict[str, tuple[Remedy, list[Episode]]] = {}
    for episode in sorted(repaired, key=lambda each: (each.at, each.id)):
        for remedy in episode.remedies:
            by_remedy.setdefault(build_remedy_key(remedy), (remedy, []))[1].append(episode)
    left = list(repaired)
    for _ in range(MOST_LESSONS):
        credit = {key: _measure_credit(*held, left) for key, held in by_remedy.items()}
        best = min(
            by_remedy, key=lambda key: (-credit[key], measure_cost(by_remedy[key][0])), default=""
        )
        if not credit.get(best):
            return
        remedy, explained = by_remedy[best]
        yield remedy, explained
        explained_ids = {each.id for each in explained}
        left = [each for each in left if each.id not in explained_ids]


def list_needs(remedy: Remedy) -> frozenset[str]:
    """What must be there for a remedy to be made: a sign in a value, an earlier call, a figure."""
    made = (*remedy.changes, *(each for call in remedy.first for each in call.arguments))
    return frozenset(
        f"{word}:{each.given[word]}" for each in made for word in NEEDED if word in each.given
    )


def _measure_credit(remedy: Remedy, explained: Sequence[Episode], left: Sequence[Episode]) -> float:
    """How much of what is left a remedy explains.

    A remedy that leaves out calls which were made is only supposed to be enough.
    """
    open_ids = {each.id for each in left}
    credit: dict[str, float] = {}
    for each in (each for each in explained if each.id in open_ids):
        whole = len(remedy.first) == _count_longest(each)
        # Who is named speaks once, however often they failed.
        source = each.principal or f"/{each.id}"
        credit[source] = max(credit.get(source, 0.0), 1.0 if whole else SUPPOSED)
    return sum(credit.values())


def _count_longest(episode: Episode) -> int:
    return max((len(remedy.first) for remedy in episode.remedies), default=0)


def _says_more(before: Lesson, now: Lesson) -> bool:
    told = ("seen", "of", "met", "schema_hash", "agents", "shared")
    return any(getattr(before, name) != getattr(now, name) for name in told)


def _build_next_version(before: Lesson, now: Lesson) -> Lesson:
    """What evidence says anew; where it stands in its life is for its life cycle to say."""
    return replace(now, version=before.version + 1, state=before.state, by=before.by)
