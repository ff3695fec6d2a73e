"""Mines lessons from episodes: the same episodes give the same lessons."""

from __future__ import annotations

import hashlib
import itertools
import json
import tomllib
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from datetime import UTC, datetime
from functools import cache
from importlib import resources
from typing import Any, NamedTuple

from msgspec.structs import replace

from mulligan.learning.coerce import NOTHING
from mulligan.learning.lessons import (
    EVIDENCE,
    SEED,
    SUBJECT,
    cluster_words,
    describe_correction,
    describe_example,
    describe_exceptions,
    describe_remedy,
    extract_words,
    is_general,
    list_subjects,
)
from mulligan.learning.scope import find_scope_changes, only_rewrites
from mulligan.learning.transforms import WAYS, ArgumentPlace, find_ways
from mulligan.learning.values import is_small
from mulligan.types.failure import ErrorClass
from mulligan.types.lesson import (
    Benefit,
    Earlier,
    Ending,
    Episode,
    FailedCall,
    How,
    Lesson,
    LessonState,
    Prerequisite,
    Remedy,
    Transformation,
    Use,
    count_sources,
)
from mulligan_dates.text import is_same

_ORDER = (*WAYS, How.DROP, How.OPEN)
MOST_REMEDIES = 40
MOST_BETWEEN = 20
"""Calls between a failure and its repair that are considered: the last ones."""
MOST_STEPS = 3
MOST_FIRST = 5
"""Calls of one step, the last ones."""
MOST_EACH = 3
"""Transformations of one argument that are combined with those of the others."""


def find_remedies(
    failed: FailedCall,
    fixed_arguments: Mapping[str, object],
    *,
    between: Sequence[Earlier] = (),
) -> tuple[Remedy, ...]:
    """Every general remedy from the failing call to the successful one, simplest first.

    `between`: the calls after the failure and before the success, oldest first. Nothing is returned
    where a value cannot be explained: it would be another call's.
    """
    if not is_small(failed.call.arguments) or not is_small(fixed_arguments):
        return ()
    between = between[-MOST_BETWEEN:]
    turn = replace(failed, earlier=(*failed.earlier, *between))
    changes = list(_list_changes(turn, fixed_arguments))
    steps = _group_steps(failed, between)
    told = [
        _as_prerequisites(replace(failed, earlier=(*failed.earlier, *between[:at])), made)
        for at, made in enumerate(between)
    ]
    found: dict[str, Remedy] = {}
    for change in changes:
        # The calls whose results the change uses.
        tools = {each.given.get("tool") for each in change if each.how is How.FROM_TURN}
        worked = [at for at, made in enumerate(between) if not made.failed]
        needed = [at for at in worked if between[at].tool in tools]
        for chosen in _list_subsets(steps, needed=needed):
            first = itertools.product(*(told[at] for at in chosen))
            if chosen or change or not steps:
                made = (Remedy(changes=change, first=calls) for calls in first)
                found |= {repr(remedy): remedy for remedy in itertools.islice(made, MOST_EACH)}
    whole = _without_losses(list(found.values()), turn)
    return tuple(sorted(whole, key=measure_cost)[:MOST_REMEDIES])


def _without_losses(found: Sequence[Remedy], turn: FailedCall) -> list[Remedy]:
    """Remedies but those whose changes lose what a call before them keeps in another remedy."""
    other = [each for each in found if find_scope_changes(each, turn)]
    kept = [each.changes for each in found if each not in other]
    return [each for each in found if not (each in other and each.changes in kept)]


def measure_cost(remedy: Remedy) -> float:
    """The complexity of a remedy: its changes and prerequisite calls."""
    changes = sum(1 + _ORDER.index(each.how) / 100 for each in remedy.changes)
    made = sum(_ORDER.index(each.how) / 100 for call in remedy.first for each in call.arguments)
    return changes + made + len(remedy.first)


