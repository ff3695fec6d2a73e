"""Finding dates and times, addresses, phone numbers and names in folded text, in one form each."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from functools import cache

from msgspec import Struct

from mulligan.checks.quantities import (
    Run,
    build_alternation,
    find_word_before,
    load_between,
    load_grounding_tables,
)
from mulligan.checks.words import split_sentences
from mulligan_dates.lexicon import is_unspaced, join_words, load_others, load_words
from mulligan_dates.text import fold

_EMAIL = re.compile(r"(?<![\w.+-])[\w.+-]{1,64}@(?:[\w-]{1,63}\.){1,8}[a-z]{2,24}\b", re.IGNORECASE)
_LATIN = "a-z0-9_\u00df-\u024f"
_PHONE = re.compile(rf"\d[\d\s().\-/]{{5,22}}\d(?=x\d|[^{_LATIN},/%]|,(?!\d)|$)")
"""A comma may follow, and a letter of a script without spaces."""
_NOT_BEFORE_PHONE = re.compile(rf"[{_LATIN}.,/$€£-]")
_NO_PHONE = re.compile(r"(?:19|20)\d\d-(?:19|20)\d\d|97[89][ -][\d -]{9,}|\d{1,3}(?:\.\d{1,3}){3}")
"""A span of years, a book's number, an address on a network."""
_GROUPED = re.compile(r"\d{1,3}(?:[ .]\d{3})+(?:,\d+)?|\d{4}-\d\d-\d\d|\d\d?[./]\d\d?[./]\d{2,4}")
_DOTTED = re.compile(r"(?:\d\.)?\d{3}\.\d{3}\.\d{4}")
_SCHEME = re.compile(r"^[a-z][a-z0-9+.\-]*:(?://)?(?:www\.)?|^www\.")
FEWEST_DIGITS = 7
SAME_ENDING = 7
"""Digits at the end that make two phone numbers one, with or without a country's prefix."""


class Found(Struct, frozen=True, kw_only=True):
    """Something found in a text, as it is compared."""

    value: str
    start: int
    end: int


def find_emails(text: str) -> list[Found]:
    """Every e-mail address."""
    if "@" not in text:
        return []
    return [
        Found(value=found[0].casefold(), start=found.start(), end=found.end())
        for found in _EMAIL.finditer(text)
    ]


def find_phones(text: str, runs: list[Run]) -> list[Found]:
    """Every phone number, as its digits. A grouped number or a date is none."""
    if sum(end - start for start, end in runs) < FEWEST_DIGITS:
        return []
    found: list[Found] = []
    done = 0
    for at, _ in runs:
        match = _PHONE.match(text, at) if at >= done else None
        if match is None:
            continue
        start = at - (text[at - 1 : at] in ("+", "("))
        start -= text[start - 1 : start] == "+"
        number = text[start : match.end()]
        digits = re.sub(r"\D", "", number)
        marked = number[0] in "+(0" or "-" in number or number.count(" ") > 1
        marked = marked or _DOTTED.fullmatch(number) is not None
        other = _GROUPED.fullmatch(number) or _NO_PHONE.fullmatch(number)
        if len(digits) < FEWEST_DIGITS or not marked or other:
            continue
        if number[0] == "+" or not _NOT_BEFORE_PHONE.match(text[start - 1 : start]):
            found.append(Found(value=digits, start=start, end=match.end()))
            done = match.end()
    return found


def is_same_phone(one: str, other: str) -> bool:
    """Whether two runs of digits can be one number."""
    return one[-SAME_ENDING:] == other[-SAME_ENDING:]


def normalize_link(link: str) -> str:
    """A web address as it is compared: no scheme, no `www.`, no closing slash, no fragment."""
    bare = _SCHEME.sub("", link.strip().casefold())
    return bare.partition("#")[0].rstrip("/.,")


def leads_within(link: str, known: str) -> bool:
    """Whether a known address lies at or below the link: a site's front page is known by it."""
    return known == link or known.startswith((f"{link}/", f"{link}?"))


