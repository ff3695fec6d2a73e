"""Text and plain values: one definition of a word, a number and equality for all modules.

A word is what a text is compared by: `split_words`. Three kinds of text are read otherwise, and
say so: a name of a program (`split_name`), speech whose figures are no part of its words
(`split_letters`), and prose as its reader counts it (`split_prose`). It imports nothing of ours.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator, Mapping
from functools import lru_cache
from typing import TypeGuard

_INVISIBLE = dict.fromkeys([0xAD, 0x200B, 0x200C, 0x200D, 0x200E, 0x200F, 0x2060, 0xFEFF])
_ALIKE = {
    **dict.fromkeys([0x2018, 0x2019, 0x02BC], "'"),
    **dict.fromkeys([0x201C, 0x201D, 0x201E, 0x201F, 0xAB, 0xBB], '"'),
    **dict.fromkeys([0x2010, 0x2011, 0x2012], "-"),
    0x037E: "?",
}
"""Quotation marks, hyphens and the Greek question mark, as the keyboard has them."""
_OTHER_DIGIT = re.compile(r"(?![0-9])\d")
"""A digit of any script but the keyboard's own."""
_IN_NUMBERS = {0x066A: "%", 0x066B: ".", 0x066C: ","}
_VISIBLE = re.compile(f"[^\\s{''.join(map(chr, _INVISIBLE))}]")
_FORMS = {**_INVISIBLE, **_ALIKE, **_IN_NUMBERS}


def fold(text: str) -> str:
    """The form in which two texts are the same when a reader takes them for the same."""
    if text.isascii():
        return text.lower()
    plain = unicodedata.normalize("NFKC", text.translate(_FORMS)).casefold()
    return _OTHER_DIGIT.sub(lambda digit: str(unicodedata.decimal(digit[0])), plain)


def drop_disguises(text: str) -> str:
    """A text in plain letters and figures, without look-alikes or characters that hide."""
    if text.isascii():
        return text
    plain = unicodedata.normalize("NFKC", text)
    return "".join(sign for sign in plain if unicodedata.category(sign) != "Cf")


def fold_name(name: str) -> str:
    """The form in which two spellings of a name are the same: `orderId`, `order_id`, `Order ID`."""
    return _BETWEEN.sub("", name.casefold())


def normalize_spaces(text: str) -> str:
    """What a reader sees of it: no zero-width characters, and one space for any gap."""
    shown = text if text.isascii() else text.translate(_INVISIBLE)
    return " ".join(shown.split())


def is_blank(text: str) -> bool:
    """Whether a reader sees nothing of it. It takes no longer where there is much."""
    return _VISIBLE.search(text) is None


def shorten(text: str, *, most: int) -> str:
    """A text of at most so many characters; where something is left out, the last says so."""
    return text if len(text) <= most else f"{text[: most - 1]}…"


_WORD = re.compile(r"[^\W_]+")
_BETWEEN = re.compile(r"[\W_]+")
_LETTERS = re.compile(r"[^\W\d_]+")
_PROSE = re.compile(r"\w+(?:['\u2019\-]\w+)*+")
_HUMP = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])")
_PART = re.compile(r"[^\W\d_]+|\d+")


def split_words(text: str) -> list[str]:
    """The words that texts are compared by: letters and digits, without case."""
    return _WORD.findall(text.casefold())


def split_letters(text: str, *, shortest: int = 1) -> list[str]:
    """The words of speech, without figures and without case: `10am` holds the word `am`."""
    found = _LETTERS.findall(text.casefold())
    return found if shortest <= 1 else [word for word in found if len(word) >= shortest]


def split_prose(text: str) -> list[str]:
    """The words of prose as they are written; one with an apostrophe or a hyphen counts once."""
    return _PROSE.findall(text)


def split_name(name: str) -> tuple[str, ...]:
    """The words of a program's name: `newStart_time2` is new, start, time, 2."""
    return _split_kept(name) if len(name) <= _LONGEST_KEPT else _split_parts(name)


