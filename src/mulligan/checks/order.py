"""Times in an impossible order: an end before its start, a plan for a day that is over."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from datetime import datetime

from mulligan.checks.moments import earliest_now, local_moment
from mulligan.checks.quotes import unquoted
from mulligan.checks.subject import Parameters, Subject, effective
from mulligan.core.call import Execution
from mulligan.core.finding import Finding, Severity
from mulligan.core.interfaces import Check

_AHEAD = re.compile(
    r"\b(future|upcoming|tomorrow|tonight|next|deadline|due"
    r"|book|schedule|reschedule|postpone|plan|remind)\b",
    re.IGNORECASE,
)
"""Words of somebody who looks ahead."""
_BACK = re.compile(
    r"\b(yesterday|ago|past|previous|last|earlier|already|was|were|did|had|backdate\w*|since)\b",
    re.IGNORECASE,
)
"""Words of somebody who may look back: with one of these nothing is sure."""


def ends_after_start(*pairs: tuple[str, str]) -> Check[Subject]:
    """Flag a call whose end lies before its start, for each pair of parameters named."""

    def check(subject: Subject) -> Iterator[Finding]:
        zone = subject.turn.timezone
        for execution in effective(subject):
            given = execution.call.arguments
            for start, end in pairs:
                first = local_moment(given.get(start), zone=zone)
                last = local_moment(given.get(end), zone=zone)
                # A day without a time ends at its end, not at its first minute.
                if first and last and last < first and (last.date() < first.date() or _timed(last)):
                    yield _ends_before_start(execution, start=start, end=end)

    return check


def not_in_the_past(parameters: Parameters) -> Check[Subject]:
    """Flag a plan for a day that is over; sure only where the person looks ahead, not back."""

    def check(subject: Subject) -> Iterator[Finding]:
        message = unquoted(subject.turn.message)
        sure = _AHEAD.search(message) and not _BACK.search(message)
        today = earliest_now(subject.turn).date()
        for execution, name, moment in _moments(subject, parameters):
            if moment.date() < today:
                yield Finding(
                    rule="order.in_the_past",
                    severity=Severity.ERROR if sure else Severity.WARNING,
                    issue=f"{execution.call.tool} was given {name}={moment}, "
                    f"and that day was over: it is {today} or later.",
                    correction=f"Use a day to come for {name}.",
                    call=execution.call.id,
                )

    return check


def _timed(moment: datetime) -> bool:
    return (moment.hour, moment.minute, moment.second) != (0, 0, 0)


def _moments(subject: Subject, parameters: Parameters) -> Iterable[tuple[Execution, str, datetime]]:
    for execution in effective(subject):
        for name in parameters.get(execution.call.tool, ()):
            given = execution.call.arguments.get(name)
            if (moment := local_moment(given, zone=subject.turn.timezone)) is not None:
                yield execution, name, moment


def _ends_before_start(execution: Execution, *, start: str, end: str) -> Finding:
    given = execution.call.arguments
    return Finding(
        rule="order.ends_before_start",
        severity=Severity.ERROR,
        issue=f"{execution.call.tool} was given {end}={given[end]}, "
        f"which is before {start}={given[start]}.",
        correction=f"Give an {end} after {start}.",
        call=execution.call.id,
    )
