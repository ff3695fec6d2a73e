"""Rules for days: 2019-03-04, 3.4., weekdays, tomorrow, the 15th, the first Monday of something."""

from __future__ import annotations

from msgspec.structs import replace

from mulligan_dates.lexicon import has_capitals_for_names
from mulligan_dates.parts import (
    DayNumber,
    DayShift,
    Feast,
    Month,
    MonthDay,
    Now,
    Nth,
    NumericDate,
    Part,
    Puzzle,
    Weekday,
    WeekdayFrom,
)
from mulligan_dates.period_rules import parse_nth_week
from mulligan_dates.scan import (
    HIGHEST_DAY,
    HIGHEST_MONTH,
    YEARS,
    Found,
    Scan,
    begins_time,
    goes_on,
    parse_year,
    read_day_number,
)
from mulligan_dates.tables import DayPart, Limit, Unit, Which
from mulligan_dates.tokens import APOSTROPHE, Token

_SIGNS = ("-", "/", ".")
_APOSTROPHES = f"'{APOSTROPHE}"
_MEASURES = frozenset("#$€£¥§%°")
"""Beside figures they make a price, a share or a number of something."""
_ALL_THE_TIME = ("24", "7")


def parse_numeric_date(scan: Scan, i: int) -> Found | None:
    """A date in figures, with or without its year."""
    first = scan.tokens[i]
    if not first.digits or first.number is None:
        return None
    if len(first.digits) == len("20190304"):
        return _parse_run_together(first, i)
    after = scan.tokens[i + 1]
    if after.text not in _SIGNS and not after.digits and first.number not in YEARS:
        return None
    for rule in _RULES:
        if found := rule(scan, i):
            return None if _is_piece(scan, i, found[1]) else found
    return None


def _is_piece(scan: Scan, i: int, end: int) -> bool:
    """Whether figures go on before `i` or behind `end`: v1.2, 1.2.3, 2026-11-03-7781."""
    first, sign = scan.tokens[i : i + 2]
    sign_after, after = scan.tokens[end : end + 2]
    if i and first.glued:
        before = scan.tokens[i - 1]
        joined = before.text == sign.text and before.glued and bool(scan.tokens[i - 2].digits)
        if joined or before.text[0].isalpha() or before.text in _MEASURES:
            return True
    if sign_after.glued and (sign_after.digits or sign_after.text in _MEASURES):
        return True
    return sign_after.glued and sign_after.text == sign.text and after.glued and bool(after.digits)


def _parse_month_and_year(scan: Scan, i: int) -> Found | None:
    """2/2013, 2013-02."""
    first, sign, second = scan.tokens[i : i + 3]
    if sign.text not in ("/", "-") or not (sign.glued and second.glued):
        return None
    year, month = (first, second) if len(first.digits) == 4 else (second, first)
    if year.number not in YEARS or not 0 < len(month.digits) <= 2 or _names_number(scan, i):
        return None
    fits = month.number is not None and 0 < month.number <= HIGHEST_MONTH
    ends = scan.tokens[i + 3].text not in _SIGNS
    return ((Month(month.number or 0, year.number),), i + 3) if fits and ends else None


def _parse_run_together(token: Token, i: int) -> Found | None:
    year, month, day = (int(token.digits[a:b]) for a, b in ((0, 4), (4, 6), (6, 8)))
    return validate_date(MonthDay(month, day, year), i + 1) if year in YEARS else None


def _parse_three_spaced(scan: Scan, i: int) -> Found | None:
    """31 10 1974, 2016 10 16."""
    first, second, third = scan.tokens[i : i + 3]
    sizes = tuple(len(token.digits) for token in (first, second, third))
    if sizes == (4, 2, 2):
        return validate_date(MonthDay(second.number or 0, third.number or 0, first.number), i + 3)
    return (
        _make_numeric_date(first, second, year=third.number, end=i + 3)
        if sizes == (2, 2, 4)
        else None
    )


