"""Finding quantities in folded text: digits and words, units, bounds, ranges."""

from __future__ import annotations

import re
from collections.abc import Iterable
from enum import StrEnum
from functools import cache
from itertools import pairwise
from typing import Any, NamedTuple

from msgspec import Struct

from mulligan_dates.lexicon import is_unspaced, list_months, load_tables
from mulligan_dates.text import split_letters, stem


@cache
def load_grounding_tables() -> dict[str, Any]:
    """Every table that a language has for this, by name."""
    return {**load_tables("grounding.toml"), "months": list_months()}


@cache
def load_units() -> dict[str, tuple[str, float]]:
    """Each unit's dimension, and how many of the dimension's own unit it is."""
    return {
        name: (dimension, float(size))
        for dimension, sizes in load_grounding_tables()["units"].items()
        for name, size in sizes.items()
    }


@cache
def load_currencies() -> frozenset[str]:
    """The codes of the currencies that are known."""
    return frozenset(load_grounding_tables()["currencies"].values())


@cache
def load_empty_words() -> frozenset[str]:
    """Words that carry no claim by themselves."""
    return frozenset(load_grounding_tables()["words"]["empty"])


def build_alternation(words: Iterable[str]) -> str:
    """A pattern for any of these, the longest first."""
    return "|".join(re.escape(word) for word in sorted(words, key=len, reverse=True))


Run = tuple[int, int]
"""Where a run of digits begins and ends."""


def find_digit_runs(text: str) -> list[Run]:
    """Every run of digits, in order.

    Ten searches for one character each are several times faster than one for any of ten: prose
    has few digits.
    """
    runs: list[Run] = []
    start = end = -1
    for place in sorted(_find_digits(text)):
        if place == end:
            end += 1
            runs[-1] = (start, end)
        else:
            start, end = place, place + 1
            runs.append((start, end))
    return runs


def find_word_before(text: str, at: int) -> str:
    """The word that ends right before a place, signs and one space aside."""
    return text[max(0, at - 16) : at].rstrip(" ,.").rpartition(" ")[2]


def _find_digits(text: str) -> list[int]:
    places: list[int] = []
    find = text.find
    for digit in "0123456789":
        at = find(digit)
        while at >= 0:
            places.append(at)
            at = find(digit, at + 1)
    return places


ROUGHLY = 0.1
"""How far "about" may be from the truth, as a share of it."""
FAR = 2.0
"""A bound this many times off says nothing: "under 500" of something that costs 20."""
SMALL = 12
"""Counts up to here are said in passing ("two ways"); only the same noun contradicts them."""
ALMOST = 1e-9


class Bound(StrEnum):
    """How a quantity is meant."""

    EXACT = "exact"
    AT_LEAST = "at_least"
    AT_MOST = "at_most"
    ABOUT = "about"


_ONE_OR_OTHER = frozenset({Bound.AT_LEAST, Bound.AT_MOST})


class Quantity(NamedTuple):
    """A number with its unit, as it is written somewhere. A tuple: there are many of them."""

    values: tuple[float, ...]
    """What the numeral can mean, in the dimension's own unit: `1.500` is two numbers."""
    step: float
    """The worth of its last digit: what it was rounded to."""
    factor: float = 1.0
    """What its unit and its multiplier make of a bare number."""
    dimension: str = ""
    """`percent`, `length`, a currency; empty for a plain count."""
    nouns: frozenset[str] = frozenset()
    """Stems of the words behind it: what is counted."""
    bound: Bound = Bound.EXACT
    start: int = 0
    end: int = 0

    @property
    def passing(self) -> bool:
        """Whether it is a small plain count, as in "two ways to pay"."""
        return not self.dimension and max(self.values) <= SMALL


_PLACE = Quantity._fields.index("start")


