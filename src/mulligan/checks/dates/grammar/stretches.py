"""How phrases make a range: from A to B, between A and B, Thursday from 9:30 to 11."""

from __future__ import annotations

from collections.abc import Iterator

from mulligan.checks.dates.grammar.phrases import Phrase, extend_phrase, parse_phrase, skip_glue
from mulligan.checks.dates.grammar.rules import can_open, list_openings
from mulligan.checks.dates.grammar.scan import Scan, read_day_number
from mulligan.checks.dates.parts import (
    AnyPart,
    Clock,
    DayNumber,
    Lasting,
    MonthDay,
    Part,
    Zone,
)
from mulligan.core.runtime.dataclass import dataclass

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
    openings = list_openings(scan.words)
    while i < scan.count:
        if not can_open(scan, i, openings=openings):
            i += 1
            continue
        found = _parse_spoken(scan, i)
        if found is None:
            i += 1
            continue
        i = found.end
        if not all(isinstance(part, Lasting) for part in found.parts):
            yield found


def _parse_spoken(scan: Scan, i: int) -> Spoken | None:
    if opened := _parse_opened(scan, i):
        return opened
    phrase = parse_phrase(scan, i)
    if phrase is None:
        return _extend_to_range(scan, _parse_loose_number(scan, i))
    if phrase.end >= scan.count:
        return phrase
    return _extend_to_range(scan, phrase) or _parse_hours_after(scan, phrase) or phrase


def _parse_opened(scan: Scan, i: int) -> Stretch | None:
    """A range that says it is one: from …, between …"""
    words, tokens = scan.words, scan.tokens
    between = words.between.match(tokens, i)
    opening = between or words.range_openings.match(tokens, i)
    if opening is None:
        return None
    start = scan.skip(opening[1], words.the)
    # From 10 to 2 is a range; 10 to 2 alone is ten minutes before it.
    counted = _parse_loose_number(scan, start) if words.through.match(tokens, start + 1) else None
    first = counted or parse_phrase(scan, start) or _parse_loose_number(scan, start)
    return _extend_to_range(scan, first, between=between is not None, opened=True)


def _extend_to_range(
    scan: Scan, first: Phrase | None, *, between: bool = False, opened: bool = False
) -> Stretch | None:
    """A phrase and, if one follows, the phrase up to which it goes."""
    if first is None:
        return None
    words, tokens = scan.words, scan.tokens
    joined = words.through.match(tokens, first.end)
    if joined is None and between:
        joined = words.between_and.match(tokens, first.end)
    if joined is None:
        return None
    after = scan.skip(joined[1], words.the)
    last = parse_phrase(scan, after) or _parse_loose_number(scan, after)
    if last is None:
        return None
    if not first.parts and not last.parts:
        return _make_bare_hours(scan, first, last) if opened else None
    return _match_ends(scan, first, last)


def _parse_hours_after(scan: Scan, day: Phrase) -> Stretch | None:
    """Thursday *from 9:30 to 11*: a day and the hours that follow it are one range."""
    if day.tells(Clock):
        return None
    after = skip_glue(scan, day.end)
    hours = (
        _parse_opened(scan, day.end)
        or _parse_opened(scan, after)
        or _parse_loose_hours(scan, after)
    )
    if hours is None or not all(isinstance(part, Clock | Zone | Part) for part in hours.parts):
        return None
    return Stretch(
        Phrase((*hours.first.parts, *day.parts), day.start, hours.first.end),
        Phrase((*hours.last.parts, *day.parts), hours.last.start, hours.last.end),
    )


def _parse_loose_hours(scan: Scan, i: int) -> Stretch | None:
    """Monday *3-8*: after a day, two loose numbers are hours."""
    return _extend_to_range(scan, _parse_loose_number(scan, i), opened=True)


def _parse_loose_number(scan: Scan, i: int) -> Phrase | None:
    """A number that the other end of a range will explain."""
    token = scan.tokens[i]
    number = token.ordinal if token.number is None else token.number
    if number is None or number > _HIGHEST_LOOSE:
        return None
    return Phrase((), i, i + 1)


def _match_ends(scan: Scan, first: Phrase, last: Phrase) -> Stretch | None:
    """Both ends, where a loose number is what the other end is."""
    if not first.parts:
        kind = _interpret_loose(scan, first, last.parts)
        return Stretch(Phrase(kind, first.start, first.end), last) if kind else None
    if not last.parts:
        kind = _require_after(_interpret_loose(scan, last, first.parts[::-1]), first.parts)
        last = extend_phrase(scan, Phrase(kind, last.start, last.end))
        return Stretch(first, last) if kind else None
    return Stretch(first, last)


def _make_bare_hours(scan: Scan, first: Phrase, last: Phrase) -> Stretch | None:
    """Between 3 and 5 on Friday: two bare numbers are hours if a day follows, or nothing at all."""
    start, end = (scan.tokens[each.start].number for each in (first, last))
    if start is None or end is None or not (0 < start <= _HOURS and 0 < end <= _HOURS):
        return None
    rest = parse_phrase(scan, skip_glue(scan, last.end))
    if rest is None:
        rest = Phrase((), last.start, last.end) if scan.ends(last.end) else None
    if rest is None or rest.tells(Clock):
        return None
    return Stretch(
        Phrase((Clock(start), *rest.parts), first.start, first.end),
        Phrase((Clock(end), *rest.parts), last.start, rest.end),
    )


def _require_after(last: tuple[AnyPart, ...], first: tuple[AnyPart, ...]) -> tuple[AnyPart, ...]:
    """The last end if it comes after the first: from the 24th to 5 is no stretch of days."""
    days = [part.day for part in first if isinstance(part, MonthDay | DayNumber)]
    match last:
        case (DayNumber(day=day),) if days and day <= days[0]:
            return ()
        case _:
            return last


def _interpret_loose(scan: Scan, loose: Phrase, parts: tuple[AnyPart, ...]) -> tuple[AnyPart, ...]:
    """The loose number as the first part that gives it a meaning."""
    token = scan.tokens[loose.start]
    for part in parts:
        match part:
            case Clock() if token.number is not None and token.number < _HOURS:
                return (Clock(token.number),)
            case MonthDay() | DayNumber() if (day := read_day_number(token)) is not None:
                return (DayNumber(day),)
    return ()