def _list_changes(
    failed: FailedCall, fixed: Mapping[str, object]
) -> Iterator[tuple[Transformation, ...]]:
    """Combinations of transformations for all arguments that differ."""
    before = failed.call.arguments
    ways: list[list[Transformation]] = []
    for name, value in fixed.items():
        place = ArgumentPlace(argument=name, failed=failed, schema=failed.schema)
        # What is left out has its default, so that giving it changes nothing.
        known = place.rule.get("default", NOTHING) if place.old is NOTHING else place.old
        if is_same(known, value):
            continue
        ways.append(find_ways(value, place)[:MOST_EACH])
    dropped = [Transformation(argument=name, how=How.DROP) for name in before if name not in fixed]
    for chosen in itertools.islice(itertools.product(*ways), MOST_REMEDIES):
        yield (*chosen, *dropped)


def _group_steps(failed: FailedCall, between: Sequence[Earlier]) -> list[list[int]]:
    """The calls between by their place, in groups: each ends where the call was tried again.

    A try that failed in the same words shows that nothing before it had helped.
    """
    groups: list[list[int]] = [[]]
    said = failed.error
    for at, made in enumerate(between):
        if made.failed and made.tool == failed.call.tool:
            if str(made.result or "") in ("", said):
                groups[-1] = []
            else:
                groups.append([])
            said = str(made.result or "") or said
        elif not made.failed and not any(
            made.repeats(between[i].tool, between[i].arguments) for i in groups[-1]
        ):
            groups[-1].append(at)
    return [group[-MOST_FIRST:] for group in groups if group][-MOST_STEPS:]


def _list_subsets(
    steps: Sequence[Sequence[int]], *, needed: Sequence[int]
) -> Iterator[tuple[int, ...]]:
    """The subsets of the calls between that may have been needed: some of every group, or all.

    Of a long group only the single calls, the last two and all.
    """
    parts = []
    for group in steps:
        sizes = range(len(group) + 1) if len(group) <= 3 else (0, 1)
        some = [each for size in sizes for each in itertools.combinations(group, size)]
        some += [] if len(group) <= 3 else [tuple(group[-2:]), tuple(group)]
        parts.append(some[1:] if len(steps) > 1 else some)
    for chosen in itertools.islice(itertools.product(*parts), MOST_REMEDIES):
        yield tuple(sorted({*itertools.chain.from_iterable(chosen), *needed}))


def _as_prerequisites(failed: FailedCall, made: Earlier) -> list[Prerequisite]:
    ways: list[list[Transformation]] = []
    for name, value in made.arguments.items():
        place = ArgumentPlace(argument=name, failed=failed)
        open_ended = [Transformation(argument=name, how=How.OPEN)]
        found = find_ways(value, place)[:MOST_EACH] if is_small(value) else []
        ways.append(found or open_ended)
    chosen = itertools.islice(itertools.product(*ways), MOST_EACH)
    return [Prerequisite(tool=made.tool, arguments=each) for each in chosen]


MOST_LESSONS = 3
"""Lessons for one pattern: beyond this, its failures have no common remedy."""
MOST_AGENTS = 20
NEEDED = ("sign", "tool", "what", "like", "said")
SUPPOSED = 0.3
"""The weight of an explanation that leaves out a call made before the success."""

MOST_ALONE = 3
"""Sources that teach something about other tools, where all of them are of one tool."""

LONGEST_WORDS = 200
MARKS = ("schema_hash", "agents", "shared")
"""The fields whose change makes a new version of a lesson."""


class LessonPool(NamedTuple):
    """The key of a pool of episodes: never across tenants, tools, schemas or patterns."""

    tenant: str
    tool: str
    server: str
    schema_hash: str
    fingerprint: str


def mine(
    episodes: Sequence[Episode], *, known: Sequence[Lesson] = (), at: datetime, batch: str = ""
) -> list[Lesson]:
    """New lessons, and new versions of known ones that explain more or less than they did.

    A quarantined or retired lesson is not learned again. Versions continue from the known ones.
    """
    return list(mine_pools(episodes, known=known, at=at, batch=batch))


