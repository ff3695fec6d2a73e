"""What prose claims about dates: which weekday it says a date is, and which dates it names."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator, Mapping
from datetime import date

from mulligan.checks.language.choosing import choose_prose
from mulligan.checks.language.prose import ProsePhrases
from mulligan.core.runtime.dataclass import dataclass

_WORD = re.compile(r"[^\W_]+(?:['\u2019.][^\W_]+)*")
_LONGEST_TIE = 200
"""Characters between a date and a weekday beyond which the one is not said of the other."""
_BARRIER = re.compile(r"[;?!]|\.\s")


@dataclass(frozen=True, slots=True, kw_only=True)
class Mention:
    """A date that a text names."""

    text: str
    days: frozenset[date]
    """What it can mean: two days where nobody can tell the month from the day."""
    zoned: bool
    """It is an instant, so the day depends on where one looks from."""
    start: int
    end: int


@dataclass(frozen=True, slots=True, kw_only=True)
class WeekdayClaim:
    """A text says that a date is, or is not, a weekday."""

    mention: Mention
    weekday: int
    """0 is Monday."""
    holds: bool
    """False: it says that the date is *not* that weekday."""


def find_weekday(text: str) -> int | None:
    """The first weekday in a text, 0 for Monday."""
    return next((number for number, _, _ in _find_weekdays(text, choose_prose(text))), None)


def _find_weekdays(text: str, phrases: ProsePhrases) -> Iterator[tuple[int, int, int]]:
    for found in phrases.weekdays.finditer(text):
        yield int(str(found.lastgroup)[1:]), found.start(), found.end()


def find_date_mentions(
    text: str, *, years: Mapping[tuple[int, int], int] | None = None
) -> list[Mention]:
    """Every date a text names. Those without a year get the one that `years` has for that day."""
    mentions = []
    phrases = choose_prose(text)
    for found in phrases.dates.finditer(text):
        days = frozenset(_list_days(found, years or {}, phrases))
        if days:
            mentions.append(
                Mention(
                    text=found[0],
                    days=days,
                    zoned=found["zone"] is not None,
                    start=found.start(),
                    end=found.end(),
                )
            )
    return mentions


def _list_days(
    found: re.Match[str], years: Mapping[tuple[int, int], int], phrases: ProsePhrases
) -> Iterator[date]:
    for year, month, day in _parse_readings(found, years, phrases):
        try:
            yield date(year, month, day)
        except ValueError:
            # The 31st of February is no date, whatever the text thinks.
            continue


def _parse_readings(
    found: re.Match[str], years: Mapping[tuple[int, int], int], phrases: ProsePhrases
) -> Iterator[tuple[int, int, int]]:
    if found["year"]:
        yield int(found["year"]), int(found["month"]), int(found["day"])
    elif found["dot"]:
        left, right, year = int(found["left"]), int(found["right"]), int(found["year3"])
        yield year, right, left
        if found["dot"] == "/":
            yield year, left, right
    else:
        month = phrases.find_month(found["name1"] or found["name2"])
        day = int(found["day1"] or found["day2"])
        named = found["year1"] or found["year2"]
        likely = int(named) if named else years.get((month, day))
        if likely is not None:
            yield likely, month, day


def find_weekday_claims(
    text: str, *, years: Mapping[tuple[int, int], int] | None = None
) -> list[WeekdayClaim]:
    """Where a text says of a date which weekday it is; each weekday is said of the nearest date."""
    mentions = find_date_mentions(text, years=years)
    ends = [mention.end for mention in mentions]
    claims = []
    phrases = choose_prose(text)
    for weekday, start, end in _find_weekdays(text, phrases):
        # The nearest on either side: what is farther has that one in between, which parts them.
        at = bisect_right(ends, start)
        tied = [
            (len(between), mention, holds)
            for mention in mentions[max(0, at - 1) : at + 1]
            for between in [_slice_between(text, mention, start=start, end=end)]
            if (holds := _classify_tie(between, phrases, after=mention.end <= start)) is not None
        ]
        if tied:
            _, mention, holds = min(tied, key=lambda found: found[0])
            claims.append(WeekdayClaim(mention=mention, weekday=weekday, holds=holds))
    return claims


def _slice_between(text: str, mention: Mention, *, start: int, end: int) -> str:
    return text[mention.end : start] if mention.end <= start else text[end : mention.start]


def _classify_tie(between: str, phrases: ProsePhrases, *, after: bool) -> bool | None:
    """Whether the words between say that it is, or is not; `None` if they say neither.

    `after`: the weekday stands behind the date. Only there can it be denied of it: in "Friday,
    not 2025-10-23" nobody says what day the 23rd is.
    """
    if len(between) > _LONGEST_TIE or _BARRIER.search(between):
        return None
    words = set(_split_words(between))
    denied = bool(words & phrases.denying)
    if words - phrases.tying - phrases.denying or (denied and not after):
        return None
    return not denied


def find_used_weekdays(text: str) -> Iterator[tuple[int, bool]]:
    """Weekdays a text says an agent put something on, and whether it says so or denies it.

    Read only where no date stands beside it, and not where the text tells what was wanted.
    """
    phrases = choose_prose(text)
    for clause in phrases.clause_end.split(text):
        words = _split_words(clause)
        if phrases.wanting.intersection(words) or phrases.dates.search(clause):
            continue
        before: list[str] = []
        done, denied = 0, False
        for weekday, start, _ in _find_weekdays(clause, phrases):
            more = _split_words(clause[done:start])
            before, done = before + more, start
            denied = denied or bool(phrases.denying.intersection(more))
            while before and before[-1] in phrases.leading:
                before.pop()
            if before and before[-1] in phrases.placing:
                yield weekday, not denied
            before = before[-1:]


def _split_words(text: str) -> list[str]:
    return [word.lower().replace("\u2019", "'") for word in _WORD.findall(text)]
