"""Finds the lessons for a failure, nearest first, how likely each helps, and who may see it.

    the table of priors → the source → source, kinds and class, over all tools → the same at this
    tool → the lesson as seen → as used

Each level is a Beta posterior whose prior is the mean of the level above, worth a few outcomes.
Outcomes lose weight with age. The weight of one tool is capped where other tools are judged by it,
so that estimates hold for a new tool too.

A lesson crosses from the people who taught it to other readers. What may cross is an allowlist:
formats of values in the reader's own call, words from the tool's schema or the reader's own error,
names from the schema. Everything else stays with its teachers.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date, timedelta
from enum import IntEnum
from typing import cast

from msgspec import Struct
from msgspec.structs import replace

from mulligan.learning.classify import find_likely_class
from mulligan.learning.coerce import ADDED, DROPPED
from mulligan.learning.fingerprint import compute_fingerprint, mask_error
from mulligan.learning.lessons import (
    SEED,
    are_alike,
    build_suggestion,
    describe_lesson,
    extract_words,
    list_sources,
    list_subjects,
    specialise,
)
from mulligan.learning.mining import measure_cost
from mulligan.learning.protected_fields import is_locked
from mulligan.learning.schema import read_schema
from mulligan.learning.scope import find_scope_changes, is_named
from mulligan.learning.suggest import estimate_prior
from mulligan.learning.transforms import CASES, FACTORS, FORMS, SIGNS, TYPES
from mulligan.learning.values import list_properties
from mulligan.types.display import NAME
from mulligan.types.effect import Effect
from mulligan.types.failure import ErrorClass
from mulligan.types.interfaces import Suggest
from mulligan.types.lesson import (
    NO_SCHEMA,
    Balance,
    EpisodeSlot,
    FailedCall,
    How,
    Kind,
    Lesson,
    LessonState,
    Origin,
    Prerequisite,
    Remedy,
    Suggestion,
    Transformation,
    join_kinds,
)

LONGEST_STATED = 4_000
STATED = ("number", "quoted", "list", "word")
WAYS_TO_WRITE = frozenset({How.LIST, How.SCALAR, How.COERCE, How.FORMAT})
"""Transformations that leave a value unchanged in meaning."""

_AFFIX = re.compile(r"[A-Za-z]{0,8}[#@:_./+-]?|[#@:_./+-][A-Za-z0-9]{0,6}")
"""A word, one sign, or both. Two signs could leave a folder, end a string or start a host."""

Given = Mapping[str, object]


class LessonReader(Struct, frozen=True, kw_only=True):
    """The reader of a lesson: their tool's schema and their own failure."""

    schema: Mapping[str, object] = NO_SCHEMA
    arguments: frozenset[str] = frozenset()
    """Argument names of the failed call, if there is one."""
    error: str = ""
    """The tool's error for this call."""
    reads: frozenset[str] = frozenset()
    """Read-only tools: the only prerequisite calls that another person's lesson may suggest."""

    @property
    def properties(self) -> Mapping[str, object]:
        """What the schema says of each argument."""
        return list_properties(self.schema)

    def knows(self, name: object) -> bool:
        """Whether a name is in the tool's schema or the reader's call."""
        return name in self.properties or name in self.arguments

    def is_stated(self, text: str, argument: str) -> bool:
        """Whether the argument's schema or this error has a text as a separate word."""
        told = f"{self.properties.get(argument, '')}\n{self.error}"[:LONGEST_STATED]
        return _stands_alone(text, told)


def may_share(remedy: Remedy, reader: LessonReader) -> bool:
    """Whether another person's remedy may be shown to a reader."""
    return all(_may_change(each, reader) for each in remedy.changes) and all(
        _may_call(each, reader) for each in remedy.first
    )


def is_typed(made: Transformation) -> bool:
    """Whether all parameters of a transformation are of the expected kind."""
    fits = _TYPED.get(made.how)
    return all(map(_is_name, list_sources(made))) and (fits is None or fits(made.given))


def _may_call(call: Prerequisite, reader: LessonReader) -> bool:
    """Only read-only calls, with arguments from the reader's own data."""
    made = [each for each in call.arguments if each.how is not How.OPEN]
    known = all(_is_name(each.argument) for each in call.arguments)
    own = all(each.how is not How.CONSTANT and is_typed(each) for each in made)
    sources = [name for each in made for name in list_sources(each)]
    return call.tool in reader.reads and known and own and all(map(reader.knows, sources))


