"""The tables a language consists of, apart from the rules that read them.

Words about time, whatever the language, come to the same few senses. Requests, and texts that
models write, are listened to by phrases: what a language leaves out, the checks do not hear in it.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from enum import StrEnum
from typing import Generic, TypeVar

from msgspec import Struct

from mulligan_dates.tokens import Token, tokenize


class Unit(StrEnum):
    """Stretches of time that people count in."""

    SECOND = "second"
    MINUTE = "minute"
    HOUR = "hour"
    DAY = "day"
    WEEK = "week"
    WEEKEND = "weekend"
    FORTNIGHT = "fortnight"
    MONTH = "month"
    QUARTER = "quarter"
    YEAR = "year"
    DECADE = "decade"
    CENTURY = "century"


SECONDS = {Unit.SECOND: 1, Unit.MINUTE: 60, Unit.HOUR: 3600}
"""How long a unit of the clock is."""
DAYS = {Unit.DAY: 1, Unit.WEEK: 7, Unit.FORTNIGHT: 14}


class Which(StrEnum):
    """Which of its kind: this week, next Friday, the weekend after next."""

    BEFORE_LAST = "before last"
    LAST = "last"
    PAST = "past"
    """The one just gone."""
    THIS = "this"
    COMING = "coming"
    """The one about to come."""
    NEXT = "next"
    AFTER_NEXT = "after next"


class Half(StrEnum):
    """Of a day."""

    AM = "am"
    PM = "pm"


class DayPart(StrEnum):
    """What people call the hours of a day."""

    MORNING = "morning"
    LUNCH = "lunch"
    AFTERNOON = "afternoon"
    EVENING = "evening"
    NIGHT = "night"


class Side(StrEnum):
    """Of a stretch of time."""

    START = "start"
    MIDDLE = "middle"
    END = "end"


class Limit(StrEnum):
    """What stands before an expression and makes it the edge of something."""

    SINCE = "since"
    UNTIL = "until"
    BEFORE = "before"
    AFTER = "after"


NEVER = re.compile(r"(?!)")
"""Found in no text."""
NOTHING: frozenset[str] = frozenset()


def find_any(words: str) -> re.Pattern[str]:
    """A pattern for any of these words, separated by `|`, each of them a pattern of its own."""
    told = "|".join(word.strip() for word in words.split("|"))
    return re.compile(rf"\b(?:{told})\b", re.IGNORECASE)


class RequestPhrases(Struct, frozen=True, kw_only=True, eq=False):
    """The phrases that checks of calls listen for, a field or a few for each check."""

    several: re.Pattern[str] = NEVER
    """May want the same thing more than once: *twice*."""
    free: re.Pattern[str] = NEVER
    """Wants a time that is not taken: *when we are both free*."""
    ahead: re.Pattern[str] = NEVER
    """Looks ahead: *book*, *tomorrow*."""
    back: re.Pattern[str] = NEVER
    """May look back, so that nothing is sure: *yesterday*."""
    to_come: re.Pattern[str] = NEVER
    """Only fits what is still to come: *cancel*."""
    over: re.Pattern[str] = NEVER
    """Speaks of what is over: *past*."""
    mine: re.Pattern[str] = NEVER
    """Speaks of what is the person's own."""
    of_owner: str = ""
    """The pattern between an owner and what is theirs: Ann*'s most urgent* tasks."""

    compared: re.Pattern[str] = NEVER
    """Holds a number against a bound: *more than*."""
    comparison: re.Pattern[str] = NEVER
    """The same with its number, as `words` and `number`, where no unit follows."""
    above: frozenset[str] = NOTHING
    """Of `compared`, those that the number must be larger for."""
    condition: re.Pattern[str] = NEVER
    """*If*."""
    two_ways: re.Pattern[str] = NEVER
    """Goes on for the other case: *otherwise*."""

    rank: re.Pattern[str] = NEVER
    """The `first` or the `last` of a day, each a group."""
    narrowed: re.Pattern[str] = NEVER
    """Makes another list of a day's: *with Ann*."""
    home: re.Pattern[str] = NEVER
    """Where the person lives."""
    only_home: re.Pattern[str] = NEVER
    """The whole text of a place that is not resolved yet: what the person wrote, unchanged."""
    home_business: re.Pattern[str] = NEVER
    """A name that goes on after the word for home."""

    changing: re.Pattern[str] = NEVER
    """What is there is to be added to, or changed: *append*."""
    lead: re.Pattern[str] = NEVER
    """What may stand before a sentence and says nothing: *hi, please*."""
    asks: re.Pattern[str] = NEVER
    """How a sentence begins that only wants to know: *which*."""
    goes_on: frozenset[str] = NOTHING
    """Behind these, a verb asks for something to be done: list them *and* mail it."""

    extreme: re.Pattern[str] = NEVER
    """A `sort` of thing that has the `most`, or fewest, of `what`."""
    either: re.Pattern[str] = NEVER
    """A time and another in case it is taken: `ah`, `am`, `ap` and `bh`, `bm`, `bp`."""
    lasting: re.Pattern[str] = NEVER
    """How `long` the thing is that is asked for: *a 30-minute* call."""
    shifted: re.Pattern[str] = NEVER
    """How `long` something is moved, and, if that is said, that it is `later` or `sooner`."""
    same: re.Pattern[str] = NEVER
    """The same `what` as the thing named `one`, `two` or `three`."""
    fillers: frozenset[str] = NOTHING
    """Words that ask for nothing by themselves. A *not*, an *if* or a *from* is none of them."""