def _parse_three_joined(scan: Scan, i: int) -> Found | None:
    """2019-03-04, 3/4/2019, 3.4.19, 3 / 4 / 2019, 3. 4. 2019."""
    first, sign, second, again = scan.tokens[i : i + 4]
    end = scan.skip_sign(i + 4, _APOSTROPHES)
    third = scan.tokens[end]
    if sign.text not in _SIGNS or again.text != sign.text or not (second.digits and third.digits):
        return None
    apart = sign.text == "." and again.glued and third.number in YEARS
    if sign.glued and not (again.glued and (third.glued or apart)):
        return None
    if len(first.digits) == 4 and third.number is not None:
        return validate_date(MonthDay(second.number or 0, third.number, first.number), i + 5)
    if len(third.digits) not in (2, 4) or third.number is None or third.digits.startswith("00"):
        return None
    dotted = sign.text == "."
    if not dotted and len(first.digits) == 2 and (first.number or 0) > HIGHEST_DAY:
        # 69-5-31: what no month has so many days for is the year.
        return validate_date(MonthDay(second.number or 0, third.number, first.number), i + 5)
    return _make_numeric_date(first, second, year=third.number, end=end + 1, dotted=dotted)


def _parse_with_month_name(scan: Scan, i: int) -> Found | None:
    """2019-Aug-1, 2019 August 1st."""
    year = scan.tokens[i]
    if year.number not in YEARS or len(year.digits) != 4:
        return None
    named = scan.words.months.match(scan.tokens, scan.skip_sign(i + 1, "-/.,"))
    if named is None:
        return None
    j = scan.skip_sign(named[1], "-/.,")
    day = read_day_number(scan.tokens[j])
    if day is None or begins_time(scan, j):
        return None
    return validate_date(MonthDay(named[0], day, year.number), j + 1)


def _parse_two_with_slash(scan: Scan, i: int) -> Found | None:
    """3/4; 3/4, 2019."""
    first, sign, second, comma, year = scan.tokens[i : i + 5]
    if sign.text != "/":
        return None
    short = len(year.digits) == 2 and not begins_time(scan, i + 4)
    if comma.text == "," and (short or (len(year.digits) == 4 and year.number in YEARS)):
        return _make_numeric_date(first, second, year=year.number, end=i + 5)
    return _require_day(scan, i, _make_numeric_date(first, second, year=None, end=i + 3))


def _parse_two_with_dot(scan: Scan, i: int) -> Found | None:
    """3.4. and 03.04; 3.4 could be a price, and needs something beside it that speaks of days."""
    first, sign, second, dot = scan.tokens[i : i + 4]
    if sign.text != "." or not (sign.glued and second.glued) or begins_time(scan, i + 2):
        return None
    dotted = dot.text == "." and dot.glued
    if not dotted and _is_time(scan, i):
        return None
    end = i + 3 + dotted
    padded = len(first.digits) == len(second.digits) == 2 and (second.number or 0) <= HIGHEST_MONTH
    if not (
        dotted
        or padded
        or scan.is_whole(i, end)
        or begins_time(scan, end)
        or _follows_day_word(scan, i)
    ):
        return None
    found = _make_numeric_date(first, second, year=None, end=end, dotted=True)
    return found if dotted and not _names_number(scan, i) else _require_day(scan, i, found)


_RULES = (
    _parse_three_spaced,
    _parse_three_joined,
    _parse_with_month_name,
    _parse_month_and_year,
    _parse_two_with_slash,
    _parse_two_with_dot,
)


def _require_day(scan: Scan, i: int, found: Found | None) -> Found | None:
    """A date without a year; 3/4 before a noun is unknown, and none at all behind *section*."""
    if found is None or _names_number(scan, i):
        return None
    words, tokens, end = scan.words, scan.tokens, found[1]
    before = tokens[i - 1].text if i else ""
    ranges = (words.range_openings, words.between, words.through)
    vouching = (words.before_day, words.on, words.limits, words.weekdays, *ranges)
    if any(before in table for table in vouching):
        return found
    after = tokens[end]
    share = after.text in words.from_ and after.text not in words.range_openings
    counted = share or after.text in _MEASURES
    always = (tokens[i].digits, tokens[i + 2].digits) == _ALL_THE_TIME
    clear = scan.ends(end) or after.text in _CLOSING or goes_on(scan, end)
    # My 3/4 meeting; but not 3/4 hours.
    clear = clear or (after.text in words.clauses.empty and not words.units.match(tokens, end))
    return found if clear and not counted and not always else ((Puzzle(),), end)


