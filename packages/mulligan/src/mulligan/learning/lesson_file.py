"""Lessons as JSON lines: a header with the version, then one lesson per line; all or nothing.

An imported lesson is a candidate, whatever state it had."""

from __future__ import annotations

import json
from collections.abc import Collection, Iterable, Iterator, Mapping
from datetime import UTC, datetime
from typing import Any

from msgspec.structs import replace

from mulligan.codec import UndecodableError, decode_json, to_plain, to_record
from mulligan.learning.lessons import describe_remedy
from mulligan.learning.mining import LessonPool, hash_lesson
from mulligan.learning.protected_fields import is_locked
from mulligan.learning.recall import is_typed
from mulligan.learning.transforms import LONGEST_AFFIX
from mulligan.types.display import format_one_line
from mulligan.types.errors import ConfigurationError
from mulligan.types.failure import ErrorClass
from mulligan.types.lesson import How, Lesson, LessonState, Prerequisite, Remedy, Transformation
from mulligan_dates.text import list_leaves

VERSION = 1
LONGEST_LINE = 20_000
MOST_LESSONS = 10_000
LONGEST_TEXT = 2_000
LONGEST_NAME = 200
LONGEST_WHEN = 400
MOST_GIVEN = 20
LONGEST_GIVEN = 80

NAMES = ("tool", "server", "schema_hash", "fingerprint")
WRITTEN = (
    *(*NAMES, "when", "when_not", "statement", "mistake", "correction"),
    *("error_class", "example", "remedy", "seen", "of", "agents"),
)


def encode_lessons(lessons: Iterable[Lesson]) -> Iterator[str]:
    """The lines of a file, without line ends."""
    yield json.dumps({"lessons": VERSION})
    for lesson in lessons:
        told = {name: getattr(lesson, name) for name in WRITTEN}
        learned_at = lesson.learned_at.astimezone(UTC).isoformat()
        # With spaces: people read these files, and keep them under version control.
        yield json.dumps(to_plain({**told, "learned_at": learned_at}), ensure_ascii=False)


def decode_lessons(
    lines: Iterable[str], *, at: datetime, tools: Collection[str] | None = None, tenant: str = ""
) -> list[Lesson]:
    """The lessons of a file as candidates of a tenant.

    A `ConfigurationError` says in one sentence what is wrong with which line; nothing is returned
    then. `tools`: those that exist, `None` when unknown.
    """
    found: dict[str, Lesson] = {}
    rest = iter(lines)
    _check_header(next(rest, ""))
    for number, line in enumerate(rest, start=2):
        if line.strip():
            lesson = _decode_line(line, number, at=at, tenant=tenant)
            if tools is not None and lesson.tool and lesson.tool not in tools:
                raise _refuse_line(number, f"names tool {lesson.tool!r}, which does not exist")
            found[lesson.id] = lesson
        if number > MOST_LESSONS:
            raise _refuse_line(number, f"is beyond the {MOST_LESSONS} lessons that a file may have")
    return list(found.values())


def decode_remedy(held: object) -> Remedy:
    """A remedy from JSON. A `ValueError` names what no lesson may do."""
    if not isinstance(held, Mapping):
        raise TypeError("has no remedy")
    first = held.get("first", ())
    for made in (*held.get("changes", ()), *(made for call in first for made in call["arguments"])):
        if made["how"] not in list(How):
            raise ValueError(
                f"makes {made['argument']!r} in an unknown way, {str(made['how'])[:40]!r}"
            )
    remedy = to_record(Remedy, held)
    for call in (Prerequisite(tool="", arguments=remedy.changes), *remedy.first):
        _validate_text(call.tool)
        for made in call.arguments:
            _check(made)
    return remedy


