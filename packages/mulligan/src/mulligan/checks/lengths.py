"""From when to when, for how long, and by how much something is moved.

A call is compared where no other has such a time, and one phrase alone speaks of it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime, timedelta

from mulligan.checks.date_binding import read_known
from mulligan.checks.dates import bind_call, read_moment, read_said, read_subject
from mulligan.checks.provenance import SeenValues, with_seen
from mulligan.checks.schedule import FromTo, SlotParameters, read_end
from mulligan.checks.subject import Subject, limit_to_tools, list_effective_calls
from mulligan.types.call import Execution
from mulligan.types.display import show_name
from mulligan.types.finding import Finding, Severity
from mulligan.types.interfaces import Check
from mulligan.types.turn import Turn
from mulligan_dates.languages import choose_requests
from mulligan_dates.reader import find_meaning
from mulligan_dates.readings import NO_PINS, Expression, Grain, Moment, parse_local_moment
from mulligan_dates.tokens import drop_quotes

_DAY = timedelta(days=1)


def spans_as_said(spans: Mapping[str, SlotParameters]) -> Check[Subject]:
    """Flag a call that lasts from when to when, or for how long, the person did not say."""

    @limit_to_tools(spans)
    def check(subject: Subject) -> Iterator[Finding]:
        turn, at = subject.turn, read_moment(subject.turn)
        zone = turn.timezone
        found = [
            (each, span)
            for each in list_effective_calls(subject)
            if each.call.tool in spans
            and (span := spans[each.call.tool].read_times(each.call.arguments, zone=zone))
        ]
        if at is None or len(found) != 1 or _is_whole_days(found[0][1]):
            return
        execution, (start, end) = found[0]
        length = _read_length(turn, at)
        told = _list_spans(subject, execution, at=at)
        if length is not None and not told and end - start != length:
            yield _report(execution, "span", is_=_show(end - start), said=f"said {_show(length)}")
        elif length is None and told and all(_differ(each, (start, end)) for each in told):
            right = " or ".join(sorted({_show_span(each) for each in told}))
            yield _report(execution, "span", is_=_show_span((start, end)), said=f"said {right}")

    return check


def shifts_as_said(starts: Mapping[str, str]) -> Check[Subject]:
    """Flag an object that is not moved by what the person said, from when it was.

    `starts`: by tool, the parameter that says when something begins.
    """

    @limit_to_tools(starts, when=lambda turn: _find_shift(turn) is not None)
    def check(subject: Subject) -> Iterator[Finding]:
        turn, at = subject.turn, read_moment(subject.turn)
        by = _read_shift(turn, at) if at else []
        own = {id(each) for each in list_effective_calls(subject) if each.call.tool in starts}
        sure = by and at and len(own) == 1 and not _tells_time(subject, at)
        for execution, seen in with_seen(subject) if sure else ():
            if id(execution) not in own:
                continue
            given = execution.call.arguments.get(starts[execution.call.tool])
            begins = parse_local_moment(given, zone=turn.timezone)
            was = _find_start(execution, seen, subject)
            # Its day may be moved as well, and is held against the words for days.
            if begins and was and all((begins - was - each) % _DAY for each in by):
                right = " or ".join(f"{was + each:%H:%M}" for each in by)
                said = f"moved it from {was:%H:%M} to {right}"
                yield _report(execution, "shift", is_=f"{begins:%H:%M}", said=said)

    return check


def _differ(one: FromTo, other: FromTo) -> bool:
    """Whether two spans differ on the clock: their days are held against other words."""
    return one[0].time() != other[0].time() or one[1] - one[0] != other[1] - other[0]


def _is_whole_days(span: FromTo) -> bool:
    start, end = span
    return start.time() == end.time() == datetime.min.time()


def _list_spans(subject: Subject, execution: Execution, *, at: Moment) -> list[FromTo]:
    """The hours that the only phrase a call can be about tells; none where they are a window."""
    turn, known = subject.turn, read_known(subject)
    if choose_requests(turn.message).free.search(turn.message):
        return []
    said = read_subject(turn, known, at=at, pins=NO_PINS)
    wanted: Sequence[Expression] = bind_call(execution.call, said, known=known, at=at) or ()
    if len(wanted) != 1 or not (wanted[0].ranged or wanted[0].exact) or not wanted[0].readings:
        return []
    hours = all(
        each.grain is Grain.SPAN and timedelta() < each.end - each.start < _DAY
        for each in wanted[0].readings
    )
    return [(each.start, each.end) for each in wanted[0].readings] if hours else []


def _read_length(turn: Turn, at: Moment) -> timedelta | None:
    """How long the only thing is that is given a length: *a 30-minute call*."""
    message = drop_quotes(turn.message)
    found = list(choose_requests(message).lasting.finditer(message))
    return _measure(found[0], at) if len(found) == 1 else None


def _measure(found: re.Match[str], at: Moment) -> timedelta | None:
    """How long a phrase is, as the reader of dates understands it."""
    words = found["long"].replace("-", " ")
    meant = find_meaning(f"in {words}", at).readings
    return meant[0].start - at.now if len(meant) == 1 else None


def _find_shift(turn: Turn) -> re.Match[str] | None:
    message = drop_quotes(turn.message)
    found = list(choose_requests(message).shifted.finditer(message))
    return found[0] if len(found) == 1 else None


def _read_shift(turn: Turn, at: Moment) -> list[timedelta]:
    """By how much something is to be moved; either way where that is not said."""
    found = _find_shift(turn)
    by = _measure(found, at) if found else None
    if found is None or not by:
        return []
    told = found.groupdict()
    if told["later"] or told.get("back"):
        return [by]
    return [-by] if told["sooner"] else [by, -by]


def _tells_time(subject: Subject, at: Moment) -> bool:
    """Whether a time of day was said too: then the shift may be from that."""
    said = read_said(subject.turn, at=at, pins=NO_PINS).expressions
    return any(r.grain is not Grain.DAY for e in said if not e.leans for r in e.readings)


def _find_start(execution: Execution, seen: SeenValues, subject: Subject) -> datetime | None:
    """When the only object that a call names began, as it was last seen."""
    given = execution.call.arguments.items()
    records = (
        seen.find_record(value, name=name) for name, value in given if isinstance(value, str)
    )
    found = {start for each in records if each and (start := read_end(each, "begins", subject))}
    return found.pop() if len(found) == 1 else None


def _show_span(span: FromTo) -> str:
    return f"{span[0]:%H:%M} to {span[1]:%H:%M}"


def _show(length: timedelta) -> str:
    return f"{length.total_seconds() / 60:g} minutes"


def _report(execution: Execution, of: str, *, is_: str, said: str) -> Finding:
    return Finding(
        rule=f"time.{of}_not_as_said",
        severity=Severity.ERROR,
        issue=f"{show_name(execution.call.tool)} was given {is_}; the person {said}.",
        correction="Use the times that the person said.",
        call=execution.call.id,
    )