def _names_number(scan: Scan, i: int) -> bool:
    """Whether the word before is of something that has numbers: section 3.4."""
    places = range(max(0, i - 2), i)
    found = (scan.words.numbered.match(scan.tokens, j) for j in places)
    return any(each is not None and each[1] == i for each in found)


def _follows_day_word(scan: Scan, i: int) -> bool:
    """Whether the word before says that a day comes."""
    words, tokens = scan.words, scan.tokens
    before = i - 1 if scan.is_after(i, words.through) else i
    return scan.is_after(i, words.before_day) or (
        i > 0
        and (words.weekdays.match(tokens, i - 1) is not None or tokens[before - 1].text == ".")
    )


def _is_time(scan: Scan, i: int) -> bool:
    """At 12.30, 5.30 tomorrow: a time of day; a date with dots begins with the day."""
    words, minutes = scan.words, scan.tokens[i + 2].number or 0
    if scan.is_after(i, words.at):
        return True
    told = scan.is_after(i, words.before_hour) or words.days.match(scan.tokens, i + 3) is not None
    return minutes > HIGHEST_MONTH and told


def _make_numeric_date(
    first: Token, second: Token, *, year: int | None, end: int, dotted: bool = False
) -> Found | None:
    """Two figures that can be a day and a month in one order at least."""
    if not (0 < len(first.digits) <= 2 and 0 < len(second.digits) <= 2):
        return None
    low, high = sorted((first.number or 0, second.number or 0))
    if not (0 < low <= HIGHEST_MONTH and high <= HIGHEST_DAY):
        return None
    return (NumericDate(first.number or 0, second.number or 0, year, dotted=dotted),), end


def validate_date(part: MonthDay, end: int) -> Found | None:
    """The date, if a calendar could have it."""
    fits = 0 < part.month <= HIGHEST_MONTH and 0 < part.day <= HIGHEST_DAY
    return ((part,), end) if fits else None


_CLOSING = frozenset(",.!?;:)(")
_ENDING = frozenset(".!?")
_LAST = -1
_SATURDAY = 5
_WEEK = 7
_LONGEST_SHORT = len("tues")


def parse_relative_day(scan: Scan, i: int) -> Found | None:
    """Today, tonight, this morning, right now."""
    words, tokens = scan.words, scan.tokens
    if night := words.nights.match(tokens, i):
        return (DayShift(night[0]), Part(DayPart.NIGHT)), night[1]
    if day := words.days.match(tokens, i):
        week = words.week_later.match(tokens, day[1]) if day[0] >= 0 else None
        if week and _closes(scan, week[1]):
            return (DayShift(day[0] + _WEEK),), week[1]
        return (DayShift(day[0]),), day[1]
    if now := words.now.match(tokens, i):
        return (Now(),), now[1]
    if soon := words.soon.match(tokens, i):
        return (Now(soon=True),), soon[1]
    if which := words.which.match(tokens, i):
        part = words.parts.match(tokens, scan.skip(which[1], words.soft))
        shift = {Which.THIS: 0, Which.LAST: -1}.get(which[0])
        if part and shift is not None and part[0] is not DayPart.LUNCH:
            return (DayShift(shift), Part(part[0])), part[1]
    return None


