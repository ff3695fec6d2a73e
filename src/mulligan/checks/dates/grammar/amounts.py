"""Rules for how long: two weeks, half an hour, 1d 2hr 5min."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction

from mulligan.checks.dates.grammar.scan import Found, Scan
from mulligan.checks.dates.parts import (
    Amount,
    Counted,
    Lasting,
    Puzzle,
    Shift,
    Unit,
    WeekdayAway,
    Which,
    Within,
)

_SECONDS = {Unit.SECOND: 1, Unit.MINUTE: 60, Unit.HOUR: 3600}
_DAYS = {Unit.DAY: 1, Unit.WEEK: 7, Unit.FORTNIGHT: 14}
_MONTHS = {Unit.MONTH: 1, Unit.QUARTER: 3, Unit.YEAR: 12, Unit.DECADE: 120}
_MOST_TERMS = 5
_MOST = 1000
"""Of anything: nobody counts further, and dates end."""


def shift_at(scan: Scan, i: int) -> Found | None:
    """In two weeks, 3 days ago, a week after …, within the hour."""
    words, tokens = scan.words, scan.tokens
    if within := words.within.at(tokens, i):
        found = amount_at(scan, within[1]) or _one_and_more(scan, within[1])
        return ((Within(found[0]),), found[1]) if found else None
    if lasting := words.lasting.at(tokens, i):
        return _lasting(scan, lasting[1])
    if start := words.in_.at(tokens, i):
        return _ahead(scan, start[1])
    if tokens[i].text in "+-" and tokens[i].text and tokens[i + 1].glued:
        found = amount_at(scan, i + 1)
        return ((Shift(found[0], -1 if tokens[i].text == "-" else 1),), found[1]) if found else None
    if away := _weekdays_away(scan, i):
        return away
    return _from_somewhere(scan, i)


def amount_at(scan: Scan, i: int) -> tuple[Amount, int] | None:
    """A sum of counted units, and where it ends."""
    total: Amount | None = None
    end = j = i
    for _ in range(_MOST_TERMS):
        term = _term(scan, j)
        if term is None:
            break
        total, end = _sum(total, term[0]), term[1]
        j = scan.skip(scan.skip_sign(end, ","), scan.words.and_)
    return (total, end) if total is not None else None


def days_long_at(scan: Scan, i: int) -> int | None:
    """Where a length of days or more ends: two nights, three-day, a week."""
    words, tokens = scan.words, scan.tokens
    if (found := amount_at(scan, i)) and (found[0].days or found[0].months):
        return found[1]
    some = words.vague_counts.at(tokens, i) or words.one.at(tokens, i)
    if some is None and tokens[i].number is None:
        return None
    j = scan.skip_sign(some[1] if some else i + 1, "-")
    unit = words.units.at(tokens, j)
    if unit is not None:
        return unit[1] if unit[0] not in _SECONDS else None
    night = words.overnight.at(tokens, j)
    return night[1] if night else None


def counted_at(scan: Scan, i: int) -> Found | None:
    """The next three days, 2 upcoming weeks."""
    words, tokens = scan.words, scan.tokens
    if which := words.which.at(tokens, i):
        count, j = tokens[which[1]].number, which[1] + 1
        side = which[0]
        unit = words.units.at(tokens, which[1])
        if unit and unit[0] in _SECONDS:
            # The next hour is one that is counted, not one of the calendar.
            count, j = 1, which[1]
    else:
        between = words.which.at(tokens, i + 1)
        if between is None:
            return None
        count, j, side = tokens[i].number, between[1], between[0]
    unit = words.units.at(tokens, j)
    if count is None or unit is None or not 0 < count <= _MOST or side is Which.THIS:
        return None
    more = amount_at(scan, scan.skip(unit[1], words.and_))
    if more:
        return (Puzzle(),), more[1]
    return (Counted(count, unit[0], side),), unit[1]


def _ahead(scan: Scan, i: int) -> Found | None:
    found = amount_at(scan, i)
    if found is None:
        return None
    return (Shift(found[0], 1),), scan.skip(found[1], scan.words.time_ending)


def _lasting(scan: Scan, i: int) -> Found | None:
    """For three days, also if *from today* follows: that is when it starts."""
    found = amount_at(scan, i)
    if found is None or scan.words.half_past.at(scan.tokens, i):
        return None
    return (Lasting(found[0]),), scan.skip(found[1], scan.words.lasting_from)


def _from_somewhere(scan: Scan, i: int) -> Found | None:
    words, tokens = scan.words, scan.tokens
    found = amount_at(scan, i) or _bare_unit(scan, i)
    if found is None:
        return None
    amount, j = found
    if scan.words.starting.at(tokens, j):
        return (Lasting(amount),), scan.skip(j, words.starting)
    if forth := words.forth.at(tokens, j):
        return (Shift(amount, 1),), forth[1]
    if back := words.back.at(tokens, j):
        return (Shift(amount, -1),), back[1]
    if forth_from := words.forth_from.at(tokens, j):
        return (Shift(amount, 1, anchored=True),), forth_from[1]
    if back_from := words.back_from.at(tokens, j):
        return (Shift(amount, -1, anchored=True),), back_from[1]
    if weeks_on := _weeks_on(scan, amount, j):
        return (Shift(amount, 1, anchored=True),), weeks_on
    return None


def _weeks_on(scan: Scan, amount: Amount, i: int) -> int | None:
    """A week *on* Friday; where the weekday begins. Two days on Friday are not reckoned from it."""
    on = scan.words.weeks_on.at(scan.tokens, i)
    weeks = amount.days and amount.days % _DAYS[Unit.WEEK] == 0
    if on is None or not weeks or amount.months or amount.seconds:
        return None
    return on[1] if scan.words.weekdays.at(scan.tokens, on[1]) else None


def _one_and_more(scan: Scan, i: int) -> tuple[Amount, int] | None:
    """Within the *day and 5 hours*."""
    unit = scan.words.units.at(scan.tokens, i)
    amount = _times(Fraction(1), unit[0]) if unit else None
    if unit is None or amount is None:
        return None
    more = amount_at(scan, scan.skip(unit[1], scan.words.and_))
    return (_sum(amount, more[0]), more[1]) if more else (amount, unit[1])


def _bare_unit(scan: Scan, i: int) -> tuple[Amount, int] | None:
    """The *day* after tomorrow: one of it."""
    unit = scan.words.units.at(scan.tokens, i)
    if scan.tokens[i].text in scan.words.plurals:
        return None
    joined = unit and (
        scan.words.forth_from.at(scan.tokens, unit[1])
        or scan.words.back_from.at(scan.tokens, unit[1])
    )
    if unit is None or not joined or scan.words.which.at(scan.tokens, unit[1] + 1):
        return None
    amount = _times(Fraction(1), unit[0])
    return (amount, unit[1]) if amount else None


def _weekdays_away(scan: Scan, i: int) -> Found | None:
    words, tokens = scan.words, scan.tokens
    count = tokens[i].number
    if count is None or not 0 < count <= _MOST:
        return None
    day = words.weekdays.at(tokens, i + 1) or words.weekdays_repeated.at(tokens, i + 1)
    if day is None:
        return None
    if forth := words.forth.at(tokens, day[1]):
        return (WeekdayAway(count, day[0], 1),), forth[1]
    if back := words.back.at(tokens, day[1]):
        return (WeekdayAway(count, day[0], -1),), back[1]
    return None


def _term(scan: Scan, i: int) -> tuple[Amount, int] | None:
    """One count and its unit."""
    words, tokens = scan.words, scan.tokens
    count: Fraction | None
    vague = False
    if fraction := words.fractions.at(tokens, i):
        count, j = Fraction(*fraction[0]), fraction[1]
    elif some := words.vague_counts.at(tokens, i):
        count, j, vague = Fraction(some[0]), some[1], True
    elif one := words.one.at(tokens, i):
        count, j = Fraction(1), one[1]
    else:
        count, j = _number(scan, i)
    if count is None:
        return None
    if half := words.and_a_half.at(tokens, j):
        count, j = count + Fraction(1, 2), half[1]
    j = scan.skip(j, words.more)
    unit = words.units.at(tokens, j) or _short_unit(scan, j)
    if unit is None:
        return None
    if half := words.and_a_half.at(tokens, unit[1]):
        count, unit = count + Fraction(1, 2), (unit[0], half[1])
    amount = _times(count, unit[0])
    return (replace(amount, vague=vague), unit[1]) if amount else None


def _short_unit(scan: Scan, i: int) -> tuple[Unit, int] | None:
    """A unit of one letter, which needs figures before it: 3h, 45m."""
    words, tokens = scan.words, scan.tokens
    if not tokens[i - 1].digits:
        return None
    unit = words.short_units.at(tokens, i)
    return unit or (words.glued_units.at(tokens, i) if tokens[i].glued else None)


def _number(scan: Scan, i: int) -> tuple[Fraction | None, int]:
    """A whole number, a decimal or a fraction in figures."""
    first, sign, second = (scan.tokens[i + n] for n in range(3))
    if first.number is None:
        return None, i
    if second.number is not None and sign.glued and second.glued and first.digits:
        if sign.text == "/" and second.number:
            return Fraction(first.number, second.number), i + 3
        if sign.text == ".":
            return Fraction(f"{first.digits}.{second.digits}"), i + 3
    return Fraction(first.number), i + 1


def _times(count: Fraction, unit: Unit) -> Amount | None:
    """So many of a unit; `None` where nobody could say how long that is."""
    if count > _MOST * 60:
        return None
    if unit in _SECONDS:
        return Amount(seconds=int(count * _SECONDS[unit]))
    if unit in _DAYS:
        days = count * _DAYS[unit]
        if days.denominator == 1:
            return Amount(days=int(days))
        return Amount(seconds=int(days * 86_400)) if unit is Unit.DAY else None
    if unit in _MONTHS:
        months = count * _MONTHS[unit]
        return Amount(months=int(months)) if months.denominator == 1 else None
    return None


def _sum(total: Amount | None, more: Amount) -> Amount:
    if total is None:
        return more
    return Amount(
        months=total.months + more.months,
        days=total.days + more.days,
        seconds=total.seconds + more.seconds,
        vague=total.vague or more.vague,
    )
