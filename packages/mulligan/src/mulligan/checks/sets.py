"""All of them, and nothing else: a set that was asked for by name, against the ones acted on.

"Cancel all soccer practices" is one set, whether it takes one call or ten. It is held against what
tools returned of the objects: their titles tell which of them the words mean.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from functools import cache
from itertools import pairwise, takewhile
from typing import NamedTuple

from msgspec import Struct

from mulligan.checks.parameters import ToolVerb, find_verb
from mulligan.checks.provenance import SeenValues, fold_given, fold_value, with_seen
from mulligan.checks.subject import (
    Argument,
    Parameters,
    Subject,
    is_under_way,
    limit_to_parameters,
    list_arguments,
)
from mulligan.checks.tool_outputs import Found, get_id_of, get_title_of, join_texts, list_texts
from mulligan.types.display import quote_value, show_name
from mulligan.types.finding import Finding, Severity
from mulligan.types.interfaces import Check
from mulligan.types.turn import Turn
from mulligan_dates.languages import is_understood
from mulligan_dates.lexicon import find_stems, join_words, load_general_stems, load_words, says_any
from mulligan_dates.text import split_name, stem
from mulligan_dates.tokens import drop_quotes

_WORD = r"[^\W\d_]{2,30}(?:['\u2019]s)?"
_MOST_WORDS = 4
"""Words behind "all" that say of what."""
MOST_MEMBERS = 500
"""Objects of one sort up to which a set is looked at."""


def all_and_only(parameters: Parameters) -> Check[Subject]:
    """Hold a set that was asked for by name against what calls acted on.

    - one whose title and fields have no word of the message, acted on beside ones that were
      named: an error where nothing else was asked for
    - one that was named and read, left alone where others were acted on: a warning, and only
      where nothing but the name limits the set
    """

    @limit_to_parameters(
        parameters,
        when=lambda turn: find_named_sets(turn.message) and is_understood(turn.message),
    )
    def check(subject: Subject) -> Iterator[Finding]:
        asked = find_named_sets(subject.turn.message)
        before = fold_given(subject.earlier, parameters)
        for name, acted, seen in _list_acted(subject, parameters):
            titles = _read_titles(seen, name)
            for one in asked:
                found = _compare(one, acted, titles, subject.turn.message)
                yield from found.extra
                left = found.left - before
                if left and not is_under_way(subject):
                    yield _report_left(
                        acted[-1], [get_title_of(titles[e]) or e for e in sorted(left)]
                    )

    return check


def each_as_named(parameters: Parameters) -> Check[Subject]:
    """Warn of one that was named in one breath with others, and left alone where they were not.

    "Cancel the dentist and the lunch", "close 412 and 420": the names are those of objects that a
    tool returned, and stand in one list behind the verb.
    """

    @limit_to_parameters(parameters, when=_lists_several)
    def check(subject: Subject) -> Iterator[Finding]:
        if is_under_way(subject):
            return
        message = drop_quotes(subject.turn.message).casefold()
        given = fold_given((*subject.earlier, *subject.executions), parameters)
        for name, acted, seen in _list_acted(subject, parameters):
            titles = {h: get_title_of(each) for h, each in _read_titles(seen, name).items()}
            named = _list_numbered(message, acted) or _list_joined(message, acted[-1], titles)
            left = sorted(named - given)
            if left and not named.isdisjoint(given):
                yield _report_left(acted[-1], [titles.get(each, each) for each in left])

    return check


def _lists_several(turn: Turn) -> bool:
    """Whether an order may name several things in one breath."""
    bare = drop_quotes(turn.message)
    several = "?" not in bare and _compile_joint().search(bare)
    return bool(several) and is_understood(turn.message)


@cache
def _compile_joint() -> re.Pattern[str]:
    return re.compile(rf"\b(?:{join_words('sets', 'joint')})\b|[,&]", re.IGNORECASE)


@cache
def _compile_numbers() -> re.Pattern[str]:
    number = r"#?[a-z]{0,5}[-_#]?\d{2,}(?![\w:%])"
    joint = rf"(?:\s*,)?\s*(?:{join_words('sets', 'joint')}|[,&])\s*"
    return re.compile(rf"(?<![\w:.]){number}(?:{joint}{number})+")


def _list_numbered(message: str, acted: Sequence[Argument]) -> set[str]:
    """The numbers of a list behind a call's verb, written alike, if it has one acted on."""
    touched = {fold_value(each.value) for each in acted}
    verbs = "|".join(map(re.escape, sorted(_find_own_verbs(acted[-1]))))
    for sentence in re.split(r"[.!;:\n]\s", message):
        verb = re.search(rf"\b(?:{verbs})\b", sentence)
        if verb is None or says_any(sentence, "orders", "open"):
            continue
        for found in _compile_numbers().finditer(sentence, verb.end()):
            numbers = {fold_value(each) for each in re.findall(r"#?[a-z]{0,5}[-_#]?\d+", found[0])}
            for alike in (numbers, {each.lstrip("#") for each in numbers}):
                if not touched.isdisjoint(alike):
                    return alike
    return set()


