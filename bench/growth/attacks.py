"""Hostile strings out of a pattern's own parse tree: what it repeats, often, and then a misfit."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from re import _constants as sre  # type: ignore[attr-defined]
from re import _parser as parser  # type: ignore[attr-defined]
from typing import Any

SAMPLES = "a0 -._/A:,'\"\n=@\u00e9%"
"""Signs that are tried for a class of them; two repeats only compete for one that both take."""
MOST_SIGNS = 5
LONG = 8
"""From how many times on a part counts as repeated."""
MISFITS = ("", "!", "_", "\n", " \x00")
CATEGORIES: dict[Any, Callable[[str], bool]] = {
    sre.CATEGORY_DIGIT: str.isdecimal,
    sre.CATEGORY_SPACE: str.isspace,
    sre.CATEGORY_WORD: lambda sign: sign.isalnum() or sign == "_",
}
INVERSE = {
    sre.CATEGORY_NOT_DIGIT: sre.CATEGORY_DIGIT,
    sre.CATEGORY_NOT_SPACE: sre.CATEGORY_SPACE,
    sre.CATEGORY_NOT_WORD: sre.CATEGORY_WORD,
}


@dataclass(frozen=True, slots=True)
class Attack:
    """A beginning, a part to repeat, and an end that does not fit."""

    head: str
    body: str
    tail: str

    def build(self, size: int) -> str:
        """The string, of about so many characters."""
        times = max(1, (size - len(self.head) - len(self.tail)) // len(self.body))
        return self.head + self.body * times + self.tail


def build_attacks(pattern: re.Pattern[str], *, most: int = 150) -> list[Attack]:
    """What to try a pattern with, without doubles."""
    tree = parser.parse(pattern.pattern, pattern.flags & ~re.DEBUG)
    found: dict[Attack, None] = {}
    for head, body in _list_parts(tree, ""):
        for tail in MISFITS if head or len(body) == 1 else MISFITS[:3]:
            if body:
                found[Attack(head, body, tail)] = None
    every = max(1, -(-len(found) // most))
    return list(found)[::every]


def _list_parts(tree: Iterable[Any], before: str) -> Iterator[tuple[str, str]]:
    """Beginnings with what may be repeated after them: parts, and beginnings themselves."""
    head = before
    for op, argument in tree:
        yield from _list_inside(op, argument, head)
        head += next(_sample(op, argument), "")
        if head.strip() or head:
            yield "", head
            yield "", f"{head} "


def _list_inside(op: Any, argument: Any, head: str) -> Iterator[tuple[str, str]]:
    if op in (sre.MAX_REPEAT, sre.MIN_REPEAT, sre.POSSESSIVE_REPEAT):
        _, most, inner = argument
        for body in _sample_all(inner):
            if most >= LONG:
                yield head, body
            if head:
                yield "", head + body
        yield from _list_parts(inner, head)
    elif op is sre.SUBPATTERN:
        yield from _list_parts(argument[3], head)
    elif op is sre.ATOMIC_GROUP:
        yield from _list_parts(argument, head)
    elif op is sre.BRANCH:
        for branch in argument[1]:
            yield from _list_parts(branch, head)
    elif op in (sre.ASSERT, sre.ASSERT_NOT) and argument[0] > 0:
        yield from _list_parts(argument[1], head)


def _sample_all(tree: Iterable[Any]) -> Iterator[str]:
    """Strings that a part matches: several, that differ in the first of its classes."""
    items = list(tree)
    if not items:
        return
    first, *others = items
    rest = "".join(next(_sample(*each), "") for each in others)
    for start in _sample(*first):
        yield start + rest


def _sample(op: Any, argument: Any) -> Iterator[str]:
    """Strings that one node of a tree matches, a few."""
    match op:
        case sre.LITERAL | sre.NOT_LITERAL | sre.ANY | sre.IN:
            yield from _sample_signs(op, argument)
        case sre.MAX_REPEAT | sre.MIN_REPEAT | sre.POSSESSIVE_REPEAT:
            least, _, inner = argument
            for one in _sample_all(inner) if least else [""]:
                yield one * least
        case sre.SUBPATTERN:
            yield from _sample_all(argument[3])
        case sre.ATOMIC_GROUP:
            yield from _sample_all(argument)
        case sre.BRANCH:
            for branch in argument[1]:
                yield next(_sample_all(branch), "")
        case _:
            yield ""


def _sample_signs(op: Any, argument: Any) -> Iterator[str]:
    """Single signs that a node matches."""
    if op is sre.IN:
        yield from _sample_class(argument)
    elif op is sre.LITERAL:
        yield chr(argument)
    else:
        other = argument if op is sre.NOT_LITERAL else None
        yield from [sign for sign in SAMPLES if ord(sign) != other][:MOST_SIGNS]


def _sample_class(items: list[Any]) -> Iterator[str]:
    """Signs of a class: common ones first, then the first of its own."""
    own = [chr(argument) for op, argument in items if op is sre.LITERAL]
    own += [chr(argument[0]) for op, argument in items if op is sre.RANGE]
    common = [sign for sign in SAMPLES if _is_in(sign, items)]
    signs = list(dict.fromkeys([*common[:MOST_SIGNS], *own[:2]]))
    yield from signs or [chr(0x3B1)]


def _is_in(sign: str, items: list[Any]) -> bool:
    negated = bool(items) and items[0][0] is sre.NEGATE
    return any(_is_of(sign, op, argument) for op, argument in items) is not negated


def _is_of(sign: str, op: Any, argument: Any) -> bool:
    match op:
        case sre.LITERAL:
            return bool(ord(sign) == argument)
        case sre.RANGE:
            return bool(argument[0] <= ord(sign) <= argument[1])
        case sre.CATEGORY if argument in INVERSE:
            return not CATEGORIES[INVERSE[argument]](sign)
        case sre.CATEGORY:
            return bool(CATEGORIES[argument](sign))
        case _:
            return False
