"""The object that a call acts on, held against what the person called it."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from functools import cache

from mulligan.checks.ids import OBJECT
from mulligan.checks.language.lexicon import (
    cut_ending,
    find_stems,
    has_picking_words,
    is_understood,
    load_words,
)
from mulligan.checks.language.quotations import find_quotes
from mulligan.checks.returned.records import Found, get_id_of, get_title_of, join_texts
from mulligan.checks.returned.seen_values import SeenValues, fold_value, with_seen
from mulligan.checks.subject.concern import limit_to_parameters
from mulligan.checks.subject.subject import Argument, Subject, list_arguments
from mulligan.core.display.quoted import quote_value
from mulligan.core.finding import Finding, Severity
from mulligan.core.interfaces import Check

_SHOWN = 60


def titles_as_said(parameters: Mapping[str, Collection[str]]) -> Check[Subject]:
    """Flag a call on an object whose name was not said, where another's was: "delete the dinner".

    Sure where a tool has returned the other one too, and nothing that is known of this one was
    said. A word for a sort of thing, such as meeting or file, names none of them.
    """

    @limit_to_parameters(parameters, when=lambda turn: is_understood(turn.message))
    def check(subject: Subject) -> Iterator[Finding]:
        if not is_understood(subject.turn.message):
            return
        for execution, seen in with_seen(subject):
            names = parameters.get(execution.call.tool, ())
            for argument in list_arguments(execution, names):
                own = _find_object(argument, subject, seen)
                if (
                    own
                    and (
                        finding := _compare(argument, own, message=subject.turn.message, seen=seen)
                    )
                    is not None
                ):
                    yield finding

    return check


def _compare(argument: Argument, own: Found, *, message: str, seen: SeenValues) -> Finding | None:
    title = get_title_of(own)
    words = find_stems(message) - _find_general()
    if not title or words & find_stems(title) or words & find_stems(join_texts(own)):
        return None
    if has_picking_words(message) or fold_value(argument.value) in message.casefold():
        return None
    others = list(_list_named(message, argument, seen))
    if not others:
        return None
    named = ", ".join(quote_value(get_title_of(each), most=_SHOWN) for each in others[:3])
    return argument.build_finding(
        "object.not_as_said",
        severity=Severity.ERROR,
        issue=f"which is {quote_value(title, most=_SHOWN)}; the person spoke of {named}.",
        correction=_suggest(argument, others),
    )


def _suggest(argument: Argument, others: list[Found]) -> str:
    right = {get_id_of(each, name=argument.name) for each in others}
    if len(right) == 1:
        (only,) = right
        return f"Give {argument.label}={quote_value(only, most=_SHOWN)}."
    return "Act on the one that the person named."


def _find_object(argument: Argument, subject: Subject, seen: SeenValues) -> Found:
    """What is known of the object that an argument names: as returned, under the facts."""
    known = dict(seen.find_record(argument.value, name=argument.name))
    for fact in subject.facts:
        if fact.subject == argument.value and fact.kind.startswith(OBJECT):
            known[fact.kind.removeprefix(OBJECT)] = fact.value
    return known


def _list_named(message: str, argument: Argument, seen: SeenValues) -> Iterator[Found]:
    """Other objects of the same sort whose whole name the message has, or quotes."""
    words = find_stems(message) - _find_general()
    quoted = {fold_value(each) for each in find_quotes(message)}
    met: set[str] = set()
    for record in seen.list_records():
        held, title = get_id_of(record, name=argument.name), get_title_of(record)
        if not held or not title or held in met or fold_value(held) == fold_value(argument.value):
            continue
        if fold_value(title) in quoted or words & find_stems(title):
            met.add(held)
            yield record


@cache
def _find_general() -> frozenset[str]:
    """Words for a sort of thing: they name none of it."""
    return frozenset(map(cut_ending, load_words("words", "general")))
