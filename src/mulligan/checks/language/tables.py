"""The tables a language consists of, apart from the rules that read them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Generic, TypeVar

from mulligan.checks.language.prose import ProsePhrases
from mulligan.checks.language.requests import RequestPhrases
from mulligan.checks.language.senses import DayPart, Half, Limit, Side, Unit, Which
from mulligan.checks.language.tokens import Token, tokenize
from mulligan.core.runtime.dataclass import dataclass

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


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class ClauseWords:
    """What opens a clause, and what kind of clause it is then."""

    doing: Table[None]
    """What somebody is asked to do: book, schedule, cancel."""
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
    """Words that begin a sentence about somebody: I, we, she."""
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


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Words:
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
    week_of: Table[None]
    limits: Table[Limit]
    range_openings: Table[None]
    """*From* Monday to Friday."""
    through: Table[None]
    """From Monday *to* Friday."""
    between: Table[None]
    between_and: Table[None]
    quarter_letters: frozenset[str]
    zones: Table[int]
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
    """Beside `behind`: words of somebody who may speak of what was, and not of what shall be."""
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