def _may_change(made: Transformation, reader: LessonReader) -> bool:
    if not is_typed(made) or not all(map(reader.knows, (made.argument, *list_sources(made)))):
        return False
    if is_locked((made.argument,)):
        # Protected values stay: only reformatted, or moved to the schema's name.
        gone = made.given.get("of") if made.how is How.FROM_ARGUMENT else made.argument
        moved = made.how in (How.FROM_ARGUMENT, How.DROP) and gone not in reader.properties
        return moved or (made.how in WAYS_TO_WRITE and "of" not in made.given)
    match made.how:
        case How.PREFIX | How.SUFFIX:
            added, taken = str(made.given.get("text", "")), str(made.given.get("without", ""))
            return (added in ADDED and taken in DROPPED) or all(
                _AFFIX.fullmatch(each) and reader.is_stated(each, made.argument)
                for each in (added, taken)
                if each
            )
        case How.CONSTANT:
            return _is_documented(made.given.get("value"), made.argument, reader)
        case How.DROP:
            # Unknown arguments; of known ones only those that this error names.
            unknown = made.argument not in reader.properties
            return unknown or _stands_alone(made.argument, reader.error)
        case _:
            return True


def _is_documented(value: object, argument: str, reader: LessonReader) -> bool:
    """Whether a lesson's constant comes from the schema or from this error."""
    if isinstance(value, list):
        return all(_is_documented(each, argument, reader) for each in value)
    said = reader.properties.get(argument)
    if isinstance(value, bool):
        return isinstance(said, Mapping) and said.get("type") == "boolean"
    if isinstance(value, str):
        worded = any(sign.isalnum() for sign in value)
        return worded and reader.is_stated(value, argument)
    return value is not None and reader.is_stated(str(value), argument)


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
    How.FORMAT: lambda given: given.get("form") in FORMS,
    How.PART: lambda given: (
        given.get("sign") in SIGNS and _is_place(given.get("at")) and _is_place(given.get("upto"))
    ),
    How.FROM_ERROR: lambda given: given.get("what") in STATED and _is_place(given.get("at")),
    How.FROM_TURN: lambda given: (
        all(not given.get(word) or _is_name(given[word]) for word in ("tool", "key"))
        and _is_place(given.get("at"))
    ),
}
"""The parameters of each transformation, beyond names."""


SEVERAL = 2


class Nearness(IntEnum):
    """How similar a lesson's failures are to this one."""

    PATTERN = 0
    """The same pattern."""
    TOOL = 1
    """The same tool and a similar error."""
    WORDS = 2
    """Any tool and a similar error."""
    CLASS = 3
    """The same tool and class of error."""


Chance = Callable[[Lesson, Nearness, Suggestion], tuple[float, int]]
"""The probability that a lesson helps here, and how many outcomes it rests on."""


def from_memory(
    lessons: Sequence[Lesson], *, chance: Chance, pattern: str | None = None, named: bool = False
) -> Suggest:
    """Suggestions from lessons: of this pattern, else of failures like it.

    A suggestion keeps the request of the failing call; another request is no suggestion
    (`find_other_request`). Another tool's lesson applies only to an argument that both tools have
    and the error names. `pattern`: the failure's fingerprint where the application has its own
    rules. `named`: the failure belongs to a named person, so every lesson counts as another's.
    """
    living = [each for each in lessons if each.state.living]

    def suggest(failed: FailedCall) -> Iterator[Suggestion]:
        reads = failed.effect is Effect.READ
        for lesson, nearness in _list_told(failed, living, pattern=pattern, named=named):
            if find_scope_changes(lesson.remedy, failed):
                continue
            made = build_suggestion(lesson, failed)
            # One case is too little to put another value of the turn into a call that may change
            # one.
            once = lesson.seen < SEVERAL and lesson.state is not LessonState.ACTIVE
            if made is None or (once and Kind.FOUND in made.kinds and not reads):
                continue
            if not _leaves_broken(made, failed):
                probability, n = chance(lesson, nearness, made)
                # Evidence from other failures is only a guess about this one.
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
    """The lesson of this tool that helped by another request, if there is one."""
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
    """The lessons near a failure, limited to what may be shown."""
    reader = LessonReader(
        schema=failed.schema,
        arguments=frozenset(failed.call.arguments),
        error=failed.error,
        reads=frozenset(failed.reads),
    )
    for known, nearness in find_near_lessons(failed, lessons, pattern=pattern):
        if known.by != SEED and (named or known.shared):
            if may_share(known.remedy, reader):
                # In our own words. Of others' errors only one that is the same is quoted:
                # the reader's own tool has just said it.
                same = nearness is Nearness.PATTERN
                said = known.when if same else f"<{known.error_class}>"
                told = describe_lesson(known.remedy, tool=known.tool, template=said)
                yield replace(known, statement=told), nearness
        else:
            yield known, nearness


