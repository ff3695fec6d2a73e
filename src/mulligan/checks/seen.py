"""Values that came from nowhere: nobody said them, nothing is known of them, no tool returned them.

A model that does not know an id or an address makes one up, and it looks like any other.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from mulligan.checks.standard.meant import suggest_id
from mulligan.checks.subject.concern import limit_to_calls, limit_to_parameters
from mulligan.checks.subject.mailboxes import find_addresses
from mulligan.checks.subject.people import PERSON
from mulligan.checks.subject.subject import (
    Argument,
    Heard,
    Parameters,
    Subject,
    list_arguments,
    weigh_unseen,
    with_heard,
)
from mulligan.core.call import Call
from mulligan.core.finding import Finding
from mulligan.core.interfaces import Check
from mulligan.core.turn import Turn

_BETWEEN = re.compile(r"[\s,;#\"'\[\](){}]+")
"""What stands between the ids of a list that is written as text, or before one."""
_DIGIT = re.compile(r"\d")


def ids_seen(parameters: Parameters) -> Check[Subject]:
    """Flag an id that was never seen before the call that uses it."""

    @limit_to_parameters(parameters)
    def check(subject: Subject) -> Iterator[Finding]:
        for execution, heard in with_heard(subject):
            names = parameters.get(execution.call.tool, ())
            for unseen in _find_unseen(list_arguments(execution, names), heard):
                yield build_unseen(unseen, subject.turn, _suggest_id(unseen, subject))

    return check


def addresses_seen(*tools: str) -> Check[Subject]:
    """Flag an e-mail address, in any argument of these tools, that was never seen before.

    The address of somebody the person named, as `people_named` found it, counts as seen.
    """

    def has_address(_: Turn, call: Call) -> bool:
        given = call.arguments.items() if call.tool in tools else ()
        return any(True for name, value in given for _ in find_addresses(value, name=name))

    @limit_to_calls(has_address)
    def check(subject: Subject) -> Iterator[Finding]:
        named = sorted({fact.value for fact in subject.facts if fact.kind == PERSON})
        for execution, heard in with_heard(subject):
            if execution.call.tool not in tools:
                continue
            for name, given in execution.call.arguments.items():
                for address in find_addresses(given, name=name):
                    if not heard.has_address(address):
                        unseen = Argument(execution, name, address)
                        yield build_unseen(unseen, subject.turn, _suggest_address(named))

    return check


def _find_unseen(given: Iterable[Argument], heard: Heard) -> Iterator[Argument]:
    return (argument for argument in given if not _was_seen(argument.value, heard))


def _was_seen(value: str, heard: Heard) -> bool:
    """Whether a value was heard, or is several in one text, and each of them was.

    Pieces without a digit are words, and words that were heard do not make an id.
    """
    if value in heard:
        return True
    pieces = [piece for piece in _BETWEEN.split(value) if piece]
    return bool(pieces) and all(_DIGIT.search(piece) and piece in heard for piece in pieces)


def _suggest_id(argument: Argument, subject: Subject) -> str:
    return suggest_id(argument, subject) or "Look the id up first, and use the one that comes back."


def _suggest_address(named: list[str]) -> str:
    if len(named) == 1:
        return f"Use {named[0]} if that is who is meant; else look the address up, or ask."
    return "Look the address up by the person's name, or ask for it."


def build_unseen(argument: Argument, turn: Turn, correction: str) -> Finding:
    """The finding that a value came from nowhere."""
    history, known = turn.history, ""
    if history.is_partial:
        unread = f": {history.left_out} parts were not" if history.left_out else ""
        known = f", as far as the conversation could be read{unread}"
    return argument.build_finding(
        "value.never_seen",
        severity=weigh_unseen(turn),
        issue=f"which nobody said and no tool returned{known}.",
        correction=correction,
    )
