"""What was said sign by sign, as it is written: `bob at example dot com`, `double five one two`."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache, lru_cache

from mulligan_dates.lexicon import join_words, load_tables, load_words

FEWEST_DIGITS = 4
"""Digits in a row that are a number read out, and no several numbers."""
_MOST = 10_000
"""Characters of a message that are read."""


@lru_cache(maxsize=64)
def write_signs(text: str) -> str:
    """A text with the addresses, links and numbers in it that were spelled out; else empty.

    An `at` is a sign where it is in brackets, or where a `dot` follows that is spelled, too.
    """
    near = text[:_MOST].casefold()
    if not _compile_hint().search(near):
        return ""
    written = _compile_digits().sub(_join_digits, near)
    written = _compile_address().sub(_write, written)
    written = _compile_host().sub(_write, written)
    return "" if written == near else written


@cache
def _compile_hint() -> re.Pattern[str]:
    digits = "|".join(sorted(_load_digits(), key=len, reverse=True))
    signs = rf"{join_words('spelled', 'dot')}|{join_words('spelled', 'at')}\s?[)\]>}}]"
    return re.compile(rf"(?<!\w)(?:{signs}|(?:{digits})(?!\w))")


def _spell(name: str) -> str:
    """A sign's word between blanks or brackets."""
    return rf"(?:\s{{1,3}}(?:{join_words('spelled', name)})\s{{1,3}}|{_bracket(name)})"


def _bracket(name: str) -> str:
    return rf"\s{{0,3}}[(\[<{{]\s?(?:{join_words('spelled', name)})\s?[)\]>}}]\s{{0,3}}"


@cache
def _compile_address() -> re.Pattern[str]:
    """What is before the sign is its last word, and all that signs join to it."""
    joint = rf"(?:{_spell('dot')}|{_spell('dash')}|{_spell('underscore')})"
    part, host = r"[\w.+-]{1,64}", r"[\w-]{1,63}"
    spelled = rf"{_spell('at')}{host}(?:{_spell('dot')}[\w-]{{2,63}}){{1,4}}"
    marked = rf"{_bracket('at')}{host}(?:\.[\w-]{{2,63}}){{1,4}}"
    return re.compile(rf"(?<![\w.]){part}(?:{joint}{part}){{0,4}}(?:{spelled}|{marked})(?!\w)")


@cache
def _compile_host() -> re.Pattern[str]:
    """A site that was spelled, with what stands behind its slashes."""
    slash = rf"(?:{_spell('slash')}|/)"
    dots = rf"(?:{_spell('dot')}[\w-]{{2,63}}){{1,4}}"
    return re.compile(rf"(?<![\w@.-])[\w-]{{1,63}}{dots}(?:{slash}[\w.-]{{1,63}}){{0,6}}(?!\w)")


@cache
def _list_signs() -> tuple[tuple[re.Pattern[str], str], ...]:
    signs = {"at": "@", "dot": ".", "dash": "-", "underscore": "_", "slash": "/"}
    return tuple((re.compile(_spell(name)), sign) for name, sign in signs.items())


def _write(found: re.Match[str]) -> str:
    text = found[0]
    for pattern, sign in _list_signs():
        text = pattern.sub(sign, text)
    return text


@cache
def _load_digits() -> dict[str, str]:
    """Each word for a digit."""
    numbers = load_tables("grounding.toml")["numbers"]
    told = {word: str(number) for word, number in numbers.items() if 0 <= number <= 9}
    return told | dict.fromkeys(load_words("spelled", "zero"), "0")


@cache
def _compile_digits() -> re.Pattern[str]:
    words = "|".join(sorted(map(re.escape, _load_digits()), key=len, reverse=True))
    times = rf"(?:(?:{join_words('words', 'double')}|{join_words('words', 'triple')})\s+)?"
    one = rf"(?:{times}(?:{words})|\d{{1,4}})"
    return re.compile(rf"(?<![\w.,]){one}(?:[\s,-]{{1,2}}{one}){{2,20}}(?![\w]|[.,]\d)")


def _join_digits(found: re.Match[str]) -> str:
    digits, spelled = _read_row(found)
    return digits if spelled and len(digits) >= FEWEST_DIGITS else found[0]


def find_digit_rows(text: str) -> Iterator[tuple[str, int]]:
    """The digits of each row in a text without case, and how many of them were said as words."""
    return map(_read_row, _compile_digits().finditer(text))


def _read_row(found: re.Match[str]) -> tuple[str, int]:
    digits, times, spelled = _load_digits(), 1, 0
    written = ""
    for word in re.findall(r"\w+", found[0]):
        if word in load_words("words", "double"):
            times = 2
        elif word in load_words("words", "triple"):
            times = 3
        else:
            written += digits.get(word, word) * times
            spelled += word in digits
            times = 1
    return written, spelled
