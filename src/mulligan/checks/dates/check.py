"""Holds the dates in a call's arguments against what the person's words can mean."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from datetime import date, timedelta

from mulligan.checks.dates.arguments import Dated, find_argument_dates, find_impossible_dates
from mulligan.checks.dates.conventions import NO_PINS, Pins, choose_pins
from mulligan.checks.dates.moment import Moment, make_midnight
from mulligan.checks.dates.reading import Expression, Reading
from mulligan.checks.dates.resolve import find_expressions
from mulligan.checks.dates.telling import describe_readings
from mulligan.checks.moments import find_zone, parse_local_moment
from mulligan.checks.subject import Argument, Parameters, Subject, list_effective_calls
from mulligan.core.call import Execution
from mulligan.core.finding import Finding
from mulligan.core.interfaces import Check
from mulligan.core.turn import Turn

_LONGEST = timedelta(days=1)
"""How long after its start an event's end is still the same event's."""
_JUST_NOW = timedelta(minutes=5)
_FEW = 3
"""Dates that a correction can name without becoming a list."""


def dates_as_said(parameters: Parameters | None = None, *, pins: Pins = NO_PINS) -> Check[Subject]:
    """Flag a date that none of the person's words can mean, and one that no calendar has.

    Looks at the `parameters` named, by tool; at every date in every call if none are. It stays
    silent where it cannot know: no zone, no date said, or words it does not understand. `pins`
    settle what people disagree about, such as `Convention.NEXT_WEEK`.
    """

    def check(subject: Subject) -> Iterator[Finding]:
        turn = subject.turn
        at = read_moment(turn)
        said = read_day_expressions(turn, at=at, pins=pins) if at else []
        for execution in list_effective_calls(subject):
            call = execution.call
            names = None if parameters is None else parameters.get(call.tool, ())
            for name, value in find_impossible_dates(call.arguments, names=names):
                yield _report_impossible(Argument(execution, name, value))
            if at is not None and said:
                dates = find_argument_dates(call.arguments, zone=turn.timezone, names=names)
                given = [each for each in dates if not _is_stamp(each, at)]
                for dated in find_unsaid(given, said):
                    yield _report_unsaid(execution, dated, said=said, at=at)

    return check


def read_moment(turn: Turn) -> Moment | None:
    """Now on the person's clock; `None` when their zone is not known."""
    zone = find_zone(turn.timezone)
    now = parse_local_moment(turn.now, zone=turn.timezone)
    if zone is None or now is None:
        return None
    country = turn.known.get("country")
    return Moment(now=now, zone=zone, country=country if isinstance(country, str) else None)


def read_expressions(turn: Turn, *, at: Moment, pins: Pins) -> list[Expression]:
    """Everything the person said of time, in the order of figures that is usual where they are."""
    locale = turn.known.get("locale")
    if isinstance(locale, str):
        questions = {pin.question for pin in pins}
        pins |= {pin for pin in choose_pins(locale) if pin.question not in questions}
    return find_expressions(turn.message, at, pins=pins)


def read_day_expressions(turn: Turn, *, at: Moment, pins: Pins) -> list[Expression]:
    """What the person said of days; nothing unless it is understood, and says when."""
    found = [each for each in read_expressions(turn, at=at, pins=pins) if each.dated]
    standing = [each for each in found if not each.superseded]
    known = all(each.known for each in found)
    return standing if known and any(each.binding for each in standing) else []


def find_unsaid(given: Sequence[Dated], said: Sequence[Expression]) -> list[Dated]:
    """The dates of a call that no expression can mean."""
    readings = [reading for each in said for reading in _list_accepted(each)]
    meant = [each for each in given if any(_holds(reading, each) for reading in readings)]
    if not meant and any(_encloses(given, reading) for reading in readings):
        return []
    return [each for each in given if each not in meant and not _ends(each, meant, readings)]


def _list_accepted(said: Expression) -> tuple[Reading, ...]:
    """What an expression lets pass: its readings, and what it is reckoned from."""
    readings = (*said.readings, *said.mentions)
    if not said.open_start:
        return readings
    return tuple(replace(each, start=make_midnight(date.min)) for each in readings)


def _is_stamp(dated: Dated, at: Moment) -> bool:
    """Whether it is the time of the call itself, to the minutes."""
    return dated.timed and abs(dated.at - at.now) <= _JUST_NOW


def _holds(reading: Reading, dated: Dated) -> bool:
    """Whether a date lies in a reading, or is the very moment it ends."""
    ends = dated.timed and dated.at == reading.end
    return ends or any(reading.holds_day(day) for day in dated.days)


def _ends(dated: Dated, meant: Sequence[Dated], readings: Sequence[Reading]) -> bool:
    """Whether a date is the end of what another one rightly starts.

    An end may lie on the next day, and a stretch of days is often given with the day after it.
    """
    return any(
        timedelta() <= dated.at - start.at <= _LONGEST
        or any(dated.at == each.end and _holds(each, start) for each in readings)
        for start in meant
    )


def _encloses(given: Sequence[Dated], reading: Reading) -> bool:
    """Whether a call's dates span a reading: somebody looks through a month for one day of it."""
    moments = [each.at for each in given]
    return len(moments) > 1 and min(moments) <= reading.start and reading.start <= max(moments)


def _report_impossible(argument: Argument) -> Finding:
    return argument.build_finding(
        "date.impossible",
        issue="and there is no such day or time.",
        correction=f"Use a date that exists for {argument.name}.",
    )


def _report_unsaid(
    execution: Execution, dated: Dated, *, said: Sequence[Expression], at: Moment
) -> Finding:
    when = f"said on {at.now:%A} {at.today}"
    meant = "; ".join(
        f'"{each.text}", {when}, can mean {describe_readings(each.readings)}' for each in said
    )
    return Argument(execution, dated.name, dated.value).build_finding(
        "date.not_as_said",
        issue=f"{_describe_date(dated)}; {meant}.",
        correction=f"{_describe_choice(said)} for {dated.name}.",
    )


def _describe_date(dated: Dated) -> str:
    """The weekday, and the date where the person's calendar shows another than the argument."""
    day, shown = f"a {dated.at:%A}", str(dated.at.date())
    return day if shown in dated.value else f"which is {shown} for the person, {day}"


def _describe_choice(said: Sequence[Expression]) -> str:
    readings = [reading for each in said for reading in each.readings]
    if len(readings) > _FEW:
        return "Use one of those dates, or ask which is meant,"
    return f"Use {describe_readings(readings)}"