_SHORT = 3
"""Letters by which months are told apart."""


def build_dates(
    months: Sequence[str] = (), *, ordinal: str = "", before: str = "", of: str = ""
) -> re.Pattern[str]:
    """A pattern for dates in figures, and with these names of months.

    The others are patterns too: what may stand behind a day's number, before it, and behind both.
    """
    name = "|".join(f"{each[:_SHORT]}(?:{each[_SHORT:]})?" for each in months) or "(?!)"
    return re.compile(
        r"\b(?P<year>\d{4})-(?P<month>\d\d)-(?P<day>\d\d)"
        r"(?P<time>[T ]\d\d:\d\d(?::\d\d(?:\.\d+)?)?(?P<zone>Z|[+-]\d\d:?\d\d)?)?"
        rf"|\b(?P<name1>{name})\.? (?P<day1>\d{{1,2}})(?:{ordinal})?\b(?:,? (?P<year1>\d{{4}})\b)?"
        rf"|\b(?:{before})?(?P<day2>\d{{1,2}})(?:{ordinal})?\.? (?:{of})?(?P<name2>{name})\b\.?"
        r"(?:,? (?P<year2>\d{4})\b)?"
        r"|\b(?P<left>\d{1,2})(?P<dot>[./])(?P<right>\d{1,2})(?P=dot)(?P<year3>\d{4})\b",
        re.IGNORECASE,
    )


def build_weekdays(days: Sequence[tuple[str, str]]) -> re.Pattern[str]:
    """A pattern for weekdays: in full however written, and short ones with their capital."""
    return re.compile(
        "|".join(
            rf"\b(?P<w{number}>(?i:{full})|{short})\b" for number, (full, short) in enumerate(days)
        )
    )


IN_FIGURES = build_dates()
"""What is a date in every language."""


class ProsePhrases(Struct, frozen=True, kw_only=True, eq=False):
    """The phrases by which claims in a text are recognised, a field or a few for each kind."""

    months: tuple[str, ...] = ()
    """January to December."""
    dates: re.Pattern[str] = IN_FIGURES
    weekdays: re.Pattern[str] = NEVER
    tying: frozenset[str] = NOTHING
    """Between a date and a weekday, these leave the one said of the other; any other parts them."""
    denying: frozenset[str] = NOTHING
    placing: frozenset[str] = NOTHING
    """What an agent did with a date; a weekday after it is the one that was used."""
    leading: frozenset[str] = NOTHING
    """What may stand between the two: moved it *to the* Friday."""
    wanting: frozenset[str] = NOTHING
    """In a clause with one of these, a weekday is the one that was wanted."""
    clause_end: re.Pattern[str] = NEVER

    no_such_id: re.Pattern[str] = NEVER
    """Says of an id that there is none."""
    use: str = ""
    """The pattern before a value that is proposed: *use the id*; empty where nothing tells."""

    overrides: re.Pattern[str] = NEVER
    """Sets itself above the task."""
    hands_out: re.Pattern[str] = NEVER
    """Asks for secrets."""
    poses: re.Pattern[str] = NEVER
    """Poses as something other than a note."""

    def find_month(self, name: str) -> int:
        """The number of a month that `dates` has found."""
        short = name[:_SHORT].lower()
        return next(n for n, full in enumerate(self.months, 1) if full.startswith(short))


V = TypeVar("V")


