"""Numbers in words and figures, each folded into one token."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache

from mulligan.checks.language.tables import Words
from mulligan.checks.language.tokens import END, Token

_TENS = range(20, 100, 10)


def fold(tokens: Sequence[Token], words: Words) -> list[Token]:
    """Twenty-fourth and 2nd become one ordinal each, two thousand and ten one number."""
    folded: list[Token] = []
    counting = _list_counting(words)
    i, count = 0, len(tokens)
    while i < count:
        token = tokens[i]
        if token.number is None and token.text not in counting:
            i += 1
        else:
            token, i = _fold_one(tokens, i, words)
        folded.append(token)
    return folded


@lru_cache(maxsize=8)
def _list_counting(words: Words) -> frozenset[str]:
    """The words that a number can begin with."""
    return frozenset({*words.cardinals, *words.ordinals, *words.one})


def _fold_one(tokens: Sequence[Token], i: int, words: Words) -> tuple[Token, int]:
    token = tokens[i]
    if token.number is not None:
        after = _peek(tokens, i + 1)
        if after.glued and after.text in words.ordinal_endings:
            return token._replace(ordinal=token.number, number=None, end=after.end), i + 2
        return token, i + 1
    hundred = token.text in words.one and _peek(tokens, i + 1).text in words.scales
    if hundred or token.text in words.cardinals:
        return _fold_spoken(tokens, i, words)
    if (ordinal := words.ordinals.get(token.text)) is not None:
        return token._replace(ordinal=ordinal), i + 1
    return token, i + 1


def _fold_spoken(tokens: Sequence[Token], i: int, words: Words) -> tuple[Token, int]:
    """A number in words from its first word on: twenty, a hundred and one."""
    value, ordinal, j = 1, None, i + 1
    if tokens[i].text in words.cardinals:
        value, ordinal, j = _parse_below_hundred(tokens, i, words)
    while ordinal is None and (scale := words.scales.get(_peek(tokens, j).text)) is not None:
        value *= scale
        j += 1
        k = j + 1 if _peek(tokens, j).text in words.and_ else j
        if _peek(tokens, k).text in words.cardinals:
            more, ordinal, j = _parse_below_hundred(tokens, k, words)
            value += more
    first, last = tokens[i], tokens[j - 1]
    # Of several words, none is left that a table could take for another.
    text = first.text if j == i + 1 else str(value)
    return (
        first._replace(
            text=text,
            end=last.end,
            number=None if ordinal is not None else value,
            ordinal=ordinal,
        ),
        j,
    )


def _parse_below_hundred(
    tokens: Sequence[Token], i: int, words: Words
) -> tuple[int, int | None, int]:
    """A number up to 99, the same as an ordinal if it is one, and where it ends."""
    value = words.cardinals[tokens[i].text]
    if value not in _TENS:
        return value, None, i + 1
    j = i + 2 if _peek(tokens, i + 1).text == "-" else i + 1
    unit = _peek(tokens, j).text
    if 0 < words.cardinals.get(unit, 0) < 10:
        return value + words.cardinals[unit], None, j + 1
    if 0 < words.ordinals.get(unit, 0) < 10:
        return value, value + words.ordinals[unit], j + 1
    return value, None, i + 1


def _peek(tokens: Sequence[Token], i: int) -> Token:
    return tokens[i] if i < len(tokens) else END