def mine_pools(
    episodes: Sequence[Episode], *, known: Sequence[Lesson] = (), at: datetime, batch: str = ""
) -> Iterator[Lesson]:
    """The same as an iterator, which may be stopped between two lessons."""
    latest = {lesson.id: lesson for lesson in known}
    pools: dict[LessonPool, list[Episode]] = defaultdict(list)
    for each in episodes:
        pools[find_pool(each)].append(each)
    for pool, held in sorted({**pools, **_group_by_words(episodes)}.items()):
        for lesson in _build_lessons(pool, held, at=at, batch=batch):
            before = latest.get(lesson.id)
            if before is None:
                yield lesson
            elif before.state.living and differs_in(before, lesson, ("seen", "of", "met", *MARKS)):
                # The state belongs to the life cycle.
                state, by = before.state, before.by
                yield replace(lesson, version=before.version + 1, state=state, by=by)


def differs_in(one: Lesson, other: Lesson, fields: Sequence[str]) -> bool:
    """Whether two versions of a lesson differ in one of these fields."""
    return any(getattr(one, name) != getattr(other, name) for name in fields)


def find_pool(episode: Episode) -> LessonPool:
    """The pool that an episode belongs to."""
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


def _group_by_words(episodes: Sequence[Episode]) -> Mapping[LessonPool, list[Episode]]:
    """Pools of similar errors about arguments of the same names, across tools."""
    repaired = [each for each in episodes if each.ending is Ending.REPAIRED]
    words = {each.id: extract_words(each.template, each.tool) for each in repaired}
    heads = cluster_words(words.values())
    found: dict[LessonPool, list[Episode]] = defaultdict(list)
    for each in repaired:
        said = " ".join(sorted(heads[words[each.id]]))
        by_subjects: dict[frozenset[str], tuple[Remedy, ...]] = defaultdict(tuple)
        for remedy in filter(is_general, each.remedies if said else ()):
            by_subjects[list_subjects(remedy)] += (remedy,)
        for subjects, remedies in by_subjects.items():
            about = f"words:{said}"[:LONGEST_WORDS] + f":{','.join(sorted(subjects))}"
            pool = LessonPool(each.tenant, "", each.server, "", about[: 2 * LONGEST_WORDS])
            found[pool].append(replace(each, tool="", template=said, remedies=remedies))
    return {pool: held for pool, held in found.items() if len(held) > 1}


def _build_lessons(
    pool: LessonPool, episodes: Sequence[Episode], *, at: datetime, batch: str
) -> Iterator[Lesson]:
    repaired = [each for each in episodes if each.ending is Ending.REPAIRED]
    able = {each.id: frozenset().union(*map(list_needs, each.remedies)) for each in repaired}
    for remedy, explained in cover(repaired):
        if not pool.tool and not _may_cross(remedy, explained):
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
            **describe_remedy(remedy, tool=pool.tool, template=first.template),
            remedy=remedy,
            why=f"{len(explained)} of {len(repaired)} repairs were made this way",
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


def _may_cross(remedy: Remedy, explained: Sequence[Episode]) -> bool:
    """Whether a remedy has helped at several tools, or one tool by giving a part of a value to
    another: whoever can make that call too has the same need."""
    if len({each.fingerprint for each in explained}) > 1:
        return True
    sources = count_sources(each.principal for each in explained)
    return bool(remedy.changes and remedy.first) and sources >= MOST_ALONE