_SHORT_DATE = re.compile(r"(?P<day>0?[1-9]|[12]\d|3[01])\.(?P<month>0?[1-9]|1[0-2])\.(?!\d)")
"""16.11., as German leaves the year out."""
_EAST_ASIAN = re.compile(
    r"(?:(?P<year>\d{4})\s?[\u5e74\ub144]\s?)?(?P<month>\d{1,2})\s?[\u6708\uc6d4]\s?"
    r"(?:(?P<day>\d{1,2})\s?[\u65e5\u53f7\u865f\uc77c])?"
)
"""Year, month and day with the word for each behind it: Chinese, Japanese, Korean."""
_MAY_BEGIN_A_DATE = frozenset("-/. \nsnrt")
"""What stands behind the first digits of a date."""
_DIGITS_AT_START = (1, 2, 4)
"""How many digits a date can begin with: those of a day, a month or a year."""
_HALF_DAY = 720
_HOUR_OF_NOON = 12


class Date(Struct, frozen=True, kw_only=True):
    """A date, possibly without its year or day. Slashes may be read in two orders."""

    year: int | None = None
    month: int | None = None
    day: int | None = None
    swapped: bool = False
    """Whether day and month may be the other way round."""
    start: int = 0
    end: int = 0

    def tells(self, claim: Date) -> bool:
        """Whether this date, in any reading, supports all that the claim says."""
        mine = [self, *([self._swap_order()] if self.swapped else [])]
        theirs = [claim, *([claim._swap_order()] if claim.swapped else [])]
        return any(_covers(known, said) for known in mine for said in theirs)

    def _swap_order(self) -> Date:
        return Date(year=self.year, month=self.day, day=self.month)


def _covers(known: Date, said: Date) -> bool:
    pairs = ((known.year, said.year), (known.month, said.month), (known.day, said.day))
    # What the context leaves out is no support, except the year: that is often understood.
    return all(
        theirs is None or mine == theirs or (mine is None and place == 0)
        for place, (mine, theirs) in enumerate(pairs)
    )


class ClockTime(Struct, frozen=True, kw_only=True):
    """A time of day, in minutes; on a clock of twelve hours where nothing says which half."""

    minutes: int
    certain: bool
    start: int = 0
    end: int = 0

    def tells(self, claim: ClockTime) -> bool:
        """Whether the claim can be the same time."""
        if self.certain and claim.certain:
            return self.minutes == claim.minutes
        return self.minutes % _HALF_DAY == claim.minutes % _HALF_DAY


def find_dates(folded: str, runs: list[Run], *, known: bool = False) -> list[Date]:
    """Every date with a month, in order.

    `known`: what may be one is good enough, because it is only held against what is claimed. Else
    "1.2." is a date where a word before it says so, and a version or a paragraph elsewhere.
    """
    dates: list[Date] = []
    done = 0
    for start, end in runs:
        if start < done or end - start not in _DIGITS_AT_START:
            continue
        date = _parse_east_asian(folded, start) if is_unspaced(folded[end : end + 1]) else None
        if folded[end : end + 1] in _MAY_BEGIN_A_DATE:
            date = _parse_day_first(folded, start)
            if date is None and (known or _has_date_word_before(folded, start)):
                date = _parse_short_date(folded, start)
        if date is None and find_word_before(folded, start) in load_grounding_tables()["months"]:
            date = _parse_month_first(folded, start)
        if date is not None:
            dates.append(date)
            done = date.end
    return dates


def find_times(folded: str, runs: list[Run]) -> list[ClockTime]:
    """Every time of day, in order."""
    behind = _load_behind_an_hour()
    return [
        _parse_clock_time(found)
        for start, end in runs
        if folded[end : end + 2].lstrip()[:1] in behind
        and (found := _compile_clock().match(folded, start))
        and not _continues(folded, start, also=":.")
    ]


def _continues(text: str, at: int, *, also: str) -> bool:
    """Whether a place is in the middle of a word or a longer numeral."""
    before = text[at - 1 : at]
    return before.isalnum() or before == "_" or (before != "" and before in also)


def _parse_day_first(text: str, start: int) -> Date | None:
    found = _compile_day_first().match(text, start)
    if found is None or _continues(text, start, also="/.-"):
        return None
    end = found.end()
    if found["iso_year"]:
        year, month, day = (int(found[name]) for name in ("iso_year", "iso_month", "iso_day"))
        return Date(year=year, month=month, day=day, start=start, end=end)
    if found["first"]:
        return _parse_slashed(found)
    return Date(
        year=int(found["year"]) if found["year"] else None,
        month=load_grounding_tables()["months"][found["month"]],
        day=int(found["day"]),
        start=start,
        end=end,
    )


