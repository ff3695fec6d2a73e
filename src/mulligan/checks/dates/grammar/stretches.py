"""How phrases make a range: from A to B, between A and B, Thursday from 9:30 to 11."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from mulligan.checks.dates.grammar.phrases import Phrase, continued, over_glue, phrase_at
from mulligan.checks.dates.grammar.scan import Scan, day_number
from mulligan.checks.dates.parts import (
    AnyPart,
    Clock,
    DayNumber,
    Lasting,
    MonthDay,
    Part,
    Zone,
)

_HIGHEST_LOOSE = 31
_HOURS = 24


@dataclass(frozen=True, slots=True)
class Stretch:
    """From one phrase to another."""

    first: Phrase
    last: Phrase

    @property
    def start(self) -> int:
        """Its first token."""
        return self.first.start

    @property
    def end(self) -> int:
        """The token after it."""
        return self.last.end

    @property
    def parts(self) -> tuple[AnyPart, ...]:
        """Those of both ends."""
        return (*self.first.parts, *self.last.parts)


Spoken = Phrase | Stretch
"""Anything in a message that speaks of time."""


def read(scan: Scan) -> Iterator[Spoken]:
    """Every phrase and every range about time in a message, in order."""
    i = 0
    while i < scan.count:
        found = _found_at(scan, i)
        if found is None:
            i += 1
            continue
        i = found.end
        if not all(isinstance(part, Lasting) for part in found.parts):
            yield found


def _found_at(scan: Scan, i: int) -> Spoken | None:
    if opened := _opened_at(scan, i):
        return opened
    phrase = phrase_at(scan, i)
    if phrase is None:
        return _extended(scan, _loose(scan, i))
    return _extended(scan, phrase) or _with_hours(scan, phrase) or phrase


def _opened_at(scan: Scan, i: int) -> Stretch | None:
    """A range that says it is one: from …, between …"""
    words, tokens = scan.words, scan.tokens
    between = words.between.at(tokens, i)
    opening = between or words.range_openings.at(tokens, i)
    if opening is None:
        return None
    start = scan.skip(opening[1], words.the)
    # From 10 to 2 is a range; 10 to 2 alone is ten minutes before it.
    counted = _loose(scan, start) if words.through.at(tokens, start + 1) else None
    first = counted or phrase_at(scan, start) or _loose(scan, start)
    return _extended(scan, first, between=between is not None, opened=True)


def _extended(
    scan: Scan, first: Phrase | None, *, between: bool = False, opened: bool = False
) -> Stretch | None:
    """A phrase and, if one follows, the phrase up to which it goes."""
    if first is None:
        return None
    words, tokens = scan.words, scan.tokens
    joined = words.through.at(tokens, first.end)
    if joined is None and between:
        joined = words.between_and.at(tokens, first.end)
    if joined is None:
        return None
    after = scan.skip(joined[1], words.the)
    last = phrase_at(scan, after) or _loose(scan, after)
    if last is None:
        return None
    if not first.parts and not last.parts:
        return _hours(scan, first, last) if opened else None
    return _matched(scan, first, last)


def _with_hours(scan: Scan, day: Phrase) -> Stretch | None:
    """Thursday *from 9:30 to 11*: a day and the hours that follow it are one range."""
    if day.tells(Clock):
        return None
    after = over_glue(scan, day.end)
    hours = _opened_at(scan, day.end) or _opened_at(scan, after) or _extended_at(scan, after)
    if hours is None or not all(isinstance(part, Clock | Zone | Part) for part in hours.parts):
        return None
    return Stretch(
        Phrase((*hours.first.parts, *day.parts), day.start, hours.first.end),
        Phrase((*hours.last.parts, *day.parts), hours.last.start, hours.last.end),
    )


def _extended_at(scan: Scan, i: int) -> Stretch | None:
    """Monday *3-8*: after a day, two loose numbers are hours."""
    return _extended(scan, _loose(scan, i), opened=True)


def _loose(scan: Scan, i: int) -> Phrase | None:
    """A number that the other end of a range will explain."""
    token = scan.tokens[i]
    number = token.ordinal if token.number is None else token.number
    if number is None or number > _HIGHEST_LOOSE:
        return None
    return Phrase((), i, i + 1)


def _matched(scan: Scan, first: Phrase, last: Phrase) -> Stretch | None:
    """Both ends, where a loose number is what the other end is."""
    if not first.parts:
        kind = _like(scan, first, last.parts)
        return Stretch(Phrase(kind, first.start, first.end), last) if kind else None
    if not last.parts:
        kind = _after_all(_like(scan, last, first.parts[::-1]), first.parts)
        last = continued(scan, Phrase(kind, last.start, last.end))
        return Stretch(first, last) if kind else None
    return Stretch(first, last)


def _hours(scan: Scan, first: Phrase, last: Phrase) -> Stretch | None:
    """Between 3 and 5 on Friday: two bare numbers are hours if a day follows, or nothing at all."""
    start, end = (scan.tokens[each.start].number for each in (first, last))
    if start is None or end is None or not (0 < start <= _HOURS and 0 < end <= _HOURS):
        return None
    rest = phrase_at(scan, over_glue(scan, last.end))
    if rest is None:
        rest = Phrase((), last.start, last.end) if scan.ends(last.end) else None
    if rest is None or rest.tells(Clock):
        return None
    return Stretch(
        Phrase((Clock(start), *rest.parts), first.start, first.end),
        Phrase((Clock(end), *rest.parts), last.start, rest.end),
    )


def _after_all(last: tuple[AnyPart, ...], first: tuple[AnyPart, ...]) -> tuple[AnyPart, ...]:
    """The last end if it comes after the first: from the 24th to 5 is no stretch of days."""
    days = [part.day for part in first if isinstance(part, MonthDay | DayNumber)]
    match last:
        case (DayNumber(day=day),) if days and day <= days[0]:
            return ()
        case _:
            return last


def _like(scan: Scan, loose: Phrase, parts: tuple[AnyPart, ...]) -> tuple[AnyPart, ...]:
    """The loose number as the first part that gives it a meaning."""
    token = scan.tokens[loose.start]
    for part in parts:
        match part:
            case Clock() if token.number is not None and token.number < _HOURS:
                return (Clock(token.number),)
            case MonthDay() | DayNumber() if (day := day_number(token)) is not None:
                return (DayNumber(day),)
    return ()
