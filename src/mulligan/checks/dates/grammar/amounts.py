"""Rules for how long: two weeks, half an hour, 1d 2hr 5min."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction

from mulligan.checks.dates.grammar.scan import Scan
from mulligan.checks.dates.parts import Amount
from mulligan.checks.language.senses import Unit

SECONDS = {Unit.SECOND: 1, Unit.MINUTE: 60, Unit.HOUR: 3600}
DAYS = {Unit.DAY: 1, Unit.WEEK: 7, Unit.FORTNIGHT: 14}
_MONTHS = {
    Unit.MONTH: 1,
    Unit.QUARTER: 3,
    Unit.YEAR: 12,
    Unit.DECADE: 120,
    Unit.CENTURY: 1200,
}
_MOST_TERMS = 7
MOST = 1000
"""Of anything: nobody counts further, and dates end."""

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
    count, j = _parse_number(scan, one[1] if one else i)
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


def _parse_number(scan: Scan, i: int) -> tuple[Fraction | None, int]:
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
    """So many of a unit; `None` where nobody could say how long that is."""
    if count > MOST * 60:
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