def _check(made: Transformation) -> None:
    argument, given = _validate_text(made.argument), made.given
    parts = list(list_leaves(given, most=MOST_GIVEN + 1))
    if len(parts) > MOST_GIVEN or any(len(str(value)) > LONGEST_GIVEN for _, value in parts):
        raise ValueError(f"gives more for {argument!r} than a rule needs")
    says = any(sign.isalnum() for sign in str(given.get("value")))
    if made.how is How.CONSTANT and is_locked((argument,)) and says:
        raise ValueError(f"would set {argument!r}, which no lesson may set")
    if not is_typed(made):
        raise ValueError(f"makes {argument[:40]!r} from an unsupported source")
    if any(len(str(given.get(word, ""))) > LONGEST_AFFIX for word in ("text", "without")):
        raise ValueError(f"would put a long text into {argument!r}")


def _check_header(line: str) -> None:
    try:
        version = decode_json(line[:LONGEST_LINE])["lessons"]
    except (ValueError, TypeError, KeyError, RecursionError):
        raise ConfigurationError(
            "This is not a file of lessons: its first line must be "
            f'{{"lessons": {VERSION}}}. Nothing was imported.'
        ) from None
    if version != VERSION:
        raise ConfigurationError(
            f"The lessons are of version {str(version)[:20]}, and this Mulligan reads version "
            f"{VERSION}: export them with the same version. Nothing was imported."
        )


def _decode_line(line: str, number: int, *, at: datetime, tenant: str) -> Lesson:
    if len(line) > LONGEST_LINE:
        raise _refuse_line(number, f"has {len(line)} characters, and {LONGEST_LINE} are the most")
    try:
        read = decode_json(line)
    except json.JSONDecodeError:
        raise _refuse_line(number, "is no JSON") from None
    except UndecodableError:
        raise _refuse_line(number, "is nested deeper than any lesson") from None
    try:
        lesson = _decode_lesson(read, at=at, tenant=tenant)
    except (UndecodableError, TypeError, KeyError, AttributeError) as error:
        said = (
            f"lacks a field, or has one of the wrong type ({format_one_line(str(error), most=120)})"
        )
        raise _refuse_line(number, said) from None
    except ValueError as error:
        raise _refuse_line(number, str(error)) from None
    except RecursionError:
        raise _refuse_line(number, "is nested deeper than any lesson") from None
    pool = LessonPool(tenant, lesson.tool, lesson.server, lesson.schema_hash, lesson.fingerprint)
    return replace(lesson, id=hash_lesson(pool, lesson.remedy))


def _decode_lesson(held: Mapping[str, Any], *, at: datetime, tenant: str) -> Lesson:
    names: dict[str, Any] = {name: _validate_text(held[name], most=LONGEST_NAME) for name in NAMES}
    when = format_one_line(_validate_text(held["when"]), most=LONGEST_WHEN)
    remedy = decode_remedy(held["remedy"])
    # Agents would read the file's own texts, so the texts are rendered anew from the remedy.
    return Lesson(
        **names,
        tenant=tenant,
        when=when,
        **describe_remedy(remedy, tool=names["tool"], template=when),
        id="",
        version=1,
        error_class=ErrorClass(str(held["error_class"])),
        remedy=remedy,
        state=LessonState.CANDIDATE,
        why="imported",
        by="import",
        seen=_validate_count(held["seen"]),
        of=_validate_count(held["of"]),
        met=0,
        agents=tuple(_validate_text(each) for each in held["agents"])[:MOST_GIVEN],
        shared=True,
        learned_at=at,
    )


def _validate_text(value: object, *, most: int = LONGEST_TEXT) -> str:
    if not isinstance(value, str) or len(value) > most:
        raise ValueError("has a text that is not a string, or is too long")
    return value


def _validate_count(value: object) -> int:
    if isinstance(value, bool) or not isinstance(value, int) or not 0 <= value < 10**9:
        raise ValueError("has a count that is not a number")
    return value


def _refuse_line(number: int, problem: str) -> ConfigurationError:
    return ConfigurationError(f"Line {number} {problem}. Nothing was imported.")
