"""Texts at the edge of what a rule could change: the compiled form may call none of them clean.

That a text comes out the same says little where no rule changes it anyway. So the decision itself
is compared: what the compiled form does not hand back, `may_apply` must find nothing in.
"""

from __future__ import annotations

import random
import string
from collections.abc import Iterator
from types import ModuleType
from typing import NamedTuple

from bench.compiled.values import WORDS, draw_text
from mulligan.redaction import fast
from mulligan.redaction.scrub import may_apply, scrub_value
from mulligan.redaction.text import SEED

KEY = bytes(range(32))
_HANDED_BACK = object()
_LETTERS = string.ascii_lowercase
_SEPARATORS = (" ", " ", " ", "", "-", "_", "/", ".", "\n", "\t", "  ", ", ")
_RARE = ("('k', 'v')", '(7, "v")', "/_" * 6, "+/" * 7, "_ _")
_PROSE = ("the", "and", "with", "for", "value", "required", "string", "a", "to", "é", "Ana")


class Mistake(NamedTuple):
    """A text that was called clean, or came out as something else."""

    text: str
    bits: int
    shown: object


class Decisions:
    """Counts what the compiled form decided by itself, and notes where it was wrong."""

    def __init__(self, module: ModuleType) -> None:
        tables = fast._build_tables()
        pure = (print,) * 3
        self._compiled = module.Compiled(key=KEY, open=set(), ids=set(), pure=pure, tables=tables)
        self._literals = (*tables[2], *tables[3])  # type: ignore[misc]
        self.decided = 0

    def compare(self, *, values: int, seed: int) -> Iterator[Mistake]:
        """Decide as many texts."""
        chance = random.Random(f"texts {seed}")
        for _ in range(values):
            text = draw_text(chance) if chance.random() < 0.2 else self._draw_edge(chance)
            shown = self._compiled.scrub(lambda _: _HANDED_BACK, text)
            if shown is _HANDED_BACK:
                continue
            self.decided += 1
            bits = 0 if "://" in text else may_apply(text, prose=False)
            if bits & ~SEED or shown != scrub_value(text):
                yield Mistake(text, bits, shown)

    def _draw_edge(self, chance: random.Random) -> str:
        """A few pieces, most of them harmless and one or the other not."""
        if chance.random() < 0.15:
            return _draw_phrase(chance)
        drawn = [self._draw_piece(chance) for _ in range(chance.randrange(1, 6))]
        return chance.choice(_SEPARATORS).join(drawn)

    def _draw_piece(self, chance: random.Random) -> str:
        match chance.randrange(10):
            case 0 | 1:
                return "".join(chance.choices(_LETTERS, k=chance.randrange(1, 13)))
            case 2:
                return "".join(chance.choices(string.ascii_letters, k=chance.randrange(9, 18)))
            case 3:
                return "".join(chance.choices(string.digits, k=chance.randrange(1, 7)))
            case 4:
                literal = str(chance.choice(self._literals))
                return chance.choice((literal, literal.upper(), literal.title(), literal[:-1]))
            case 5:
                return chance.choice(WORDS)
            case 6:
                return chance.choice(
                    ("é", "ñ", "漢", "Ä", "(", ",", "'", '"', "-", "+", "=", *_RARE)
                )
            case 7:
                letters = chance.choice((_LETTERS, _LETTERS + "+/_=-", _LETTERS + string.digits))
                return "".join(chance.choices(letters, k=chance.randrange(10, 18)))
            case _:
                return chance.choice(_PROSE)


def _draw_phrase(chance: random.Random) -> str:
    """About a dozen words, as a wallet's or as a sentence's."""
    words = [
        "".join(chance.choices(_LETTERS, k=chance.choice((3, 4, 5, 6, 7, 8))))
        for _ in range(chance.randrange(10, 16))
    ]
    for _ in range(chance.randrange(3)):
        other = chance.choice((*_PROSE, "ab", "abc", "abcdefghi", "Abc", "abC", "a1", "x_", "né"))
        words[chance.randrange(len(words))] = other
    return chance.choice((" ", " ", "  ", "\n", "\t", ". ", " 7 ")).join(words)
