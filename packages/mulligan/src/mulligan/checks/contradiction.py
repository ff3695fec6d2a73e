"""Facts outrank models: whether what a judge says, or proposes, is denied by what was computed.

Each rule reads the judge's prose for one kind of fact and names that kind when the prose says
otherwise. A rule that is not sure what a sentence claims has nothing to say.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterable, Iterator, Mapping
from datetime import date

from msgspec import Struct

from mulligan.checks.places import HOME, says_home
from mulligan.checks.subject import EXISTS
from mulligan.types.finding import Fact, Finding
from mulligan_dates.calendar import make_date
from mulligan_dates.languages import choose_prose
from mulligan_dates.tables import ProsePhrases
from mulligan_dates.text import fold, split_prose

_LONGEST_TIE = 200
"""The most characters between a date and a weekday that belong together."""
_BARRIER = re.compile(r"[;?!]|\.\s")


class Mention(Struct, frozen=True, kw_only=True):
    """A date that a text names."""

    text: str
    days: frozenset[date]
    """What it can mean: two days where month and day can be swapped."""
    zoned: bool
    """It is an instant, so the day depends on the zone."""
    start: int
    end: int


class WeekdayClaim(Struct, frozen=True, kw_only=True):
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
        told = _parse_readings(found, years or {}, phrases)
        days = frozenset(
            each for year, month, day in told if (each := make_date(year, month, day=day))
        )
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
    not 2025-10-23" the weekday is not about the 23rd.
    """
    if len(between) > _LONGEST_TIE or _BARRIER.search(between):
        return None
    words = set(split_prose(fold(between)))
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
        words = split_prose(fold(clause))
        if phrases.wanting.intersection(words) or phrases.dates.search(clause):
            continue
        before: list[str] = []
        done, denied = 0, False
        for weekday, start, _ in _find_weekdays(clause, phrases):
            more = split_prose(fold(clause[done:start]))
            before, done = before + more, start
            denied = denied or bool(phrases.denying.intersection(more))
            while before and before[-1] in phrases.leading:
                before.pop()
            if before and before[-1] in phrases.placing:
                yield weekday, not denied
            before = before[-1:]


WEEKDAY = "date.weekday"

_CLOCK = re.compile(r"\b\d{1,2}:\d\d\b|\b\d{1,2}\s?[ap]\.?m\b", re.IGNORECASE)


class CallFacts(Struct, frozen=True, kw_only=True):
    """What is certain about the calls that a finding is about."""

    message: str
    """The person's."""
    used: tuple[str, ...]
    """The calls' arguments, as text."""
    facts: tuple[Fact, ...]

    @property
    def about_calls(self) -> tuple[Fact, ...]:
        """The facts whose subject is an argument of these calls."""
        return tuple(f for f in self.facts if any(f.subject in text for text in self.used))

    @property
    def dates_used(self) -> tuple[Mention, ...]:
        """Every date that is among the arguments."""
        return tuple(mention for text in self.used for mention in find_date_mentions(text))

    @property
    def days_used(self) -> frozenset[date]:
        """Every day that is among the arguments; an instant's depends on where the person is."""
        return frozenset(d for m in self.dates_used if not m.zoned for d in m.days)

    @property
    def meanings(self) -> tuple[Fact, ...]:
        """The facts about which days a phrase of the person can mean."""
        phrases = (
            f for f in self.facts if f.kind.startswith("date.") and find_date_mentions(f.value)
        )
        return tuple(f for f in phrases if f.subject.casefold() in self.message.casefold())

    @property
    def days_meant(self) -> frozenset[date]:
        """Every day that the person can have meant; empty if it was not computed."""
        return frozenset(
            d for f in self.meanings for m in find_date_mentions(f.value) for d in m.days
        )

    @property
    def date_is_right(self) -> bool:
        """Whether every day that was used is one that the person can have meant."""
        sure = bool(self.dates_used) and not any(m.zoned for m in self.dates_used)
        return sure and self.days_used <= self.days_meant

    def map_years(self) -> dict[tuple[int, int], int]:
        """For a day without a year: that of a day among the arguments."""
        return {(d.month, d.day): d.year for d in self.days_used | self.days_meant}


def contradict_finding(finding: Finding, known: CallFacts) -> str | None:
    """The kind of fact that contradicts a finding; `None` when none does."""
    rules = (
        _deny_weekday,
        _deny_used_weekday,
        _deny_wrong_date,
        _deny_missing_id,
        _deny_wrong_home,
    )
    return next((kind for rule in rules for kind in rule(finding, known)), None)


