"""Holds the times of day in a call's arguments against the one time the person said."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from mulligan.checks.concern import limit_to_calls
from mulligan.checks.dates.arguments import Dated, find_argument_dates
from mulligan.checks.dates.check import read_expressions, read_moment
from mulligan.checks.dates.conventions import NO_PINS, Pins
from mulligan.checks.dates.reading import Expression, Grain
from mulligan.checks.dates.resolve import is_read_whole
from mulligan.checks.subject import Argument, Parameters, Subject, list_effective_calls
from mulligan.core.call import Call, Execution
from mulligan.core.finding import Finding
from mulligan.core.interfaces import Check
from mulligan.core.turn import Turn


def times_as_said(parameters: Parameters | None = None, *, pins: Pins = NO_PINS) -> Check[Subject]:
    """Flag a call none of whose times of day is the one that the person said.

    Sure only of one exact time in the whole message: at half past six, and not around six, after
    six, or from six to seven. Whatever else a call has, such as an end, is left alone.
    """

    def is_comparable(turn: Turn, call: Call) -> bool:
        """Whether a call has a time of day, and the person said exactly one."""
        names = None if parameters is None else parameters.get(call.tool, ())
        given = find_argument_dates(call.arguments, zone=turn.timezone, names=names)
        at = read_moment(turn) if any(each.timed for each in given) else None
        return at is not None and bool(_find_exact_time(read_expressions(turn, at=at, pins=pins)))

    @limit_to_calls(is_comparable)
    def check(subject: Subject) -> Iterator[Finding]:
        turn = subject.turn
        at = read_moment(turn)
        # What was not read of a long message may say another time.
        whole = at is not None and is_read_whole(turn.message)
        said = _find_exact_time(read_expressions(turn, at=at, pins=pins)) if at and whole else None
        if said is None:
            return
        for execution in list_effective_calls(subject):
            names = None if parameters is None else parameters.get(execution.call.tool, ())
            given = find_argument_dates(execution.call.arguments, zone=turn.timezone, names=names)
            timed = [each for each in given if each.timed and len(each.days) == 1]
            if timed and not any(_is_said(each, said) for each in timed):
                first = min(timed, key=lambda each: each.at)
                yield _report_unsaid(execution, first, said=said)

    return check


def _find_exact_time(found: Sequence[Expression]) -> Expression | None:
    """The only expression in a message that tells a time of day, if it is exact."""
    if not all(each.known for each in found):
        return None
    timed = [each for each in found if not all(r.grain is Grain.DAY for r in each.readings)]
    if len(timed) != 1 or not timed[0].exact:
        return None
    moments = all(reading.grain is Grain.MINUTE for reading in timed[0].readings)
    return timed[0] if moments and not timed[0].superseded else None


def _is_said(dated: Dated, said: Expression) -> bool:
    time = (dated.at.hour, dated.at.minute)
    return any((each.start.hour, each.start.minute) == time for each in said.readings)


def _report_unsaid(execution: Execution, dated: Dated, *, said: Expression) -> Finding:
    times = " or ".join(sorted({f"{each.start:%H:%M}" for each in said.readings}))
    return Argument(execution, dated.name, dated.value).build_finding(
        "time.not_as_said",
        issue=f'which is {dated.at:%H:%M} for the person; they said "{said.text}", and that can '
        f"mean {times}.",
        correction=f"Use {times} for {dated.label}.",
    )
