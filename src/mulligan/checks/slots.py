"""Free time that was asked for, and is taken."""

from __future__ import annotations

import re
from collections.abc import Awaitable, Callable, Iterable, Iterator, Mapping, Sequence
from datetime import MAXYEAR, date, datetime, timedelta

from mulligan.checks.language.choosing import choose_requests
from mulligan.checks.language.quotations import drop_quotes
from mulligan.checks.language.zones import parse_local_moment
from mulligan.checks.subject.concern import limit_to_tools
from mulligan.checks.subject.subject import Subject, list_effective_calls
from mulligan.checks.subject.values import list_texts
from mulligan.core.call import Call
from mulligan.core.display.escape import show_name
from mulligan.core.finding import Fact, Finding, Severity
from mulligan.core.interfaces import Check, Gather
from mulligan.core.runtime.dataclass import dataclass
from mulligan.core.turn import Turn
from mulligan.core.waiting.awaiting import await_value

BUSY = "calendar.busy"
"""The kind of fact: what takes up a time, and `start/end` of it, as the person's clock shows it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Taken:
    """A stretch of time that something takes up."""

    what: str
    start: datetime
    end: datetime


FromTo = tuple[datetime, datetime]

ReadDay = Callable[[date], Iterable[Taken] | Awaitable[Iterable[Taken]]]
"""What the person's calendar has on a day."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SlotParameters:
    """Which parameters of a tool say from when to when."""

    start: str
    end: str | None = None
    minutes: str | None = None
    """Of a tool that is told how long instead."""

    def read_times(self, given: Mapping[str, object], *, zone: str | None) -> FromTo | None:
        """From when to when a call is, or `None` where that cannot be said."""
        first = parse_local_moment(given.get(self.start), zone=zone)
        last = parse_local_moment(given.get(self.end), zone=zone) if self.end else None
        minutes = str(given.get(self.minutes)) if self.minutes else ""
        if first and re.fullmatch(r"\d{1,5}", minutes) and first.year < MAXYEAR:
            last = first + timedelta(minutes=int(minutes))
        return (first, last) if first and last else None


def taken_times(spans: Mapping[str, SlotParameters], *, read: ReadDay) -> Gather:
    """Read what the person's calendar has on the days that these calls put something on."""

    async def gather(turn: Turn, calls: Sequence[Call]) -> Iterable[Fact]:
        found = [_find_times(call, spans, zone=turn.timezone) for call in calls]
        days = sorted({moment.date() for span in found if span for moment in span})
        return [
            Fact(
                kind=BUSY,
                subject=each.what,
                value=f"{each.start.isoformat()}/{each.end.isoformat()}",
                about=f"{each.what} takes up {each.start} to {each.end}.",
            )
            for day in days
            for each in await await_value(read(day))
        ]

    return gather


def free_as_asked(spans: Mapping[str, SlotParameters]) -> Check[Subject]:
    """Flag a time that is taken, where the person asked for one that is free."""

    @limit_to_tools(spans, when=_asks_for_free_time)
    def check(subject: Subject) -> Iterator[Finding]:
        if not _asks_for_free_time(subject.turn):
            return
        taken = list(_decode_taken(subject.facts))
        for execution in list_effective_calls(subject):
            call = execution.call
            span = _find_times(call, spans, zone=subject.turn.timezone)
            clash = next((t for t in taken if span and _clashes(t, span, call)), None)
            if clash:
                yield Finding(
                    rule="time.taken",
                    severity=Severity.ERROR,
                    issue=f"{show_name(call.tool)} takes a time that is not free: "
                    f"{clash.what} is from {clash.start} to {clash.end}.",
                    correction="Look at the whole day, and take a time that is free.",
                    call=call.id,
                )

    return check


def _asks_for_free_time(turn: Turn) -> bool:
    message = drop_quotes(turn.message)
    return choose_requests(message).free.search(message) is not None


def _find_times(
    call: Call, spans: Mapping[str, SlotParameters], *, zone: str | None
) -> FromTo | None:
    span = spans.get(call.tool)
    return span.read_times(call.arguments, zone=zone) if span else None


def _decode_taken(facts: Iterable[Fact]) -> Iterator[Taken]:
    for fact in facts:
        if fact.kind == BUSY:
            start, _, end = fact.value.partition("/")
            yield Taken(
                what=fact.subject,
                start=datetime.fromisoformat(start),
                end=datetime.fromisoformat(end),
            )


def _clashes(taken: Taken, span: FromTo, call: Call) -> bool:
    """Whether something else takes up the time; after the call it may be its own work."""
    start, end = span
    itself = (taken.start, taken.end) == span and taken.what in list_texts(call.arguments)
    return start < taken.end and taken.start < end and not itself
