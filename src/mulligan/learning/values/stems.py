"""Words without their endings, so that `locked` and `locks` are one. For English, and crude."""

from __future__ import annotations

from mulligan.learning.values.closeness import tokenize

ENDINGS = ("ations", "ation", "ings", "ing", "ers", "er", "ies", "ed", "es", "s", "e")
SHORTEST = 3


def stem(word: str) -> str:
    """The start of a word that its forms share."""
    if word.endswith("ss"):
        return word
    for ending in ENDINGS:
        if word.endswith(ending) and len(word) - len(ending) >= SHORTEST:
            return word[: -len(ending)]
    return word


def stem_words(text: str) -> frozenset[str]:
    """The words of a text, each without its ending."""
    return frozenset(stem(word) for word in tokenize(text))