def _parse_east_asian(text: str, start: int) -> Date | None:
    found = _EAST_ASIAN.match(text, start)
    if found is None:
        return None
    year, month, day = (int(n) if n else None for n in found.group("year", "month", "day"))
    return Date(year=year, month=month, day=day, start=start, end=found.end())


def _has_date_word_before(text: str, start: int) -> bool:
    return find_word_before(text, start) in load_grounding_tables()["words"]["before_a_date"]


def _parse_short_date(text: str, start: int) -> Date | None:
    found = _SHORT_DATE.match(text, start)
    if found is None or _continues(text, start, also="/.-"):
        return None
    return Date(month=int(found["month"]), day=int(found["day"]), start=start, end=found.end())


def _parse_slashed(found: re.Match[str]) -> Date:
    first, second, year = int(found["first"]), int(found["second"]), int(found["slash_year"])
    return Date(
        year=year if year > 99 else 2000 + year,
        month=second if second <= 12 else first,
        day=first if second <= 12 else second,
        swapped=first <= 12 and second <= 12 and first != second,
        start=found.start(),
        end=found.end(),
    )


def _parse_month_first(text: str, start: int) -> Date | None:
    found = _compile_after_month().match(text, start)
    if found is None:
        return None
    month = find_word_before(text, start)
    year = found["year"] or found["alone"]
    return Date(
        year=int(year) if year else None,
        month=load_grounding_tables()["months"][month],
        day=int(found["day"]) if found["day"] else None,
        start=text.rindex(month, 0, start),
        end=found.end(),
    )


def _parse_clock_time(found: re.Match[str]) -> ClockTime:
    start, end = found.span()
    if found["half"]:
        hour = int(found["hour"]) % _HOUR_OF_NOON
        minutes = 60 * hour + int(found["minute"] or 0)
        minutes += _HALF_DAY if found["half"] == "p" else 0
        return ClockTime(minutes=minutes, certain=True, start=start, end=end)
    written = found["hour24"] or found["sharp"]
    hour = int(written)
    minutes = 60 * hour + int(found["minute24"] or found["dotted"] or found["behind_h"] or 0)
    unclear = 1 <= hour <= _HOUR_OF_NOON and not written.startswith("0")
    return ClockTime(minutes=minutes, certain=not unclear, start=start, end=end)


_YEAR = r"(?:19|20)\d\d(?!\d)"
_DAY = r"(?:[12]\d|3[01]|0?[1-9])"


@cache
def _compile_after_month() -> re.Pattern[str]:
    return re.compile(
        rf"(?P<alone>{_YEAR})|(?P<day>{_DAY})(?:{join_words('dates', 'ordinal')})?(?!\w)"
        rf"(?:,?\s+(?P<year>{_YEAR}))?"
    )


@cache
def _compile_day_first() -> re.Pattern[str]:
    return re.compile(
        rf"(?P<iso_year>\d{{4}})-(?P<iso_month>\d\d)-(?P<iso_day>\d\d)(?![\d-])"
        rf"|(?P<first>\d{{1,2}})[/.](?P<second>\d{{1,2}})[/.]"
        rf"(?P<slash_year>{_YEAR}|\d\d(?![\d/.]))"
        rf"|(?P<day>{_DAY})(?:{join_words('dates', 'ordinal')})?\.?\s+"
        rf"(?:(?:{_join_joints('of_month')})\s+)?"
        rf"(?P<month>{build_alternation(load_grounding_tables()['months'])})\b\.?"
        rf"(?:,?\s+(?:(?:{_join_joints('of_year')})\s+)?(?P<year>{_YEAR}))?"
    )


def _join_joints(name: str) -> str:
    """What stands between a day and its month, or between both and their year."""
    told = (each.get(name, "") for each in load_others().values())
    own = load_words("dates", "of") if name == "of_month" else ()
    return build_alternation({*own, *" ".join(told).split()})


