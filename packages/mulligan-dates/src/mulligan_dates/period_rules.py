"""Rules for stretches of time and moves in it: next week, Q3, in two weeks, half an hour."""

from __future__ import annotations

from fractions import Fraction

from msgspec.structs import replace

from mulligan_dates.clock_rules import parse_four_figures
from mulligan_dates.parts import (
    Amount,
    Counted,
    DayShift,
    Edge,
    Lasting,
    Month,
    NthWeek,
    Part,
    Period,
    Puzzle,
    Quarter,
    Shift,
    Weekday,
    WeekdayAway,
    WeekNumber,
    WeekOf,
    Within,
    Year,
    YearOrTime,
)
from mulligan_dates.scan import Found, Scan, begins_time, parse_year
from mulligan_dates.tables import DAYS, SECONDS, Side, Unit, Which

_MONTHS = {
    Unit.MONTH: 1,
    Unit.QUARTER: 3,
    Unit.YEAR: 12,
    Unit.DECADE: 120,
    Unit.CENTURY: 1200,
}
_MOST_TERMS = 7
_EIGHT = Fraction(8)
MOST_UNITS = 1000
"""The largest count of anything: beyond it dates end."""

Told = tuple[Amount, int]
"""How long, and where that ends."""


def parse_amount(scan: Scan, i: int) -> Told | None:
    """A sum of counted units, and where it ends."""
    total: Amount | None = None
    end = j = i
    for _ in range(_MOST_TERMS):
        term = _parse_term(scan, j)
        if term is None and total and not (total.days or total.months):
            term = _parse_bare_minutes(scan, end)
        if term is None:
            break
        total, end = _add_amounts(total, term[0]), term[1]
        j = scan.skip(scan.skip_sign(end, ",+"), scan.words.and_)
    return (total, end) if total is not None else None


def parse_single_unit(scan: Scan, i: int) -> Told | None:
    """A unit that is not counted, and so is one."""
    unit = scan.words.units.match(scan.tokens, i)
    amount = _multiply_unit(Fraction(1), unit[0]) if unit else None
    return (amount, unit[1]) if unit and amount else None


def parse_unit_and_more(scan: Scan, i: int) -> Told | None:
    """Within the *day and 5 hours*."""
    one = parse_single_unit(scan, i)
    more = parse_amount(scan, scan.skip(one[1], scan.words.and_)) if one else None
    return (_add_amounts(one[0], more[0]), more[1]) if one and more else one


def match_day_length(scan: Scan, i: int) -> int | None:
    """Where a length of days or more ends: two nights, three-day, a week."""
    words, tokens = scan.words, scan.tokens
    if (found := parse_amount(scan, i)) and (found[0].days or found[0].months):
        return found[1]
    some = words.vague_counts.match(tokens, i) or words.one.match(tokens, i)
    if some is None and tokens[i].number is None:
        return None
    j = scan.skip_sign(some[1] if some else i + 1, "-")
    unit = words.units.match(tokens, j)
    if unit is not None:
        return unit[1] if unit[0] not in SECONDS else None
    night = words.overnight.match(tokens, j)
    return night[1] if night else None


def _parse_term(scan: Scan, i: int) -> Told | None:
    """One count and its unit."""
    words, tokens = scan.words, scan.tokens
    if fraction := words.fractions.match(tokens, i):
        part = Fraction(*fraction[0])
        if term := _parse_counted_unit(scan, part, scan.skip(fraction[1], words.of_one)):
            return term
    if some := words.vague_counts.match(tokens, i):
        term = _parse_counted_unit(scan, Fraction(some[0]), some[1])
        return (replace(term[0], vague=True), term[1]) if term else None
    one = words.one.match(tokens, i)
    count, j = _parse_quantity(scan, one[1] if one else i)
    if one and (count is None or count >= 1):
        count, j = Fraction(1), one[1]
    if count is None:
        return None
    return _parse_counted_unit(
        scan, count, j if count.denominator == 1 else scan.skip(j, words.of_one)
    )