class Table(Generic[V]):
    """Words, or several in a row, and what each stands for. The longest match wins."""

    __slots__ = ("_by_first", "_single")

    def __init__(self, entries: Mapping[str, V]) -> None:
        self._by_first: dict[str, list[tuple[tuple[str, ...], V]]] = {}
        for words, value in entries.items():
            first, *rest = (token.text for token in tokenize(words))
            self._by_first.setdefault(first, []).append((tuple(rest), value))
        for choices in self._by_first.values():
            choices.sort(key=lambda choice: -len(choice[0]))
        self._single = {
            first for first, choices in self._by_first.items() if any(not r for r, _ in choices)
        }

    def __contains__(self, word: str) -> bool:
        return word in self._single

    def opens(self, word: str) -> bool:
        """Whether an entry begins with that word."""
        return word in self._by_first

    def __bool__(self) -> bool:
        return bool(self._by_first)

    def __iter__(self) -> Iterator[str]:
        return iter(self._by_first)

    def match(self, tokens: Sequence[Token], i: int) -> tuple[V, int] | None:
        """What the words at `i` stand for, and where they end."""
        choices = self._by_first.get(tokens[i].text)
        if choices is None:
            return None
        for rest, value in choices:
            end = i + 1
            for word in rest:
                if tokens[end].text != word:
                    break
                end += 1
            else:
                return value, end
        return None

    def is_said(self, tokens: Sequence[Token], places: Iterable[int]) -> bool:
        """Whether an entry begins at one of these places."""
        opening = [i for i in places if tokens[i].text in self._by_first]
        return bool(opening) and any(self.match(tokens, i) is not None for i in opening)


def build_words(words: str) -> Table[None]:
    """A table of words that stand for themselves, separated by `|`."""
    return Table({word.strip(): None for word in words.split("|")})


def build_set(words: str) -> frozenset[str]:
    """A set of single words, separated by spaces."""
    return frozenset(words.split())


def build_table(groups: Mapping[V, str]) -> Table[V]:
    """A table from what is meant to the words for it, separated by `|`."""
    return Table(
        {word.strip(): value for value, words in groups.items() for word in words.split("|")}
    )


class ClauseWords(Struct, frozen=True, kw_only=True, eq=False):
    """What opens a clause, and what kind of clause it is then."""

    doing: Table[None]
    """Verbs of a request: book, schedule, cancel."""
    moving: Table[None]
    """What is done to a thing that has a date already: move it *from* one *to* another."""
    asking: Table[None]
    """What is only to be looked at: find, check, what do I have."""
    conditions: Table[None]
    """If, unless: what follows is not asked for."""
    inversions: Table[None]
    """*Should* it rain: a condition only where a sentence begins with it."""
    consequences: Table[None]
    """If it rains, *then* Sunday."""
    joints: Table[None]
    """Words and signs that a new clause can follow."""
    either: Table[None]
    """Friday *or* Saturday: not one thing and another, but one of them."""
    courtesies: Table[None]
    """What may stand before the verb of a request: please, can you, I need you to."""
    subjects: Table[None]
    """Subjects of a sentence: I, we, she."""
    telling: Table[None]
    """Verbs of a sentence that tells something: is, are, has."""
    before_nouns: Table[None]
    """The *call*, my *plan*: the word that follows is no verb."""
    targets: Table[None]
    """Move it *to* Friday."""
    dues: Table[None]
    """A *deadline* of Friday says when, and not which."""
    not_refusing: Table[None]
    """Words with a *not* in them that rule nothing out: don't forget, can't wait."""
    unsure_refusals: Table[None]
    """Words that may rule out what follows, or go on to something else: but, besides."""
    refused_after: Table[None]
    """Thursday *doesn't work*."""
    empty: frozenset[str]
    """Words that name nothing."""


