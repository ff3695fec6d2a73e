"""A day that a mail tells, reckoned from when it was written: its *tomorrow* is not today's."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from datetime import datetime
from typing import NamedTuple

from mulligan.checks.dates.arguments import Dated, find_argument_dates
from mulligan.checks.dates.check import read_expressions, read_moment
from mulligan.checks.dates.conventions import NO_PINS
from mulligan.checks.dates.moment import Moment
from mulligan.checks.dates.reading import Expression
from mulligan.checks.dates.resolve import find_expressions
from mulligan.checks.dates.telling import describe_readings, rank_readings
from mulligan.checks.language.lexicon import load_words, split_words
from mulligan.checks.language.zones import parse_local_moment
from mulligan.checks.returned.seen_values import SeenValues, with_seen
from mulligan.checks.subject.concern import limit_to_parameters
from mulligan.checks.subject.subject import Argument, Parameters, Subject
from mulligan.core.finding import Finding
from mulligan.core.interfaces import Check
from mulligan.core.turn import Turn

_LONGEST = 2_000
"""Characters of a text in which a day is looked for."""
_MOST = 20
"""Texts that are read: of more, nobody could say which was meant."""


class Told(NamedTuple):
    """A phrase of a text, as it was meant when it was written, and as it would be today."""

    then: Expression
    today: Expression
    written: datetime


def dates_as_written(parameters: Parameters) -> Check[Subject]:
    """Flag a date that a text's words mean today, and did not mean when the text was written.

    Silent where the person said a day, where the words can mean the same day either way, and where
    the date stands anywhere as such.
    """

    @limit_to_parameters(parameters, when=_says_no_day)
    def check(subject: Subject) -> Iterator[Finding]:
        turn, at = subject.turn, read_moment(subject.turn)
        if at is None or not _says_no_day(turn):
            return
        for execution, seen in with_seen(subject):
            names = parameters.get(execution.call.tool, ())
            given = find_argument_dates(execution.call.arguments, zone=turn.timezone, names=names)
            for dated in given if names else ():
                told = list(_list_told(seen, at, zone=turn.timezone))
                wrong = [each for each in told if _holds(each.today, dated)]
                right = any(_holds(each.then, dated) for each in told)
                if wrong and not right and not seen.has_word(str(dated.at.date())):
                    yield _build_finding(Argument(execution, dated.name, dated.value), wrong[0])

    return check


def _says_no_day(turn: Turn) -> bool:
    at = read_moment(turn)
    if at is None:
        return False
    return not any(each.dated for each in read_expressions(turn, at=at, pins=NO_PINS))


def _list_told(seen: SeenValues, at: Moment, *, zone: str | None) -> Iterator[Told]:
    """What returned texts say of days, where that depends on when it is read."""
    found = [(record, _find_written(record, zone=zone)) for record in seen.list_records()]
    dated = [(record, written) for record, written in found if written is not None]
    for record, written in dated if len(dated) <= _MOST else ():
        if written.date() >= at.today:
            continue
        for text in (held for held in record.values() if isinstance(held, str)):
            then = find_expressions(text[:_LONGEST], replace(at, now=written))
            today = find_expressions(text[:_LONGEST], at)
            for one, other in zip(then, today, strict=True):
                if one.known and one.dated and one.binding and one.readings != other.readings:
                    yield Told(one, other, written)


def _find_written(record: Mapping[str, object], *, zone: str | None) -> datetime | None:
    """When a record was written, if one field alone tells."""
    words = load_words("words", "written")
    found = {
        moment
        for name, held in record.items()
        if words & set(split_words(str(name)))
        and (moment := parse_local_moment(held, zone=zone)) is not None
    }
    return found.pop() if len(found) == 1 else None


def _holds(said: Expression, dated: Dated) -> bool:
    return any(reading.holds_day(day) for reading in said.readings for day in dated.days)


def _build_finding(argument: Argument, told: Told) -> Finding:
    day = told.written.date()
    meant = describe_readings(rank_readings(told.then.readings, today=day))
    return argument.build_finding(
        "date.reckoned_from_today",
        issue=f'which "{told.then.text}" means today; it was written on {day}, and meant {meant}.',
        correction=f"Reckon {argument.label} from when the text was written: {meant}.",
    )
