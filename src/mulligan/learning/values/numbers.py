"""Numbers that the person said, in digits or in words: no correction may put others in their place.

A number that is taken for said although it meant something else costs a suggestion. One that is
missed costs the person what they asked for, so that every reading of a numeral counts.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache

from mulligan.learning.values.leaves import list_leaves
from mulligan.learning.values.locked import MOST_SAID

_ONES = """
    zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen
    sixteen seventeen eighteen nineteen
"""
_TENS = "twenty thirty forty fifty sixty seventy eighty ninety"
_SCALES = {"hundred": 100, "thousand": 1_000, "million": 1_000_000, "dozen": 12}
_OTHERS = """
    null eins zwei drei vier fünf sechs sieben acht neun zehn elf zwölf dreizehn vierzehn fünfzehn
    zéro un deux trois quatre cinq six sept huit neuf dix onze douze treize quatorze quinze
    cero uno dos tres cuatro cinco seis siete ocho nueve diez once doce trece catorce quince
    zero uno due tre quattro cinque sei sette otto nove dieci undici dodici tredici quattordici
"""
"""From nought upwards in German, French, Spanish and Italian."""
_ENGLISH: Mapping[str, int] = {
    **{word: number for number, word in enumerate(_ONES.split())},
    **{word: 10 * number for number, word in enumerate(_TENS.split(), start=2)},
}
_FOREIGN: Mapping[str, int] = {
    word: number for row in _OTHERS.strip().splitlines() for number, word in enumerate(row.split())
}
_NUMERAL = re.compile(r"(?<![\w.,])[-+]?\d[\d.,'\u2019\u00a0\u202f]*(?: \d{3}(?!\d))*")
_SCALED = re.compile(r" ?(k|thousand|m|million|hundred|dozen)\b", re.IGNORECASE)
_GROUPS = re.compile(r"[,.'\u2019\u00a0\u202f ](?=\d{3}(?:\D|$))")
_BEFORE_SCALE = {"k": 1_000, "m": 1_000_000, **_SCALES}
_WHOLE = re.compile(r"\s*[-+]?\d[\d,]*(?:\.\d+)?\s*")


def is_said_number(value: object, said: Sequence[str]) -> bool:
    """Whether a value is a number that stands in the person's own words."""
    number = read_number(value)
    return number is not None and bool(said) and abs(number) in _list_said(tuple(said))


def keeps_said_numbers(
    before: Mapping[str, object], after: Mapping[str, object], *, said: Sequence[str]
) -> bool:
    """Whether every number of a call that the person said is still in the corrected one."""
    if not said:
        return True
    asked = [value for _, value in list_leaves(before) if is_said_number(value, said)]
    made = {read_number(value) for _, value in list_leaves(after, most=2_000)}
    made |= {_read_signed(value) for _, value in list_leaves(after, most=2_000)}
    return all(read_number(value) in made for value in asked)


def read_number(value: object) -> float | None:
    """A number, also one that is written as a text."""
    if isinstance(value, bool):
        return None
    if isinstance(value, int | float):
        return float(value) if abs(value) < 1e300 else None
    if not isinstance(value, str) or len(value) > 40 or not _WHOLE.fullmatch(value):
        return None
    return float(value.replace(",", ""))


def _read_signed(value: object) -> float | None:
    """The number in a text that has a sign around it which leaves it what it is: `#77`."""
    return read_number(value.strip("#\"'` ")) if isinstance(value, str) else None


@lru_cache(maxsize=64)
def _list_said(said: tuple[str, ...]) -> frozenset[float]:
    text = "\n".join(said)[:MOST_SAID].casefold()
    return frozenset((*_list_numerals(text), *_list_words(text)))


def _list_numerals(text: str) -> Iterator[float]:
    """Every reading of every numeral: `1.200` is a good one and twelve hundred."""
    for found in _NUMERAL.finditer(text):
        written = found.group().strip("-+").rstrip(".,'\u2019 ")
        scaled = _SCALED.match(text, found.start() + len(found.group().rstrip(" ")))
        by = _BEFORE_SCALE[scaled.group(1).casefold()] if scaled else 1
        for reading in {_GROUPS.sub("", written), written, written.replace(",", ".")}:
            try:
                number = float(reading)
            except ValueError:
                continue
            yield from (number, number * by)
        yield from (float(part) for part in re.findall(r"\d+", written) if len(part) < 40)


def _list_words(text: str) -> Iterator[float]:
    """Number words, each alone and with those it stands beside: `one hundred and twenty`."""
    run: list[str] = []
    for word in [*re.findall(r"[^\W\d_]+|[^\w\s-]", text), "."]:
        if word in _ENGLISH or word in _SCALES:
            run.append(word)
        elif word not in ("and", "a") or not run:
            yield from _add_up(run)
            run = []
        if word in _FOREIGN:
            yield float(_FOREIGN[word])


def _add_up(run: Sequence[str]) -> Iterator[float]:
    yield from (float(_ENGLISH.get(word, _SCALES.get(word, 0))) for word in run)
    total = current = 0
    for word in run:
        if word not in _SCALES:
            current += _ENGLISH[word]
        elif word in ("thousand", "million"):
            total, current = total + max(current, 1) * _SCALES[word], 0
        else:
            current = max(current, 1) * _SCALES[word]
    if run:
        yield float(total + current)