def _parse_counted_unit(scan: Scan, count: Fraction, i: int) -> Told | None:
    """So many of the unit at `i`, and a half more if that is said before or after it."""
    words, tokens = scan.words, scan.tokens
    if more := words.and_more.match(tokens, i):
        count, i = count + Fraction(*more[0]), more[1]
    i = scan.skip(i, words.more)
    unit = words.units.match(tokens, i) or _parse_short_unit(scan, i)
    if unit is None:
        return None
    end = unit[1]
    more = words.and_more.match(tokens, end)
    if more and not words.units.match(tokens, scan.skip(more[1], words.of_one)):
        # Not a day *and half an* hour.
        count, end = count + Fraction(*more[0]), more[1]
    amount = _multiply_unit(count, unit[0])
    if amount and words.eight_days and count == _EIGHT and unit[0] is Unit.DAY:
        amount = replace(amount, eight_days=True)
    return (amount, end) if amount else None


def _parse_bare_minutes(scan: Scan, i: int) -> Told | None:
    """1h*20*: the minutes of an hour, with no unit of their own."""
    before, token = scan.tokens[i - 1], scan.tokens[i]
    told = before.text in scan.words.hour_mark and token.glued and len(token.digits) == 2
    return (Amount(seconds=60 * (token.number or 0)), i + 1) if told else None


def _parse_short_unit(scan: Scan, i: int) -> tuple[Unit, int] | None:
    """A unit of one letter, which needs figures before it: 3h, 45m."""
    words, tokens = scan.words, scan.tokens
    if not tokens[i - 1].digits:
        return None
    unit = words.short_units.match(tokens, i)
    return unit or (words.glued_units.match(tokens, i) if tokens[i].glued else None)


def _parse_quantity(scan: Scan, i: int) -> tuple[Fraction | None, int]:
    """A whole number, a decimal, a fraction in figures, or a number with one: 2 1/2."""
    first = scan.tokens[i]
    if first.number is None or (first.glued and scan.tokens[i - 1].text == "."):
        # What stands behind a dot is only a piece of a number.
        return None, i
    if not first.digits:
        return Fraction(first.number), i + 1
    if fraction := _parse_fraction(scan, i):
        return fraction, i + 3
    if more := _parse_fraction(scan, i + 1):
        return (first.number + more, i + 4) if more < 1 else (Fraction(first.number), i + 1)
    sign, second = scan.tokens[i + 1], scan.tokens[i + 2]
    joined = sign.glued and second.glued and second.digits
    if joined and (sign.text == "." or (sign.text == "," and len(second.digits) == 1)):
        return Fraction(f"{first.digits}.{second.digits}"), i + 3
    return Fraction(first.number), i + 1


def _parse_fraction(scan: Scan, i: int) -> Fraction | None:
    """3/4."""
    above, sign, below = scan.tokens[i : i + 3]
    if sign.text != "/" or not (sign.glued and below.glued and above.digits and below.number):
        return None
    return Fraction(above.number or 0, below.number)


def _multiply_unit(count: Fraction, unit: Unit) -> Amount | None:
    """So many of a unit; `None` where its length is undefined."""
    if count > MOST_UNITS * 60:
        return None
    if unit in SECONDS:
        return Amount(seconds=int(count * SECONDS[unit]))
    if unit in DAYS:
        days = count * DAYS[unit]
        if days.denominator == 1:
            return Amount(days=int(days))
        return Amount(seconds=int(days * 86_400)) if unit is Unit.DAY else None
    if unit in _MONTHS:
        months = count * _MONTHS[unit]
        return Amount(months=int(months)) if months.denominator == 1 else None
    return None


def _add_amounts(total: Amount | None, more: Amount) -> Amount:
    if total is None:
        return more
    return Amount(
        months=total.months + more.months,
        days=total.days + more.days,
        seconds=total.seconds + more.seconds,
        vague=total.vague or more.vague,
    )


