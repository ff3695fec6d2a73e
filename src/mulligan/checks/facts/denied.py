"""What was done against the facts: an error whoever else looks, and whatever a judge says of it.

It is asked of every attempt, also where the application has no check for it. So it is narrower than
those checks: it looks only at calls that changed something, and it is sure only of a call none of
whose dates can be meant.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from functools import cache

from mulligan.checks.dates.arguments import find_argument_dates
from mulligan.checks.dates.check import dates_as_said, is_stamp, read_moment
from mulligan.checks.language.lexicon import join_words
from mulligan.checks.places import home_is_home
from mulligan.checks.subject.subject import Parameters, Subject
from mulligan.core.call import Execution, Outcome
from mulligan.core.finding import Fact, Finding, Severity
from mulligan.core.runtime.dataclass import dataclass
from mulligan.core.turn import Turn

_UNSAID = "date.not_as_said"
_CERTAIN = frozenset({_UNSAID, "date.in_the_past", "date.impossible"})
_check_dates = dates_as_said()


@dataclass(frozen=True, slots=True, kw_only=True)
class _Changes:
    """The part of an attempt that changed something or may have."""

    turn: Turn
    executions: tuple[Execution, ...]
    earlier: tuple[Execution, ...]
    facts: tuple[Fact, ...]


def find_denials(subject: Subject) -> Iterator[Finding]:
    """Flag what the calendar, the person's own words or their known home speak against.

    A date beside another that was meant may be there for a reason of its own: it is a warning.
    """
    made = tuple(each for each in subject.executions if _may_change(subject, each))
    changes = _Changes(
        turn=subject.turn,
        executions=made,
        # What was looked up says what things are called, and which id is whose.
        earlier=(*subject.earlier, *(each for each in subject.executions if each not in made)),
        facts=subject.facts,
    )
    if changes.executions:
        yield from _deny_dates(changes)
        yield from home_is_home(_find_places(changes))(changes)


def _may_change(subject: Subject, execution: Execution) -> bool:
    acted, call = getattr(subject, "acted", None), execution.call
    if acted is None or execution.outcome is Outcome.UNKNOWN:
        return True
    # A later try of a call is the call, also under the id of its first try.
    return call.id in acted or call.parent in acted


def _deny_dates(changes: _Changes) -> Iterator[Finding]:
    found = [each for each in _check_dates(changes) if each.rule in _CERTAIN]
    for finding in found:
        unsaid = sum(each.rule == _UNSAID and each.call == finding.call for each in found)
        beside = finding.rule == _UNSAID and unsaid < _count_dates(changes, finding.call)
        yield replace(finding, severity=Severity.WARNING) if beside else finding


def _count_dates(changes: _Changes, call: str | None) -> int:
    """How many dates of a call are more than the time at which it was made."""
    at = read_moment(changes.turn)
    given = (
        dated
        for each in changes.executions
        if each.call.id == call
        for dated in find_argument_dates(each.call.arguments, zone=changes.turn.timezone)
    )
    return sum(at is None or not is_stamp(dated, at) for dated in given)


def _find_places(changes: _Changes) -> Parameters:
    """By tool, the parameters that hold a place, by their names."""
    return {
        each.call.tool: [name for name in each.call.arguments if _compile_place().search(name)]
        for each in changes.executions
    }


@cache
def _compile_place() -> re.Pattern[str]:
    """How a parameter is called that holds a place."""
    return re.compile(rf"(?:^|_)(?:{join_words('fields', 'place')})$", re.IGNORECASE)