class Known:
    """The quantities of a context, by value: most claims that stand are found at once."""

    def __init__(self, quantities: list[Quantity]) -> None:
        # Anywhere, so without its place: a long text says the same over and over.
        self._all = list({each[:_PLACE]: each for each in quantities}.values())
        self._by_value: dict[float, list[Quantity]] = {}
        for quantity in self._all:
            for value in quantity.values:
                self._by_value.setdefault(value, []).append(quantity)

    def support(self, claim: Quantity) -> bool:
        """Whether one of them lets the claim stand."""
        for value in claim.values:
            for each in self._by_value.get(value, ()):
                if _is_comparable(claim, each) and _stands(claim, each):
                    return True
        comparable = [each for each in self._all if _is_comparable(claim, each)]
        if any(_stands(claim, each) for each in comparable):
            return True
        if not claim.passing:
            return False
        rivals = [each for each in comparable if each.passing and claim.nouns & each.nouns]
        return max(claim.values) <= 1 or not rivals


def _is_comparable(claim: Quantity, known: Quantity) -> bool:
    """A measured claim needs its own dimension, or a bare number such as a table's cell."""
    if claim.dimension == known.dimension:
        return True
    if claim.dimension:
        return not known.dimension and not known.nouns
    return not claim.nouns


def _stands(claim: Quantity, known: Quantity) -> bool:
    for mine in claim.values:
        for theirs in known.values:
            if _supports_value(claim, known, mine=mine, theirs=theirs):
                return True
    return False


def _supports_value(claim: Quantity, known: Quantity, *, mine: float, theirs: float) -> bool:
    if abs(mine - theirs) <= claim.step / 2 + ALMOST * abs(mine):
        # "Up to 20" is not what "20 and more" says.
        return claim.bound is known.bound or {claim.bound, known.bound} != _ONE_OR_OTHER
    near = bool(claim.nouns & known.nouns) or _is_within_factor(mine, theirs)
    match claim.bound:
        case Bound.EXACT:
            return False
        case Bound.ABOUT:
            return abs(mine - theirs) <= ROUGHLY * abs(theirs)
        case Bound.AT_LEAST:
            return near and theirs > mine and known.bound is not Bound.AT_MOST
        case Bound.AT_MOST:
            return near and theirs < mine and known.bound is not Bound.AT_LEAST


def _is_within_factor(mine: float, theirs: float) -> bool:
    low, high = sorted((abs(mine), abs(theirs)))
    return high <= FAR * low


BEFORE = 24
"""Characters before a numeral in which its currency and its bound may stand."""
LONGEST_BOUND = 3
"""Words of the longest bound: `no fewer than`."""
NOUNS = 3
"""How many words behind a number may say what is counted."""

_NUMERAL = re.compile(
    r"(?:\d{1,3}(?:[,.' ]\d{3})+(?!\d)(?:[.,]\d{1,4}(?!\d))?|\d+(?:[.,]\d+)?)(?![/.,]?\d)(?!/\d)"
)
_NOUN = re.compile(r"[\s\-]*([^\W\d_][\w'\-]*+)")
_GOES_ON = re.compile(r"[\w.\-]$|\d $")
_NEXT = re.compile(r"[ -]?([%$\u20ac\u00a3\u00a5\u20b9]|[^\W\d_]++|\u00b0[cf])(?: [a-z]++)?")
_DASHES = ("-", "\u2013", "\u2014")
_OTHER_MARKS = ("-", "(", ")", "'", '"', "/", "[", "]")
"""What may stand beside a word besides one mark behind it."""
_SIGNS = "$\u20ac\u00a3\u00a5\u20b9 "
LONGEST_GAP = 5
LONGEST_COUNTER = 5
_EAST_ASIAN_TIMES = {
    "\u767e": 1e2, "\u5343": 1e3, "\u4e07": 1e4, "\u842c": 1e4, "\u4ebf": 1e8, "\u5104": 1e8,
    "\ucc9c": 1e3, "\ub9cc": 1e4, "\uc5b5": 1e8,
}  # fmt: skip
_OF_THE_CALENDAR = frozenset(
    "\u5e74\u6708\u65e5\u53f7\u865f\u6642\u65f6\u70b9\u9ede\u5206\ub144\uc6d4\uc77c\uc2dc\ubd84\u7b2c"
)
"""Behind these words a number is part of a date or a time, or of an order: no quantity."""
_APART = frozenset({"", " ", "\n", "(", "$", "\u20ac"})
"""What mostly stands before a number that is no part of a name."""
_WORDS_BEHIND = 3
_FIRST_YEAR, _LAST_YEAR = 1900, 2100
_EXACT = Bound.EXACT