_QUARTERS = range(1, 5)
_SATURDAY = 5
_EARLIEST_YEAR = 1000
_LONG_AGO = range(_EARLIEST_YEAR, 1900)
"""Years that are as likely to be a time of day."""


def parse_period(scan: Scan, i: int) -> Found | None:
    """This week, the month, the weekend after next."""
    words, tokens = scan.words, scan.tokens
    which, j = words.which.match(tokens, i) or (None, i)
    unit = words.units.match(tokens, j)
    if unit is None or unit[0] in SECONDS:
        return None
    end = unit[1]
    if which is None and (after := words.after_next.match(tokens, end)):
        return (Period(unit[0], Which.AFTER_NEXT),), after[1]
    if which is None and (before := words.before_last.match(tokens, end)):
        return (Period(unit[0], Which.BEFORE_LAST),), before[1]
    if unit[0] is Unit.YEAR and (year := parse_year(scan, end) or _parse_told_year(scan, end)):
        return (Year(year[0]),), year[1]
    if which is None:
        weekend = unit[0] is Unit.WEEKEND
        named = scan.is_after(i, words.the) or _is_of_weekday(scan, i)
        if not (weekend or (named and unit[0] is not Unit.DAY)):
            return None
        which = Which.THIS
    if tokens[end].digits and unit[0] is Unit.WEEK and not begins_time(scan, end):
        # Week 1, as planners count them.
        return (Puzzle(),), end + 1
    if tokens[j].text in words.plurals:
        # The coming days: how many, the words do not say.
        return (Puzzle(),), end
    return (Period(unit[0], which),), end


def _is_of_weekday(scan: Scan, i: int) -> bool:
    """Der letzte Freitag *im* Monat; but *im* Monat is often how often."""
    words = scan.words
    return i > 1 and scan.is_after(i, words.of) and scan.tokens[i - 2].text in words.weekdays


def parse_week_number(scan: Scan, i: int) -> Found | None:
    """KW 45, KW 45/2026."""
    named = scan.words.calendar_week.match(scan.tokens, i)
    if named is None or not 0 < len(scan.tokens[named[1]].digits) <= 2:
        return None
    number, end = scan.tokens[named[1]].number or 0, named[1] + 1
    year = parse_year(scan, scan.skip(scan.skip_sign(end, "/,"), scan.words.of_year))
    return (WeekNumber(number, year[0] if year else None),), year[1] if year else end


def parse_month(scan: Scan, i: int) -> Found | None:
    """March, next March, March 2019, 2019 March."""
    words, tokens = scan.words, scan.tokens
    if early := parse_year(scan, i):
        named = words.months.match(tokens, scan.skip_sign(early[1], "-/,"))
        return ((Month(named[0], early[0]),), named[1]) if named else None
    which, j = words.which.match(tokens, i) or (None, i)
    named = words.months.match(tokens, j)
    if named is None:
        return None
    month, end = named
    k = scan.skip(scan.skip_sign(scan.skip_sign(end, "."), ",-/"), words.of_year)
    if year := parse_year(scan, k, short=k > end):
        return (Month(month, year[0]),), year[1]
    through = words.through.match(tokens, end)
    ranged = through is not None and words.months.match(tokens, through[1]) is not None
    told = which is not None or scan.is_whole(i, end) or ranged
    told = told or scan.is_after(i, words.before_month) or scan.is_after(i, words.edges)
    told = told or scan.is_after(i, words.soft_edges)
    if tokens[j].text in words.doubtful and not told:
        return None
    return (Month(month, None, which),), end


def _parse_told_year(scan: Scan, i: int) -> tuple[int, int] | None:
    """The year *1534*: four figures that would be a time of day elsewhere."""
    token = scan.tokens[i]
    told = len(token.digits) == 4 and (token.number or 0) >= _EARLIEST_YEAR
    return (token.number or 0, i + 1) if told else None


