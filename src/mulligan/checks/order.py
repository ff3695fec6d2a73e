"""Times in an impossible order: an end before its start, a plan for a day that is over."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from datetime import datetime

from mulligan.checks.language.choosing import choose_requests
from mulligan.checks.language.quotations import drop_quotes
from mulligan.checks.language.zones import parse_local_moment
from mulligan.checks.subject.concern import limit_to_calls, limit_to_parameters
from mulligan.checks.subject.moments import find_earliest_now
from mulligan.checks.subject.subject import Parameters, Subject, list_effective_calls
from mulligan.core.call import Execution
from mulligan.core.display.escape import show_name
from mulligan.core.display.quoted import quote_value
from mulligan.core.finding import Finding, Severity
from mulligan.core.interfaces import Check

_SHOWN = 60
"""Characters of a value in a sentence."""


def ends_after_start(*pairs: tuple[str, str]) -> Check[Subject]:
    """Flag a call whose end lies before its start, for each pair of parameters named."""

    @limit_to_calls(lambda _, call: any({*pair} <= {*call.arguments} for pair in pairs))
    def check(subject: Subject) -> Iterator[Finding]:
        zone = subject.turn.timezone
        for execution in list_effective_calls(subject):
            given = execution.call.arguments
            for start, end in pairs:
                first = parse_local_moment(given.get(start), zone=zone)
                last = parse_local_moment(given.get(end), zone=zone)
                # A day without a time ends at its end, not at its first minute.
                if (
                    first
                    and last
                    and last < first
                    and (last.date() < first.date() or _has_time(last))
                ):
                    yield _build_finding(execution, start=start, end=end)

    return check


def not_in_the_past(parameters: Parameters) -> Check[Subject]:
    """Flag a plan for a day that is over; sure only where the person looks ahead, not back."""

    @limit_to_parameters(parameters)
    def check(subject: Subject) -> Iterator[Finding]:
        message = drop_quotes(subject.turn.message)
        phrases = choose_requests(message)
        sure = phrases.ahead.search(message) and not phrases.back.search(message)
        today = find_earliest_now(subject.turn).date()
        for execution, name, moment in _list_moments(subject, parameters):
            if moment.date() < today:
                yield Finding(
                    rule="order.in_the_past",
                    severity=Severity.ERROR if sure else Severity.WARNING,
                    issue=f"{show_name(execution.call.tool)} was given {show_name(name)}={moment}, "
                    f"and that day was over: it is {today} or later.",
                    correction=f"Use a day to come for {show_name(name)}.",
                    call=execution.call.id,
                )

    return check


def _has_time(moment: datetime) -> bool:
    return (moment.hour, moment.minute, moment.second) != (0, 0, 0)


def _list_moments(
    subject: Subject, parameters: Parameters
) -> Iterable[tuple[Execution, str, datetime]]:
    for execution in list_effective_calls(subject):
        for name in parameters.get(execution.call.tool, ()):
            given = execution.call.arguments.get(name)
            if (moment := parse_local_moment(given, zone=subject.turn.timezone)) is not None:
                yield execution, name, moment


def _build_finding(execution: Execution, *, start: str, end: str) -> Finding:
    given = execution.call.arguments
    first, last = show_name(start), show_name(end)
    began, ended = (quote_value(given[name], most=_SHOWN) for name in (start, end))
    return Finding(
        rule="order.ends_before_start",
        severity=Severity.ERROR,
        issue=f"{show_name(execution.call.tool)} was given {last}={ended}, which is before "
        f"{first}={began}.",
        correction=f"Give an {last} after {first}.",
        call=execution.call.id,
    )