def parse_weekday(scan: Scan, i: int) -> Found | None:
    """Friday, next Friday, Friday after next, Friday week."""
    words, tokens = scan.words, scan.tokens
    which, j = words.which.match(tokens, i) or (None, i)
    if words.weekdays_repeated.match(tokens, j):
        return (Puzzle(),), j + 1
    named = words.weekdays.match(tokens, j)
    if named is None or not _is_surely_day(scan, i, j):
        return None
    day, end = named
    if _is_twisted(scan, i) or _is_first_word(scan, i, j):
        return (Puzzle(),), end
    end = _skip_dot(scan, j, end)
    if which is Which.LAST and words.of.match(tokens, end):
        return (Nth(_LAST, day),), end
    if which is None and (beside := _parse_beside_day(scan, end)):
        return (WeekdayFrom(1, day, beside[0]),), beside[1]
    if which is None and (after := _parse_which_after(scan, day, end)):
        return after
    return (Weekday(day, which),), end


def _skip_dot(scan: Scan, i: int, end: int) -> int:
    """Behind the dot of a short name: Fri."""
    dot = scan.tokens[end]
    return end + (dot.text == "." and dot.glued and len(scan.tokens[i].text) <= _LONGEST_SHORT)


def _parse_which_after(scan: Scan, day: int, i: int) -> Found | None:
    """Friday *after next*, Friday *before last*, Friday *week*, Friday *last*."""
    words, tokens = scan.words, scan.tokens
    if after := words.after_next.match(tokens, i):
        return (Weekday(day, Which.AFTER_NEXT),), after[1]
    if week := words.week_later.match(tokens, i):
        return (Weekday(day, weeks=1),), week[1]
    before = words.before_last.match(tokens, i)
    if before and _closes(scan, before[1]):
        return (Weekday(day, Which.BEFORE_LAST),), before[1]
    which = words.which_after.match(tokens, i)
    return ((Weekday(day, which[0]),), which[1]) if which and _closes(scan, which[1]) else None


def _closes(scan: Scan, i: int) -> bool:
    """Whether what comes next is no noun, and so no *last call*: nothing, a sign, an hour."""
    text = scan.tokens[i].text
    return not text[:1].isalnum() or scan.words.before_hour.match(scan.tokens, i) is not None


def parse_nth(scan: Scan, i: int) -> Found | None:
    """The first Monday of …, the last day of …; the third Tuesday."""
    words, tokens = scan.words, scan.tokens
    if (told := _parse_which_one(scan, i)) is None:
        return _parse_weekdays_beside(scan, i)
    number, j = told
    if day := words.weekdays.match(tokens, j):
        end = _skip_dot(scan, j, day[1])
        if beside := _parse_beside_day(scan, end):
            return (WeekdayFrom(number, day[0], beside[0]),), beside[1]
        if number < 0 and not words.of.match(tokens, end):
            return None
        return (Nth(number, day[0]),), end
    unit = words.units.match(tokens, j)
    if unit is None or not words.of.match(tokens, unit[1]):
        return None
    match unit[0]:
        case Unit.DAY:
            return (Nth(number, None),), unit[1]
        case Unit.WEEKEND:
            return (Nth(number, _SATURDAY, weekend=True),), unit[1]
        case Unit.WEEK:
            return parse_nth_week(scan, unit[1], number)
        case _:
            return None


def _parse_which_one(scan: Scan, i: int) -> tuple[int, int] | None:
    """The *first*, the *last*, the *third to last*: from the end if negative."""
    words, tokens = scan.words, scan.tokens
    if from_end := words.from_end.match(tokens, i):
        return from_end
    ordinal = tokens[i].ordinal
    if ordinal is None:
        return None
    last = words.nth_from_end.match(tokens, i + 1)
    return (-ordinal, last[1]) if last else (ordinal, i + 1)


def _parse_weekdays_beside(scan: Scan, i: int) -> Found | None:
    """Two Sundays before Christmas."""
    count, days = scan.tokens[i].number, scan.words.weekdays_repeated.match(scan.tokens, i + 1)
    beside = _parse_beside_day(scan, days[1]) if count and days else None
    if not (count and days and beside):
        return None
    return (WeekdayFrom(count, days[0], beside[0]),), beside[1]