def find_quantities(folded: str, runs: list[Run]) -> list[Quantity]:
    """Every quantity of a text that was written out, in order.

    Numerals that are part of a name (`A4`, `24/7`, `v2`, `3.11.2`) are none.
    """
    found: list[Quantity] = []
    done = 0
    for start, _ in runs:
        if start < done or _is_part_of_name(folded, start):
            continue
        numeral = _NUMERAL.match(folded, start)
        quantity = _read(folded, numeral) if numeral else None
        if quantity is not None:
            found.append(quantity)
            done = quantity.end
    return _share_units(folded, found)


def write_out(folded: str) -> str:
    """The text with its number words as digits: `over a hundred` is `over a 100`."""
    return (
        _compile_number_words().sub(_write_digits, folded) if _has_number_word(folded) else folded
    )


def count_articles(folded: str) -> str:
    """The text with the article of a unit as a number: `a year` is `1 year`."""
    return _compile_counted_articles().sub("1", folded)


@cache
def _compile_counted_articles() -> re.Pattern[str]:
    article = build_alternation(load_grounding_tables()["words"]["articles"])
    return re.compile(rf"(?<!\w)(?:{article})(?= (?:{build_alternation(load_units())})\b)")


def locate_written(folded: str, start: int, end: int) -> tuple[int, int]:
    """Where a place of the text that was written out was before."""
    moved = 0
    for words in _compile_number_words().finditer(folded):
        first = words.start() + moved
        if end <= first:
            break
        last = first + len(_write_digits(words))
        if start < last:
            after = words.end() + max(0, end - last)
            return min(start - moved, words.start()), after
        moved = last - words.end()
    return start - moved, end - moved


def _has_number_word(folded: str) -> bool:
    """Whether there is any: mostly not, and this is much quicker than to look for each."""
    tokens = folded.split()
    if not _load_spelled_words().isdisjoint(tokens):
        return True
    for part in load_grounding_tables()["words"]["glued"]:
        if part in folded:
            return True
    if folded.isascii() and not _has_other_marks(folded):
        return False
    with_marks = " ".join([token for token in tokens if not token.isalnum()])
    return not _load_number_words().isdisjoint(split_letters(with_marks))


def _has_other_marks(folded: str) -> bool:
    """Whether a word may have another neighbour than one mark behind it."""
    for mark in _OTHER_MARKS:
        if mark in folded:
            return True
    # One sign is found many times faster than two.
    several = "!" in folded and ("?!" in folded or "!!" in folded)
    return several or ".." in folded


def _is_part_of_name(text: str, start: int) -> bool:
    before = text[start - 1 : start]
    if before in _APART or is_unspaced(before):
        return False
    if before.isalnum() or (before and before in "_.,/#"):
        return True
    return before == "-" and text[start - 2 : start - 1].isalpha()


def _read(text: str, numeral: re.Match[str]) -> Quantity | None:
    """A numeral with what stands around it. `2nd`, `3d` and `1990s` are words, and none."""
    written = numeral[0]
    start = numeral.start()
    dimension, factor, after, end = _read_suffix(text, numeral.end())
    behind = text[end : end + 1]
    if behind in _OF_THE_CALENDAR or (behind.isalnum() and not is_unspaced(behind)):
        return None
    bound, currency = _read_prefix(text, start)
    values, decimals = parse_numeral(written)
    dimension = currency or dimension
    if len(written) == 4 and _FIRST_YEAR <= values[0] <= _LAST_YEAR and not dimension:
        # "From 2019" names a year; it is no lower bound of anything.
        bound = after = _EXACT
    return Quantity(
        values if factor == 1 else tuple([value * factor for value in values]),
        10**-decimals * factor,
        factor,
        dimension,
        _read_nouns(text, end),
        bound if after is _EXACT else after,
        start,
        end,
    )


