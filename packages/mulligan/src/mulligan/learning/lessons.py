"""A lesson: its life cycle, its texts, and the patch it makes for a failed call.

CANDIDATE ── proven, or approved ─────────▶ ACTIVE
    ▲                                         │
    └────────── the schema changed ───────────┤
QUARANTINED ◀── net harm, or a doubt ─────────┤  (from CANDIDATE too)
RETIRED     ◀── revoked, or long unneeded ────┘

A remedy that is carried over keeps the names of its arguments: it applies only to a tool that has
the same. Curated remedies have one placeholder, which stands for the argument that an error names.
"""

from __future__ import annotations

from collections.abc import Callable, Container, Iterable, Iterator, Mapping, Sequence
from datetime import datetime, timedelta
from itertools import pairwise, takewhile
from typing import Any

from msgspec import Struct
from msgspec.structs import replace

from mulligan.learning.calibration import compute_wilson
from mulligan.learning.coerce import NOTHING
from mulligan.learning.suggest import estimate_prior
from mulligan.learning.transforms import ArgumentPlace, make
from mulligan.types.display import NAME, quote_name
from mulligan.types.lesson import (
    Balance,
    Earlier,
    Ending,
    Episode,
    FailedCall,
    FirstCall,
    How,
    Kind,
    Lesson,
    LessonState,
    Origin,
    Patch,
    Prerequisite,
    Remedy,
    Suggestion,
    Transformation,
)
from mulligan.types.values import read_label
from mulligan_dates.text import is_same, split_name


class LifeRules(Struct, frozen=True, kw_only=True):
    """Every number of the life cycle."""

    uses: int = 3
    """Verified uses that prove a lesson …"""
    turns: int = 2
    """… from so many turns and, where people or tenants are named …"""
    principals: int = 3
    """… from so many people …"""
    share: int = 3
    """… and from more than this share of the known people …"""
    most_people: int = 20
    """… but never from more than this many."""
    harms: int = 2
    """Harms that quarantine it, unless the help outweighs them by far …"""
    surely: float = 0.8
    """… which is this share of helped sources, at the lower end of its interval."""
    quiet: timedelta = timedelta(days=180)
    """Unused for this long, it is retired."""


RULES = LifeRules()
EVIDENCE = "evidence"
"""The author of a state that no person set."""
SEED = "seed"
"""The author of the curated lessons."""


def judge_life(
    lesson: Lesson,
    balance: Balance,
    *,
    now: datetime,
    schema_hash: str = "",
    people: int | None = None,
    last_needed: datetime | None = None,
) -> Lesson | None:
    """The next version of a lesson by the results of its uses; `None` when its state stays.

    `balance` counts from `find_count_start`. `schema_hash` is the tool's now, empty when unknown.
    `people`: the known people of its tenant; `None` where the application names none.
    """
    if not lesson.state.living:
        return None
    named = people is not None
    # The help outweighs the harm. Each source counts once: one alone cannot save a lesson.
    sources = balance.principals if named else balance.turns
    redeemed = compute_wilson(sources, sources + balance.harmed)[0] >= RULES.surely
    if balance.harmed >= RULES.harms and not redeemed:
        why = f"it harmed {balance.harmed} times and helped {balance.helped} times"
        return _move_lesson(lesson, LessonState.QUARANTINED, why=why, now=now)
    if lesson.schema_hash and schema_hash not in ("", lesson.schema_hash):
        why = "the tool's schema has changed"
        fresh = replace(lesson, schema_hash=schema_hash)
        return _move_lesson(fresh, LessonState.CANDIDATE, why=why, now=now)
    if now - (last_needed or lesson.learned_at) > RULES.quiet:
        why = f"it was not needed for {RULES.quiet.days} days"
        return _move_lesson(lesson, LessonState.RETIRED, why=why, now=now)
    # Where people are named, one alone is not enough.
    enough = has_enough_people(balance, people=people or 0, met=lesson.met)
    spread = balance.turns >= RULES.turns and (enough or not (named or balance.principals))
    proven = balance.helped >= RULES.uses and spread and (redeemed or not balance.harmed)
    if lesson.state is LessonState.CANDIDATE and proven:
        who = f"{balance.principals} people" if named else f"{balance.turns} turns"
        why = f"it helped {balance.helped} times, in {who}"
        return _move_lesson(lesson, LessonState.ACTIVE, why=why, now=now)
    return None