def parse_quarter(scan: Scan, i: int) -> Found | None:
    """Q3, Q3 2019, 2019-Q3."""
    if early := parse_year(scan, i):
        number = _parse_quarter_number(scan, scan.skip_sign(early[1], "-/,"))
        return ((Quarter(number[0], early[0]),), number[1]) if number else None
    number = _parse_quarter_number(scan, i)
    if number is None:
        return None
    year = parse_year(scan, scan.skip(scan.skip_sign(number[1], "-/,"), scan.words.of_year))
    if year:
        return (Quarter(number[0], year[0]),), year[1]
    return (Quarter(number[0]),), number[1]


def parse_lone_year(scan: Scan, i: int) -> Found | None:
    """In 2019, 2014 to 2018."""
    words, tokens = scan.words, scan.tokens
    if tokens[i + 1].text in words.decade_endings and parse_year(scan, i):
        return (Puzzle(),), i + 2
    through = words.through.match(tokens, i + 1)
    ranged = through is not None and parse_year(scan, through[1]) is not None
    told = ranged or scan.is_after(i, words.before_year) or scan.is_whole(i, i + 1)
    if not told and i > 1 and parse_year(scan, i - 2):
        told = scan.is_after(i, words.through)
    hundreds = not tokens[i].digits and (tokens[i].number or 0) % 100 == 0
    if told and hundreds and not scan.is_after(i, words.before_year):
        # Nineteen hundred: a year, or seven in the evening.
        return (Puzzle(),), i + 1
    return parse_year_inside(scan, i) if told else None


def parse_year_inside(scan: Scan, i: int) -> Found | None:
    """A year as a part of a longer expression."""
    found = parse_year(scan, i)
    return ((Year(found[0]),), found[1]) if found else None


def parse_year_or_time(scan: Scan, i: int) -> Found | None:
    """March 12 *1603*: what it is, the words do not say."""
    found = parse_four_figures(scan, i)
    number = scan.tokens[i].number or 0
    if found is None or number not in _LONG_AGO or isinstance(found[0][0], Puzzle):
        return found
    hours = scan.words.hours_after.match(scan.tokens, i + 1)
    return found if hours else ((YearOrTime(number),), found[1])


def parse_edge(scan: Scan, i: int) -> Found | None:
    """The end of …, EOM, the week of …"""
    words, tokens = scan.words, scan.tokens
    if named := words.edge_names.match(tokens, i):
        side, unit = named[0]
        return (Edge(side), Period(unit, Which.THIS)), named[1]
    if edge := words.edges.match(tokens, i):
        return _parse_edge_of(scan, edge[0], scan.skip(edge[1], words.the))
    if week := words.week_of.match(tokens, i):
        return (WeekOf(),), week[1]
    soft = words.soft_edges.match(tokens, i)
    stretch = _parse_stretch(scan, scan.skip(soft[1], words.of)) if soft else None
    return ((Edge(soft[0], soft=True), *stretch[0]), stretch[1]) if soft and stretch else None


def _parse_stretch(scan: Scan, i: int) -> Found | None:
    """A week, a month, a year: what has a beginning, a middle and an end."""
    found = parse_period(scan, i) or parse_month(scan, i) or parse_year_inside(scan, i)
    if found is None or scan.tokens[found[1]].text in scan.words.decade_endings:
        return None
    match found:
        case ((Period(unit=Unit.WEEK | Unit.MONTH | Unit.YEAR) | Month() | Year(),), _):
            return found
        case _:
            return None


def parse_nth_week(scan: Scan, i: int, number: int) -> Found | None:
    """The first week *of June*: if nothing with weeks follows, *last week* is no such one."""
    j = scan.skip(scan.skip(i, scan.words.of), scan.words.the)
    told = _parse_stretch(scan, j) or scan.words.months.match(scan.tokens, j)
    return ((NthWeek(number),), i) if told else None