def _leaves_broken(made: Suggestion, failed: FailedCall) -> bool:
    """Whether a current schema violation would remain.

    A new violation may be the fault of an incomplete schema: the call has succeeded this way.
    """
    if not failed.schema or made.patch.first or made.patch.tool:
        return False
    schema = read_schema(failed.schema, tool=failed.call.tool)
    after = made.patch.apply(failed.call.arguments)
    before = {(each.path, each.rule) for each in schema.list_problems(failed.call.arguments)}
    return any((each.path, each.rule) in before for each in schema.list_problems(after))


def find_near_lessons(
    failed: FailedCall, lessons: Sequence[Lesson], *, pattern: str | None = None
) -> list[tuple[Lesson, Nearness]]:
    """The lessons that may apply to a failure, nearest first."""
    measure = _build_measure(failed, pattern)
    ranked = [
        (each, nearness)
        for each in lessons
        if each.tool in ("", failed.call.tool)
        for nearness in [measure(each)]
        if nearness is not None
    ]
    found: list[tuple[Lesson, Nearness]] = []
    # The nearest first, then what was seen most often, then the simplest.
    ranked.sort(key=lambda each: (each[1], -each[0].seen, measure_cost(each[0].remedy), each[0].id))
    for lesson, nearness in ranked:
        remedy = lesson.remedy if lesson.tool else _fit_remedy(lesson, failed)
        if remedy is not None:
            found.append((replace(lesson, remedy=remedy), nearness))
    return found


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
    """Another tool's lesson applied to this call; `None`: it does not apply.

    Only for arguments that the error names, and only if this tool has the same ones; a curated
    lesson has a placeholder. A prerequisite call must be possible.
    """
    remedy = lesson.remedy
    before = {each.tool for each in remedy.first}
    if failed.call.tool in before or not before <= set(failed.tools):
        return None
    if lesson.by == SEED:
        about = [name for name in failed.call.arguments if is_named(failed, name)]
        return specialise(remedy, failed, about=about)
    own, subjects = list_properties(failed.schema), list_subjects(remedy)
    shared = bool(subjects) and all(name in own and is_named(failed, name) for name in subjects)
    return remedy if shared else None


HALF_LIFE = timedelta(days=90)
"""After so long an outcome counts half."""

WORTH: Mapping[str, float] = {"source": 20.0, "kinds": 6.0, "tool": 6.0, "lesson": 3.0}
"""The weight of the prior at each level, in outcomes."""

MOST_OF_TOOL = 15.0
"""The cap on one tool's outcomes where another tool is judged by them."""

DOUBT = 0.3
"""The weight against a lesson of a failure repaired differently: the lesson might have helped."""
CONFIRMED = 1.5
"""The exponent of the number of explained failures: one may be a coincidence, five are not."""
UNCONFIRMED = 0.7
"""The prior of a lesson that explains nothing yet, relative to lessons in use.

These three are fitted on failures of real models, each tool by the outcomes of all others."""

OF_CLASS = 0.3
"""What a lesson learned on other failures of the same class is worth on this one.

One whose error has the same words is worth as much as one of the same pattern."""

MOST_OF_ONE = 2.0
"""The cap on one named person's outcomes of one kind."""

SUREST = 0.99
"""No correction is certain."""


@dataclass(slots=True)
class OutcomeShare:
    """How many outcomes of one kind helped, each by its weight."""

    helped: float = 0.0
    n: float = 0.0

    def add(self, *, helped: bool, weight: float) -> None:
        """Count an outcome by its weight."""
        self.n += weight
        self.helped += weight if helped else 0.0

    def shrink(self, towards: float, *, worth: float) -> float:
        """The mean of the Beta posterior."""
        return (towards * worth + self.helped) / (worth + self.n)


