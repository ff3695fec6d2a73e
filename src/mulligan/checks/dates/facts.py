"""Ground truth about dates for a judge, from the same resolver as the check."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from mulligan.checks.dates.arguments import find_argument_dates
from mulligan.checks.dates.binding.bound import choose_expressions, list_call_words
from mulligan.checks.dates.check import read_expressions, read_moment, read_said
from mulligan.checks.dates.conventions import NO_PINS, Pins
from mulligan.checks.dates.moment import Moment
from mulligan.checks.dates.resolve import SaidPhrases
from mulligan.checks.dates.telling import describe_readings, rank_readings
from mulligan.core.call import Call
from mulligan.core.display.escape import show_name
from mulligan.core.finding import Fact
from mulligan.core.turn import Turn


def date_facts(turn: Turn, calls: Sequence[Call], *, pins: Pins = NO_PINS) -> tuple[Fact, ...]:
    """The weekday of every date in the calls, and what the person's words can mean.

    Without a known zone there is no fact: the day itself is not known.
    """
    at = read_moment(turn)
    if at is None:
        return ()
    facts = [
        Fact(
            kind="date.phrase",
            subject=each.text,
            value=told,
            about=f'"{each.text}", said on {at.now:%A} {at.today}, can mean {told}.',
            computed=True,
        )
        for each in read_expressions(turn, at=at, pins=pins)
        if each.known and each.dated and not each.superseded
        for told in [describe_readings(rank_readings(each.readings, today=at.today))]
    ]
    bound = _list_binding_facts(calls, read_said(turn, at=at, pins=pins), at=at)
    return (*_list_weekday_facts(calls, turn.timezone), *facts, *bound)


def _list_binding_facts(calls: Sequence[Call], said: SaidPhrases, *, at: Moment) -> Iterator[Fact]:
    """Which of several phrases each call is about, where that is sure."""
    days = [each for each in said.expressions if each.dated and not each.superseded]
    for call in calls if len(days) > 1 else ():
        words = list_call_words(call, ())
        bound = choose_expressions(said.expressions, said.clauses, words=words, today=at.today)
        if bound and len(bound) < len(days):
            told = " or ".join(f'"{each.text}"' for each in bound)
            others = ", ".join(f'"{each.text}"' for each in days if each not in bound)
            yield Fact(
                kind="date.binding",
                subject=call.tool,
                value=told,
                about=(
                    f"If {show_name(call.tool)} makes or moves something, its date is {told}; "
                    f"{others} is about something else."
                ),
                computed=True,
            )


def _list_weekday_facts(calls: Sequence[Call], zone: str | None) -> Iterator[Fact]:
    seen = set()
    for call in calls:
        for dated in find_argument_dates(call.arguments, zone=zone):
            if dated.value not in seen:
                seen.add(dated.value)
                yield Fact(
                    kind="date.weekday",
                    subject=dated.value,
                    value=f"{dated.at:%A}",
                    about=f"{dated.value} is a {dated.at:%A}.",
                    computed=True,
                )