def _parse_edge_of(scan: Scan, side: Side, i: int) -> Found | None:
    """An edge without a *this* or *next*: end of the day, end of month."""
    words, tokens = scan.words, scan.tokens
    unit = words.units.match(tokens, i)
    if unit and unit[0] not in SECONDS:
        return (Edge(side), Period(unit[0], Which.THIS)), unit[1]
    return (Edge(side),), i


def _parse_quarter_number(scan: Scan, i: int) -> tuple[int, int] | None:
    """Q3, third quarter."""
    letter, number = scan.tokens[i], scan.tokens[i + 1]
    unit = scan.words.units.match(scan.tokens, i + 1) if letter.ordinal in _QUARTERS else None
    if unit and unit[0] is Unit.QUARTER and letter.ordinal:
        return letter.ordinal, unit[1]
    if letter.text not in scan.words.quarter_letters or not number.glued:
        return None
    found = number.number
    return (found, i + 2) if found is not None and found in _QUARTERS else None


_NEAR_VERB = 6
"""How many words before *last* its verb is looked for."""
_NEAR_DAYS = (0, 1)
"""Today and tomorrow, which weeks are counted from: a week tomorrow."""


def parse_shift(scan: Scan, i: int) -> Found | None:
    """In two weeks, 3 days ago, a week after …, within the hour."""
    words, tokens = scan.words, scan.tokens
    if within := words.within.match(tokens, i):
        j = scan.skip(within[1], words.about)
        found = parse_amount(scan, j) or parse_unit_and_more(scan, j)
        return ((Within(found[0]),), found[1]) if found else None
    if lasting := words.lasting.match(tokens, i):
        return _parse_lasting(scan, scan.skip(lasting[1], words.about))
    if start := words.in_.match(tokens, i):
        return _parse_ahead(scan, scan.skip(start[1], words.about))
    if ago := words.ago_first.match(tokens, i):
        past = parse_amount(scan, scan.skip(ago[1], words.about))
        return ((Shift(past[0], -1),), past[1]) if past else None
    if tokens[i].text in "+-" and tokens[i].text and tokens[i + 1].glued:
        found = parse_amount(scan, i + 1)
        return ((Shift(found[0], -1 if tokens[i].text == "-" else 1),), found[1]) if found else None
    if away := _parse_weekdays_away(scan, i) or _parse_parts_away(scan, i):
        return away
    return _parse_amount_shift(scan, i)


def parse_lone_amount(scan: Scan) -> Shift | None:
    """Two weeks, - 1 day, and nothing else: so long from now."""
    sign = scan.words.plus.match(scan.tokens, 0) or (1, 0)
    found = parse_amount(scan, scan.skip(sign[1], scan.words.about))
    return Shift(found[0], sign[0]) if found and scan.is_whole(0, found[1]) else None


def parse_added_amount(scan: Scan, i: int) -> Found | None:
    """Today *plus 3 days*: an amount that the day before it is moved by."""
    sign = scan.words.plus.match(scan.tokens, i)
    loose = scan.tokens[i].text == "-" and not scan.tokens[i + 1].glued
    # Now - 2 hours is a sum; Monday - 2 hours may be a list.
    if sign is None or (loose and scan.tokens[i - 1].text not in scan.words.now):
        return None
    found = parse_amount(scan, sign[1])
    return ((Shift(found[0], sign[0], anchored=True),), found[1]) if found else None


