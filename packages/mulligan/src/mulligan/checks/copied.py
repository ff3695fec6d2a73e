"""Values that nobody composes: credentials, names of people, postal codes, house numbers, moments.

An agent rightly writes titles and notes of its own. What is listed here is copied from the request
or from a result, so that a value which stands in neither was made up. No finding quotes a
credential.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from datetime import timedelta
from functools import cache
from itertools import chain
from typing import NamedTuple

from msgspec.structs import replace

from mulligan.checks.dates import read_moment, read_said
from mulligan.checks.parameters import ParameterKind, ToolKinds, ToolVerb
from mulligan.checks.provenance import SeenValues, ValueOrigin, build_unseen, with_seen
from mulligan.checks.subject import (
    Argument,
    Subject,
    find_earliest_now,
    limit_to_parameters,
    list_arguments,
    weigh_unseen,
)
from mulligan.types.call import Execution
from mulligan.types.display import show_name
from mulligan.types.finding import Finding, Severity
from mulligan.types.interfaces import Check
from mulligan.types.turn import Turn, Utterance
from mulligan_dates.lexicon import join_words, load_words, names_any, says_any
from mulligan_dates.readings import (
    NO_PINS,
    Expression,
    Moment,
    Reading,
    parse_local_moment,
)
from mulligan_dates.text import fold_name, split_letters, split_name

_HOUSE = re.compile(r"\d+[a-z]?\b", re.IGNORECASE)
_CLOCK = re.compile(r"(?:^|[T ])(\d\d):(\d\d)(?=(?::00(?:\.0+)?)?$)")
"""The time of a moment without a zone."""
_SAID_CLOCK = re.compile(r"\b\d{1,2}(?::\d\d)?\s?[ap]\.?m\b|\b\d{1,2}:\d\d\b", re.IGNORECASE)
_SAID_HOUR = re.compile(
    r"(?<!\d)(?<!\d[:.])(\d{1,2})(?!\d)(?:(?:[:.]\d\d)?\s?([ap])\.?m\b)?", re.IGNORECASE
)
_NUMBER = re.compile(r"(?<!\d)\d{1,2}(?!\d)")
_ALL_DAY = frozenset({"00:00", "23:59"})
_DAY = re.compile(r"\d{4}-\d\d-\d\d(?!\d)")
_LONGEST = 5_000
"""Characters of a conversation in which days are looked for."""
_EARLIER = timedelta(days=3)
"""Any other day than today, to tell what is counted from it."""
_MOMENT = re.compile(r"(?<![\d-])(\d{4}-\d\d-\d\d)[T ](\d\d:\d\d)(?!\d)")


class _Copied(NamedTuple):
    """The parameters of one tool that hold what is copied."""

    secrets: tuple[str, ...]
    people: tuple[str, ...]
    codes: tuple[str, ...]
    streets: tuple[str, ...]
    times: tuple[str, ...]


def copied_as_said(tools: Mapping[str, ToolKinds]) -> Check[Subject]:
    """Flag a value of a kind that is always copied, and that was neither said nor returned."""
    chosen = {name: _choose(each) for name, each in tools.items()}
    copied = {name: each for name, each in chosen.items() if any(each)}

    @limit_to_parameters({name: tuple(chain(*each)) for name, each in copied.items()})
    def check(subject: Subject) -> Iterator[Finding]:
        for execution, seen in with_seen(subject) if copied else ():
            own = copied.get(execution.call.tool)
            if own is None:
                continue
            for argument in list_arguments(execution, own.secrets):
                yield from _check_secret(argument, seen, subject.turn)
            for argument in _list_made_up(execution, own, seen):
                yield _report(argument, subject.turn, tools[execution.call.tool])
            for argument in list_arguments(execution, own.times):
                yield from _check_moment(argument, subject.turn, seen)
                yield from _check_day(argument, subject.turn, seen)

    return check


def _list_made_up(execution: Execution, own: _Copied, seen: SeenValues) -> Iterator[Argument]:
    for argument in list_arguments(execution, own.people):
        words = split_letters(argument.value)
        if words and not any(map(seen.was_met, words)):
            yield argument
    for argument in list_arguments(execution, own.codes):
        if _is_nowhere(argument.value, seen) and not seen.has_written(argument.value):
            yield argument
    for argument in list_arguments(execution, own.streets):
        if not all(map(seen.was_met, _HOUSE.findall(argument.value.casefold()))):
            yield argument


def _choose(tool: ToolKinds) -> _Copied:
    names = {name: frozenset(split_name(name)) for name in tool.chosen}
    times = (ParameterKind.DATE, ParameterKind.START)
    return _Copied(
        secrets=tuple(_select(names, "credential")),
        people=tuple(name for name, words in names.items() if _names_person(tool, words)),
        codes=tuple(_select(names, "postal_code")),
        streets=tuple(name for name in names if fold_name(name) in load_words("copied", "street")),
        times=tuple(name for name, each in tool.chosen.items() if each.kind in times),
    )


def _select(names: Mapping[str, frozenset[str]], kind: str) -> Iterator[str]:
    wanted = load_words("copied", kind)
    return (name for name, words in names.items() if not wanted.isdisjoint(words))


def _names_person(tool: ToolKinds, words: frozenset[str]) -> bool:
    """Whether a parameter holds the name of a person, or of a thing that is there already."""
    if "name" not in words:
        return False
    people, parts = load_words("copied", "person"), load_words("copied", "part_of_name")
    of_person = not people.isdisjoint(words - {"user"}) or not parts.isdisjoint(words)
    about = not people.isdisjoint(split_name(tool.tool))
    return of_person or (words == {"name"} and (about or tool.verb is ToolVerb.REMOVE))


def _is_nowhere(value: str, seen: SeenValues) -> bool:
    return seen.find_origin(value) is ValueOrigin.NOWHERE


def _check_secret(argument: Argument, seen: SeenValues, turn: Turn) -> Iterator[Finding]:
    said = (turn.message, *turn.history.said)
    if not _is_nowhere(argument.value, seen) or any(map(_compile_chosen().search, said)):
        return
    call = argument.execution.call
    yield Finding(
        rule="value.never_seen",
        severity=weigh_unseen(turn),
        issue=f"{show_name(call.tool)} was given a {argument.label} "
        "that the person did not say and no tool returned.",
        correction=f"Ask the person for the {argument.label}.",
        call=call.id,
    )


@cache
def _compile_chosen() -> re.Pattern[str]:
    """Words with which a person leaves the choice of a credential to the agent."""
    return re.compile(rf"\b(?:{join_words('copied', 'made_up')})\b", re.IGNORECASE)


def _check_moment(argument: Argument, turn: Turn, seen: SeenValues) -> Iterator[Finding]:
    """Of a day that was said with its time in figures, only that time is meant.

    Else a time must be one that somebody has said or returned, as far as times were said at all.
    """
    given = _CLOCK.search(argument.value)
    if given is None or given[0][-5:] in _ALL_DAY or _says(turn, "shifts"):
        return
    said = (turn.message, *turn.history.said)
    moments = (each for text in said for each in _MOMENT.finditer(text))
    hours = {each[2] for each in moments if argument.value.startswith(each[1])}
    if not hours and not _is_unheard(int(given[1]), int(given[2]), said):
        return
    if given[0][-5:] not in hours and not _was_returned(int(given[1]), given[2], seen):
        told = f"the person said {', '.join(sorted(hours))} of that day" if hours else ""
        yield argument.build_finding(
            "time.not_as_said",
            issue=f"and {told or 'that time was not mentioned'}.",
            correction=f"Give {argument.label} as the person said it.",
        )


def _check_day(argument: Argument, turn: Turn, seen: SeenValues) -> Iterator[Finding]:
    """Where the days were said earlier in the conversation, a day must be one of them.

    What the message itself says of days is held against the call by `dates_as_said`.
    """
    written = _DAY.match(argument.value)
    moment = parse_local_moment(written[0], zone=None) if written else None
    day = moment.date() if moment else None
    said = _find_earlier_days(turn) if day else []
    if day is None or not said or any(each.holds_day(day) for each in said):
        return
    if any(map(seen.was_returned, (day.isoformat(), str(day.day)))):
        return
    told = sorted({each.start.date() for each in said if each.last_day == each.start.date()})
    if told and not 0 <= (day - find_earliest_now(turn).date()).days <= 1:
        shown = ", ".join(each.isoformat() for each in told[:3])
        yield argument.build_finding(
            "date.not_as_said",
            issue=f"and the conversation speaks of {shown}, and of no such day.",
            correction=f"Give {argument.label} as the person said it.",
        )


def _find_earlier_days(turn: Turn) -> list[Reading]:
    """All days that the conversation can mean; empty where the message says one, or where what
    was said is not understood, is counted from something else, or was not read whole."""
    history = turn.history
    if not history.said or history.is_partial or _says(turn, "counts"):
        return []
    at = read_moment(turn)
    if at is None or _read_days(turn, at):
        return []
    spoken = "\n".join(each.text for each in history.entries if isinstance(each, Utterance))
    if len(spoken) > _LONGEST:
        return []
    told = replace(turn, message=spoken)
    days = _read_days(told, at)
    # What was said relative to another day than today cannot be told: "yesterday" of last week.
    fixed = days == _read_days(told, replace(at, now=at.now - _EARLIER))
    known = fixed and all(each.known for each in days)
    return [reading for each in days for reading in each.readings] if known else []


def _read_days(turn: Turn, at: Moment) -> list[Expression]:
    """What speaks of days, without the now of "now, please"."""
    said = read_said(turn, at=at, pins=NO_PINS).expressions
    return [e for e in said if e.dated and {r.end for r in e.readings} != {at.now}]


def _says(turn: Turn, kind: str) -> bool:
    """Whether the conversation has words that shift a time, or that count a day from another."""
    return any(says_any(each, "copied", kind) for each in (turn.message, *turn.history.said))


def _was_returned(hour: int, minute: str, seen: SeenValues) -> bool:
    written = (f"{hour:02}:{minute}", f"{hour}:{minute}", f"{hour % 12 or 12}:{minute}")
    return any(map(seen.was_returned, written))


def _is_unheard(hour: int, minute: int, said: Iterable[str]) -> bool:
    """Whether times were said, and no number that could be this one."""
    text = " ".join(said)
    if _SAID_CLOCK.search(text) is None:
        return False
    hours = {each for found in _SAID_HOUR.finditer(text) for each in _read_hours(found)}
    minutes = {0, *map(int, _NUMBER.findall(text))}
    return hour not in hours or minute not in minutes


def _read_hours(found: re.Match[str]) -> tuple[int, ...]:
    """What hour a number can be: without am or pm, of either half of the day."""
    hour = int(found[1])
    if found[2]:
        return (hour % 12 + (12 if found[2] in "pP" else 0),)
    return (hour, hour % 12, hour % 12 + 12) if hour <= 12 else (hour,)


def _report(argument: Argument, turn: Turn, tool: ToolKinds) -> Finding:
    correction = "Use the one that the person said or a tool returned. Otherwise ask for it."
    found = build_unseen(argument, turn, correction)
    # An application may know whose records its agent keeps, and not say so.
    kept = names_any(tool.tool, "deeds", ToolVerb.CHANGE) and "name" in split_name(argument.name)
    return replace(found, severity=Severity.WARNING) if kept else found
