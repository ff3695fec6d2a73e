"""How parts make a phrase, in one pass from left to right, and how two phrases make a range."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from functools import lru_cache

from msgspec import Struct
from msgspec.structs import replace

from mulligan_dates.clock_rules import (
    is_clock_time,
    parse_bare_hour,
    parse_clock,
    parse_clock_after_date,
    parse_day_part,
    parse_dotted_clock,
    parse_dotted_minutes,
    parse_four_figures,
    parse_hour_of_part,
    parse_lone_figures,
    parse_offset,
    parse_spoken_inside,
    parse_this_time,
    parse_this_time_inside,
    parse_zone,
)
from mulligan_dates.day_rules import (
    parse_day_number,
    parse_elsewhere,
    parse_feast,
    parse_month_day,
    parse_nth,
    parse_numeric_date,
    parse_relative_day,
    parse_repeating,
    parse_weekday,
    parse_weekday_number,
    parse_which_date,
)
from mulligan_dates.parts import (
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
    NthWeek,
    NumericDate,
    Part,
    Period,
    Puzzle,
    Quarter,
    ThisTime,
    Weekday,
    WeekdayAway,
    WeekdayFrom,
    WeekNumber,
    WeekOf,
    Within,
    Year,
    YearOrTime,
    Zone,
)
from mulligan_dates.period_rules import (
    parse_added_amount,
    parse_counted,
    parse_edge,
    parse_lone_year,
    parse_month,
    parse_period,
    parse_quarter,
    parse_shift,
    parse_week_number,
    parse_year_inside,
    parse_year_or_time,
)
from mulligan_dates.scan import Found, Scan, parse_half, read_day_number
from mulligan_dates.tables import Limit, Unit, Words

_YEAR_FIRST = (len("2019"), len("20190304"))
_MARK = "t"
_GREENWICH = "z"
_INSIDE_FIGURES = (".", ":", ",")


def parse_stamp(scan: Scan, i: int) -> Found | None:
    """A date that begins with its year, and a time on a clock of 24 hours."""
    if len(scan.tokens[i].digits) not in _YEAR_FIRST:
        return None
    match parse_numeric_date(scan, i):
        case ((MonthDay() as day,), end):
            clock = _parse_stamp_clock(scan, end)
        case _:
            return None
    if clock is None:
        return None
    zone = _parse_stamp_zone(scan, clock[1], marked=_is_marked(scan, end))
    return ((day, clock[0], Zone(zone[0])), zone[1]) if zone else ((day, clock[0]), clock[1])


def _is_marked(scan: Scan, i: int) -> bool:
    return scan.tokens[i].text == _MARK and scan.tokens[i].glued


def _parse_stamp_clock(scan: Scan, i: int) -> tuple[Clock, int] | None:
    """10:00, 10:00:30.123; behind the mark also 1000 and 100030."""
    marked = _is_marked(scan, i)
    i += marked
    first = scan.tokens[i].digits
    if marked and len(first) in (4, 6):
        hour, minute, second, end = first[:2], first[2:4], first[4:], i + 1
    else:
        colon, minute, end = scan.tokens[i + 1].text, scan.tokens[i + 2].digits, i + 3
        hour, second = first, ""
        if colon != ":" or len(hour) != 2 or len(minute) != 2:
            return None
        if scan.tokens[end].text == ":" and len(scan.tokens[end + 1].digits) == 2:
            second, end = scan.tokens[end + 1].digits, end + 2
    if second and scan.tokens[end].text == "." and scan.tokens[end + 1].digits:
        end += 2
    halved = parse_half(scan, end) is not None
    if (
        halved
        or not is_clock_time(int(hour), int(minute))
        or not is_clock_time(0, int(second or 0))
    ):
        return None
    clock = Clock(int(hour), int(minute), int(second) if second else None, whole_day=True)
    return clock, scan.skip(end, scan.words.hours_after)


def _parse_stamp_zone(scan: Scan, i: int, *, marked: bool) -> tuple[int, int] | None:
    """Z, +02:00; without the mark before the time, 10:00-12:00 is a range."""
    token = scan.tokens[i]
    if not token.glued:
        return None
    if token.text == _GREENWICH:
        return 0, i + 1
    return parse_offset(scan, i) if marked or token.text == "+" else None


Rule = Callable[[Scan, int], Found | None]
Rules = tuple[Rule, ...]

_BY_NUMBER: Rules = (
    parse_stamp,
    parse_numeric_date,
    parse_clock,
    parse_shift,
    parse_counted,
    parse_month_day,
    parse_nth,
    parse_quarter,
    parse_month,
    parse_day_number,
    parse_bare_hour,
)
"""In this order, here and below: the first that finds something is right."""
_NUMBER_AT_START: Rules = (*_BY_NUMBER, parse_lone_year)
_INSIDE: Rules = (*_BY_NUMBER, parse_spoken_inside)
_NUMBER_AFTER_DATE: Rules = (
    parse_clock_after_date,
    *_BY_NUMBER,
    parse_year_inside,
    parse_spoken_inside,
    parse_year_or_time,
)
_NUMBER_AFTER_YEAR: Rules = (parse_clock_after_date, *_INSIDE, parse_four_figures)
_NUMBER_AFTER_WEEKDAY: Rules = (
    parse_dotted_minutes,
    *_INSIDE,
    parse_weekday_number,
    parse_four_figures,
)
_NUMBER_AFTER_DAY: Rules = (*_INSIDE, parse_dotted_minutes, parse_lone_figures)

_BY_WORD: tuple[tuple[Rule, Callable[[Words], tuple[Iterable[str], ...]]], ...] = (
    (parse_elsewhere, lambda w: (w.elsewhere,)),
    (parse_repeating, lambda w: (w.repeating,)),
    (parse_clock, lambda w: (w.noon, w.midnight, w.half_past, w.half)),
    (
        parse_shift,
        lambda w: (
            *(w.in_, w.ago_first, w.within, w.lasting, w.one),
            *(w.vague_counts, w.fractions, w.units),
        ),
    ),
    (parse_shift, lambda _: ("+-",)),
    (parse_counted, lambda w: (w.which,)),
    (parse_this_time, lambda w: (w.this_time,)),
    (parse_month_day, lambda w: (w.months,)),
    (parse_which_date, lambda w: (w.which,)),
    (parse_nth, lambda w: (w.from_end,)),
    (parse_feast, lambda w: (w.feasts, w.which)),
    (parse_relative_day, lambda w: (w.nights, w.days, w.now, w.soon, w.which)),
    (parse_weekday, lambda w: (w.weekdays, w.weekdays_repeated, w.which)),
    (parse_day_part, lambda w: (w.parts,)),
    (parse_edge, lambda w: (w.edges, w.edge_names, w.week_of, w.soft_edges)),
    (parse_quarter, lambda w: (w.quarter_letters,)),
    (parse_week_number, lambda w: (w.calendar_week,)),
    (parse_month, lambda w: (w.months, w.which)),
    (parse_period, lambda w: (w.units, w.which)),
)
"""Each rule with the words it can begin with."""

_SUMMED = frozenset({"day", "date"})
"""After these, an amount can be added."""


def parse_first_part(scan: Scan, i: int) -> Found | None:
    """The part of a phrase that begins at a token."""
    if scan.tokens[i].is_number:
        return _try_rules(scan, i, _NUMBER_AT_START)
    return _try_rules(scan, i, _find_rules(scan, i))


def parse_next_part(scan: Scan, i: int, *, taken: Collection[str]) -> Found | None:
    """The part at a token that follows others, whose slots are `taken`.

    Four figures are a year after a date, and a time of day after a year or a day.
    """
    if not scan.tokens[i].is_number:
        summed = parse_added_amount(scan, i) if _SUMMED.intersection(taken) else None
        return summed or _try_rules(
            scan, i, (*_find_rules(scan, i), parse_zone, parse_this_time_inside)
        )
    if "date" in taken or "period" in taken:
        told = "year" in taken or scan.is_after(i, scan.words.at)
        return _try_rules(scan, i, _NUMBER_AFTER_YEAR if told else _NUMBER_AFTER_DATE)
    if "edge" in taken and (year := parse_year_inside(scan, i)):
        return year
    if "weekday" in taken or "beside" in taken:
        year = parse_year_inside(scan, i) if scan.is_after(i, scan.words.of_year) else None
        return year or _try_rules(scan, i, _NUMBER_AFTER_WEEKDAY)
    if "part" in taken and (hour := parse_hour_of_part(scan, i)):
        return hour
    return _try_rules(scan, i, _NUMBER_AFTER_DAY if "day" in taken else _BY_NUMBER)


def _try_rules(scan: Scan, i: int, rules: Rules) -> Found | None:
    for rule in rules:
        if found := rule(scan, i):
            return found
    return None


def _find_rules(scan: Scan, i: int) -> Rules:
    word = scan.tokens[i].text
    rules = _index_rules(scan.words).get(word, ())
    return (*rules, parse_feast) if scan.national.opens(word) else rules


def can_open(scan: Scan, i: int, *, openings: frozenset[str]) -> bool:
    """Whether anything about time can begin at a token; most words say no at once."""
    token = scan.tokens[i]
    if token.glued and token.digits and _is_inside_figure(scan, i):
        return False
    return (
        token.number is not None
        or token.ordinal is not None
        or token.text in openings
        or scan.national.opens(token.text)
    )


def _is_inside_figure(scan: Scan, i: int) -> bool:
    """Whether figures at `i` belong to those before them: 9.*30*, 1,*000*."""
    sign = scan.tokens[i - 1]
    return i > 1 and sign.glued and sign.text in _INSIDE_FIGURES and bool(scan.tokens[i - 2].digits)


@lru_cache(maxsize=8)
def list_openings(words: Words) -> frozenset[str]:
    """Every word of a language that a phrase or a range can begin with."""
    return frozenset({*_index_rules(words), *words.range_openings, *words.between})


@lru_cache(maxsize=8)
def _index_rules(words: Words) -> Mapping[str, Rules]:
    """Every word that a phrase can begin with, and the rules that know it."""
    found: dict[str, Rules] = {}
    for rule, tables in _BY_WORD:
        for word in {word for table in tables(words) for word in table}:
            found[word] = (*found.get(word, ()), rule)
    return found


_SLOTS: dict[type, str] = {
    Clock: "clock",
    Midnight: "clock",
    ThisTime: "clock",
    Part: "part",
    Zone: "zone",
    Weekday: "weekday",
    Nth: "weekday",
    NthWeek: "weekday",
    WeekdayAway: "weekday",
    WeekdayFrom: "beside",
    MonthDay: "date",
    NumericDate: "date",
    DayNumber: "date",
    Feast: "date",
    DayShift: "day",
    Now: "day",
    Period: "period",
    Counted: "period",
    WeekNumber: "period",
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


class Phrase(Struct, frozen=True):
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
    if phrase.end == found[1] and _may_be_length(scan, phrase):
        return replace(phrase, parts=(Puzzle(),))
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


def _may_be_length(scan: Scan, phrase: Phrase) -> bool:
    """2h, 2h30: a time of day, or how long; 15h, and what stands in a range, is a time."""
    words, hour, mark = scan.words, *scan.tokens[phrase.start : phrase.start + 2]
    marked = mark.glued and mark.text in words.hour_mark and phrase.tells(Clock)
    alone = phrase.end == phrase.start + 2
    most = _HOURS // 2 if alone else _ONE_FIGURE
    if not marked or hour.digits.startswith("0") or (hour.number or 0) > most:
        return False
    told = (words.before_hour, words.range_openings, words.through, words.between)
    ranged = words.through.match(scan.tokens, phrase.end) is not None
    return not ranged and not any(scan.is_after(phrase.start, table) for table in told)


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
        rules = (parse_shift, parse_added_amount, parse_zone)
        if glue is None or any(rule(scan, i) for rule in rules):
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
    """Later in the year: an unknown part of it."""
    soft = scan.words.soft
    return any(scan.tokens[j].text in soft for j in range(max(0, i - _SOFT_REACH), i))


def _find_limit_before(scan: Scan, i: int, first: AnyPart) -> Limit | None:
    """The limit that a phrase stands under: until Friday; of times of day, only since 8am."""
    if i == 0 or isinstance(first, Now):
        return None
    words, tokens = scan.words, scan.tokens
    end = i - 1 if tokens[i - 1].text in words.the else i
    for j in range(max(0, end - _LONGEST_LIMIT), end):
        found = words.limits.match(tokens, j)
        if found and found[1] == end:
            timed = isinstance(first, Clock | Midnight)
            return found[0] if not timed or found[0] is Limit.SINCE else None
    return None


_HIGHEST_LOOSE = 31
_MONTHS = 12
_ONE_FIGURE = 9
_HOURS = 24


class Stretch(Struct, frozen=True):
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
    last = (
        _parse_dotted_end(scan, first, after)
        or parse_phrase(scan, after)
        or _parse_loose_number(scan, after)
    )
    if last is None:
        return None
    if not first.parts and not last.parts:
        return _make_bare_hours(scan, first, last) if opened else None
    return _match_ends(scan, first, last)


def _parse_dotted_end(scan: Scan, first: Phrase, i: int) -> Phrase | None:
    """14.30 bis *16.10*: behind a time with a dot, another one and no date."""
    timed = bool(first.parts) and isinstance(first.parts[-1], Clock)
    dot = scan.tokens[i + 3]
    if not timed or scan.tokens[first.end - 2].text != "." or (dot.text == "." and dot.glued):
        return None
    found = parse_dotted_clock(scan, i)
    return extend_phrase(scan, Phrase(found[0], i, found[1])) if found else None


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
    dot = scan.tokens[i + 1]
    # The dot of an ordinal: 3.-5. November.
    dotted = dot.text == "." and dot.glued and scan.words.through.match(scan.tokens, i + 2)
    return Phrase((), i, i + 2 if dotted else i + 1)


def _match_ends(scan: Scan, first: Phrase, last: Phrase) -> Stretch | None:
    """Both ends, where a loose number is what the other end is."""
    if not first.parts:
        last = replace(last, parts=tuple(map(_fix_order, last.parts)))
        kind = _interpret_loose(scan, first, last.parts)
        return Stretch(Phrase(kind, first.start, first.end), last) if kind else None
    if not last.parts:
        kind = _require_after(_interpret_loose(scan, last, first.parts[::-1]), first.parts)
        last = extend_phrase(scan, Phrase(kind, last.start, last.end))
        return Stretch(first, last) if kind else None
    return Stretch(first, last)


def _fix_order(part: AnyPart) -> AnyPart:
    """24.-*26.12.*: behind a day alone, the day comes first."""
    match part:
        case NumericDate(first=day, second=month, year=year, dotted=True) if month <= _MONTHS:
            return MonthDay(month, day, year)
        case _:
            return part


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