def parse_counted(scan: Scan, i: int) -> Found | None:
    """The next three days, 2 upcoming weeks."""
    words, tokens = scan.words, scan.tokens
    if is_verb_last(scan, i):
        return None
    if which := words.which.match(tokens, i):
        count, j = tokens[which[1]].number, which[1] + 1
        side = which[0]
        unit = words.units.match(tokens, which[1])
        if unit and unit[0] in SECONDS:
            # The next hour is one that is counted, not one of the calendar.
            count, j = 1, which[1]
    else:
        between = words.which.match(tokens, i + 1)
        if between is None:
            return None
        count, j, side = tokens[i].number, between[1], between[0]
        if side is Which.NEXT and tokens[j].text not in words.plurals:
            # The 20th of next month, with the rest left out.
            return None
    unit = words.units.match(tokens, j)
    if count is None or unit is None or not 0 < count <= MOST_UNITS or side is Which.THIS:
        return None
    more = parse_amount(scan, scan.skip(unit[1], words.and_))
    if more:
        return (Puzzle(),), more[1]
    return (Counted(count, unit[0], side),), unit[1]


def is_verb_last(scan: Scan, i: int) -> bool:
    """Make it *last* four hours: how long, and not when."""
    words, tokens = scan.words, scan.tokens
    if i == 0 or tokens[i].text not in words.to_last:
        return False
    if tokens[i - 1].text in words.before_verb:
        return True
    near = range(max(0, i - _NEAR_VERB), i - 1)
    return (
        tokens[i - 1].text[:1].isalpha()
        and not scan.is_after(i, words.the)
        and any(tokens[j].text in words.causing for j in near)
    )


def _parse_parts_away(scan: Scan, i: int) -> Found | None:
    """Three mornings ago, two evenings from now."""
    words, tokens = scan.words, scan.tokens
    count, part = tokens[i].number, words.parts_repeated.match(tokens, i + 1)
    if part is None or not count or count > MOST_UNITS:
        return None
    for table, sign in ((words.forth, 1), (words.back, -1)):
        if found := table.match(tokens, part[1]):
            return (DayShift(sign * count), Part(part[0])), found[1]
    for table, sign in ((words.forth_from, 1), (words.back_from, -1)):
        if found := table.match(tokens, part[1]):
            return (Shift(Amount(days=count), sign, anchored=True), Part(part[0])), found[1]
    return None


def _parse_ahead(scan: Scan, i: int) -> Found | None:
    """In two weeks' time, in two Fridays, in another five minutes."""
    words, tokens = scan.words, scan.tokens
    count, days = tokens[i].number, words.weekdays_repeated.match(tokens, i + 1)
    if days and count and count <= MOST_UNITS:
        return (WeekdayAway(count, days[0], 1),), days[1]
    found = parse_amount(scan, i) or parse_amount(scan, scan.skip(i, words.another))
    if found is None:
        return None
    return (Shift(found[0], 1),), scan.skip(scan.skip(found[1], words.time_ending), words.forth)


def _parse_lasting(scan: Scan, i: int) -> Found | None:
    """For three days, also if *from today* follows: that is when it starts."""
    found = parse_amount(scan, i)
    if found is None or scan.words.half_past.match(scan.tokens, i):
        return None
    return (Lasting(found[0]),), scan.skip(found[1], scan.words.lasting_from)


def _parse_amount_shift(scan: Scan, i: int) -> Found | None:
    words, tokens = scan.words, scan.tokens
    told = parse_amount(scan, i)
    found = told or _parse_bare_unit(scan, i)
    if found is None:
        return None
    amount, j = found
    counted = tokens[j].text in words.from_ and not scan.is_after(i, words.the)
    if told is None and amount.days != 1 and _names_something(scan, j) and not counted:
        # The week after Christmas: not a day, and its start is ambiguous.
        return (Puzzle(),), j + 1
    if words.starting.match(tokens, j):
        return (Lasting(amount),), scan.skip(j, words.starting)
    if forth := words.forth.match(tokens, j):
        return (Shift(amount, 1),), forth[1]
    alone = words.forth_alone.match(tokens, j)
    if alone and scan.is_whole(i, alone[1]):
        return (Shift(amount, 1),), alone[1]
    before = words.back_alone.match(tokens, j)
    if before and scan.is_whole(i, before[1]):
        return (Shift(amount, -1),), before[1]
    if back := words.back.match(tokens, j):
        anchored = words.ago.match(tokens, j) is not None and _names_day(scan, back[1])
        return (Shift(amount, -1, anchored=anchored),), _skip_today(scan, back[1])
    if forth_from := words.forth_from.match(tokens, j):
        return (Shift(amount, 1, anchored=True),), forth_from[1]
    if back_from := words.back_from.match(tokens, j):
        return (Shift(amount, -1, anchored=True),), back_from[1]
    return _parse_weeks_on(scan, amount, j)