def _find_own_verbs(argument: Argument) -> frozenset[str]:
    """The verbs that order what a tool does."""
    tool = argument.execution.call.tool
    return load_words("deeds", find_verb(tool)).union(split_name(tool)[:1])


def _list_joined(message: str, argument: Argument, titles: Mapping[str, str]) -> set[str]:
    """The ids of objects that are named one after the other behind the verb of a call."""
    joint = load_words("sets", "joint") | {","}
    parts = _list_parts_behind(message, _find_own_verbs(argument))
    lists = [each for each in parts if not joint.isdisjoint(each)]
    if not lists:
        return set()
    tool = argument.execution.call.tool
    sort = load_general_stems().union(map(stem, (*split_name(tool), *split_name(argument.name))))
    stems = {held: find_stems(title) - sort for held, title in titles.items()}
    often = Counter(word for each in stems.values() for word in each)
    for part in lists:
        places: dict[str, int] = {}
        for at, word in enumerate(part):
            for held, each in stems.items():
                if stem(word) in each and often[stem(word)] == 1:
                    places.setdefault(held, at)
        order = sorted(places, key=lambda held: places[held])
        if len(order) > 1 and all(
            _is_joint(part[places[one] + 1 : places[other]], {*stems[one], *stems[other]})
            for one, other in pairwise(order)
        ):
            return set(order)
    return set()


def _list_parts_behind(message: str, verbs: Collection[str]) -> Iterator[list[str]]:
    """The words behind each verb, up to the next one or the end of the sentence."""
    deeds = _load_deeds()
    for sentence in re.split(r"[.!;:\n]", message):
        words = re.findall(r"[^\W_]+|,", sentence)
        if not load_words("orders", "open").isdisjoint(words):
            continue
        for at, word in enumerate(words):
            if word in verbs and word in deeds:
                behind = words[at + 1 :]
                yield list(takewhile(lambda each: each not in deeds, behind))


@cache
def _load_deeds() -> frozenset[str]:
    return frozenset[str]().union(*(load_words("deeds", each) for each in ToolVerb))


def _is_joint(between: Sequence[str], names: Collection[str]) -> bool:
    """Whether the words between two names only join them: "and the", ", my"."""
    joint = load_words("sets", "joint") | {","}
    plain = joint | load_words("sets", "between") | load_general_stems()
    rest = {stem(word) for word in between if word not in plain}
    return not joint.isdisjoint(between) and rest.issubset(names)


class NamedSet(Struct, frozen=True, kw_only=True):
    """What somebody asked for all of."""

    words: frozenset[str]
    """What the name of each has in it, without endings."""
    limited: bool
    """Whether more was said of which they are: a day, an owner, an exception."""
    aim: str
    """What they are to become, where the rest that was said of them is only that."""
    alone: bool
    """Whether the message asks for nothing beside: what it asks for may be named in other ways."""


def find_named_sets(message: str) -> list[NamedSet]:
    """Each thing that a message asks for all of by its name."""
    bare = drop_quotes(message).casefold()
    found = []
    alone = not _compile_more().search(bare)
    for each in _compile_all().finditer(bare):
        words = frozenset(find_stems(each["words"]) - load_general_stems())
        if words:
            limited = not _compile_end().match(bare, each.end())
            aim = _compile_aim().match(bare, each.end())
            found.append(
                NamedSet(words=words, limited=limited, aim=aim["aim"] if aim else "", alone=alone)
            )
    return found


@cache
def _compile_all() -> re.Pattern[str]:
    # Up to a word that says more of them, or to the end of what was asked.
    stop = rf"(?!(?:{join_words('sets', 'stop')})\b)"
    return re.compile(
        rf"\b(?:{join_words('sets', 'all')})\s+(?:(?:{join_words('sets', 'between')})\s+){{0,3}}"
        rf"[.*]{{0,2}}(?P<words>{stop}{_WORD}(?:\s{stop}{_WORD}){{0,{_MOST_WORDS - 1}}})"
    )


