"""What can be computed of a turn: told to any judge, and held against what was done.

Whether a request and what was done for it account for each other is a fact only if every date, id,
amount and name of the calls comes from what was said or read, and every word of the request is in
the calls; in any doubt there is no such fact. Denials are looked for in every attempt, also where
the application has no check for them. They are narrower than those checks: they look only at calls
that changed something, and are certain only of a call none of whose dates can be meant.
"""

from __future__ import annotations

import asyncio
import re
from collections.abc import Iterable, Iterator, Sequence
from functools import cache

from msgspec.structs import replace

from mulligan.checks.date_arguments import find_argument_dates
from mulligan.checks.dates import date_facts, dates_as_said, is_stamp, read_moment
from mulligan.checks.places import home_is_home, home_resolved, says_home
from mulligan.checks.subject import Parameters, ShownAttempt, Subject, may_change
from mulligan.types.call import Call
from mulligan.types.display import SaidText, is_long
from mulligan.types.finding import Fact, Finding, Severity
from mulligan.types.turn import Turn
from mulligan_dates.lexicon import join_words

_home = home_resolved()


async def computed_facts(turn: Turn, calls: Sequence[Call]) -> Iterable[Fact]:
    """The weekday of every date, what the person's words can mean, and where home is."""
    long = is_long(SaidText(turn.message), [call.arguments for call in calls])
    said = await asyncio.to_thread(date_facts, turn, calls) if long else date_facts(turn, calls)
    return [*said, *await _home(turn, calls)]


_UNSAID = "date.not_as_said"
_CERTAIN = frozenset({_UNSAID, "date.in_the_past", "date.impossible"})
_check_dates = dates_as_said()


def find_denials(subject: Subject) -> Iterator[Finding]:
    """Flag what contradicts the calendar, the person's own words or their known home.

    A date beside another that was meant may be there for a reason of its own: it is a warning.
    """
    made = tuple(each for each in subject.executions if may_change(subject, each))
    looks = [each for each in subject.executions if not may_change(subject, each)]
    changes = ShownAttempt(
        turn=subject.turn,
        executions=made,
        # What was looked up says what things are called, and which id is whose.
        earlier=(*subject.earlier, *looks),
        facts=subject.facts,
        memo=getattr(subject, "memo", {}),
    )
    if changes.executions:
        yield from _deny_dates(changes)
        if says_home(changes.turn.message):
            yield from home_is_home(_find_places(changes))(changes)


def _deny_dates(changes: ShownAttempt) -> Iterator[Finding]:
    found = [each for each in _check_dates(changes) if each.rule in _CERTAIN]
    for finding in found:
        unsaid = sum(each.rule == _UNSAID and each.call == finding.call for each in found)
        beside = finding.rule == _UNSAID and unsaid < _count_dates(changes, finding.call)
        yield replace(finding, severity=Severity.WARNING) if beside else finding


def _count_dates(changes: ShownAttempt, call: str | None) -> int:
    """How many dates of a call are more than the time at which it was made."""
    at = read_moment(changes.turn)
    given = (
        dated
        for each in changes.executions
        if each.call.id == call
        for dated in find_argument_dates(each.call.arguments, zone=changes.turn.timezone)
    )
    return sum(at is None or not is_stamp(dated, at) for dated in given)


def _find_places(changes: ShownAttempt) -> Parameters:
    """By tool, the parameters that hold a place, by their names."""
    return {
        each.call.tool: [name for name in each.call.arguments if _compile_place().search(name)]
        for each in changes.executions
    }


@cache
def _compile_place() -> re.Pattern[str]:
    """Names of parameters that hold a place."""
    return re.compile(rf"(?:^|_)(?:{join_words('fields', 'place')})$", re.IGNORECASE)
