"""The known pattern that is most like a new one: offered to a person or an agent, never merged."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from mulligan.core.lesson import Pattern
from mulligan.learning.closeness import tokens
from mulligan.learning.stems import stem

Similarity = Callable[[str, Sequence[str]], Sequence[float]]
"""How alike a text is to each of some others, from 0 to 1. Embeddings fit in here."""

LEAST = 0.5
"""Below this the nearest is not near."""


def shared_words(text: str, others: Sequence[str]) -> list[float]:
    """The share of words that two texts have in common."""
    mine = _words(text)
    theirs = map(_words, others)
    return [len(mine & each) / len(mine | each) if mine | each else 0.0 for each in theirs]


def nearest(
    template: str,
    known: Sequence[Pattern],
    *,
    similarity: Similarity = shared_words,
    least: float = LEAST,
) -> tuple[Pattern, float] | None:
    """The pattern whose template is most alike, with how alike; `None` when none is near."""
    scores = similarity(template, [pattern.template for pattern in known])
    best = max(zip(scores, known, strict=True), key=lambda each: each[0], default=None)
    return (best[1], best[0]) if best is not None and best[0] >= least else None


def _words(text: str) -> frozenset[str]:
    return frozenset(stem(word) for word in tokens(text))