def _read_prefix(text: str, start: int) -> tuple[Bound, str]:
    """The bound and the currency that stand before a numeral."""
    words = text[max(0, start - BEFORE) : start].split()
    if not words or words[-1].lstrip("(") not in _load_leading_words():
        return _EXACT, ""
    currency = _load_currency_words().get(words[-1].lstrip("("), "")
    if currency:
        words.pop()
    if words and words[-1] in load_grounding_tables()["words"]["articles"]:
        words.pop()
    if not words or words[-1].lstrip("(") not in _load_bound_endings():
        return _EXACT, currency
    for count in range(min(LONGEST_BOUND, len(words)), 0, -1):
        bound = _load_bounds().get(" ".join(words[-count:]).lstrip("("))
        if bound is not None:
            return bound, currency
    return _EXACT, currency


def _read_suffix(text: str, at: int) -> tuple[str, float, Bound, int]:
    """Dimension, factor and bound that stand behind a numeral, and where they end."""
    dimension, factor, bound = "", 1.0, _EXACT
    meanings = _load_meanings()
    for _ in range(_WORDS_BEHIND):
        if text.startswith("+", at):
            bound, at = Bound.AT_LEAST, at + 1
        if is_unspaced(text[at : at + 1]):
            meaning, length = _find_counter(text, at)
            if meaning is None or (meaning.dimension and dimension):
                break
            factor, dimension = factor * meaning.factor, meaning.dimension or dimension
            at += length
            continue
        word = _NEXT.match(text, at)
        if word is None:
            break
        long, short = word[0].lstrip(" -"), word[1]
        known = long if long in meanings else short
        meaning = meanings.get(known)
        if meaning is None or (meaning.dimension and dimension):
            break
        at = word.end() if known == long else word.end(1)
        factor *= meaning.factor
        dimension = meaning.dimension or dimension
        bound = meaning.bound or bound
    return dimension, factor, bound, at


def _find_counter(text: str, at: int) -> tuple[_Meaning | None, int]:
    """What stands right behind a numeral in a script without spaces, the longest that is known."""
    for length in range(LONGEST_COUNTER, 0, -1):
        word = text[at : at + length]
        if word in _EAST_ASIAN_TIMES:
            return _Meaning(factor=_EAST_ASIAN_TIMES[word]), length
        if word in _load_meanings():
            return _load_meanings()[word], length
    return None, 0


def parse_numeral(numeral: str) -> tuple[tuple[float, ...], int]:
    """What a numeral can mean, and how many decimals it shows."""
    if numeral.isdigit():
        return (float(numeral),), 0
    bare = re.sub(r"[' \u00a0]", "", numeral)
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


def _read_nouns(text: str, at: int) -> frozenset[str]:
    found: set[str] = set()
    empty = load_empty_words()
    for _ in range(NOUNS):
        word = _NOUN.match(text, at)
        if word is None or word[1] in empty:
            break
        found.add(stem(word[1]))
        at = word.end()
    return frozenset(found)


def _share_units(text: str, found: list[Quantity]) -> list[Quantity]:
    """In a range one unit serves both ends: `10 to 20 km`, `$5 to 10`."""
    shared = list(found)
    for index, (first, second) in enumerate(pairwise(found)):
        if bool(first.dimension) == bool(second.dimension):
            continue
        gap = text[first.end : second.start].rstrip(_SIGNS)
        if len(gap) <= LONGEST_GAP and gap.strip() in load_between():
            bare, unit = (index, second) if second.dimension else (index + 1, first)
            shared[bare] = found[bare]._replace(
                values=tuple(value * unit.factor for value in found[bare].values),
                step=found[bare].step * unit.factor,
                dimension=unit.dimension,
            )
    return shared