@cache
def _compile_clock() -> re.Pattern[str]:
    """12:30, 12:30 pm, 12.30 or 12 with the word for it, 12 before another such hour, 12h30."""
    word = build_alternation(load_grounding_tables()["words"]["behind_a_time"])
    between = build_alternation(load_between())
    return re.compile(
        r"(?P<hour>[01]?\d|2[0-4])(?::(?P<minute>[0-5]\d))?\s?(?P<half>[ap])\.?m\b\.?"
        r"|(?P<hour24>[01]?\d|2[0-4])(?::(?P<minute24>[0-5]\d)(?![:\d])"
        rf"|\.(?P<dotted>[0-5]\d)\s?(?:{word})\b|\s?h\s?(?P<behind_h>[0-5]\d)\b)"
        rf"|(?P<sharp>[01]?\d|2[0-4])(?:\s?(?:{word})\b"
        rf"|(?=\s?(?:{between})\s?\d{{1,2}}(?:[:.][0-5]\d)?\s?(?:{word})\b))"
    )


@cache
def _load_behind_an_hour() -> frozenset[str]:
    """What may follow the hour, by its first letter."""
    words = (*load_grounding_tables()["words"]["behind_a_time"], *load_between())
    return frozenset({*":aph.", *(word[0] for word in words)})


FEWEST_WORDS = 2
LONGEST_ACRONYM = 5

_WORD = re.compile(r"[^\W\d_][\w'\u2019\-]*+")
_TWO_CAPITALS = re.compile(
    # Each word is tried once, from its beginning: not from every capital in it. What stands before
    # it is asked behind the capital, so that all other letters are passed over at once.
    r"[A-Z\u00c0-\u00de\u0391-\u03a9\u0410-\u042f](?<![\w'\u2019\-].)"
    r"[\w'\u2019\-]*+\s++(?:[a-z&]{1,3}\s++){0,2}+"
    r"[A-Z\u00c0-\u00de\u0391-\u03a9\u0410-\u042f]"
)
"""A quick test for a name: most text has none, and is skipped."""


def find_names(paragraphs: Iterable[str]) -> Iterator[tuple[str, tuple[str, ...]]]:
    """Each run of two or more capitalised words, with those of its words that must be known.

    The first word of a sentence has its capital for another reason, acronyms are everybody's, and
    a label before a colon names nothing.
    """
    for paragraph in paragraphs:
        if _TWO_CAPITALS.search(paragraph):
            for sentence in split_sentences(paragraph):
                # With no capital behind its first letter, there are no two of them.
                if not sentence[1:].islower():
                    yield from _find_in_sentence(sentence)


def _find_in_sentence(sentence: str) -> Iterator[tuple[str, tuple[str, ...]]]:
    run: list[re.Match[str]] = []
    joined_by, _ = _load_lists()
    for word in _WORD.finditer(sentence):
        if not run:
            if word[0][0].isupper():
                run.append(word)
            continue
        apart = sentence[run[-1].end() : word.start()].strip() != ""
        if apart:
            yield from _read_name(sentence, run)
            run = []
        if word[0][0].isupper() or (word[0] in joined_by and not apart):
            run.append(word)
        elif run:
            yield from _read_name(sentence, run)
            run = []
    yield from _read_name(sentence, run)


def _read_name(sentence: str, run: list[re.Match[str]]) -> Iterator[tuple[str, tuple[str, ...]]]:
    joined_by, not_names = _load_lists()
    while run and run[-1][0] in joined_by:
        run = run[:-1]
    capitals = [word for word in run if word[0] not in joined_by]
    if len(capitals) < FEWEST_WORDS or sentence[run[-1].end() : run[-1].end() + 1] == ":":
        return
    before = sentence[: run[0].start()].rstrip()
    at_start = before.endswith(":") or not any(map(str.isalnum, before))
    needed = tuple(
        normalize_word(word[0])
        for word in (capitals[1:] if at_start else capitals)
        if fold(word[0]) not in not_names and not _is_acronym(word[0])
    )
    if needed:
        yield sentence[run[0].start() : run[-1].end()], needed


def normalize_word(word: str) -> str:
    """A word of a name as it is compared."""
    return fold(word).removesuffix("'s").rstrip("'")


def _is_acronym(word: str) -> bool:
    return word.isupper() and len(word) <= LONGEST_ACRONYM


@cache
def _load_lists() -> tuple[frozenset[str], frozenset[str]]:
    names = load_grounding_tables()["names"]
    return frozenset(names["joined_by"]), frozenset(names["not_names"])
