"""A time and another in case it is taken: "at 10:00, or at 16:00 if I already have something"."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime, time

from mulligan.checks.language.choosing import choose_requests
from mulligan.checks.language.lexicon import load_words, split_words
from mulligan.checks.language.quotations import drop_quotes
from mulligan.checks.language.zones import parse_local_moment
from mulligan.checks.returned.records import Found, get_title_of
from mulligan.checks.returned.seen_values import SeenValues, with_seen
from mulligan.checks.slots import BUSY
from mulligan.checks.subject.concern import limit_to_tools
from mulligan.checks.subject.subject import Subject, list_effective_calls
from mulligan.core.call import Execution
from mulligan.core.display.escape import show_name
from mulligan.core.display.quoted import quote_value
from mulligan.core.finding import Finding, Severity
from mulligan.core.interfaces import Check

_SHOWN = 60

TakenTime = tuple[str, datetime, datetime]
"""What takes up a time, from when to when."""


def alternative_as_said(starts: Mapping[str, str]) -> Check[Subject]:
    """Flag the time that was meant for the other case, by what the calendar was seen to hold.

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
    taken: Sequence[TakenTime],
) -> Iterator[Finding]:
    first, second = either
    wanted = datetime.combine(begins.date(), first)
    clash = next((what for what, start, end in taken if start <= wanted < end), None)
    looked = any(start.date() == wanted.date() for _, start, _ in taken)
    if begins.time() == first and clash is not None:
        yield _build_finding(execution, taken=first, other=second, why=f"is taken by {clash}")
    elif begins.time() == first and not taken:
        why = "may be taken: nobody has looked"
        yield _build_finding(execution, taken=first, other=second, why=why, sure=False)
    elif begins.time() == second and looked and clash is None:
        why = f"was meant only if {first:%H:%M} is taken"
        yield _build_finding(execution, taken=second, other=first, why=why)


def _list_taken(subject: Subject, seen: SeenValues) -> Iterator[TakenTime]:
    """What takes up a time, as facts or as tools returned it; what this turn made is left out."""
    for fact in subject.facts:
        if fact.kind == BUSY:
            first, _, last = fact.value.partition("/")
            yield fact.subject, datetime.fromisoformat(first), datetime.fromisoformat(last)
    for record in seen.list_records():
        start, end = (_read_end(record, words, subject) for words in ("begins", "ends"))
        if start and end and not _is_made_here(record, subject):
            yield str(quote_value(get_title_of(record), most=_SHOWN)), start, end


def _read_end(record: Found, fields: str, subject: Subject) -> datetime | None:
    for name, held in record.items():
        if not load_words("fields", fields).isdisjoint(split_words(str(name))):
            return parse_local_moment(held, zone=subject.turn.timezone)
    return None


def _is_made_here(record: Found, subject: Subject) -> bool:
    """Whether it is what a call of this turn put there."""
    title = get_title_of(record)
    return any(title and title in map(str, e.call.arguments.values()) for e in subject.executions)


def _build_finding(
    execution: Execution, *, taken: time, other: time, why: str, sure: bool = True
) -> Finding:
    return Finding(
        rule="condition.other_case",
        severity=Severity.ERROR if sure else Severity.WARNING,
        issue=f"{show_name(execution.call.tool)} takes {taken:%H:%M}, which {why}.",
        correction=f"Take {other:%H:%M}." if sure else f"Look first; take {other:%H:%M} if it is.",
        call=execution.call.id,
    )