def _names_something(scan: Scan, i: int) -> bool:
    """Whether it is said what comes before or after, and not left to what was said earlier."""
    words, tokens = scan.words, scan.tokens
    joined = words.forth_from.match(tokens, i) or words.back_from.match(tokens, i)
    return joined is not None and tokens[joined[1]].text[:1].isalnum()


def _names_day(scan: Scan, i: int) -> bool:
    """Three years ago *tomorrow*, *this Friday*: counted from that day."""
    words, tokens = scan.words, scan.tokens
    day, which = words.days.match(tokens, i), words.which.match(tokens, i)
    named = which is not None and words.weekdays.match(tokens, which[1]) is not None
    return named or (day is not None and day[0] != 0)


def _skip_today(scan: Scan, i: int) -> int:
    """A year ago *today*, to the day."""
    day = scan.words.days.match(scan.tokens, i)
    return day[1] if day and day[0] == 0 else i


def _parse_weeks_on(scan: Scan, amount: Amount, i: int) -> Found | None:
    """A week on Friday, a week tomorrow. Two days on Friday are not counted from it."""
    words, tokens = scan.words, scan.tokens
    weeks, days_left = divmod(amount.days, DAYS[Unit.WEEK])
    if not weeks or days_left or amount.months or amount.seconds or amount.vague:
        return None
    day = words.days.match(tokens, i)
    if day and day[0] in _NEAR_DAYS:
        return (Shift(amount, 1, anchored=True),), i
    named = words.weekdays.match(tokens, scan.skip(i, words.weeks_on))
    return ((Weekday(named[0], weeks=weeks),), named[1]) if named else None


def _parse_bare_unit(scan: Scan, i: int) -> Told | None:
    """The *day* after tomorrow, *week* ago: one of it."""
    words, tokens = scan.words, scan.tokens
    one = None if tokens[i].text in words.plurals else parse_single_unit(scan, i)
    if one is None:
        return None
    if words.ago.match(tokens, one[1]):
        return one
    joined = words.forth_from.match(tokens, one[1]) or words.back_from.match(tokens, one[1])
    which = words.which.match(tokens, joined[1]) if joined else None
    # The week after next is no week after something; the day after next Monday is.
    named = which is None or words.weekdays.match(tokens, which[1]) is not None
    return one if joined and named else None


def _parse_weekdays_away(scan: Scan, i: int) -> Found | None:
    """Three Fridays from now, the third Friday from now, two weekends ago."""
    words, tokens = scan.words, scan.tokens
    number, ordinal = tokens[i].number, tokens[i].ordinal
    count = number or ordinal
    if not count or count > MOST_UNITS:
        return None
    unit = words.units.match(tokens, i + 1)
    weekend = unit is not None and unit[0] is Unit.WEEKEND
    day = words.weekdays.match(tokens, i + 1) or words.weekdays_repeated.match(tokens, i + 1)
    day = (_SATURDAY, unit[1]) if unit and weekend else day
    if day and tokens[i].digits and tokens[i + 1].glued:
        # 2mon ago: months, and not Mondays.
        return None
    if day is None or (ordinal and tokens[day[1]].text in words.soft):
        # The second Monday later that month is not counted from now.
        return None
    if forth := words.forth.match(tokens, day[1]):
        return (WeekdayAway(count, day[0], 1, weekend),), forth[1]
    back = words.back.match(tokens, day[1]) if number else None
    return ((WeekdayAway(count, day[0], -1, weekend),), back[1]) if back else None