def cover(repaired: Sequence[Episode]) -> Iterator[tuple[Remedy, list[Episode]]]:
    """The remedies that explain the most, one after the other, each with what it explains.

    Of two that explain the same amount, the simpler one wins; of equally simple ones, the first.
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
    """The inputs that a remedy needs: a sign in a value, an earlier call, a number."""
    made = (*remedy.changes, *(each for call in remedy.first for each in call.arguments))
    return frozenset(
        f"{word}:{each.given[word]}" for each in made for word in NEEDED if word in each.given
    )


def _measure_credit(remedy: Remedy, explained: Sequence[Episode], left: Sequence[Episode]) -> float:
    """How much of what is left a remedy explains.

    A remedy that leaves out calls which were made is only supposed to be enough, unless it writes
    the same values in another form: no call before makes a tool take those.
    """
    open_ids = {each.id for each in left}
    credit: dict[str, float] = {}
    for each in (each for each in explained if each.id in open_ids):
        most = max(len(other.first) for other in each.remedies)
        whole = len(remedy.first) == most or only_rewrites(remedy)
        # A named person counts once, however often they failed.
        source = each.principal or f"/{each.id}"
        credit[source] = max(credit.get(source, 0.0), 1.0 if whole else SUPPOSED)
    return sum(credit.values())


Spot = tuple[str, str, str, str]
"""Tenant, tool, pattern and remedy: where a lesson and an episode agree."""


def find_uses(episodes: Sequence[Episode], lessons: Sequence[Lesson]) -> list[Use]:
    """The uses of lessons in episodes: agents' own fixes count as much as followed suggestions.

    Only a verified repair counts for a lesson. An undone repair, and a suggestion that did not
    help, count against it.
    """
    by_id = {lesson.id: lesson for lesson in lessons}
    by_remedy = {_build_spot(lesson.tenant, lesson, lesson.remedy): lesson for lesson in lessons}
    return [use for episode in episodes for use in _list_uses(episode, by_id, by_remedy)]


def _build_spot(tenant: str, at: Episode | Lesson, remedy: Remedy) -> Spot:
    return tenant, at.tool, at.fingerprint, build_remedy_key(remedy)


def _list_uses(
    episode: Episode, by_id: Mapping[str, Lesson], by_remedy: Mapping[Spot, Lesson]
) -> Iterator[Use]:
    """Uses of the lessons that match the repair, and of the one that was followed."""
    offer = episode.offer if episode.offer and episode.offer.taken else None
    spots = (_build_spot(episode.tenant, episode, remedy) for remedy in episode.remedies)
    followed = by_id.get(offer.lesson or "") if offer else None
    touched = [*map(by_remedy.get, spots), followed]
    helped = episode.ending is Ending.REPAIRED and episode.verified
    for lesson in {each.id: each for each in touched if each}.values():
        offered = offer is not None and lesson.id == offer.lesson
        in_vain = offered and offer is not None and offer.helped is False
        harmed = in_vain or episode.ending is Ending.UNDONE
        if harmed or helped:
            yield Use(
                lesson=lesson.id,
                version=lesson.version,
                call=episode.id,
                at=episode.at,
                tenant=episode.tenant,
                principal=episode.principal,
                agent=episode.agent,
                turn=episode.turn,
                benefit=Benefit.HARMED if harmed else Benefit.HELPED,
                note="suggested" if offered else "made by the agent itself",
            )


FILE = "seed.toml"
SEEDED_AT = datetime(2026, 11, 1, tzinfo=UTC)


@cache
def load_seed_lessons() -> tuple[Lesson, ...]:
    """Every curated lesson. They belong to no tool and to no tenant."""
    text = resources.files(__package__).joinpath(FILE).read_text(encoding="utf-8")
    return tuple(_decode_lesson(each) for each in tomllib.loads(text)["lesson"])


def _decode_lesson(held: dict[str, Any]) -> Lesson:
    made = Transformation(argument=SUBJECT, how=How(held["how"]), given=held.get("given", {}))
    remedy = Remedy(changes=(made,))
    correction = describe_correction("", remedy)
    return Lesson(
        id=f"seed-{hash_lesson(LessonPool('', '', '', '', held['when']), remedy)[:8]}",
        version=1,
        tool="",
        error_class=ErrorClass(held["error_class"]),
        when=held["when"],
        statement=f"Where {held['mistake']}, {correction}.",
        mistake=held["mistake"],
        correction=correction,
        example=describe_example(remedy),
        remedy=remedy,
        state=LessonState.ACTIVE,
        why="curated",
        by=SEED,
        learned_at=SEEDED_AT,
    )
