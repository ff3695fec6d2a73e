"""Which rules can read a token, by what it is and by what was read before it."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping
from functools import lru_cache

from mulligan.checks.dates.grammar.clocks import (
    bare_hour_at,
    clock_at,
    dotted_at,
    dotted_minutes_at,
    four_figures_at,
    lone_figures_at,
    part_at,
    spoken_inside_at,
    this_time_at,
    this_time_inside_at,
    zone_at,
)
from mulligan.checks.dates.grammar.days import (
    day_number_at,
    elsewhere_at,
    feast_at,
    month_day_at,
    nth_at,
    number_of_weekday_at,
    relative_at,
    repeating_at,
    weekday_at,
    which_date_at,
)
from mulligan.checks.dates.grammar.numeric import figures_at
from mulligan.checks.dates.grammar.periods import (
    edge_at,
    month_at,
    period_at,
    quarter_at,
    year_alone_at,
    year_inside_at,
)
from mulligan.checks.dates.grammar.scan import Found, Scan
from mulligan.checks.dates.grammar.shifts import added_at, counted_at, shift_at
from mulligan.checks.dates.grammar.stamps import stamp_at
from mulligan.checks.dates.language.tables import Words

Rule = Callable[[Scan, int], Found | None]
Rules = tuple[Rule, ...]

_BY_NUMBER: Rules = (
    stamp_at,
    figures_at,
    clock_at,
    shift_at,
    counted_at,
    month_day_at,
    nth_at,
    quarter_at,
    month_at,
    day_number_at,
    bare_hour_at,
)
"""In this order, here and below: the first that finds something is right."""
_NUMBER_AT_START: Rules = (*_BY_NUMBER, year_alone_at)
_INSIDE: Rules = (*_BY_NUMBER, spoken_inside_at)
_NUMBER_AFTER_DATE: Rules = (
    dotted_at,
    *_BY_NUMBER,
    year_inside_at,
    spoken_inside_at,
    four_figures_at,
)
_NUMBER_AFTER_YEAR: Rules = (dotted_at, *_INSIDE, four_figures_at)
_NUMBER_AFTER_WEEKDAY: Rules = (
    *_INSIDE,
    dotted_minutes_at,
    number_of_weekday_at,
    four_figures_at,
)
_NUMBER_AFTER_DAY: Rules = (*_INSIDE, dotted_minutes_at, lone_figures_at)

_BY_WORD: tuple[tuple[Rule, Callable[[Words], tuple[Iterable[str], ...]]], ...] = (
    (elsewhere_at, lambda w: (w.elsewhere,)),
    (repeating_at, lambda w: (w.repeating,)),
    (clock_at, lambda w: (w.noon, w.midnight, w.half_past, w.half)),
    (shift_at, lambda w: (w.in_, w.within, w.lasting, w.one, w.vague_counts, w.fractions, w.units)),
    (shift_at, lambda _: ("+-",)),
    (counted_at, lambda w: (w.which,)),
    (this_time_at, lambda w: (w.this_time,)),
    (month_day_at, lambda w: (w.months,)),
    (which_date_at, lambda w: (w.which,)),
    (nth_at, lambda w: (w.from_end,)),
    (feast_at, lambda w: (w.feasts, w.which)),
    (relative_at, lambda w: (w.nights, w.days, w.now, w.which)),
    (weekday_at, lambda w: (w.weekdays, w.weekdays_repeated, w.which)),
    (part_at, lambda w: (w.parts,)),
    (edge_at, lambda w: (w.edges, w.edge_names, w.week_of)),
    (quarter_at, lambda w: (w.quarter_letters,)),
    (month_at, lambda w: (w.months, w.which)),
    (period_at, lambda w: (w.units, w.which)),
)
"""Each rule with the words it can begin with."""

_SUMMED = frozenset({"day", "date"})
"""After these, an amount can be added."""


def part_at_start(scan: Scan, i: int) -> Found | None:
    """The part of a phrase that begins at a token."""
    if _is_number(scan, i):
        return _first(scan, i, _NUMBER_AT_START)
    return _first(scan, i, _by_word(scan, i))


def part_inside(scan: Scan, i: int, *, taken: Collection[str]) -> Found | None:
    """The part at a token that follows others, whose slots are `taken`.

    Four figures are a year after a date, and a time of day after a year or a day.
    """
    if not _is_number(scan, i):
        summed = added_at(scan, i) if _SUMMED.intersection(taken) else None
        return summed or _first(scan, i, (*_by_word(scan, i), zone_at, this_time_inside_at))
    if "date" in taken or "period" in taken:
        told = "year" in taken or scan.after(i, scan.words.at)
        return _first(scan, i, _NUMBER_AFTER_YEAR if told else _NUMBER_AFTER_DATE)
    if "weekday" in taken:
        year = year_inside_at(scan, i) if scan.after(i, scan.words.of_year) else None
        return year or _first(scan, i, _NUMBER_AFTER_WEEKDAY)
    return _first(scan, i, _NUMBER_AFTER_DAY if "day" in taken else _BY_NUMBER)


def _first(scan: Scan, i: int, rules: Rules) -> Found | None:
    for rule in rules:
        if found := rule(scan, i):
            return found
    return None


def _is_number(scan: Scan, i: int) -> bool:
    token = scan.tokens[i]
    return token.number is not None or token.ordinal is not None


def _by_word(scan: Scan, i: int) -> Rules:
    word = scan.tokens[i].text
    rules = _openings(scan.words).get(word, ())
    return (*rules, feast_at) if scan.national.opens(word) else rules


@lru_cache(maxsize=8)
def _openings(words: Words) -> Mapping[str, Rules]:
    """Every word that a phrase can begin with, and the rules that know it."""
    found: dict[str, Rules] = {}
    for rule, tables in _BY_WORD:
        for word in {word for table in tables(words) for word in table}:
            found[word] = (*found.get(word, ()), rule)
    return found
