"""Words that are read as others: what a language writes in one word, or tells by a neighbour."""

from __future__ import annotations

from collections.abc import Sequence

from mulligan.checks.language.tables import Words
from mulligan.checks.language.tokens import END, LOOKAHEAD, Token


def rewrite(tokens: Sequence[Token], words: Words) -> Sequence[Token]:
    """Freitagabend as Freitag and Abend: each with the place of what it was written as."""
    if not words.rewrites:
        return tokens
    padded = [*tokens, *[END] * LOOKAHEAD]
    found: list[Token] = []
    i = 0
    while i < len(tokens):
        told = words.rewrites.match(padded, i)
        if told is None:
            found.append(tokens[i])
            i += 1
            continue
        first, last = tokens[i], padded[told[1] - 1]
        found += [
            Token(text, first.start, last.end, first.glued and not n, capital=first.capital)
            for n, text in enumerate(told[0])
        ]
        i = told[1]
    return found