def has_enough_people(balance: Balance, *, people: int, met: int = 0) -> bool:
    """Whether enough people confirm a lesson that a small colluding group could not.

    `people`: all known people of the tenant. `met`: those who had such a failure, of whom most must
    have repaired it in this way.
    """
    share = min(people // RULES.share + 1, RULES.most_people)
    return balance.principals >= max(RULES.principals, share) and 2 * balance.principals > met


def find_count_start(history: Sequence[Lesson]) -> datetime | None:
    """Since when uses count: a changed schema and a person's decision both restart the count."""
    start = None
    for before, after in pairwise(history):
        by_person = after.by != EVIDENCE and after.state is not before.state
        if by_person or (before.schema_hash and after.schema_hash != before.schema_hash):
            start = after.learned_at
    return start


def approve(lesson: Lesson, *, by: str, at: datetime, why: str = "") -> Lesson:
    """The next version of a lesson that a person approved."""
    return _move_lesson(
        lesson, LessonState.ACTIVE, why=why or "approved by a person", now=at, by=by
    )


def quarantine(lesson: Lesson, *, by: str, at: datetime, why: str = "") -> Lesson:
    """The next version of a lesson that a person quarantined."""
    return _move_lesson(
        lesson, LessonState.QUARANTINED, why=why or "a person's doubt", now=at, by=by
    )


def revoke(lesson: Lesson, *, by: str, at: datetime, why: str = "") -> Lesson:
    """The last version of a lesson: it is not learned again."""
    return _move_lesson(lesson, LessonState.RETIRED, why=why or "revoked", now=at, by=by)


def _move_lesson(
    lesson: Lesson, state: LessonState, *, why: str, now: datetime, by: str = EVIDENCE
) -> Lesson:
    return replace(
        lesson, version=lesson.version + 1, state=state, why=why, by=by, learned_at=now, batch=""
    )


SUBJECT = "value"
"""Stands for every argument that an error is about."""

ALIKE = 0.5
"""Share of common words that makes two errors similar."""

SHORTEST_WORD = 4
"""Letters; shorter words carry no meaning by themselves."""

SOURCES = ("of", "asked", "holds")
"""The parameters of a transformation that name an argument of the failing call."""
_MASKS = frozenset({"value", "path", "text", "number", "file", "id", "time", "email", "url", "hex"})


def is_general(remedy: Remedy) -> bool:
    """Whether a remedy can apply to another tool: it refers to arguments by name only.

    A prerequisite call that uses none of them says nothing about another tool.
    """
    own = all(each.how not in (How.FROM_ARGUMENT, How.DROP) for each in remedy.changes)
    changed = {each.argument for each in remedy.changes}
    return own and bool(list_subjects(remedy)) and (not changed or list_subjects(remedy) == changed)


def list_subjects(remedy: Remedy) -> frozenset[str]:
    """The arguments of the failing call that a remedy changes or reads."""
    sources = {name for each in _list_transformations(remedy) for name in list_sources(each)}
    return frozenset({*map(str, sources), *(each.argument for each in remedy.changes)})


def specialise(remedy: Remedy, failed: FailedCall, *, about: Sequence[str]) -> Remedy | None:
    """A general remedy for the arguments that this error names; `None`: it names none."""
    speaks = bool(remedy.changes) or any(map(list_sources, _list_transformations(remedy)))
    named = {
        name: Remedy(changes=tuple(_rename(each, name, argument=name) for each in remedy.changes))
        for name in about
    }
    subjects = [name for name in about if _make_changes(named[name], failed) is not None]
    if speaks and not subjects:
        return None
    first = [
        replace(call, arguments=tuple(_rename(each, subjects[0]) for each in call.arguments))
        for call in remedy.first
        if speaks
    ]
    changes = tuple(each for name in subjects for each in named[name].changes)
    return Remedy(changes=changes, first=tuple(first) if speaks else remedy.first)


def extract_words(template: str, tool: str) -> frozenset[str]:
    """The words of an error, without its tool's name and values."""
    said = frozenset(word for word in split_name(template) if len(word) >= SHORTEST_WORD)
    return said - frozenset(split_name(tool)) - _MASKS


def are_alike(one: frozenset[str], other: frozenset[str]) -> bool:
    """Whether two errors are similar."""
    return bool(one and other) and len(one & other) >= ALIKE * len(one | other)


def cluster_words(said: Iterable[frozenset[str]]) -> dict[frozenset[str], frozenset[str]]:
    """Each set of words with its representative: the first similar one in order."""
    found: dict[frozenset[str], frozenset[str]] = {}
    heads: list[frozenset[str]] = []
    for words in sorted(set(said), key=lambda each: (len(each), sorted(each))):
        head = next((each for each in heads if are_alike(each, words)), None)
        if head is None:
            heads.append(words)
        found[words] = head or words
    return found


def _list_transformations(remedy: Remedy) -> Iterator[Transformation]:
    yield from remedy.changes
    for call in remedy.first:
        yield from call.arguments


def list_sources(made: Transformation) -> list[object]:
    """The arguments of the failing call that a transformation reads, as it names them."""
    return [made.given[word] for word in SOURCES if word in made.given]


def _rename(made: Transformation, name: str, *, argument: str = "") -> Transformation:
    """The remedy with an argument of the failing call renamed."""
    given = {word: name if word in SOURCES else value for word, value in made.given.items()}
    return replace(made, argument=argument or made.argument, given=given)


_LONGEST_TEMPLATE = 200

Phrase = Callable[[Mapping[str, object]], str]

MAKING: Mapping[How, Phrase] = {
    How.CONSTANT: lambda given: f"as {_format_value(given.get('value'))}",
    How.PREFIX: lambda given: _describe_affix(given, "in front"),
    How.SUFFIX: lambda given: _describe_affix(given, "at the end"),
    How.CASE: lambda given: f"in {_pick_word(given, 'case')} case",
    How.PART: lambda given: (
        f"as {_describe_position(given)} part of {_describe_source(given)} "
        f"at {_format_value(given.get('sign'))}"
    ),
    How.SCALE: lambda given: f"times {_format_value(given.get('by'))}",
    How.LIST: lambda given: f"as a list of one, {_describe_source(given)}",
    How.SCALAR: lambda given: f"as the one value in {_describe_source(given)}",
    How.COERCE: lambda given: f"as {_pick_word(given, 'to')}",
    How.FORMAT: lambda given: f"written {_describe_form(given)}",
    How.FROM_ARGUMENT: lambda given: f"as {_describe_source(given)} says",
    How.FROM_ERROR: lambda given: f"as the error says ({_pick_word(given, 'what')})",
    How.FROM_TURN: lambda given: _describe_seen(given),
    How.OPEN: lambda _: "as it fits",
    How.DROP: lambda _: "left out",
}
"""The words for each transformation."""


def describe_lesson(remedy: Remedy, *, tool: str, template: str) -> str:
    """The lesson in one sentence."""
    repair = describe_correction(tool, remedy)
    what = quote_name(tool) if tool else "a tool"
    return f"When {what} fails with {template[:_LONGEST_TEMPLATE]!r}, {repair}."


def describe_correction(tool: str, remedy: Remedy) -> str:
    """What to do instead."""
    parts = [f"call {_describe_call(each)} first" for each in remedy.first]
    parts += [
        f"leave {quote_name(each.argument)} out"
        if each.how is How.DROP
        else f"give {quote_name(each.argument)} {MAKING[each.how](each.given)}"
        for each in remedy.changes
    ]
    what = quote_name(tool) if tool else "it"
    return ", ".join(parts) if parts else f"call {what} again as it was"


def describe_mistake(remedy: Remedy) -> str:
    """The mistake."""
    parts = [f"{quote_name(each.tool)} was not called before" for each in remedy.first]
    parts += [
        f"{quote_name(each.argument)} is {'given' if each.how is How.DROP else 'not right'}"
        for each in remedy.changes
    ]
    return ", ".join(dict.fromkeys(parts)) or "none: a retry succeeds"


def describe_example(remedy: Remedy) -> tuple[str, str]:
    """Failing and corrected arguments, with every value masked."""
    dropped = [each.argument for each in remedy.changes if each.how is How.DROP]
    changed = [each for each in remedy.changes if each.how is not How.DROP]
    sources = [str(each.given.get("of", each.argument)) for each in changed]
    failing = ", ".join(
        f"{quote_name(name)}=<value>" for name in dict.fromkeys((*sources, *dropped))
    )
    before = "; ".join(_describe_call(each) for each in remedy.first)
    made = [
        f"always {_format_value(each.given.get('value'))}"
        if each.how is How.CONSTANT
        else str(each.how).replace("_", " ")
        for each in changed
    ]
    pairs = zip(changed, made, strict=True)
    after = ", ".join(f"{quote_name(each.argument)}=<{way}>" for each, way in pairs)
    return failing, "; ".join(part for part in (before, after) if part)


def describe_remedy(remedy: Remedy, *, tool: str, template: str) -> dict[str, Any]:
    """Everything that a lesson says of its remedy, by the names of its fields."""
    return {
        "statement": describe_lesson(remedy, tool=tool, template=template),
        "mistake": describe_mistake(remedy),
        "correction": describe_correction(tool, remedy),
        "example": describe_example(remedy),
    }


def describe_exceptions(remedy: Remedy, others: Sequence[Episode]) -> str:
    """What distinguishes the failures that this remedy did not repair."""
    if not others:
        return ""
    open_ends = sum(each.ending in (Ending.FAILED, Ending.LEFT) for each in others)
    undone = sum(each.ending is Ending.UNDONE for each in others)
    otherwise = len(others) - open_ends - undone
    counted = (
        (otherwise, "repaired in another way"),
        (open_ends, "never repaired"),
        (undone, "repaired and undone"),
    )
    told = ", ".join(f"{count} {what}" for count, what in counted if count)
    agents = {each.agent for each in others if each.agent}
    alone = len(agents) == 1 and len(others) > 1
    apart = f"; all of them by {read_label(next(iter(agents)))}" if alone else ""
    # The inputs that the remedy needs.
    seen = {str(each.given["tool"]) for each in remedy.changes if "tool" in each.given}
    calls = sorted(seen - {each.tool for each in remedy.first})
    signs = sorted({str(each.given["sign"]) for each in remedy.changes if "sign" in each.given})
    needed = [f"an earlier call of {quote_name(name)}" for name in calls]
    needed += [f"{sign!r} in the value" for sign in signs]
    return f"{told}{apart}" + (f"; it takes {', '.join(needed)}" if needed else "")


def _describe_call(call: Prerequisite) -> str:
    made = [f"{quote_name(e.argument)} {MAKING[e.how](e.given)}" for e in call.arguments]
    return quote_name(call.tool) + (f" ({', '.join(made)})" if made else "")


def _describe_affix(given: Mapping[str, object], where: str) -> str:
    if "without" in given:
        return f"without {_format_value(given['without'])} {where}"
    return f"with {_format_value(given.get('text'))} {where}"


def _describe_source(given: Mapping[str, object]) -> str:
    return quote_name(str(given["of"])) if "of" in given else "the same argument"


def _describe_position(given: Mapping[str, object]) -> str:
    if "upto" in given:
        return "all but the last"
    at = given.get("at")
    return {0: "the first", -1: "the last"}.get(at, "a later") if isinstance(at, int) else "a"


def _describe_form(given: Mapping[str, object]) -> str:
    plain = given.get("form") == "plain"
    return "without stray signs" if plain else f"as {_format_value(given.get('form'))}"


def _describe_seen(given: Mapping[str, object]) -> str:
    if "holds" in given:
        return f"as what holds {quote_name(str(given['holds']))} in an earlier result"
    if "like" in given or "said" in given:
        return "as the person said it"
    name = quote_name(str(given["key"])) if given.get("key") else "the result"
    found = f"{name} of {quote_name(str(given.get('tool')))}"
    return f"less {found}" if given.get("less") else f"as {found} says"


def _pick_word(given: Mapping[str, object], name: str) -> str:
    """A parameter that is one of our words; anything else is not shown."""
    word = str(given.get(name, ""))
    return word if NAME.fullmatch(word) else "another"


def _format_value(value: object) -> str:
    return repr(value)[:40]


KINDS: Mapping[How, Kind] = {
    How.CONSTANT: Kind.DEFAULT,
    How.PREFIX: Kind.REFORMAT,
    How.SUFFIX: Kind.REFORMAT,
    How.CASE: Kind.REFORMAT,
    How.PART: Kind.OTHER,
    How.SCALE: Kind.OTHER,
    How.LIST: Kind.COERCE,
    How.SCALAR: Kind.COERCE,
    How.COERCE: Kind.COERCE,
    How.FORMAT: Kind.REFORMAT,
    How.FROM_ARGUMENT: Kind.RENAME,
    How.FROM_ERROR: Kind.CLAMP,
    How.FROM_TURN: Kind.FOUND,
    How.OPEN: Kind.OTHER,
    How.DROP: Kind.DROP,
}
"""The kinds of change that a remedy makes."""

_UNSURE = (How.OPEN, How.FROM_TURN)
"""Arguments of a prerequisite call that only the agent can fill in."""


def build_suggestion(lesson: Lesson, failed: FailedCall) -> Suggestion | None:
    """A lesson's suggestion for this call; `None` when it does not apply, or was just tried."""
    made, remedy = build_patch(lesson.remedy, failed), lesson.remedy
    if made is None or not may_tell_first(lesson, failed.reads):
        return None
    renamed = {str(each.given["of"]) for each in remedy.changes if "of" in each.given}
    kinds = tuple(
        KINDS[each.how]
        for each in (remedy.changes if made.changes or made.drops else ())
        if not (each.how is How.DROP and each.argument in renamed)
    )
    kinds = tuple(dict.fromkeys(((Kind.FIRST,) if made.first else ()) + kinds))
    return Suggestion(
        patch=made,
        source=Origin.MEMORY,
        kinds=kinds,
        probability=estimate_prior(Origin.MEMORY, kinds),
        n=lesson.seen,
        evidence=lesson.statement,
        lesson=lesson.id,
        proven=lesson.state is LessonState.ACTIVE,
    )


def may_tell_first(lesson: Lesson, reads: Container[str]) -> bool:
    """Whether a lesson's prerequisite call may be shown: one that may change something only if it
    fixed more than one failure, so that a single failure teaches nobody to delete anything."""
    return lesson.seen > 1 or all(each.tool in reads for each in lesson.remedy.first)


def build_patch(remedy: Remedy, failed: FailedCall) -> Patch | None:
    """The remedy as a patch of this call; `None` when it does not apply.

    Where a change needs the result of a prerequisite call, the patch is that call alone. Once it
    was made, its result is in the turn, and the next patch has the change.
    """
    given = failed.call.arguments
    taken = {each.given.get("tool") for each in remedy.changes if each.how is How.FROM_TURN}
    changes = _make_changes(remedy, failed)
    if changes is None and not any(each.tool in taken for each in remedy.first):
        return None
    asked = [each for each in remedy.first if changes is None or each.tool not in taken]
    made = [_make_first_call(each, failed) for each in asked]
    first = tuple(each for each in made if each is not None)
    drops = [each.argument for each in remedy.changes if each.how is How.DROP]
    dropped = () if changes is None else tuple(name for name in drops if name in given)
    new = changes or {}
    idle = not first and all(name in given and is_same(given[name], new[name]) for name in new)
    if len(first) < len(made) or (idle and not dropped):
        return None
    if first and not new and not dropped and _was_made(first, failed):
        return None
    return Patch(changes=new, drops=dropped, first=first)


def _was_made(first: Sequence[FirstCall], failed: FailedCall) -> bool:
    """Whether every prerequisite call was made since the last such failure, without success."""
    latest, tool = reversed(failed.earlier), failed.call.tool
    since = list(takewhile(lambda made: not (made.failed and made.tool == tool), latest))
    return all(any(_is_same_call(each, made) for made in since) for each in first)


def _make_changes(remedy: Remedy, failed: FailedCall) -> dict[str, object] | None:
    """The new values; `None` if one of them cannot be made."""
    made: dict[str, object] = {}
    for each in remedy.changes:
        if each.how is How.DROP:
            continue
        place = ArgumentPlace(argument=each.argument, failed=failed, schema=failed.schema)
        value = make(each, place)
        if value is NOTHING:
            return None
        made[each.argument] = value
    return made


def _make_first_call(wanted: Prerequisite, failed: FailedCall) -> FirstCall | None:
    """The call with its arguments; without, if the agent must fill one in; `None`: impossible."""
    made: dict[str, object] = {}
    for each in wanted.arguments:
        value = make(each, ArgumentPlace(argument=each.argument, failed=failed))
        if value is NOTHING:
            return FirstCall(tool=wanted.tool) if each.how in _UNSURE else None
        made[each.argument] = value
    return FirstCall(tool=wanted.tool, arguments=made)


def _is_same_call(wanted: FirstCall, made: Earlier) -> bool:
    arguments = made.arguments if wanted.arguments is None else wanted.arguments
    return not made.failed and made.repeats(wanted.tool, arguments)
