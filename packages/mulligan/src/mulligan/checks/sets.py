"""All of them, and nothing else: a set that was asked for by name, against the ones acted on.

"Cancel all soccer practices" is one set, whether it takes one call or ten. It is held against what
tools returned of the objects: their titles tell which of them the words mean.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from functools import cache
from typing import NamedTuple

from msgspec import Struct

from mulligan.checks.provenance import SeenValues, fold_value, with_seen
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
from mulligan_dates.languages import is_understood
from mulligan_dates.lexicon import find_stems, join_words, load_general_stems
from mulligan_dates.tokens import drop_quotes

_SHOWN = 60
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

    @limit_to_parameters(parameters, when=lambda turn: bool(find_named_sets(turn.message)))
    def check(subject: Subject) -> Iterator[Finding]:
        asked = find_named_sets(subject.turn.message)
        if not asked or not is_understood(subject.turn.message):
            return
        before = {
            fold_value(text)
            for each in subject.earlier
            if each.call.tool in parameters
            for text in list_texts(list(each.call.arguments.values()))
        }
        for name, acted, seen in _list_acted(subject, parameters):
            titles = _read_titles(seen, name)
            for one in asked:
                found = _compare(one, acted, titles, subject.turn.message)
                yield from found.extra
                left = found.left - before
                if left and not is_under_way(subject):
                    yield _report_left(acted[-1], [get_title_of(titles[e]) for e in sorted(left)])

    return check


class NamedSet(Struct, frozen=True, kw_only=True):
    """What somebody asked for all of."""

    words: frozenset[str]
    """What the name of each has in it, without endings."""
    limited: bool
    """Whether more was said of which they are: a day, an owner, an exception."""
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
            found.append(NamedSet(words=words, limited=limited, alone=alone))
    return found


@cache
def _compile_all() -> re.Pattern[str]:
    # Up to a word that says more of them, or to the end of what was asked.
    stop = rf"(?!(?:{join_words('sets', 'stop')})\b)"
    return re.compile(
        rf"\b(?:{join_words('sets', 'all')})\s+(?:(?:{join_words('sets', 'between')})\s+){{0,3}}"
        rf"(?P<words>{stop}[^\W\d_]{{2,30}}(?:\s{stop}[^\W\d_]{{2,30}}){{0,{_MOST_WORDS - 1}}})"
    )


@cache
def _compile_end() -> re.Pattern[str]:
    ends = join_words("sets", "ends")
    return re.compile(rf",?\s*(?:$|[.!?](?:\s|$)|(?:{ends})\b)")


@cache
def _compile_more() -> re.Pattern[str]:
    return re.compile(rf"\b(?:{join_words('sets', 'more')})\b|[.!?;:,\n]\s*\w")


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
        if held and get_title_of(record):
            found.setdefault(fold_value(held), record)
    return found if len(found) <= MOST_MEMBERS else {}


class _Compared(NamedTuple):
    """What does not belong to a set that was acted on, and the ids of what is left of it."""

    extra: Sequence[Finding] = ()
    left: frozenset[str] = frozenset()


def _compare(
    asked: NamedSet, acted: list[Argument], titles: Mapping[str, Found], message: str
) -> _Compared:
    stems = {held: find_stems(get_title_of(record)) for held, record in titles.items()}
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
    return _Compared(extra, frozenset(() if asked.limited else members - touched))


def _report_extra(argument: Argument, record: Found, asked: NamedSet) -> Finding:
    shown = quote_value(get_title_of(record), most=_SHOWN)
    return argument.build_finding(
        "object.not_as_said",
        severity=Severity.ERROR if asked.alone else Severity.WARNING,
        issue=f"which is {shown}, and none of those that the person asked for all of.",
        correction="Act only on the ones that the person named.",
    )


def _report_left(argument: Argument, left: Collection[str]) -> Finding:
    call = argument.execution.call
    shown = ", ".join(quote_value(each, most=_SHOWN) for each in list(left)[:3])
    return Finding(
        rule="request.not_all",
        severity=Severity.WARNING,
        issue=f"The person asked for all of them, and {show_name(call.tool)} was not called for "
        f"{shown}, which a tool returned.",
        correction="Do it for all of them, or tell the person which ones are left and why.",
        call=call.id,
    )