def _write_digits(words: re.Match[str]) -> str:
    text, start = words.string, words.start()
    if _GOES_ON.search(text[max(0, start - 2) : start]):
        return words[0]
    simple, multipliers = load_grounding_tables()["numbers"], load_grounding_tables()["multipliers"]
    total = current = 0
    for word in _compile_number_word().findall(words[0]):
        if word in simple:
            current += simple[word]
        else:
            current = (current or 1) * multipliers[word]
            if multipliers[word] > multipliers["hundred"]:
                total, current = total + current, 0
    value = total + current
    return str(
        value // 2
        if text.endswith(tuple(load_grounding_tables()["words"]["half_of"]), 0, start)
        else value
    )


@cache
def _load_number_words() -> frozenset[str]:
    return frozenset({*load_grounding_tables()["numbers"], *load_grounding_tables()["multipliers"]})


@cache
def _load_spelled_words() -> frozenset[str]:
    """Number words as they stand in plain prose: bare, or before one mark."""
    return frozenset(word + mark for word in _load_number_words() for mark in ("", *".,;:!?"))


@cache
def _compile_number_words() -> re.Pattern[str]:
    word = _compile_number_word().pattern
    joint = build_alternation(load_grounding_tables()["words"]["joints"])
    glue = build_alternation(load_grounding_tables()["words"]["glued_by"])
    # Tried only where a word begins, with one of the letters that these begin with.
    first = "".join(sorted({each[0] for each in _load_number_words()}))
    begins = rf"(?<!\w)(?=[{first}])"
    more = rf"(?:(?:[ -]| (?:{joint}) |(?:{glue})?)(?:{word}))*+"
    return re.compile(rf"{begins}(?:{word}){more}(?!\w)")


@cache
def _compile_number_word() -> re.Pattern[str]:
    return re.compile(build_alternation(_load_number_words()))


@cache
def load_between() -> frozenset[str]:
    """What makes a range of two numbers."""
    return frozenset({*_DASHES, *load_grounding_tables()["words"]["between"]})


@cache
def _load_currency_words() -> dict[str, str]:
    return dict(load_grounding_tables()["currencies"])


@cache
def _load_leading_words() -> frozenset[str]:
    """Every word that may belong to the numeral behind it."""
    articles = load_grounding_tables()["words"]["articles"]
    return frozenset({*_load_currency_words(), *articles, *_load_bound_endings()})


@cache
def _load_bounds() -> dict[str, Bound]:
    listed = load_grounding_tables()["bounds"]
    return {word: bound for bound in (Bound.AT_LEAST, Bound.AT_MOST, Bound.ABOUT)
            for word in listed[bound.value]}  # fmt: skip


@cache
def _load_bound_endings() -> frozenset[str]:
    return frozenset(bound.split()[-1] for bound in _load_bounds())


class _Meaning(Struct, frozen=True, kw_only=True):
    """What a word behind a numeral makes of it."""

    dimension: str = ""
    factor: float = 1.0
    bound: Bound | None = None


@cache
def _load_meanings() -> dict[str, _Meaning]:
    """Every word that may belong to the numeral before it."""
    listed = load_grounding_tables()
    times = {**listed["multipliers"], **listed["suffixes"]}
    return {
        **{word: _Meaning(factor=float(factor)) for word, factor in times.items()},
        **{word: _Meaning(dimension=currency) for word, currency in listed["currencies"].items()},
        **{
            word: _Meaning(dimension=d, factor=factor) for word, (d, factor) in load_units().items()
        },
        **{word: _Meaning(bound=Bound.AT_LEAST) for word in listed["bounds"]["at_least_after"]},
        **{word: _Meaning(bound=Bound.AT_MOST) for word in listed["bounds"]["at_most_after"]},
    }