def parse_month_day(scan: Scan, i: int) -> Found | None:
    """March 3rd, 2019; the 3rd of March; 3-Mar-19."""
    return _parse_month_first(scan, i) or _parse_day_first(scan, i)


def parse_which_date(scan: Scan, i: int) -> Found | None:
    """This December 5, next 5/12."""
    words, tokens = scan.words, scan.tokens
    which = words.which.match(tokens, i)
    if which is None:
        return None
    found = _parse_month_first(scan, which[1]) or parse_numeric_date(scan, which[1])
    if found is None or words.units.match(tokens, found[1]) or words.of.match(tokens, found[1]):
        return None
    match found[0]:
        case ((MonthDay(year=None) | NumericDate(year=None)) as day,):
            return (replace(day, which=which[0]),), found[1]
        case _:
            return None


def parse_day_number(scan: Scan, i: int) -> Found | None:
    """The 15th, and after "on" or "the" also 15; a weekday before it vouches for it too."""
    words, tokens = scan.words, scan.tokens
    token, after = tokens[i], tokens[i + 1]
    day = read_day_number(token)
    if day is None:
        return None
    ends = i + 1
    if after.text == "." and after.glued:
        ends += 1
    if _counts_things(scan, i, ends):
        return None
    clear = scan.ends(ends) or after.text in _CLOSING or goes_on(scan, ends)
    of_month = _skip_of_month(scan, ends, sure=ends > i + 1 or token.ordinal is not None)
    if of_month is not None:
        return (DayNumber(day),), of_month
    if token.ordinal is not None and token.digits:
        return ((DayNumber(day) if clear else Puzzle(),), ends)
    spoken = scan.is_after(i, words.the) and (i < 3 or scan.is_after(i - 1, words.on))
    vouched = scan.is_after(i, words.before_day) if token.digits else token.ordinal and spoken
    if clear and (vouched or (token.digits and ends > i + 1 and scan.is_whole(i, ends))):
        return (DayNumber(day),), ends
    return None


def _counts_things(scan: Scan, i: int, end: int) -> bool:
    """In *der 3.* Stunde, den *3. Termin*, zum *3. Mal*: no day, but one of several things."""
    words, after = scan.words, scan.tokens[end]
    if not scan.is_after(i, words.the):
        return False
    if scan.is_after(i - 1, words.in_):
        return True
    noun = after.capital and not goes_on(scan, end) and not has_capitals_for_names(words.code)
    return noun and not (scan.is_after(i, words.on) or scan.is_after(i - 1, words.on))


def parse_weekday_number(scan: Scan, i: int) -> Found | None:
    """Wednesday the *thirty first*, Friday *31*: a number that a weekday before it vouches for."""
    token = scan.tokens[i]
    day = read_day_number(token)
    ordered = token.ordinal is not None or _is_dotted(scan, i)
    if day is None or (not ordered and day <= HIGHEST_MONTH) or begins_time(scan, i):
        return None
    through = scan.words.through.match(scan.tokens, i + 1)
    if through and token.ordinal is None and begins_time(scan, through[1]):
        # Friday 20-22 Uhr.
        return None
    if through and token.ordinal is None and scan.ends(through[1] + 1):
        # Friday 20-22: hours, or days.
        return (Puzzle(),), through[1] + 1
    after = scan.tokens[i + 1].text
    clear = scan.ends(i + 1) or after in _CLOSING or goes_on(scan, i + 1)
    return ((DayNumber(day),), i + 1) if clear else None


def _is_dotted(scan: Scan, i: int) -> bool:
    """Do *12.*: figures with the dot that makes them an ordinal, where a language writes it so."""
    dot, after = scan.tokens[i + 1 : i + 3]
    dotted = dot.text == "." and dot.glued and not (after.glued and after.digits)
    return dotted and not has_capitals_for_names(scan.words.code)