class Words(Struct, frozen=True, kw_only=True, eq=False):
    """One language: everything the rules know by name."""

    name: str
    code: str
    """Its two letters, as a locale begins with them."""
    rewrites: Table[tuple[str, ...]]
    """Words that are read as others: one that holds two, one whose meaning its neighbour tells."""
    cardinals: Mapping[str, int]
    """Zero to nineteen, and the tens."""
    ordinals: Mapping[str, int]
    """First to thirtieth, without those made of two words."""
    scales: Mapping[str, int]
    """Hundred, thousand."""
    ordinal_endings: frozenset[str]
    """As in 1st."""
    weekdays: Table[int]
    """Monday is 0."""
    weekdays_repeated: Table[int]
    """Mondays: not one day, but all of them."""
    months: Table[int]
    doubtful: frozenset[str]
    """Names of days and months that are ordinary words too."""
    units: Table[Unit]
    plurals: frozenset[str]
    """Units of which there are several."""
    short_units: Table[Unit]
    """Letters and signs that are units only behind figures."""
    glued_units: Table[Unit]
    """Those that must stand right behind them."""
    one: Table[None]
    """A, an, another: one of something."""
    another: Table[None]
    """In *another* five minutes."""
    vague_counts: Table[int]
    """A few, with the number most would guess."""
    fractions: Table[tuple[int, int]]
    """Of the unit that follows: half, a quarter."""
    of_one: Table[None]
    """Half *an* hour, a quarter *of an* hour."""
    and_more: Table[tuple[int, int]]
    """Two *and a half* hours."""
    time_ending: Table[None]
    """In two weeks' *time*."""
    which: Table[Which]
    which_after: Table[Which]
    """Friday *next*."""
    from_end: Table[int]
    """The *last* day, the *penultimate* one: negative."""
    nth_from_end: Table[None]
    """The third *last* day, the second *to last* Friday."""
    after_next: Table[None]
    before_last: Table[None]
    week_later: Table[None]
    """Friday *week*."""
    days: Table[int]
    """Today, tomorrow: days from now."""
    nights: Table[int]
    """Tonight, last night."""
    now: Table[None]
    soon: Table[None]
    """As soon as possible."""
    this_time: Table[None]
    """*This time* tomorrow: when the clock shows what it shows now."""
    parts: Table[DayPart]
    soft: Table[None]
    """This *early* morning."""
    noon: Table[None]
    midnight: Table[None]
    halves: Table[Half]
    """A.m., p.m."""
    oclock: Table[None]
    hour_word: Table[None]
    """14 *Uhr* 30: what can stand between an hour and its minutes."""
    roughly: Table[None]
    """3*ish*."""
    minutes: Table[None]
    past: Table[None]
    to: Table[None]
    half_past: Table[int]
    """Minutes to add to the hour that follows: half past, quarter to."""
    half: Table[int]
    """Half three."""
    oh: Table[None]
    """Five *oh* five."""
    hour_mark: Table[None]
    """The h of 15h30."""
    hours_after: Table[None]
    """14:00 *hours*."""
    more: Table[None]
    """In two *more* minutes."""
    about: Table[None]
    """*About* an hour ago."""
    at: Table[None]
    """*At* 12.30: no date."""
    before_hour: Table[None]
    """At, around: a bare number after it can be an hour."""
    before_day: Table[None]
    """On, the: a bare number after it can be a day of the month."""
    before_month: Table[None]
    """In, of: what follows is a month even if it is a word too."""
    before_year: Table[None]
    calendar_week: Table[None]
    """KW 45: weeks as ISO 8601 counts them."""
    eight_days: bool
    """Whether *eight days* are said for a week."""
    numbered: Table[None]
    """Section, version: what has numbers that look like dates."""
    glue: Table[None]
    """Words and signs that join the parts of one expression."""
    on: Table[None]
    the: Table[None]
    of: Table[None]
    """Of, in: the third Monday *of* March."""
    of_year: Table[None]
    """28 June *in* 2020."""
    and_: Table[None]
    in_: Table[None]
    ago_first: Table[None]
    """Ago, where it comes before the amount."""
    within: Table[None]
    lasting: Table[None]
    """*For* two hours."""
    to_last: Table[None]
    """The verb *last*: make it last four hours."""
    before_verb: Table[None]
    """Words after which that is the verb: it should *last*."""
    causing: Table[None]
    """Verbs that have something last: *make* the call last an hour."""
    parts_repeated: Table[DayPart]
    """Three *mornings* ago."""
    less_than: Table[None]
    """*Less than* three months ago: after that, and before now."""
    more_than: Table[None]
    lasting_from: Table[None]
    """For three days *from* Monday."""
    starting: Table[None]
    """Three days *starting* Monday."""
    ago: Table[None]
    back: Table[None]
    """Ago, and what says the same."""
    forth: Table[None]
    """From now."""
    back_alone: Table[None]
    """Ten days *before*, where nothing else stands beside it."""
    forth_alone: Table[None]
    """Words that say *from now* only where nothing else stands beside them: 15 minutes *out*."""
    plus: Table[int]
    """Tomorrow *plus* 3 days, with the sign."""
    back_from: Table[None]
    """An amount of time *before* something."""
    forth_from: Table[None]
    weeks_on: Table[None]
    """A week *on* Friday: seven days after it."""
    edges: Table[Side]
    """Beginning of, end of."""
    edge_names: Table[tuple[Side, Unit]]
    """EOM."""
    soft_edges: Table[Side]
    """What is the edge of a stretch only if one follows: *early* next week."""
    week_of: Table[None]
    limits: Table[Limit]
    range_openings: Table[None]
    """*From* Monday to Friday."""
    through: Table[None]
    """From Monday *to* Friday."""
    between: Table[None]
    between_and: Table[None]
    quarter_letters: frozenset[str]
    zones: Table[int | str]
    """Minutes east of Greenwich."""
    repeating: Table[None]
    """Every, each: no one date is meant."""
    twisting: frozenset[str]
    """Before a day's name they make it another day: Super Tuesday, the Chinese New Year."""
    eras: frozenset[str]
    """After a year: it is counted from elsewhere, or long ago."""
    decade_endings: frozenset[str]
    """1990*s*."""
    ahead: Table[None]
    """What is done to things to come: with them, a weekday is the coming one."""
    behind: Table[None]
    """Signs that the past is spoken of."""
    from_: Table[None]
    """The mail *from* Friday."""
    moving: Table[None]
    """What is done to a thing that has a date already."""
    possessives: tuple[str, ...]
    """Friday*'s* dinner."""
    negations: Table[None]
    """*Not* on Friday."""
    looking_back: Table[None]
    """Beside `behind`: words that may speak of the past rather than the future."""
    past_endings: tuple[str, ...]
    """Of most verbs in the past."""
    was: Table[None]
    """It *was* on Friday."""
    past_verbs: Table[None]
    """Verbs that tell of what is over."""
    or_: Table[None]
    inexact: Table[None]
    """*Around* 7, *before* 7."""
    following: Table[None]
    """The *following* day: after the one that was named before, if one was."""
    leaning: Table[None]
    """Two days *later*: than now, or than another day that the message names."""
    neighbours: Table[None]
    """The *next* morning: after a day that was named before."""
    beside: Table[None]
    """The morning *after*."""
    overnight: Table[None]
    """Two *nights*."""
    elsewhere: Table[None]
    """Speaks of a time that other words have named, or of none in particular."""
    corrections: Table[None]
    """No, actually, I mean: what follows replaces what came before."""
    harmless: frozenset[str]
    """May stand in a phrase without changing the time it speaks of."""
    feasts: Table[str]
    """Days with a name, as the table of feasts knows them."""
    feast_aliases: Mapping[str, str]
    """What people call the holidays of countries."""
    clauses: ClauseWords
    requests: RequestPhrases
    prose: ProsePhrases


