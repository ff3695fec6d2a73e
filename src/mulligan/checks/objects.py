"""The object a call acts on, against what the person said of it.

A call that deletes by id shows only the id. What the object is comes from facts (`ids_read`), or
from what a tool returned earlier in the turn.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterator, Mapping
from dataclasses import replace

from mulligan.checks.ids import OBJECT
from mulligan.checks.language.choosing import choose_requests
from mulligan.checks.language.quotations import drop_quotes
from mulligan.checks.language.zones import parse_local_moment
from mulligan.checks.subject.concern import limit_to_parameters
from mulligan.checks.subject.moments import find_earliest_now
from mulligan.checks.subject.people import PERSON, split_names
from mulligan.checks.subject.subject import (
    Argument,
    Parameters,
    Subject,
    read_records,
    select_arguments,
)
from mulligan.checks.subject.values import list_texts
from mulligan.core.call import Execution
from mulligan.core.finding import Fact, Finding
from mulligan.core.interfaces import Check
from mulligan.core.runtime.dataclass import dataclass
from mulligan.core.turn import Turn

_SERIES = re.compile(r"recur|rrule|repeat", re.IGNORECASE)
_NOUN = re.compile(r"[^\W\d_]{3,}")


def still_to_come(parameters: Parameters, *, when: str) -> Check[Subject]:
    """Flag a call on an object that was over, where the person spoke of what is to come.

    `when` is the field that says when it is; of what lasts, its end. A series is left alone.
    """

    @limit_to_parameters(parameters, when=_speaks_of_what_is_to_come)
    def check(subject: Subject) -> Iterator[Finding]:
        message = drop_quotes(subject.turn.message)
        phrases = choose_requests(message)
        if not phrases.to_come.search(message) or phrases.over.search(message):
            return
        today = find_earliest_now(subject.turn).date()
        for argument in select_arguments(subject, parameters):
            known = find_object(argument, subject)
            moment = parse_local_moment(known.get(when), zone=subject.turn.timezone)
            if moment is not None and moment.date() < today and not _recurs(known):
                yield argument.build_finding(
                    "object.in_the_past",
                    issue=f"which was on {moment} and is over.",
                    correction="Act only on what is still to come.",
                )

    return check


def on_objects(check: Check[Subject], parameters: Parameters, *, when: str) -> Check[Subject]:
    """Hold the date of each object against the person's words, by a check of dates in arguments.

    Calls that have a date of their own are left out: they may be there to move the object.
    """

    @limit_to_parameters(parameters)
    def check_objects(subject: Subject) -> Iterator[Finding]:
        for argument in select_arguments(subject, parameters):
            given = argument.execution.call.arguments
            held = find_object(argument, subject).get(when)
            if held is None or _has_date(given, subject.turn):
                continue
            # What else is known of the object tells which clause is about it.
            call = replace(argument.execution.call, arguments={**given, when: held})
            shown = _DatedAttempt(
                turn=subject.turn,
                executions=(replace(argument.execution, call=call),),
                facts=subject.facts,
                earlier=_list_before(subject, argument.execution),
            )
            for finding in check(shown):
                yield argument.build_finding(
                    finding.rule,
                    severity=finding.severity,
                    issue=f"whose {when} is {held}. {finding.issue}",
                    correction="Look it up, and act on one that fits.",
                )

    return check_objects


def owners_as_said(parameters: Parameters) -> Check[Subject]:
    """Flag a call on somebody else's object, where the person said whose it is: "Ann's tasks".

    Sure only of people in the directory (`people_named`), of addresses at the same house, and of
    a thing that the parameter is named after: `task_id`.
    """

    @limit_to_parameters(parameters)
    def check(subject: Subject) -> Iterator[Finding]:
        for argument in select_arguments(subject, parameters):
            owners = _find_owners(subject, of=argument.name)
            people = _find_colleagues(find_object(argument, subject), owners)
            if people and not people & owners:
                yield argument.build_finding(
                    "object.of_somebody_else",
                    issue=f"which belongs to {', '.join(sorted(people))}; "
                    f"the person spoke of {', '.join(sorted(owners))}.",
                    correction="Act only on what belongs to whom the person named.",
                )

    return check


def find_object(argument: Argument, subject: Subject) -> Mapping[str, object]:
    """What is known of the object an argument names: what was last returned, under the facts."""
    known: dict[str, object] = {}
    for execution in (*subject.earlier, *subject.executions):
        if execution is argument.execution:
            break
        for record in read_records(subject, execution):
            if str(record.get(argument.name, record.get("id"))) == argument.value:
                known.update(record)
    for fact in subject.facts:
        if fact.subject == argument.value and fact.kind.startswith(OBJECT):
            known[fact.kind.removeprefix(OBJECT)] = fact.value
    return known


@dataclass(frozen=True, slots=True, kw_only=True)
class _DatedAttempt:
    """An attempt as a check of dates is shown it: the object's date is the argument."""

    turn: Turn
    executions: tuple[Execution, ...]
    facts: tuple[Fact, ...]
    earlier: tuple[Execution, ...] = ()
    of_object: bool = True
    """Its date was read, and not given: only the clause about the object can speak against it."""


def _speaks_of_what_is_to_come(turn: Turn) -> bool:
    return choose_requests(turn.message).to_come.search(turn.message) is not None


def _list_before(subject: Subject, execution: Execution) -> tuple[Execution, ...]:
    made = tuple(itertools.takewhile(lambda each: each is not execution, subject.executions))
    return (*subject.earlier, *made)


def _has_date(given: Mapping[str, object], turn: Turn) -> bool:
    return any(
        parse_local_moment(value, zone=turn.timezone) is not None for value in given.values()
    )


def _recurs(record: Mapping[str, object]) -> bool:
    """Whether an object is a series, which began in the past and is not over."""
    return any(_SERIES.search(str(name)) and held for name, held in record.items())


def _find_owners(subject: Subject, *, of: str) -> set[str]:
    """Addresses of the people whose things of that name the person spoke of, and of no others."""
    message = drop_quotes(subject.turn.message).casefold()
    nouns = "|".join(map(re.escape, _NOUN.findall(of.casefold())))
    phrases = choose_requests(message)
    of_owner = phrases.of_owner
    if not nouns or not of_owner or phrases.mine.search(message):
        return set()
    return {
        fact.value.casefold()
        for fact in subject.facts
        if fact.kind == PERSON
        for name in split_names(fact.value)
        if re.search(rf"\b{re.escape(name)}{of_owner}(?:{nouns})", message)
    }


def _find_colleagues(record: Mapping[str, object], owners: set[str]) -> set[str]:
    """The addresses in a record that are of the same house as the owners: others may be clients."""
    houses = tuple(owner[owner.index("@") :] for owner in owners)
    written = (text.casefold() for text in list_texts(record))
    return {text for text in written if "@" in text and text.endswith(houses)}
