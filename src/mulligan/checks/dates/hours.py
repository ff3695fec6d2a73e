"""Holds the times of day in a call's arguments against the one time the person said."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from mulligan.checks.dates.arguments import Dated, find_argument_dates
from mulligan.checks.dates.binding.bound import choose_times, list_call_words
from mulligan.checks.dates.binding.masking import NamedRecords, find_known_records, read_known
from mulligan.checks.dates.check import (
    is_reckoned_from_object,
    read_moment,
    read_said,
    read_subject,
)
from mulligan.checks.dates.conventions import NO_PINS, Pins
from mulligan.checks.dates.moment import Moment
from mulligan.checks.dates.reading import Expression
from mulligan.checks.dates.resolve import SaidPhrases, is_read_whole
from mulligan.checks.subject.concern import limit_to_calls
from mulligan.checks.subject.subject import Argument, Parameters, Subject, list_effective_calls
from mulligan.core.call import Call, Execution
from mulligan.core.finding import Finding
from mulligan.core.interfaces import Check
from mulligan.core.turn import Turn


def times_as_said(parameters: Parameters | None = None, *, pins: Pins = NO_PINS) -> Check[Subject]:
    """Flag a call none of whose times of day is the one that the person said.

    Sure only of one exact time in what the call can be about: at half past six, and not around
    six, after six, or from six to seven. Whatever else a call has, such as an end, is left alone.
    """

    def is_comparable(turn: Turn, call: Call) -> bool:
        """Whether a call has a time of day, and the person said exactly one."""
        names = None if parameters is None else parameters.get(call.tool, ())
        given = find_argument_dates(call.arguments, zone=turn.timezone, names=names)
        at = read_moment(turn) if any(each.timed for each in given) else None
        if at is None:
            return False
        said, words = read_said(turn, at=at, pins=pins), list_call_words(call, ())
        return bool(choose_times(said.expressions, said.clauses, words=words, today=at.today))

    @limit_to_calls(is_comparable)
    def check(subject: Subject) -> Iterator[Finding]:
        turn = subject.turn
        at = read_moment(turn)
        # What was not read of a long message may say another time.
        whole = at is not None and is_read_whole(turn.message)
        if at is None or not whole:
            return
        known = read_known((*subject.earlier, *subject.executions), subject.facts)
        said = read_subject(turn, known, at=at, pins=pins)
        for execution in list_effective_calls(subject):
            names = None if parameters is None else parameters.get(execution.call.tool, ())
            given = find_argument_dates(execution.call.arguments, zone=turn.timezone, names=names)
            timed = [each for each in given if each.timed and len(each.days) == 1]
            leans = is_reckoned_from_object(execution.call, said)
            told = [] if leans or not timed else _bind_times(execution.call, said, known, at=at)
            if told and not any(_is_said(each, one) for each in timed for one in told):
                first = min(timed, key=lambda each: each.at)
                yield _report_unsaid(execution, first, said=told)

    return check


def _bind_times(
    call: Call, said: SaidPhrases, known: NamedRecords, *, at: Moment
) -> list[Expression]:
    words = list_call_words(call, find_known_records(call, known))
    return choose_times(said.expressions, said.clauses, words=words, today=at.today)


def _is_said(dated: Dated, said: Expression) -> bool:
    time = (dated.at.hour, dated.at.minute)
    return any((each.start.hour, each.start.minute) == time for each in said.readings)


def _report_unsaid(execution: Execution, dated: Dated, *, said: Sequence[Expression]) -> Finding:
    times = " or ".join(sorted({f"{r.start:%H:%M}" for each in said for r in each.readings}))
    words = " and ".join(f'"{each.text}"' for each in said)
    return Argument(execution, dated.name, dated.value).build_finding(
        "time.not_as_said",
        issue=f"which is {dated.at:%H:%M} for the person; they said {words}, and that can "
        f"mean {times}.",
        correction=f"Use {times} for {dated.label}.",
    )