_SHORTEST = 6
"""One slip in a shorter name too often makes another word."""


def with_slips(groups: Mapping[V, str]) -> dict[V, str]:
    """The groups of a table, with the usual slips in every long name."""
    names = {value: [each.strip() for each in words.split("|")] for value, words in groups.items()}
    taken = {name for each in names.values() for name in each}
    return {
        value: " | ".join(
            [*each, *sorted({slip for name in each for slip in _list_slips(name)} - taken)]
        )
        for value, each in names.items()
    }


def _list_slips(name: str) -> Iterator[str]:
    """The first letter is always right, and one that is left out is not the last."""
    if len(name) < _SHORTEST or not name.isalpha():
        return
    for i in range(1, len(name) - 1):
        yield name[:i] + name[i + 1 :]
        yield name[:i] + name[i + 1] + name[i] + name[i + 2 :]
    for i in range(1, len(name)):
        yield name[:i] + name[i] + name[i:]


ZONES = build_table(
    dict[int | str, str](
        {
            0: "utc | gmt | z",
            60: "cet | bst | mez",
            120: "cest | eet | mesz",
            330: "ist",
            480: "awst | sgt | hkt",
            540: "jst | kst",
            600: "aest",
            660: "aedt",
            720: "nzst",
            -240: "edt | ast",
            -300: "est | cdt",
            -360: "cst | mdt",
            -420: "mst | pdt",
            -480: "pst",
            "America/New_York": "et | eastern time | eastern standard time | eastern daylight time",
            "America/Chicago": "central time | central standard time | central daylight time",
            "America/Denver": "mountain time | mountain standard time | mountain daylight time",
            "America/Los_Angeles": (
                "pt | pacific time | pacific standard time | pacific daylight time"
            ),
        }
    )
)
"""Minutes east of Greenwich, or where people say so in summer and in winter."""