@dataclass(slots=True)
class Outcomes:
    """The outcomes of followed suggestions, by tool, counted at every level."""

    by_source: dict[Origin, dict[str, OutcomeShare]] = field(default_factory=dict)
    by_kinds: dict[tuple[Origin, str, ErrorClass], dict[str, OutcomeShare]] = field(
        default_factory=dict
    )

    def add(
        self,
        source: Origin,
        kinds: str,
        *,
        error_class: ErrorClass,
        helped: bool,
        weight: float,
        tool: str = "",
    ) -> None:
        """Count one outcome, or several by their weight."""
        made_so = self.by_kinds.setdefault((source, kinds, error_class), {})
        for level in (self.by_source.setdefault(source, {}), made_so):
            level.setdefault(tool, OutcomeShare()).add(helped=helped, weight=weight)

    def estimate_posterior(
        self, source: Origin, kinds: Sequence[Kind], *, error_class: ErrorClass, tool: str = ""
    ) -> tuple[float, int]:
        """The probability that such a correction helps at a tool, and n."""
        made_so = self.by_kinds.get((source, join_kinds(kinds), error_class), {})
        found = estimate_prior(source, kinds)
        for name, level in (("source", self.by_source.get(source, {})), ("kinds", made_so)):
            pooled = OutcomeShare()
            for each in level.values():
                # Each tool's weight is capped.
                voice = min(1.0, MOST_OF_TOOL / each.n) if each.n else 0.0
                pooled.n += voice * each.n
                pooled.helped += voice * each.helped
            found = pooled.shrink(found, worth=WORTH[name])
        own = made_so.get(tool, OutcomeShare())
        n = round(sum(each.n for each in made_so.values()))
        return min(SUREST, own.shrink(found, worth=WORTH["tool"])), n


def count_outcomes(counts: Mapping[EpisodeSlot, int], *, today: date) -> Outcomes:
    """The counted outcomes: older ones count less, and one person's weight is capped."""
    found = Outcomes()
    taken = [slot for slot in counts if slot.source is not None and slot.taken]
    voices = [(slot.principal, slot.source, slot.kinds, slot.error_class) for slot in taken]
    spoken = Counter[tuple[str, object, str, object]]()
    for slot, whose in zip(taken, voices, strict=True):
        spoken[whose] += counts[slot]
    for slot, whose in zip(taken, voices, strict=True):
        age = max(0, (today - slot.day).days)
        voice = min(1.0, MOST_OF_ONE / spoken[whose]) if slot.principal else 1.0
        found.add(
            cast("Origin", slot.source),
            slot.kinds,
            error_class=slot.error_class,
            tool=slot.tool,
            helped=slot.helped,
            weight=counts[slot] * voice * 0.5 ** (age / HALF_LIFE.days),
        )
    return found


def build_chance(outcomes: Outcomes, balances: Mapping[str, Balance]) -> Chance:
    """What a memory needs to weigh its lessons."""

    def estimate_chance(lesson: Lesson, nearness: Nearness, made: Suggestion) -> tuple[float, int]:
        general, _ = outcomes.estimate_posterior(
            made.source, made.kinds, error_class=lesson.error_class, tool=lesson.tool
        )
        balance = balances.get(lesson.id, Balance())
        # Repaired differently: this is doubt, not harm.
        explained = lesson.seen**CONFIRMED
        doubt = DOUBT * max(0, lesson.of - lesson.seen)
        seen = OutcomeShare(helped=explained, n=explained + doubt).shrink(
            general * UNCONFIRMED, worth=WORTH["lesson"]
        )
        used = OutcomeShare(helped=balance.helped, n=balance.helped + balance.harmed)
        far = OF_CLASS if nearness is Nearness.CLASS else 1.0
        mean = used.shrink(seen * far, worth=WORTH["lesson"])
        return min(SUREST, mean), max(lesson.of, round(used.n))

    return estimate_chance


def weigh_suggestion(
    suggestion: Suggestion, outcomes: Outcomes, *, error_class: ErrorClass, tool: str = ""
) -> Suggestion:
    """A suggestion of any other source with its measured probability instead of the table's."""
    probability, n = outcomes.estimate_posterior(
        suggestion.source, suggestion.kinds, error_class=error_class, tool=tool
    )
    return replace(suggestion, probability=round(probability, 3), n=n)