def _parse_beside_day(scan: Scan, i: int) -> tuple[int, int] | None:
    """The Friday *before Christmas*: which side of a day that is named, and where that stands."""
    words, tokens = scan.words, scan.tokens
    limit = words.limits.match(tokens, i)
    if limit is None or limit[0] not in (Limit.BEFORE, Limit.AFTER):
        return None
    j = scan.skip(limit[1], words.the)
    names = (words.feasts, words.months, words.days, scan.national)
    which = words.which.match(tokens, j)
    named = any(table.match(tokens, j) is not None for table in names)
    named = named or (which is not None and words.weekdays.match(tokens, which[1]) is not None)
    if not named and tokens[j].ordinal is None and not _is_date(scan, j):
        return None
    return (-1 if limit[0] is Limit.BEFORE else 1), j


def _is_date(scan: Scan, i: int) -> bool:
    """Whether a date in figures begins here: 11/5, 5 November."""
    if not scan.tokens[i].digits:
        return False
    return parse_numeric_date(scan, i) is not None or _parse_day_first(scan, i) is not None


def _skip_of_month(scan: Scan, i: int, *, sure: bool) -> int | None:
    """20 *of next month*; of what is a day for `sure`, also 20. *next month*.

    The first *of the month* says no more than the first: it can be that of the next one.
    """
    words, tokens = scan.words, scan.tokens
    of = scan.skip(i, words.of)
    if of == i and not sure:
        return None
    the = scan.skip(of, words.the)
    which = words.which.match(tokens, the)
    unit = words.units.match(tokens, which[1] if which else the)
    if unit is None or unit[0] is not Unit.MONTH:
        return None
    named = unit[1] if scan.is_after(the, words.the) else None
    return named if which is None else i


def parse_feast(scan: Scan, i: int) -> Found | None:
    """Christmas, next Easter."""
    words, tokens = scan.words, scan.tokens
    which, j = words.which.match(tokens, i) or (None, i)
    named = words.feasts.match(tokens, j) or scan.national.match(tokens, j)
    if named is None:
        return None
    return ((Puzzle() if _is_twisted(scan, j) else Feast(named[0], which),), named[1])


def parse_repeating(scan: Scan, i: int) -> Found | None:
    """Every Monday: no one date is meant."""
    words, tokens = scan.words, scan.tokens
    found = words.repeating.match(tokens, i)
    if found is None:
        return None
    j = found[1] + scan.tokens[found[1]].is_number
    told = (
        words.weekdays.match(tokens, j)
        or words.units.match(tokens, j)
        or words.parts.match(tokens, j)
    )
    if told is not None:
        return (Puzzle(),), told[1]
    if tokens[found[1]].ordinal is None:
        return None
    # Every first of the month: which month, it does not say.
    month = words.units.match(tokens, scan.skip(scan.skip(j, words.of), words.the))
    return (Puzzle(),), month[1] if month else j


def parse_elsewhere(scan: Scan, i: int) -> Found | None:
    """Before that, any day, weekly: a time that these words do not tell."""
    found = scan.words.elsewhere.match(scan.tokens, i)
    return ((Puzzle(),), found[1]) if found else None


def _is_twisted(scan: Scan, i: int) -> bool:
    """Whether the word before makes the name of a day that of another."""
    before = scan.tokens[i - 1] if i else None
    if before is None:
        return False
    if before.text in scan.words.twisting:
        return True
    if (before.shouted and scan.tokens[i].shouted) or not has_capitals_for_names(scan.words.code):
        return False
    # Spy Wednesday: two capitals in a row are one name, except at the start of a sentence.
    named = before.capital and scan.tokens[i].capital and i > 1 and before.text.isalpha()
    return named and not _is_known(scan, i - 1) and scan.tokens[i - 2].text not in _CLOSING


def _is_known(scan: Scan, i: int) -> bool:
    """Whether a word is one that rules know."""
    text, words = scan.tokens[i].text, scan.words
    names = (
        words.weekdays,
        words.months,
        words.days,
        words.which,
        words.parts,
        words.halves,
        words.glue,
        words.edge_names,
    )
    return text in words.harmless or any(text in table for table in names)


