"""Rules for stretches of time: next week, March 2019, Q3, the end of the month."""

from __future__ import annotations

from mulligan.checks.dates.grammar.clocks import parse_four_figures
from mulligan.checks.dates.grammar.scan import Found, Scan, begins_time, parse_year
from mulligan.checks.dates.parts import (
    Edge,
    Month,
    Period,
    Puzzle,
    Quarter,
    WeekOf,
    Year,
    YearOrTime,
)
from mulligan.checks.language.senses import Side, Unit, Which

_SHORT = (Unit.SECOND, Unit.MINUTE, Unit.HOUR)
_QUARTERS = range(1, 5)
_EARLIEST_YEAR = 1000
_LONG_AGO = range(_EARLIEST_YEAR, 1900)
"""Years that are as likely to be a time of day."""


def parse_period(scan: Scan, i: int) -> Found | None:
    """This week, the month, the weekend after next."""
    words, tokens = scan.words, scan.tokens
    which, j = words.which.match(tokens, i) or (None, i)
    unit = words.units.match(tokens, j)
    if unit is None or unit[0] in _SHORT:
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
        if not (weekend or (scan.is_after(i, words.the) and unit[0] is not Unit.DAY)):
            return None
        which = Which.THIS
    if tokens[end].digits and unit[0] is Unit.WEEK and not begins_time(scan, end):
        # Week 1, as planners count them.
        return (Puzzle(),), end + 1
    if tokens[j].text in words.plurals:
        # The coming days: how many, the words do not say.
        return (Puzzle(),), end
    return (Period(unit[0], which),), end


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
    told = (
        which is not None or scan.is_after(i, words.before_month) or scan.is_whole(i, end) or ranged
    )
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
    return None


def _parse_edge_of(scan: Scan, side: Side, i: int) -> Found | None:
    """An edge without a *this* or *next*: end of the day, end of month."""
    words, tokens = scan.words, scan.tokens
    unit = words.units.match(tokens, i)
    if unit and unit[0] not in _SHORT:
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
