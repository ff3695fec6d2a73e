"""How parts make a phrase: one pass from left to right."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from mulligan.checks.dates.grammar.clocks import parse_bare_hour, parse_clock
from mulligan.checks.dates.grammar.rules import parse_first_part, parse_next_part
from mulligan.checks.dates.grammar.scan import Scan
from mulligan.checks.dates.grammar.shifts import parse_added_amount, parse_shift
from mulligan.checks.dates.parts import (
    AnyPart,
    Clock,
    Counted,
    DayNumber,
    DayShift,
    Edge,
    Feast,
    Lasting,
    Midnight,
    Month,
    MonthDay,
    Now,
    Nth,
    NumericDate,
    Part,
    Period,
    Puzzle,
    Quarter,
    ThisTime,
    Weekday,
    WeekdayAway,
    WeekdayFrom,
    WeekOf,
    Within,
    Year,
    YearOrTime,
    Zone,
)
from mulligan.checks.language.senses import Limit, Unit
from mulligan.core.runtime.dataclass import dataclass

_SLOTS: dict[type, str] = {
    Clock: "clock",
    Midnight: "clock",
    ThisTime: "clock",
    Part: "part",
    Zone: "zone",
    Weekday: "weekday",
    Nth: "weekday",
    WeekdayAway: "weekday",
    WeekdayFrom: "weekday",
    MonthDay: "date",
    NumericDate: "date",
    DayNumber: "date",
    Feast: "date",
    DayShift: "day",
    Now: "day",
    Period: "period",
    Counted: "period",
    Month: "period",
    Quarter: "period",
    Within: "period",
    Year: "year",
    YearOrTime: "year",
    Lasting: "lasting",
    Edge: "edge",
    WeekOf: "edge",
}
"""A phrase has one part for each slot; a second one begins another phrase."""

_ONE_DAY = (DayShift, MonthDay, NumericDate, Weekday)
_MOST_PARTS = 8
_MOST_GLUE = 3
_SOFT_REACH = 3
_LONGEST_LIMIT = 3


@dataclass(frozen=True, slots=True)
class Phrase:
    """Parts that belong together, and the tokens they span."""

    parts: tuple[AnyPart, ...]
    start: int
    end: int
    limit: Limit | None = None
    """The word before it that makes it an edge: since, until."""

    def tells(self, *kinds: type) -> bool:
        """Whether one of its parts is of such a kind."""
        return any(isinstance(part, kinds) for part in self.parts)


def parse_phrase(scan: Scan, i: int) -> Phrase | None:
    """The longest phrase that begins at a token."""
    found = parse_first_part(scan, i)
    if found is None:
        return None
    first = found[0][0]
    if isinstance(first, Period | Month | Year) and _is_softened(scan, i):
        return Phrase((Puzzle(),), i, found[1])
    phrase = extend_phrase(scan, Phrase(found[0], i, found[1]))
    return replace(phrase, limit=limit) if (limit := _find_limit_before(scan, i, first)) else phrase


def extend_phrase(scan: Scan, phrase: Phrase) -> Phrase:
    """A phrase with every part that follows and fits."""
    if phrase.end >= scan.count:
        return phrase
    parts, end = phrase.parts, phrase.end
    taken = set(_list_slots(parts))
    while len(parts) < _MOST_PARTS:
        if end >= scan.count:
            break
        after = skip_glue(scan, end, dated=bool(taken - {"clock"}))
        found = parse_next_part(scan, after, taken=taken)
        if found is None or taken.intersection(_list_slots(found[0], own=True)):
            break
        if scan.is_after(after, scan.words.through) and _names_two_days(parts, found[0]):
            break
        taken.update(_list_slots(found[0]))
        parts, end = (*parts, *found[0]), found[1]
    return Phrase(parts, phrase.start, end)


def _names_two_days(parts: Iterable[AnyPart], more: Iterable[AnyPart]) -> bool:
    """11/28 - today: from one day to another, and not one day told twice."""
    both = [[type(part) for part in each if type(part) in _ONE_DAY] for each in (parts, more)]
    return all(both) and any(DayShift in each for each in both)


def skip_glue(scan: Scan, i: int, *, dated: bool = False) -> int:
    """The next token that can be a part: joining words are passed over.

    After a day, so are the limits of a time: on Friday *before* 11.
    """
    words, tokens = scan.words, scan.tokens
    for _ in range(_MOST_GLUE):
        glue = words.glue.match(tokens, i)
        if glue is None and dated:
            limit = words.limits.match(tokens, i)
            timed = limit and (parse_clock(scan, limit[1]) or parse_bare_hour(scan, limit[1]))
            return limit[1] if limit and timed else i
        if glue is None or parse_shift(scan, i) or parse_added_amount(scan, i):
            return i
        i = glue[1]
    return i


def _list_slots(parts: Iterable[AnyPart], *, own: bool = False) -> set[str]:
    """The slots that parts take; a date that tells its year takes that of the year too."""
    slots = {_choose_slot(part) for part in parts if type(part) in _SLOTS}
    if not own and any(getattr(part, "year", None) is not None for part in parts):
        slots.add("year")
    return slots


def _choose_slot(part: AnyPart) -> str:
    """The slot of a part; next year can stand for the year of a date."""
    of_year = isinstance(part, Period) and part.unit is Unit.YEAR
    return "year" if of_year else _SLOTS[type(part)]


def _is_softened(scan: Scan, i: int) -> bool:
    """Later in the year: only a piece of it, and nobody knows which."""
    soft = scan.words.soft
    return any(scan.tokens[j].text in soft for j in range(max(0, i - _SOFT_REACH), i))


def _find_limit_before(scan: Scan, i: int, first: AnyPart) -> Limit | None:
    """The limit that a phrase about days stands under: until Friday."""
    if i == 0 or isinstance(first, Clock | Midnight | Now):
        return None
    words, tokens = scan.words, scan.tokens
    end = i - 1 if tokens[i - 1].text in words.the else i
    for j in range(max(0, end - _LONGEST_LIMIT), end):
        found = words.limits.match(tokens, j)
        if found and found[1] == end:
            return found[0]
    return None
