"""The memory as a source of suggestions: the lessons about this failure, the nearest first."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from enum import IntEnum

from mulligan.core.effect import Effect
from mulligan.core.failures.lesson import Lesson, LessonState, Remedy
from mulligan.core.failures.suggestion import FailedCall, Kind, Suggestion
from mulligan.core.interfaces import Suggest
from mulligan.learning.errors.fingerprint import compute_fingerprint, mask_error
from mulligan.learning.errors.wording import find_likely_class
from mulligan.learning.lessons.apply import build_suggestion
from mulligan.learning.lessons.explain import measure_cost
from mulligan.learning.lessons.general import are_alike, extract_words, list_subjects, specialise
from mulligan.learning.lessons.life import SEED
from mulligan.learning.lessons.scope import find_scope_changes, is_named
from mulligan.learning.lessons.sharing import as_reader, may_share
from mulligan.learning.lessons.telling.phrase import describe_lesson
from mulligan.learning.shape.schema import read_schema

SEVERAL = 2


class Nearness(IntEnum):
    """How near the failures a lesson was learned from are to this one."""

    PATTERN = 0
    """The very same pattern."""
    TOOL = 1
    """The same tool, and an error in about the same words."""
    WORDS = 2
    """Any tool, and an error in about the same words."""
    CLASS = 3
    """The same tool and class of error."""


Chance = Callable[[Lesson, Nearness, Suggestion], tuple[float, int]]
"""The probability that a lesson helps here, and how many outcomes it rests on."""


def from_memory(
    lessons: Sequence[Lesson], *, chance: Chance, pattern: str | None = None, named: bool = False
) -> Suggest:
    """Suggestions from lessons: of this pattern, else of failures like it.

    What a lesson would ask for is what the failing call did; what asks for something else is no
    suggestion (`find_other_request`). Another tool's lesson speaks only of an argument that both
    tools have and the error names. `pattern` is the failure's fingerprint where the application
    has rules of its own for it; `named` where it happened to somebody who is, so that every
    lesson is another's.
    """
    living = [each for each in lessons if each.state.living]

    def suggest(failed: FailedCall) -> Iterator[Suggestion]:
        for lesson, nearness in _list_told(failed, living, pattern=pattern, named=named):
            if find_scope_changes(lesson.remedy, failed):
                continue
            made = build_suggestion(lesson, failed)
            if made is None or _is_hearsay(lesson, made, failed):
                continue
            if not _leaves_broken(made, failed):
                probability, n = chance(lesson, nearness, made)
                # What was proven on other failures is only a guess about this one.
                proven = made.proven and nearness is Nearness.PATTERN
                yield replace(made, probability=probability, n=n, proven=proven)

    return suggest


def find_other_request(
    failed: FailedCall,
    lessons: Sequence[Lesson],
    *,
    pattern: str | None = None,
    named: bool = False,
) -> Lesson | None:
    """The lesson of this tool that has helped by asking for something else, if one has."""
    living = [each for each in lessons if each.state.living and each.tool]
    for lesson, nearness in _list_told(failed, living, pattern=pattern, named=named):
        known = lesson.seen >= SEVERAL or lesson.state is LessonState.ACTIVE
        near = nearness in (Nearness.PATTERN, Nearness.TOOL)
        other = known and near and bool(find_scope_changes(lesson.remedy, failed))
        if other and build_suggestion(lesson, failed) is not None:
            return lesson
    return None


def _list_told(
    failed: FailedCall, lessons: Sequence[Lesson], *, pattern: str | None, named: bool
) -> Iterator[tuple[Lesson, Nearness]]:
    """The lessons near a failure, as far as and in the words in which they may be told."""
    for known, nearness in find_near_lessons(failed, lessons, pattern=pattern):
        if known.by != SEED and (named or known.shared):
            if may_share(known.remedy, as_reader(failed)):
                yield _say_anew(known, nearness), nearness
        else:
            yield known, nearness


def _say_anew(lesson: Lesson, nearness: Nearness) -> Lesson:
    """As it is told to another: in words of ours, and no error of theirs but one that is the same.

    Of the same pattern, what is quoted is what the reader's own tool has just said.
    """
    same = nearness is Nearness.PATTERN
    said = lesson.when if same else f"<{lesson.error_class}>"
    return replace(
        lesson, statement=describe_lesson(lesson.remedy, tool=lesson.tool, template=said)
    )


def _leaves_broken(made: Suggestion, failed: FailedCall) -> bool:
    """Whether something that breaks the schema now would still break it afterwards.

    What would break it anew may be a schema that says too little: the call has succeeded so.
    """
    if not failed.schema or made.patch.first or made.patch.tool:
        return False
    schema = read_schema(failed.schema, tool=failed.call.tool)
    after = made.patch.apply(failed.call.arguments)
    before = {(each.path, each.rule) for each in schema.list_problems(failed.call.arguments)}
    return any((each.path, each.rule) in before for each in schema.list_problems(after))


def _is_hearsay(lesson: Lesson, made: Suggestion, failed: FailedCall) -> bool:
    """One case is too little to put another thing of the turn into a call that may change one."""
    once = lesson.seen < SEVERAL and lesson.state is not LessonState.ACTIVE
    return once and Kind.FOUND in made.kinds and failed.effect is not Effect.READ


def find_near_lessons(
    failed: FailedCall, lessons: Sequence[Lesson], *, pattern: str | None = None
) -> list[tuple[Lesson, Nearness]]:
    """The lessons that may say something about a failure, the nearest first."""
    measure = _build_measure(failed, pattern)
    ranked = [
        (each, nearness)
        for each in lessons
        if each.tool in ("", failed.call.tool)
        for nearness in [measure(each)]
        if nearness is not None
    ]
    found: list[tuple[Lesson, Nearness]] = []
    for lesson, nearness in sorted(ranked, key=_rank_lesson):
        remedy = lesson.remedy if lesson.tool else _fit_remedy(lesson, failed)
        if remedy is not None:
            found.append((replace(lesson, remedy=remedy), nearness))
    return found


def _rank_lesson(each: tuple[Lesson, Nearness]) -> tuple[Nearness, int, float, str]:
    """The nearest first, then what was seen most often, then the simplest."""
    lesson, nearness = each
    return nearness, -lesson.seen, measure_cost(lesson.remedy), lesson.id


def _build_measure(failed: FailedCall, pattern: str | None) -> Callable[[Lesson], Nearness | None]:
    masked = mask_error(failed.error, failed.call.arguments)
    pattern = pattern or compute_fingerprint(failed.call.tool, masked)
    words = extract_words(masked, failed.call.tool)
    found = find_likely_class(failed.failure, failed.error)

    def measure_nearness(lesson: Lesson) -> Nearness | None:
        if lesson.fingerprint == pattern:
            return Nearness.PATTERN
        if are_alike(words, extract_words(lesson.when, lesson.tool)):
            return Nearness.TOOL if lesson.tool else Nearness.WORDS
        same_class = lesson.tool and lesson.error_class is found
        return Nearness.CLASS if same_class else None

    return measure_nearness


def _fit_remedy(lesson: Lesson, failed: FailedCall) -> Remedy | None:
    """What another tool's lesson says about this call; `None`: nothing.

    Only about arguments that the error names, and only if this tool has the very ones that the
    lesson was learned on; a curated one was learned on none. A call before must be one that can be
    made.
    """
    remedy = lesson.remedy
    before = {each.tool for each in remedy.first}
    if failed.call.tool in before or not before <= set(failed.tools):
        return None
    if lesson.by == SEED:
        about = [name for name in failed.call.arguments if is_named(failed, name)]
        return specialise(remedy, failed, about=about)
    known = failed.schema.get("properties")
    own = known if isinstance(known, Mapping) else {}
    subjects = list_subjects(remedy)
    shared = bool(subjects) and all(name in own and is_named(failed, name) for name in subjects)
    return remedy if shared else None