def contradict_correction(finding: Finding, known: CallFacts) -> str | None:
    """The kind of fact that contradicts a finding's correction."""
    if finding.correction is None:
        return None
    rules = (_deny_proposed_weekday, _deny_proposed_date, _deny_proposed_id)
    return next((kind for rule in rules for kind in rule(finding.correction, known)), None)


def is_outcome_right(finding: Finding, known: CallFacts) -> bool:
    """Whether a finding about a date accepts the date itself: only the way to it was wrong, if any.

    So where the date is one the person can have meant, and where the fix asks for the date that
    is there.
    """
    if _read_area(finding) != "date":
        return False
    wanted = _find_days(finding.correction or "", known)
    same = bool(wanted) and wanted <= known.days_used and not _CLOCK.search(str(finding.correction))
    return same or (known.date_is_right and not wanted - known.days_meant)


def _read_area(finding: Finding) -> str:
    return finding.rule.partition(".")[0]


def _find_days(text: str, known: CallFacts) -> frozenset[date]:
    return frozenset(d for m in find_date_mentions(text, years=known.map_years()) for d in m.days)


def _deny_weekday(finding: Finding, known: CallFacts) -> Iterator[str]:
    yield from _deny_proposed_weekday(finding.issue, known)


def _deny_proposed_weekday(text: str, known: CallFacts) -> Iterator[str]:
    for claim in find_weekday_claims(text, years=known.map_years()):
        if _is_false(claim, known.facts):
            yield WEEKDAY


def _is_false(claim: WeekdayClaim, facts: Iterable[Fact]) -> bool:
    """Whether no reading of the date makes the claim true. The calendar is a fact of its own."""
    truths = {_find_instant_weekday(claim.mention, facts)} - {None}
    if not claim.mention.zoned:
        truths = {day.weekday() for day in claim.mention.days}
    return bool(truths) and all((truth == claim.weekday) != claim.holds for truth in truths)


def _find_instant_weekday(mention: Mention, facts: Iterable[Fact]) -> int | None:
    """An instant is on another day elsewhere: only a fact knows where the person is."""
    told = (f for f in facts if f.kind == WEEKDAY and f.subject == mention.text)
    return next((find_weekday(f.value) for f in told), None)


def _deny_used_weekday(finding: Finding, known: CallFacts) -> Iterator[str]:
    """It says that the agent used a weekday that it did not use."""
    used = {find_weekday(f.value) for f in known.about_calls if f.kind == WEEKDAY}
    for weekday, holds in find_used_weekdays(finding.issue):
        if used and (weekday not in used if holds else used == {weekday}):
            yield WEEKDAY


def _deny_wrong_date(finding: Finding, known: CallFacts) -> Iterator[str]:
    """It wants another date, although the one there is what the person meant."""
    wanted = _find_days(finding.correction or "", known)
    if _read_area(finding) == "date" and known.date_is_right and wanted - known.days_meant:
        yield known.meanings[0].kind


def _deny_proposed_date(correction: str, known: CallFacts) -> Iterator[str]:
    wanted = _find_days(correction, known)
    if known.days_meant and wanted and not wanted & known.days_meant:
        yield known.meanings[0].kind


def _deny_missing_id(finding: Finding, known: CallFacts) -> Iterator[str]:
    """It says that there is no such id, and there is."""
    if not choose_prose(finding.issue).no_such_id.search(finding.issue):
        return
    read = [f for f in known.facts if f.kind == EXISTS]
    named = [f for f in read if f.subject in finding.issue]
    if not named and _read_area(finding) == "id":
        named = [f for f in known.about_calls if f.kind == EXISTS]
    if named and all(f.value == "yes" for f in named):
        yield EXISTS


def _deny_proposed_id(correction: str, known: CallFacts) -> Iterator[str]:
    use = choose_prose(correction).use
    for fact in known.facts:
        absent = fact.kind == EXISTS and fact.value == "no"
        if use and absent and re.search(use + re.escape(fact.subject), correction, re.IGNORECASE):
            yield EXISTS


def _deny_wrong_home(finding: Finding, known: CallFacts) -> Iterator[str]:
    """It calls the home address wrong, although the person said home."""
    if _read_area(finding) != "place" or not says_home(known.message):
        return
    said = f"{finding.issue} {finding.correction or ''}".casefold()
    for fact in known.facts:
        home = fact.value.casefold()
        used = fact.kind == HOME and any(home in text.casefold() for text in known.used)
        if used and (home in said or says_home(said)):
            yield HOME
