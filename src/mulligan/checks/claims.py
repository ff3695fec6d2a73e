"""What prose claims about dates: which weekday it says a date is, and which dates it names."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import date

WEEKDAYS = ("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday")
_MONTHS = (
    "january", "february", "march", "april", "may", "june", "july", "august", "september",
    "october", "november", "december",
)  # fmt: skip
_MONTH = "|".join(f"{month[:3]}(?:{month[3:]})?" for month in _MONTHS)
_DATE = re.compile(
    r"\b(?P<year>\d{4})-(?P<month>\d\d)-(?P<day>\d\d)"
    r"(?P<time>[T ]\d\d:\d\d(?::\d\d(?:\.\d+)?)?(?P<zone>Z|[+-]\d\d:?\d\d)?)?"
    rf"|\b(?P<name1>{_MONTH})\.? (?P<day1>\d{{1,2}})(?:st|nd|rd|th)?\b(?:,? (?P<year1>\d{{4}})\b)?"
    rf"|\b(?:the )?(?P<day2>\d{{1,2}})(?:st|nd|rd|th)?\.? (?:of )?(?P<name2>{_MONTH})\b\.?"
    r"(?:,? (?P<year2>\d{4})\b)?"
    r"|\b(?P<left>\d{1,2})(?P<dot>[./])(?P<right>\d{1,2})(?P=dot)(?P<year3>\d{4})\b",
    re.IGNORECASE,
)
# Short forms count only with a capital: "sat" and "sun" are words.
_SHORT = ("Mon", "Tues?", "Wed", "Thu(?:rs?)?", "Fri", "Sat", "Sun")
_WEEKDAY = re.compile(
    "|".join(
        rf"\b(?P<w{number}>(?i:{full})|{short})\b"
        for number, (full, short) in enumerate(zip(WEEKDAYS, _SHORT, strict=True))
    )
)
# Between a date and a weekday, these leave the one said of the other. Any other word parts them.
_TYING = frozenset({
    "is", "was", "are", "be", "being", "been", "would", "will", "falls", "fell", "fall", "lands",
    "landed", "on", "a", "an", "the", "this", "that", "which", "it", "it's", "that's", "actually",
    "really", "in", "fact", "indeed", "already", "still", "also", "actual", "real", "correct",
    "proper", "right", "true", "day", "date", "weekday", "called", "i.e",
})  # fmt: skip
_DENYING = frozenset({"not", "never", "isn't", "wasn't", "isnt"})
# What an agent did with a date; a weekday after it is the one that was used.
_PLACING = frozenset({
    "moved", "scheduled", "rescheduled", "booked", "placed", "put", "created", "set", "used",
    "uses", "picked", "chose", "entered", "added",
})  # fmt: skip
_LEADING = frozenset({"to", "on", "for", "as", "a", "an", "the", "it", "event", "onto", "actually"})
# In a clause with one of these, a weekday is the one that was wanted.
_WANTING = frozenset({
    "asked", "asks", "said", "says", "want", "wants", "wanted", "should", "must", "meant", "means",
    "requested", "request", "supposed", "need", "needs", "needed", "expected", "intended",
    "ought", "wished", "if", "unless", "would", "could", "please",
})  # fmt: skip
_CLAUSE_END = re.compile(
    r"[.;,!?]|\b(?:but|and|while|whereas|although|though|instead of|rather than)\b", re.IGNORECASE
)
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
    return next((number for number, _, _ in _find_weekdays(text)), None)


def _find_weekdays(text: str) -> Iterator[tuple[int, int, int]]:
    for found in _WEEKDAY.finditer(text):
        yield int(str(found.lastgroup)[1:]), found.start(), found.end()


def find_date_mentions(
    text: str, *, years: Mapping[tuple[int, int], int] | None = None
) -> list[Mention]:
    """Every date a text names. Those without a year get the one that `years` has for that day."""
    mentions = []
    for found in _DATE.finditer(text):
        days = frozenset(_list_days(found, years or {}))
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


def _list_days(found: re.Match[str], years: Mapping[tuple[int, int], int]) -> Iterator[date]:
    for year, month, day in _parse_readings(found, years):
        try:
            yield date(year, month, day)
        except ValueError:
            # The 31st of February is no date, whatever the text thinks.
            continue


def _parse_readings(
    found: re.Match[str], years: Mapping[tuple[int, int], int]
) -> Iterator[tuple[int, int, int]]:
    if found["year"]:
        yield int(found["year"]), int(found["month"]), int(found["day"])
    elif found["dot"]:
        left, right, year = int(found["left"]), int(found["right"]), int(found["year3"])
        yield year, right, left
        if found["dot"] == "/":
            yield year, left, right
    else:
        name = found["name1"] or found["name2"]
        month = next(n for n, full in enumerate(_MONTHS, 1) if full.startswith(name[:3].lower()))
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
    for weekday, start, end in _find_weekdays(text):
        # The nearest on either side: what is farther has that one in between, which parts them.
        at = bisect_right(ends, start)
        tied = [
            (len(between), mention, holds)
            for mention in mentions[max(0, at - 1) : at + 1]
            for between in [_slice_between(text, mention, start=start, end=end)]
            if (holds := _classify_tie(between, after=mention.end <= start)) is not None
        ]
        if tied:
            _, mention, holds = min(tied, key=lambda found: found[0])
            claims.append(WeekdayClaim(mention=mention, weekday=weekday, holds=holds))
    return claims


def _slice_between(text: str, mention: Mention, *, start: int, end: int) -> str:
    return text[mention.end : start] if mention.end <= start else text[end : mention.start]


def _classify_tie(between: str, *, after: bool) -> bool | None:
    """Whether the words between say that it is, or is not; `None` if they say neither.

    `after`: the weekday stands behind the date. Only there can it be denied of it: in "Friday,
    not 2025-10-23" nobody says what day the 23rd is.
    """
    if len(between) > _LONGEST_TIE or _BARRIER.search(between):
        return None
    words = set(_split_words(between))
    denied = bool(words & _DENYING)
    if words - _TYING - _DENYING or (denied and not after):
        return None
    return not denied


def find_used_weekdays(text: str) -> Iterator[tuple[int, bool]]:
    """Weekdays a text says an agent put something on, and whether it says so or denies it.

    Read only where no date stands beside it, and not where the text tells what was wanted.
    """
    for clause in _CLAUSE_END.split(text):
        words = _split_words(clause)
        if _WANTING.intersection(words) or _DATE.search(clause):
            continue
        before: list[str] = []
        done, denied = 0, False
        for weekday, start, _ in _find_weekdays(clause):
            more = _split_words(clause[done:start])
            before, done, denied = before + more, start, denied or bool(_DENYING.intersection(more))
            while before and before[-1] in _LEADING:
                before.pop()
            if before and before[-1] in _PLACING:
                yield weekday, not denied
            before = before[-1:]


def _split_words(text: str) -> list[str]:
    return [word.lower().replace("\u2019", "'") for word in _WORD.findall(text)]
