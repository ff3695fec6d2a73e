"""Which rules can read a token, by what it is and by what was read before it."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping
from functools import lru_cache

from mulligan.checks.dates.grammar.clocks import (
    parse_bare_hour,
    parse_clock,
    parse_day_part,
    parse_dotted_clock,
    parse_dotted_minutes,
    parse_four_figures,
    parse_hour_of_part,
    parse_lone_figures,
    parse_spoken_inside,
    parse_this_time,
    parse_this_time_inside,
    parse_zone,
)
from mulligan.checks.dates.grammar.days import (
    parse_day_number,
    parse_elsewhere,
    parse_feast,
    parse_month_day,
    parse_nth,
    parse_relative_day,
    parse_repeating,
    parse_weekday,
    parse_weekday_number,
    parse_which_date,
)
from mulligan.checks.dates.grammar.numeric import parse_numeric_date
from mulligan.checks.dates.grammar.periods import (
    parse_edge,
    parse_lone_year,
    parse_month,
    parse_period,
    parse_quarter,
    parse_year_inside,
    parse_year_or_time,
)
from mulligan.checks.dates.grammar.scan import Found, Scan
from mulligan.checks.dates.grammar.shifts import parse_added_amount, parse_counted, parse_shift
from mulligan.checks.dates.grammar.stamps import parse_stamp
from mulligan.checks.language.tables import Words

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
    parse_dotted_clock,
    *_BY_NUMBER,
    parse_year_inside,
    parse_spoken_inside,
    parse_year_or_time,
)
_NUMBER_AFTER_YEAR: Rules = (parse_dotted_clock, *_INSIDE, parse_four_figures)
_NUMBER_AFTER_WEEKDAY: Rules = (
    *_INSIDE,
    parse_dotted_minutes,
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
    (parse_relative_day, lambda w: (w.nights, w.days, w.now, w.which)),
    (parse_weekday, lambda w: (w.weekdays, w.weekdays_repeated, w.which)),
    (parse_day_part, lambda w: (w.parts,)),
    (parse_edge, lambda w: (w.edges, w.edge_names, w.week_of)),
    (parse_quarter, lambda w: (w.quarter_letters,)),
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
    if "weekday" in taken:
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
    return (
        token.number is not None
        or token.ordinal is not None
        or token.text in openings
        or scan.national.opens(token.text)
    )


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
