"""Times of a calendar: their order, free time that is taken, the first of a day, another one."""

from __future__ import annotations

import re
from collections.abc import Awaitable, Callable, Iterable, Iterator, Mapping, Sequence
from datetime import MAXYEAR, date, datetime, time, timedelta

from msgspec import Struct

from mulligan.checks.ids import Read, list_ids
from mulligan.checks.provenance import SeenValues, with_seen
from mulligan.checks.subject import (
    Parameters,
    Subject,
    find_earliest_now,
    limit_to_calls,
    limit_to_parameters,
    limit_to_tools,
    list_effective_calls,
    select_arguments,
)
from mulligan.checks.tool_outputs import Found, as_record, get_title_of, list_texts
from mulligan.process.user_functions import await_value
from mulligan.types.call import Call, Execution
from mulligan.types.display import quote_value, show_name
from mulligan.types.finding import Fact, Finding, Severity
from mulligan.types.interfaces import Check, Gather
from mulligan.types.turn import Turn
from mulligan_dates.languages import choose_requests
from mulligan_dates.lexicon import names_any
from mulligan_dates.readings import parse_local_moment
from mulligan_dates.tokens import drop_quotes


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
                    yield _report_order(execution, start=start, end=end)

    return check


def not_in_the_past(parameters: Parameters) -> Check[Subject]:
    """Flag a plan for a past day; an error only where the person speaks of the future."""

    @limit_to_parameters(parameters)
    def check(subject: Subject) -> Iterator[Finding]:
        message = drop_quotes(subject.turn.message)
        phrases = choose_requests(message)
        sure = phrases.ahead.search(message) and not phrases.back.search(message)
        today = find_earliest_now(subject.turn).date()
        for execution, name, moment in _list_moments(subject, parameters):
            if (day := moment.date()) < today:
                yield Finding(
                    rule="order.in_the_past",
                    severity=Severity.ERROR if sure else Severity.WARNING,
                    issue=f"{show_name(execution.call.tool)} was given {show_name(name)}={day}, "
                    f"which is in the past: today is {today} or later.",
                    correction=f"Use a future day for {show_name(name)}.",
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


def _report_order(execution: Execution, *, start: str, end: str) -> Finding:
    given = execution.call.arguments
    first, last = show_name(start), show_name(end)
    began, ended = (quote_value(given[name]) for name in (start, end))
    return Finding(
        rule="order.ends_before_start",
        severity=Severity.ERROR,
        issue=f"{show_name(execution.call.tool)} was given {last}={ended}, which is before "
        f"{first}={began}.",
        correction=f"Give an {last} after {first}.",
        call=execution.call.id,
    )


BUSY = "calendar.busy"
"""The kind of fact: what takes up a time, and `start/end` of it, as the person's clock shows it."""


class Taken(Struct, frozen=True, kw_only=True):
    """A stretch of time that something takes up."""

    what: str
    start: datetime
    end: datetime


FromTo = tuple[datetime, datetime]

ReadDay = Callable[[date], Iterable[Taken] | Awaitable[Iterable[Taken]]]
"""What the person's calendar has on a day."""


class SlotParameters(Struct, frozen=True, kw_only=True):
    """Which parameters of a tool say from when to when."""

    start: str
    end: str | None = None
    minutes: str | None = None
    """For a tool that takes a duration instead."""

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


RANK = "calendar.rank"
"""The kind of fact: where in its day an object stands: `first`, `last`, `only`, `between`."""


def ranks_read(parameters: Parameters, *, when: str, read: Read, read_day: ReadDay) -> Gather:
    """Find out where in its day each object stands that a call names.

    `read` and `when` say on which day it is, `read_day` what else that day has.
    """

    async def gather(turn: Turn, calls: Sequence[Call]) -> Iterable[Fact]:
        facts: list[Fact] = []
        for value in dict.fromkeys(list_ids(calls, parameters)):
            held = as_record(await await_value(read(value))).get(when)
            moment = parse_local_moment(held, zone=turn.timezone)
            if moment is not None:
                starts = [each.start for each in await await_value(read_day(moment.date()))]
                facts.extend(_build_facts(value, moment, starts))
        return facts

    return gather


def rank_as_said(parameters: Parameters) -> Check[Subject]:
    """Flag an object that is not the first or last of its day, where that one was asked for."""

    @limit_to_parameters(parameters, when=_find_rank)
    def check(subject: Subject) -> Iterator[Finding]:
        wanted = _find_rank(subject.turn)
        ranks = {fact.subject: fact.value for fact in subject.facts if fact.kind == RANK}
        for argument in select_arguments(subject, parameters):
            if ranks.get(argument.value, wanted) not in (wanted, "only"):
                yield argument.build_finding(
                    "object.wrong_rank",
                    issue=f"which is not the {wanted} of its day.",
                    correction=f"Look at the whole day, and take the {wanted}.",
                )

    return check


def _find_rank(turn: Turn) -> str | None:
    """The only place in an order that is asked for: `first` or `last`."""
    message = drop_quotes(turn.message)
    phrases = choose_requests(message)
    asked = {found.lastgroup for found in phrases.rank.finditer(message)}
    # Whatever narrows it down further ("with Ann", "about the budget") makes another list.
    return asked.pop() if len(asked) == 1 and not phrases.narrowed.search(message) else None


def _build_facts(value: str, moment: datetime, starts: Sequence[datetime]) -> Iterator[Fact]:
    if moment not in starts:
        return
    first, last = moment == min(starts), moment == max(starts)
    rank = {(True, True): "only", (True, False): "first", (False, True): "last"}.get(
        (first, last), "between"
    )
    about = f"{value!r} is the {rank} of {len(starts)} on {moment.date()}."
    yield Fact(kind=RANK, subject=value, value=rank, about=about)


def alternative_as_said(starts: Mapping[str, str]) -> Check[Subject]:
    """Flag the time meant for the other case, by what was read of the calendar.

    `starts`: by tool, the parameter that says when something begins. Without a look at that day
    nothing is said, except of taking the first time unseen.
    """

    @limit_to_tools(starts, when=lambda turn: read_either(turn.message))
    def check(subject: Subject) -> Iterator[Finding]:
        either = read_either(subject.turn.message)
        if either is None:
            return
        own = {id(each) for each in list_effective_calls(subject) if each.call.tool in starts}
        for execution, seen in with_seen(subject):
            if id(execution) in own:
                given = execution.call.arguments.get(starts[execution.call.tool])
                begins = parse_local_moment(given, zone=subject.turn.timezone)
                if begins is not None and begins.time() in either:
                    taken = list(_list_taken(subject, seen))
                    yield from _compare(execution, begins, either=either, taken=taken)

    return check


def read_either(message: str) -> tuple[time, time] | None:
    """The time that was asked for, and the one to take if that is not free."""
    bare = drop_quotes(message)
    found = choose_requests(bare).either.search(bare)
    if found is None:
        return None
    first, second = (_read_clock(found, each) for each in "ab")
    return (first, second) if first and second and first != second else None


def _read_clock(found: re.Match[str], name: str) -> time | None:
    half = (found[f"{name}p"] or "").lower()
    hour = int(found[f"{name}h"])
    if half:
        hour = hour % 12 + (12 if half == "pm" else 0)
    minute = int(found[f"{name}m"] or 0)
    return time(hour, minute) if hour < 24 and minute < 60 else None


def _compare(
    execution: Execution,
    begins: datetime,
    *,
    either: tuple[time, time],
    taken: Sequence[Taken],
) -> Iterator[Finding]:
    first, second = either
    wanted = datetime.combine(begins.date(), first)
    clash = next((each.what for each in taken if each.start <= wanted < each.end), None)
    looked = any(each.start.date() == wanted.date() for each in taken)
    if begins.time() == first and clash is not None:
        yield _report_alternative(execution, taken=first, other=second, why=f"is taken by {clash}")
    elif begins.time() == first and not taken:
        why = "may be taken: the calendar was not read"
        yield _report_alternative(execution, taken=first, other=second, why=why, sure=False)
    elif begins.time() == second and looked and clash is None:
        why = f"was meant only if {first:%H:%M} is taken"
        yield _report_alternative(execution, taken=second, other=first, why=why)


def _list_taken(subject: Subject, seen: SeenValues) -> Iterator[Taken]:
    """What takes up a time, as facts or as tools returned it; what this turn made is left out."""
    yield from _decode_taken(subject.facts)
    for record in seen.list_records():
        start, end = (read_end(record, words, subject) for words in ("begins", "ends"))
        if start and end and not _is_made_here(record, subject):
            yield Taken(what=str(quote_value(get_title_of(record))), start=start, end=end)


def read_end(record: Found, fields: str, subject: Subject) -> datetime | None:
    """When a record `begins` or `ends`."""
    for name, held in record.items():
        if names_any(str(name), "fields", fields):
            return parse_local_moment(held, zone=subject.turn.timezone)
    return None


def _is_made_here(record: Found, subject: Subject) -> bool:
    """Whether it is what a call of this turn put there."""
    title = get_title_of(record)
    return any(title and title in map(str, e.call.arguments.values()) for e in subject.executions)


def _report_alternative(
    execution: Execution, *, taken: time, other: time, why: str, sure: bool = True
) -> Finding:
    return Finding(
        rule="condition.other_case",
        severity=Severity.ERROR if sure else Severity.WARNING,
        issue=f"{show_name(execution.call.tool)} takes {taken:%H:%M}, which {why}.",
        correction=f"Take {other:%H:%M}." if sure else f"Check first; use {other:%H:%M} if so.",
        call=execution.call.id,
    )