def _is_surely_day(scan: Scan, i: int, j: int) -> bool:
    """Whether the name of a day at `j` is meant as one: *sun* and *sat* are words too."""
    words, tokens = scan.words, scan.tokens
    if tokens[j].text not in words.doubtful or i < j:
        return True
    opens = j < 2 or tokens[j - 2].text in words.clauses.joints or tokens[j - 2].text in _ENDING
    if opens and scan.is_after(j, words.clauses.subjects) and not tokens[j].capital:
        # We sat.
        return False
    if scan.is_after(j, words.the) and not scan.is_after(j, words.on):
        # In the sun.
        return False
    after = tokens[j + 1]
    told = read_day_number(after) is not None or after.text in (",", ".", "(", ")", "-", "/")
    return (
        told
        or tokens[j].capital
        or scan.is_whole(i, j + 1)
        or scan.is_after(j, words.on)
        or words.parts.match(tokens, j + 1) is not None
        or words.before_hour.match(tokens, j + 1) is not None
        or words.months.match(tokens, j + 1) is not None
    )


def _is_first_word(scan: Scan, i: int, j: int) -> bool:
    """Whether such a word has its capital only because a sentence begins: Sat down, Mi casa."""
    words, tokens = scan.words, scan.tokens
    if tokens[j].text not in words.doubtful or i < j or scan.is_whole(i, j + 1):
        return False
    if j and tokens[j - 1].text not in _ENDING:
        return False
    k = scan.skip(scan.skip(_skip_dot(scan, j, j + 1), words.before_hour), words.glue)
    told = tokens[k].is_number or tokens[j + 1].text in (",", "(", ")", "-", "/")
    told = told or tokens[k].text in words.harmless
    names = (words.months, words.parts, words.or_, words.noon, words.midnight)
    return not told and not any(table.match(tokens, k) for table in names)


def _parse_month_first(scan: Scan, i: int) -> Found | None:
    words, tokens = scan.words, scan.tokens
    named = words.months.match(tokens, i)
    if named is None:
        return None
    month, j = named
    j = scan.skip_sign(j, ".,-/")
    j = scan.skip(j, words.the)
    day = read_day_number(tokens[j])
    if day is None or begins_time(scan, j):
        return None
    return _parse_year_after(scan, j + 1, month=month, day=day)


def _parse_day_first(scan: Scan, i: int) -> Found | None:
    words, tokens = scan.words, scan.tokens
    day = read_day_number(tokens[i])
    if day is None:
        return None
    j = scan.skip_sign(i + 1, ".-/")
    j = scan.skip(j, words.of)
    named = words.months.match(tokens, j)
    if named is None:
        return None
    month, j = named
    if tokens[j].text == "." and tokens[j].glued:
        j += 1
    after = tokens[j]
    late = read_day_number(after)
    doubtful = tokens[i].ordinal is None and late is not None and len(after.digits) == 2
    if len(after.digits) == len(tokens[i].digits) == 2 and after.glued and tokens[i + 1].glued:
        # 05DEC25, as tickets have it.
        return validate_date(MonthDay(month, day, after.number), j + 1)
    if doubtful and after.digits[0] != "0" and not begins_time(scan, j):
        # 12 December 27: the 12th of 2027, or a number before the 27th.
        return (Puzzle(),), j + 1
    joined = tokens[i + 1].text in ("-", "/") and tokens[j].text == tokens[i + 1].text
    if joined and len(tokens[j + 1].digits) == 2:
        return validate_date(MonthDay(month, day, tokens[j + 1].number), j + 2)
    return _parse_year_after(scan, j, month=month, day=day)


def _parse_year_after(scan: Scan, i: int, *, month: int, day: int) -> Found | None:
    words, tokens = scan.words, scan.tokens
    j = scan.skip(scan.skip_sign(i, ",-/"), words.of_year)
    year = parse_year(scan, j, short=tokens[i].text != "-")
    if year is None or begins_time(scan, j):
        return validate_date(MonthDay(month, day), i)
    if tokens[year[1]].text in words.eras:
        return (Puzzle(),), year[1] + 1
    return validate_date(MonthDay(month, day, year[0]), year[1])