_END = r",?\s*(?:$|[.!?](?:\s|$)|(?:{ends})\b)"


@cache
def _compile_end() -> re.Pattern[str]:
    return re.compile(_END.format(ends=join_words("sets", "ends")))


@cache
def _compile_aim() -> re.Pattern[str]:
    end = _END.format(ends=join_words("sets", "ends"))
    return re.compile(rf"\s{{1,9}}(?:{join_words('sets', 'aim')})\s{{1,9}}(?P<aim>[^\W_]+){end}")


@cache
def _compile_more() -> re.Pattern[str]:
    return re.compile(rf"\b(?:{join_words('sets', 'more')})\b|[.!?;:,\n]\s+\w")


def _list_acted(
    subject: Subject, parameters: Parameters
) -> Iterator[tuple[str, list[Argument], SeenValues]]:
    """By parameter, all that calls of one tool were given in it, and what was seen before."""
    acted: dict[tuple[str, str], list[Argument]] = {}
    last: SeenValues | None = None
    for execution, seen in with_seen(subject):
        last = seen
        for name in parameters.get(execution.call.tool, ()):
            given = acted.setdefault((execution.call.tool, name), [])
            given += list_arguments(execution, [name])
    if last is not None:
        for (_, name), given in acted.items():
            if given:
                yield name, given, last


def _read_titles(seen: SeenValues, name: str) -> dict[str, Found]:
    """What was returned of the objects of a sort that have a title, by their ids."""
    found: dict[str, Found] = {}
    for record in seen.list_records():
        held = get_id_of(record, name=name)
        if held and any(isinstance(each, str) for each in record.values()):
            found.setdefault(fold_value(held), record)
    return found if len(found) <= MOST_MEMBERS else {}


class _Compared(NamedTuple):
    """What does not belong to a set that was acted on, and the ids of what is left of it."""

    extra: Sequence[Finding] = ()
    left: frozenset[str] = frozenset()


def _compare(
    asked: NamedSet, acted: list[Argument], titles: Mapping[str, Found], message: str
) -> _Compared:
    stems = {held: _find_member_stems(record) for held, record in titles.items()}
    telling = {word for word in asked.words if any(word in each for each in stems.values())}
    members = {held for held, each in stems.items() if telling and telling <= each}
    touched = {fold_value(each.value) for each in acted}
    if members.isdisjoint(touched):
        return _Compared()
    said = find_stems(message) - load_general_stems()
    known = ((each, titles.get(fold_value(each.value))) for each in acted)
    extra = [
        _report_extra(argument, record, asked)
        for argument, record in known
        if record is not None and said.isdisjoint(find_stems(join_texts(record)))
    ]
    given = (text for each in acted for text in list_texts(dict(each.execution.call.arguments)))
    limited = asked.limited and asked.aim not in set(map(fold_value, given))
    # What is already what all are to become is not left.
    left = {e for e in members - touched if not asked.aim or asked.aim not in stems[e]}
    return _Compared(extra, frozenset(() if limited else left))


def _find_member_stems(record: Found) -> set[str]:
    """The words that a thing is called by in a set: of its name, or all of what a field holds."""
    fields = (held for held in record.values() if isinstance(held, str))
    words = (stem(each.casefold()) for each in fields if each.isalpha())
    return find_stems(get_title_of(record)).union(words)


def _report_extra(argument: Argument, record: Found, asked: NamedSet) -> Finding:
    shown = quote_value(get_title_of(record))
    return argument.build_finding(
        "object.not_as_said",
        severity=Severity.ERROR if asked.alone else Severity.WARNING,
        issue=f"which is {shown}, and none of those that the person asked for all of.",
        correction="Act only on the ones that the person named.",
    )


def _report_left(argument: Argument, left: Collection[str]) -> Finding:
    call = argument.execution.call
    shown = ", ".join(quote_value(each) for each in list(left)[:3])
    return Finding(
        rule="request.not_all",
        severity=Severity.WARNING,
        issue=f"The person asked for all of them, and {show_name(call.tool)} was not called for "
        f"{shown}, which a tool returned.",
        correction="Do it for all of them, or tell the person which ones are left and why.",
        call=call.id,
    )
