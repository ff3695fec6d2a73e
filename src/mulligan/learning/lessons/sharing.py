"""What one person's failures may teach another: typed form, and nothing that somebody made up.

A lesson crosses from those who taught it to those who are told it. What it may bring along is on
a list: ways to write a value that the reader's own call holds, words that the tool's schema or the
reader's own error states, names that the schema has. Whatever else it says stays with its teachers.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import field

from mulligan.core.display.escape import NAME
from mulligan.core.failures.lesson import How, Prerequisite, Remedy, Transformation
from mulligan.core.failures.suggestion import NO_SCHEMA, FailedCall
from mulligan.core.runtime.dataclass import dataclass
from mulligan.learning.lessons.ways.reshape import CASES, FACTORS, SIGNS, TYPES
from mulligan.learning.shape.form import ADDED, DROPPED
from mulligan.learning.shape.formats import ORDERS
from mulligan.learning.values.locked import is_locked

LONGEST_STATED = 4_000
STATED = ("number", "quoted", "list", "word")
WAYS_TO_WRITE = frozenset({How.LIST, How.SCALAR, How.COERCE, How.FORMAT})
"""What leaves a value what it is, whoever and wherever it names."""

_AFFIX = re.compile(r"[A-Za-z]{0,8}[#@:_./+-]?|[#@:_./+-][A-Za-z0-9]{0,6}")
"""A word, one sign, or both: never two signs, which walk up folders, end strings or begin hosts."""
_NAMES = ("of", "asked", "holds")

Given = Mapping[str, object]


@dataclass(frozen=True, slots=True, kw_only=True)
class LessonReader:
    """Whom a lesson is told: what their tool states, and what their own failure does."""

    schema: Mapping[str, object] = field(default_factory=lambda: NO_SCHEMA)
    arguments: frozenset[str] = frozenset()
    """Names in the call that failed, where one has."""
    error: str = ""
    """What its tool said to this very call."""
    reads: frozenset[str] = frozenset()
    """Tools that change nothing: all that may be called first on another's word."""

    @property
    def properties(self) -> Mapping[str, object]:
        """What the schema says of each argument."""
        found = self.schema.get("properties")
        return found if isinstance(found, Mapping) else {}

    def knows(self, name: object) -> bool:
        """Whether a name is one of the tool's own, or the reader's."""
        return name in self.properties or name in self.arguments

    def is_stated(self, text: str, argument: str) -> bool:
        """Whether the schema of an argument, or this error, has a text as a word of its own."""
        told = f"{self.properties.get(argument, '')}\n{self.error}"[:LONGEST_STATED]
        return _stands_alone(text, told)


def as_reader(failed: FailedCall) -> LessonReader:
    """The reader whose call has failed just now."""
    return LessonReader(
        schema=failed.schema,
        arguments=frozenset(failed.call.arguments),
        error=failed.error,
        reads=frozenset(failed.reads),
    )


def may_share(remedy: Remedy, reader: LessonReader) -> bool:
    """Whether a remedy of others may be told to a reader."""
    return all(_may_change(each, reader) for each in remedy.changes) and all(
        _may_call(each, reader) for each in remedy.first
    )


def is_typed(made: Transformation) -> bool:
    """Whether all that a way is given is of the kind that it takes: signs, names, positions."""
    fits = _TYPED.get(made.how)
    named = all(_is_name(made.given[word]) for word in _NAMES if word in made.given)
    return named and (fits is None or fits(made.given))


def _may_call(call: Prerequisite, reader: LessonReader) -> bool:
    """Only what reads, with arguments made of what the reader has."""
    made = [each for each in call.arguments if each.how is not How.OPEN]
    known = all(_is_name(each.argument) for each in call.arguments)
    own = all(each.how is not How.CONSTANT and is_typed(each) for each in made)
    sources = [each.given[word] for each in made for word in _NAMES if word in each.given]
    return call.tool in reader.reads and known and own and all(map(reader.knows, sources))


def _may_change(made: Transformation, reader: LessonReader) -> bool:
    sources = [made.given[word] for word in _NAMES if word in made.given]
    if not is_typed(made) or not all(map(reader.knows, (made.argument, *sources))):
        return False
    if is_locked((made.argument,)):
        return _leaves_locked(made, reader)
    match made.how:
        case How.PREFIX | How.SUFFIX:
            return _is_form(made, reader)
        case How.CONSTANT:
            return _is_documented(made.given.get("value"), made.argument, reader)
        case How.DROP:
            return _may_drop(made.argument, reader)
        case _:
            return True


def _leaves_locked(made: Transformation, reader: LessonReader) -> bool:
    """Who, where and how much stay: written otherwise, or moved under the name there is for it."""
    if made.how is How.FROM_ARGUMENT:
        return made.given.get("of") not in reader.properties
    if made.how is How.DROP:
        return made.argument not in reader.properties
    return made.how in WAYS_TO_WRITE and "of" not in made.given


def _is_form(made: Transformation, reader: LessonReader) -> bool:
    added, taken = str(made.given.get("text", "")), str(made.given.get("without", ""))
    if added in ADDED and taken in ("", *DROPPED):
        return True
    return all(
        _AFFIX.fullmatch(each) and reader.is_stated(each, made.argument)
        for each in (added, taken)
        if each
    )


def _is_documented(value: object, argument: str, reader: LessonReader) -> bool:
    """Whether a value that a lesson brings is the schema's own, or this error's."""
    if isinstance(value, list):
        return all(_is_documented(each, argument, reader) for each in value)
    said = reader.properties.get(argument)
    if isinstance(value, bool):
        return isinstance(said, Mapping) and said.get("type") == "boolean"
    if isinstance(value, str):
        worded = any(sign.isalnum() for sign in value)
        return worded and reader.is_stated(value, argument)
    return value is not None and reader.is_stated(str(value), argument)


def _may_drop(argument: str, reader: LessonReader) -> bool:
    """What the tool does not have; of what it has, only what this very error names."""
    return argument not in reader.properties or _stands_alone(argument, reader.error)


def _stands_alone(text: str, told: str) -> bool:
    alone = rf"(?<![\w#@:./+-]){re.escape(text)}(?![\w#@:/+-])"
    return bool(text) and re.search(alone, told) is not None


def _is_name(value: object) -> bool:
    return isinstance(value, str) and NAME.fullmatch(value) is not None


def _is_place(value: object) -> bool:
    return value is None or (isinstance(value, int) and not isinstance(value, bool))


_TYPED: Mapping[How, Callable[[Given], bool]] = {
    How.CASE: lambda given: given.get("case") in CASES,
    How.COERCE: lambda given: given.get("to") in TYPES,
    How.SCALE: lambda given: given.get("by") in FACTORS,
    How.FORMAT: lambda given: given.get("form") in ("plain", *ORDERS.values()),
    How.PART: lambda given: (
        given.get("sign") in SIGNS and _is_place(given.get("at")) and _is_place(given.get("upto"))
    ),
    How.FROM_ERROR: lambda given: given.get("what") in STATED and _is_place(given.get("at")),
    How.FROM_TURN: lambda given: (
        all(not given.get(word) or _is_name(given[word]) for word in ("tool", "key"))
        and _is_place(given.get("at"))
    ),
}
"""What each way takes, where it takes more than names."""
