"""The memory as a source of suggestions: the lessons about this failure, the nearest first."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from enum import IntEnum

from mulligan.core.casebook import Lesson, LessonState, Remedy
from mulligan.core.interfaces import Suggest
from mulligan.core.lesson import FailedCall, Suggestion
from mulligan.learning.closeness import tokens
from mulligan.learning.fingerprint import fingerprint, template
from mulligan.learning.from_turn import culprits
from mulligan.learning.knowledge import Knowledge
from mulligan.learning.lessons.apply import NO_SCHEMAS, Schemas, suggestion_from, transferred
from mulligan.learning.wording import likely_class

ALIKE = 0.5
"""Share of words that two errors have in common to be called the same."""
MOST_LESSONS = 200


class Nearness(IntEnum):
    """How near the failures a lesson was learned from are to this one."""

    PATTERN = 0
    """The very same pattern."""
    WORDS = 1
    """The same words, of another tool or another pattern of this one."""
    TOOL = 2
    """The same tool and class of error."""
    CLASS = 3
    """The same class of error."""


Chance = Callable[[Lesson, Nearness, Suggestion], tuple[float, int]]
"""The probability that a lesson helps here, and how many outcomes it rests on."""


def from_memory(
    lessons: Sequence[Lesson],
    *,
    chance: Chance,
    schemas: Schemas = NO_SCHEMAS,
    pattern: str | None = None,
) -> Suggest:
    """Suggestions from lessons: of this pattern, else of failures like it, on whatever tool.

    `pattern` is the failure's fingerprint where the application has rules of its own for it.
    """
    living = [each for each in lessons if each.state in (LessonState.CANDIDATE, LessonState.ACTIVE)]

    def suggest(failed: FailedCall) -> Iterator[Suggestion]:
        for lesson, nearness in near(failed, living, pattern=pattern):
            made = suggestion_from(lesson, failed, schemas=schemas)
            if made is not None:
                probability, n = chance(lesson, nearness, made)
                # What was proven on other failures is only a guess about this one.
                proven = made.proven and nearness is Nearness.PATTERN
                yield replace(made, probability=probability, n=n, proven=proven)

    return suggest


def near(
    failed: FailedCall, lessons: Sequence[Lesson], *, pattern: str | None = None
) -> list[tuple[Lesson, Nearness]]:
    """The lessons that may say something about a failure, the nearest first."""
    masked = template(failed.error, failed.call.arguments)
    pattern = pattern or fingerprint(failed.call.tool, masked)
    words = _words(masked, failed.call.tool)
    found = likely_class(failed.failure, failed.error)
    about: list[str] | None = None
    ranked: list[tuple[Lesson, Nearness]] = []
    for lesson in lessons:
        nearness = _nearness(lesson, pattern=pattern, words=words)
        if nearness is None and lesson.error_class is found:
            nearness = Nearness.TOOL if lesson.tool == failed.call.tool else Nearness.CLASS
        if nearness is None:
            continue
        if lesson.tool != failed.call.tool:
            if about is None:
                about = _about(failed)
            moved = _moved(lesson, failed, about)
            if moved is None:
                continue
            lesson = moved
        ranked.append((lesson, nearness))
    return sorted(ranked, key=lambda each: (each[1], -each[0].seen, each[0].id))[:MOST_LESSONS]


def _nearness(lesson: Lesson, *, pattern: str, words: frozenset[str]) -> Nearness | None:
    if lesson.fingerprint == pattern:
        return Nearness.PATTERN
    alike = _alike(words, _words(lesson.when, lesson.tool))
    return Nearness.WORDS if alike >= ALIKE else None


def _words(masked: str, tool: str) -> frozenset[str]:
    """The words of an error without its tool's name, which most errors start with."""
    return frozenset(tokens(masked)) - frozenset(tokens(tool))


def _alike(one: frozenset[str], other: frozenset[str]) -> float:
    return len(one & other) / len(one | other) if one and other else 0.0


def _about(failed: FailedCall) -> list[str]:
    """The arguments that the error is about."""
    found = culprits(failed, Knowledge(failed.said, failed.earlier))
    return list(dict.fromkeys(each.key for each in found if each.key in failed.call.arguments))


def _moved(lesson: Lesson, failed: FailedCall, about: Sequence[str]) -> Lesson | None:
    """A lesson of another tool for this one. A call of this very tool cannot come before itself."""
    if any(each.tool == failed.call.tool for each in lesson.remedy.first):
        return None
    if failed.tools and any(each.tool not in failed.tools for each in lesson.remedy.first):
        return None
    remedy: Remedy | None = transferred(lesson.remedy, failed, culprits=about)
    return None if remedy is None else replace(lesson, remedy=remedy)
