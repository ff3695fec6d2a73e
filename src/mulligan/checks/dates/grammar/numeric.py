"""Rules for dates in figures: 2019-03-04, 3/4/2019, 3.4., 20190304."""

from __future__ import annotations

from mulligan.checks.dates.grammar.scan import (
    HIGHEST_DAY,
    HIGHEST_MONTH,
    YEARS,
    Found,
    Scan,
    begins_time,
    expand_year,
    read_day_number,
)
from mulligan.checks.dates.parts import Month, MonthDay, NumericDate
from mulligan.checks.language.tokens import Token

_SIGNS = ("-", "/", ".")


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
            return found
    return None


def _parse_month_and_year(scan: Scan, i: int) -> Found | None:
    """2/2013, 2013-02."""
    first, sign, second = scan.tokens[i : i + 3]
    if sign.text not in ("/", "-") or not (sign.glued and second.glued):
        return None
    year, month = (first, second) if len(first.digits) == 4 else (second, first)
    if year.number not in YEARS or not 0 < len(month.digits) <= 2:
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
    first, sign, second, again, third = scan.tokens[i : i + 5]
    if sign.text not in _SIGNS or again.text != sign.text or not (second.digits and third.digits):
        return None
    apart = sign.text == "." and again.glued and third.number in YEARS
    if sign.glued and not (again.glued and (third.glued or apart)):
        return None
    if len(first.digits) == 4 and third.number is not None:
        return validate_date(MonthDay(second.number or 0, third.number, first.number), i + 5)
    if len(third.digits) not in (2, 4) or third.number is None:
        return None
    dotted = sign.text == "."
    year = expand_year(third.number)
    return _make_numeric_date(first, second, year=year, end=i + 5, dotted=dotted)


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
        return _make_numeric_date(first, second, year=expand_year(year.number or 0), end=i + 5)
    return _make_numeric_date(first, second, year=None, end=i + 3)


def _parse_two_with_dot(scan: Scan, i: int) -> Found | None:
    """3.4. and 03.04; 3.4 could be a price, and needs something beside it that speaks of days."""
    first, sign, second, dot = scan.tokens[i : i + 4]
    if sign.text != "." or not (sign.glued and second.glued) or begins_time(scan, i + 2):
        return None
    dotted = dot.text == "." and dot.glued
    if not dotted and _is_time(scan, i):
        return None
    end = i + 3 + dotted
    padded = len(first.digits) == len(second.digits) == 2
    if not (
        dotted
        or padded
        or scan.is_whole(i, end)
        or begins_time(scan, end)
        or _follows_day_word(scan, i)
    ):
        return None
    return _make_numeric_date(first, second, year=None, end=end, dotted=True)


_RULES = (
    _parse_three_spaced,
    _parse_three_joined,
    _parse_with_month_name,
    _parse_month_and_year,
    _parse_two_with_slash,
    _parse_two_with_dot,
)


def _follows_day_word(scan: Scan, i: int) -> bool:
    """Whether the word before says that a day comes."""
    words, tokens = scan.words, scan.tokens
    return scan.is_after(i, words.before_day) or (
        i > 0 and (words.weekdays.match(tokens, i - 1) is not None or tokens[i - 1].text == ".")
    )


def _is_time(scan: Scan, i: int) -> bool:
    """At 12.30, 5.30 tomorrow: a time of day; who writes a date with dots begins with the day."""
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
