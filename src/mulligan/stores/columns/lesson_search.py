"""Words of the casebook as a store holds them, and what a lesson is found by."""

from __future__ import annotations

from typing import TypeVar

from mulligan.codec.records import decode_record, encode_record
from mulligan.core.display.escape import escape
from mulligan.core.errors import StaleLessonError, StoreError
from mulligan.core.failures.lesson import Episode, Lesson, Use
from mulligan.core.runtime.late_pattern import compile_late
from mulligan.stores.columns.encoding import report_unreadable

W = TypeVar("W", Episode, Lesson, Use)

_WORD = compile_late(r"[^\W_]+")
_LONGEST = 64
"""What is longer is no word, and an index has no room for it."""


def encode_word(word: Episode | Lesson | Use) -> str:
    """A word of the casebook as JSON, or one sentence on why it cannot be kept."""
    try:
        return encode_record(word)
    except (TypeError, ValueError) as error:
        raise StoreError(
            f"{_describe_word(word)} cannot be kept, because it is not JSON ({error}): give "
            "transformations strings, numbers, lists and mappings."
        ) from error


def decode_episode(row: tuple[str, str]) -> Episode:
    """An episode from the columns id, body."""
    return _read(Episode, f"Episode {row[0]}", row[1])


def decode_lesson(row: tuple[str, str]) -> Lesson:
    """A version of a lesson from the columns id, body."""
    return _read(Lesson, f"Lesson {row[0]}", row[1])


def decode_use(row: tuple[str, str]) -> Use:
    """A use from the columns lesson, body."""
    return _read(Use, f"A use of lesson {row[0]}", row[1])


def split_words(text: str) -> frozenset[str]:
    """The words that texts are compared by; names are taken apart at their underscores."""
    return frozenset(
        word for word in _WORD.findall(escape(text).casefold()) if len(word) <= _LONGEST
    )


def list_lesson_words(lesson: Lesson) -> frozenset[str]:
    """What a lesson is found by."""
    said = (lesson.tool, lesson.when, lesson.statement, lesson.mistake, lesson.correction)
    return split_words(" ".join(said))


def make_stale_error(lesson: Lesson) -> StaleLessonError:
    """Why a version of a lesson was not added."""
    return StaleLessonError(
        f"Version {lesson.version} of lesson {lesson.id} is not the next one: read the lesson "
        "again, and append under the number after the last."
    )


def _read(kind: type[W], name: str, body: str) -> W:
    with report_unreadable(name):
        return decode_record(kind, body)


def _describe_word(word: Episode | Lesson | Use) -> str:
    match word:
        case Episode():
            return f"Episode {word.id}"
        case Lesson():
            return f"Version {word.version} of lesson {word.id}"
        case Use():
            return f"The use of lesson {word.lesson} in call {word.call}"