def _split_parts(name: str) -> tuple[str, ...]:
    return tuple(_PART.findall(separate_words(name).casefold()))


_LONGEST_KEPT = 64
_split_kept = lru_cache(maxsize=2_048)(_split_parts)


def separate_words(name: str, *, by: str = " ") -> str:
    """A name with something between words that only a capital parts: `newStart` is `new Start`."""
    return _HUMP.sub(by, name)


def list_words(text: str) -> frozenset[str]:
    """A list of ours: words, with blanks between them."""
    return frozenset(text.split())


_CUT = "ingly edly ments ment ness ings ing ers er ed es ly al s e"
_ENDINGS = {"ations": "at", "ation": "at", "ies": "y", **dict.fromkeys(_CUT.split(), "")}
"""What an English word may end in, a longer one before its own end, and what stands instead."""
_SHORTEST_STEM = 3


@lru_cache(maxsize=20_000)
def stem(word: str) -> str:
    """The start that the forms of an English word share: `planned`, `plans` and `planning`."""
    word = word.removesuffix("'s")
    if word.endswith("ss"):
        return word
    for ending, instead in _ENDINGS.items():
        if word.endswith(ending) and len(word) - len(ending) >= _SHORTEST_STEM:
            left = word[: -len(ending)] + instead
            doubled = len(left) > _SHORTEST_STEM and left[-1] == left[-2] and left[-1] not in "lsz"
            return left[:-1] if doubled else left
    return word


_LONGEST_NUMERAL = 40
_NUMERAL = re.compile(r"\s*[-+]?(?:\d[\d,]*(?:\.\d*)?|\.\d+)\s*")


def is_number(value: object) -> TypeGuard[float]:
    """Whether a value is a number; a truth value is none, though Python calls it one."""
    return isinstance(value, int | float) and not isinstance(value, bool)


def read_number(value: object) -> float | None:
    """A finite number, also one that is written as a text: `-1,200.50`."""
    if isinstance(value, str):
        written = len(value) <= _LONGEST_NUMERAL and _NUMERAL.fullmatch(value)
        return float(value.replace(",", "")) if written else None
    if not is_number(value):
        return None
    return float(value) if abs(value) < 1e300 else None


def parse_numeral(numeral: str) -> int | float:
    """A numeral as a number of its own kind: whole without a point, `1,200` like `1200`."""
    plain = numeral.replace(",", "")
    return float(plain) if "." in plain else int(plain)


def is_same(one: object, other: object) -> bool:
    """Whether two values are equal to a tool: 1 and 1.0 are one number, `True` is none."""
    if is_number(one) and is_number(other):
        return one == other
    return type(one) is type(other) and one == other


Path = tuple[str | int, ...]
"""The way to a part of a value: names in mappings, places in lists."""
DEEPEST = 32
MOST_LEAVES = 20_000


def list_leaves(value: object, *, most: int = MOST_LEAVES) -> Iterator[tuple[Path, object]]:
    """Every value that holds no others, outermost first, up to `most` of them."""
    waiting: list[tuple[Path, object]] = [((), value)]
    given = 0
    while waiting and given < most:
        following: list[tuple[Path, object]] = []
        for path, held in waiting:
            if isinstance(held, Mapping) and len(path) < DEEPEST:
                following += [((*path, str(key)), inner) for key, inner in held.items()]
            elif isinstance(held, list | tuple) and len(path) < DEEPEST:
                following += [((*path, at), inner) for at, inner in enumerate(held[:most])]
            else:
                yield path, held
                given += 1
                if given >= most:
                    return
        waiting = following[: most * 2]


def list_strings(value: object) -> Iterator[str]:
    """Every text among the leaves of a value; the names in mappings are none of them."""
    return (leaf for _, leaf in list_leaves(value) if isinstance(leaf, str))
