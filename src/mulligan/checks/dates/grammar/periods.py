"""Rules for stretches of time: next week, March 2019, Q3, the end of the month."""

from __future__ import annotations

from mulligan.checks.dates.grammar.scan import Found, Scan, begins_time, year_at
from mulligan.checks.dates.parts import (
    Edge,
    Month,
    Period,
    Puzzle,
    Quarter,
    Side,
    Unit,
    WeekOf,
    Which,
    Year,
)

_SHORT = (Unit.SECOND, Unit.MINUTE, Unit.HOUR)
_QUARTERS = range(1, 5)


def period_at(scan: Scan, i: int) -> Found | None:
    """This week, the month, the weekend after next."""
    words, tokens = scan.words, scan.tokens
    which, j = words.which.at(tokens, i) or (None, i)
    unit = words.units.at(tokens, j)
    if unit is None or unit[0] in _SHORT:
        return None
    end = unit[1]
    if which is None and (after := words.after_next.at(tokens, end)):
        return (Period(unit[0], Which.AFTER_NEXT),), after[1]
    if which is None and (before := words.before_last.at(tokens, end)):
        return (Period(unit[0], Which.BEFORE_LAST),), before[1]
    if unit[0] is Unit.YEAR and (year := year_at(scan, end)):
        return (Year(year[0]),), year[1]
    if which is None:
        weekend = unit[0] is Unit.WEEKEND
        if not (weekend or (scan.after(i, words.the) and unit[0] is not Unit.DAY)):
            return None
        which = Which.THIS
    if tokens[end].digits and unit[0] is Unit.WEEK and not begins_time(scan, end):
        # Week 1, as planners count them.
        return (Puzzle(),), end + 1
    if tokens[j].text in words.plurals:
        # The coming days: how many, the words do not say.
        return (Puzzle(),), end
    return (Period(unit[0], which),), end


def month_at(scan: Scan, i: int) -> Found | None:
    """March, next March, March 2019, 2019 March."""
    words, tokens = scan.words, scan.tokens
    if early := year_at(scan, i):
        named = words.months.at(tokens, scan.skip_sign(early[1], "-/,"))
        return ((Month(named[0], early[0]),), named[1]) if named else None
    which, j = words.which.at(tokens, i) or (None, i)
    named = words.months.at(tokens, j)
    if named is None:
        return None
    month, end = named
    k = scan.skip(scan.skip_sign(scan.skip_sign(end, "."), ",-/"), words.of_year)
    if year := year_at(scan, k, short=k > end):
        return (Month(month, year[0]),), year[1]
    through = words.through.at(tokens, end)
    ranged = through is not None and words.months.at(tokens, through[1]) is not None
    told = which is not None or scan.after(i, words.before_month) or scan.whole(i, end) or ranged
    if tokens[j].text in words.doubtful and not told:
        return None
    return (Month(month, None, which),), end


def quarter_at(scan: Scan, i: int) -> Found | None:
    """Q3, Q3 2019, 2019-Q3."""
    if early := year_at(scan, i):
        number = _quarter(scan, scan.skip_sign(early[1], "-/,"))
        return ((Quarter(number[0], early[0]),), number[1]) if number else None
    number = _quarter(scan, i)
    if number is None:
        return None
    year = year_at(scan, scan.skip(scan.skip_sign(number[1], "-/,"), scan.words.of_year))
    if year:
        return (Quarter(number[0], year[0]),), year[1]
    return (Quarter(number[0]),), number[1]


def year_alone_at(scan: Scan, i: int) -> Found | None:
    """In 2019, 2014 to 2018."""
    words, tokens = scan.words, scan.tokens
    if tokens[i + 1].text in words.decade_endings and year_at(scan, i):
        return (Puzzle(),), i + 2
    through = words.through.at(tokens, i + 1)
    ranged = through is not None and year_at(scan, through[1]) is not None
    told = ranged or scan.after(i, words.before_year) or scan.whole(i, i + 1)
    if not told and i > 1 and year_at(scan, i - 2):
        told = scan.after(i, words.through)
    return year_inside_at(scan, i) if told else None


def year_inside_at(scan: Scan, i: int) -> Found | None:
    """A year as a part of a longer expression."""
    found = year_at(scan, i)
    return ((Year(found[0]),), found[1]) if found else None


def edge_at(scan: Scan, i: int) -> Found | None:
    """The end of …, EOM, the week of …"""
    words, tokens = scan.words, scan.tokens
    if named := words.edge_names.at(tokens, i):
        side, unit = named[0]
        return (Edge(side), Period(unit, Which.THIS)), named[1]
    if edge := words.edges.at(tokens, i):
        return _edge_of(scan, edge[0], scan.skip(edge[1], words.the))
    if week := words.week_of.at(tokens, i):
        return (WeekOf(),), week[1]
    return None


def _edge_of(scan: Scan, side: Side, i: int) -> Found | None:
    """An edge without a *this* or *next*: end of the day, end of month."""
    words, tokens = scan.words, scan.tokens
    unit = words.units.at(tokens, i)
    if unit and unit[0] not in _SHORT:
        return (Edge(side), Period(unit[0], Which.THIS)), unit[1]
    return (Edge(side),), i


def _quarter(scan: Scan, i: int) -> tuple[int, int] | None:
    """Q3, third quarter."""
    letter, number = scan.tokens[i], scan.tokens[i + 1]
    unit = scan.words.units.at(scan.tokens, i + 1) if letter.ordinal in _QUARTERS else None
    if unit and unit[0] is Unit.QUARTER and letter.ordinal:
        return letter.ordinal, unit[1]
    if letter.text not in scan.words.quarter_letters or not number.glued:
        return None
    found = number.number
    return (found, i + 2) if found is not None and found in _QUARTERS else None
