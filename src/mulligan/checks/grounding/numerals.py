"""Finding quantities in folded text: digits and words, units, bounds, ranges."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from itertools import pairwise

from mulligan.checks.grounding.lists import empty_words, one_of, tables, units
from mulligan.checks.grounding.quantity import Bound, Quantity
from mulligan.checks.grounding.stems import stem

BEFORE = 24
"""Characters before a numeral in which its currency and its bound may stand."""
NOUNS = 3
"""How many words behind a number may say what is counted."""

_NUMERAL = re.compile(
    r"(?<![\w.,/#])(?<![a-z][-/])"
    r"(?:\d{1,3}(?:[,.' ]\d{3})+(?!\d)(?:[.,]\d{1,4}(?!\d))?|\d+(?:[.,]\d+)?)(?![/.,]?\d)(?!/\d)"
)
_NOUN = re.compile(r"[\s\-]*([^\W\d_][\w'\-]*+)")
_BETWEEN = re.compile(r"\s?(?:-|\u2013|\u2014|to|and|or|bis)\s?")
_YEARS = range(1900, 2101)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Read:
    """A numeral and what stands around it."""

    numeral: str
    start: int
    end: int
    factor: float
    """What its unit and its multiplier make of it."""
    dimension: str
    bound: Bound
    nouns: frozenset[str]


def find_quantities(folded: str) -> list[Quantity]:
    """Every quantity of a text that was written out, in order.

    Numerals that are part of a name (`A4`, `24/7`, `v2`, `3.11.2`) are none.
    """
    return [_quantity(each) for each in _sharing_units(folded, list(_read_all(folded)))]


def write_out(folded: str) -> str:
    """The text with its number words as digits: `over a hundred` is `over 100`."""
    return _worded().sub(_digits, folded)


def _read_all(text: str) -> Iterator[_Read]:
    for numeral in _NUMERAL.finditer(text):
        start, end = numeral.span()
        before = _before().search(text[max(0, start - BEFORE) : start])
        after = _after().match(text, end)
        if before is None or after is None:
            continue  # never: both patterns can match nothing
        if text[after.end() : after.end() + 1].isalnum():
            continue  # 2nd, 3d, 1990s: a word that begins with a digit
        money = before["money"] or after["money"]
        dimension, factor = "", 1.0
        if money:
            dimension = tables()["currencies"][money]
        elif after["unit"]:
            dimension, factor = units()[after["unit"]]
        if after["times"]:
            factor *= _times()[after["times"]]
        yield _Read(
            numeral=numeral[0],
            start=start,
            end=after.end(),
            factor=factor,
            dimension=dimension,
            bound=_bound(before["bound"] or "", after["plus"] or after["bound"] or ""),
            nouns=_nouns(text, after.end()),
        )


def _quantity(read: _Read) -> Quantity:
    values, decimals = _values(read.numeral)
    year = not decimals and len(read.numeral) == 4 and values[0] in _YEARS and not read.dimension
    return Quantity(
        values=tuple(value * read.factor for value in values),
        step=10**-decimals * read.factor,
        dimension=read.dimension,
        nouns=read.nouns,
        # "From 2019" names a year; it is no lower bound of anything.
        bound=Bound.EXACT if year else read.bound,
        start=read.start,
        end=read.end,
    )


def _values(numeral: str) -> tuple[tuple[float, ...], int]:
    """What a numeral can mean, and how many decimals it shows."""
    bare = numeral.replace(" ", "").replace("'", "")
    marks = [mark for mark in bare if mark in ",."]
    if not marks:
        return (float(bare),), 0
    whole, _, tail = bare.rpartition(marks[-1])
    grouped = len(tail) == 3 and len(set(marks)) == 1
    without_groups = float(re.sub("[,.]", "", bare))
    if grouped and (len(marks) > 1 or marks[0] == ","):
        return (without_groups,), 0
    with_decimals = float(f"{re.sub('[,.]', '', whole)}.{tail}")
    if grouped:
        return (with_decimals, without_groups), 0
    return (with_decimals,), len(tail)


def _bound(before: str, after: str) -> Bound:
    bounds = tables()["bounds"]
    if after == "+" or before in bounds["at_least"] or after in bounds["at_least_after"]:
        return Bound.AT_LEAST
    if before in bounds["at_most"] or after in bounds["at_most_after"]:
        return Bound.AT_MOST
    return Bound.ABOUT if before in bounds["about"] else Bound.EXACT


def _nouns(text: str, at: int) -> frozenset[str]:
    found: set[str] = set()
    for _ in range(NOUNS):
        word = _NOUN.match(text, at)
        if word is None or word[1] in empty_words():
            break
        found.add(stem(word[1]))
        at = word.end()
    return frozenset(found)


def _sharing_units(text: str, found: list[_Read]) -> list[_Read]:
    """In a range one unit serves both ends: `10 to 20 km`, `$5 to 10`."""
    shared = list(found)
    for index, (first, second) in enumerate(pairwise(found)):
        if bool(first.dimension) == bool(second.dimension):
            continue
        if not _BETWEEN.fullmatch(text, first.end, _money_start(text, second.start)):
            continue
        bare, with_unit = (index, second) if second.dimension else (index + 1, first)
        shared[bare] = _Read(
            numeral=found[bare].numeral,
            start=found[bare].start,
            end=found[bare].end,
            factor=with_unit.factor,
            dimension=with_unit.dimension,
            bound=found[bare].bound,
            nouns=found[bare].nouns or with_unit.nouns,
        )
    return shared


def _money_start(text: str, start: int) -> int:
    """Where a numeral begins with the currency sign before it."""
    return start - 1 if start and text[start - 1] in tables()["currencies"] else start


def _digits(words: re.Match[str]) -> str:
    simple, multipliers = tables()["numbers"], tables()["multipliers"]
    total = current = 0
    for word in re.split(r"[ -]", words[0]):
        if word in simple:
            current += simple[word]
        elif word in multipliers:
            current = (current or 1) * multipliers[word]
            if multipliers[word] > multipliers["hundred"]:
                total, current = total + current, 0
    value = total + current
    return str(value // 2 if words["half"] else value)


@cache
def _times() -> dict[str, float]:
    return {**tables()["multipliers"], **tables()["suffixes"]}


@cache
def _worded() -> re.Pattern[str]:
    simple, times = one_of(tables()["numbers"]), one_of(tables()["multipliers"])
    return re.compile(
        rf"(?<![\w.-])(?<!\d )(?:(?P<half>half) an? (?={times})|an? (?={times}))?"
        rf"(?:{simple}|{times})(?:(?:[ -]| and )(?:{simple}|{times}))*+(?!\w)"
    )


@cache
def _before() -> re.Pattern[str]:
    bounds = tables()["bounds"]
    words = one_of([*bounds["at_least"], *bounds["at_most"], *bounds["about"]])
    money = one_of(tables()["currencies"])
    return re.compile(
        rf"(?:(?<!\w)(?P<bound>{words})\s*(?:an?\s+)?)?(?:(?<!\w)(?P<money>{money})\s?)?$"
    )


@cache
def _after() -> re.Pattern[str]:
    bounds = tables()["bounds"]
    words = one_of([*bounds["at_least_after"], *bounds["at_most_after"]])
    return re.compile(
        rf"(?:[ -]?(?P<times>{one_of(_times())})(?!\w))?(?P<plus>\+)?"
        rf"(?:[ -]?(?:(?P<money>{one_of(tables()['currencies'])})|(?P<unit>{one_of(units())}))"
        rf"(?!\w))?(?P<late>\+)?(?:\s(?P<bound>{words})(?!\w))?"
    )
