"""The known pattern that is most like a new one: offered to a person or an agent, never merged."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import TypeVar

from mulligan.core.failures.error_class import ErrorClass
from mulligan.core.failures.suggestion import Alike, Pattern
from mulligan.core.interfaces import Similarity
from mulligan.learning.values.stems import stem_words

K = TypeVar("K")
V = TypeVar("V")

LEAST = 0.5
"""Below this the nearest is not near."""
MOST_PATTERNS = 500
"""Patterns that one process remembers of one person."""
MOST_PEOPLE = 200
"""People whose patterns one process remembers, those heard of last."""

Whose = tuple[str, str]
"""The identities of a tenant and of one of its people; empty where nobody is named."""


def score_shared_words(text: str, others: Sequence[str]) -> list[float]:
    """The share of words that two texts have in common."""
    mine = stem_words(text)
    theirs = map(stem_words, others)
    return [len(mine & each) / len(mine | each) if mine | each else 0.0 for each in theirs]


def find_nearest(
    template: str,
    known: Sequence[Pattern],
    *,
    similarity: Similarity = score_shared_words,
    least: float = LEAST,
) -> Alike | None:
    """The pattern whose template is most alike; `None` when none is near."""
    scores = similarity(template, [pattern.template for pattern in known])
    best = max(zip(scores, known, strict=True), key=lambda each: each[0], default=None)
    if best is None or best[0] < least:
        return None
    return Alike(pattern=best[1], score=float(best[0]))


def find_alike(
    pattern: Pattern, known: Iterable[Pattern], *, similarity: Similarity = score_shared_words
) -> Alike | None:
    """For a pattern of which nobody can say what it is: the one most like it that somebody can."""
    if pattern.error_class is not ErrorClass.UNKNOWN:
        return None
    understood = [
        each
        for each in known
        if each.error_class is not ErrorClass.UNKNOWN and each.fingerprint != pattern.fingerprint
    ]
    return find_nearest(pattern.template, understood, similarity=similarity)


class KnownPatterns:
    """The patterns that an application has met in this process, each person's for themselves.

    A pattern is the text of a remote: what one person's errors say is told to no other.
    """

    def __init__(self, similarity: Similarity = score_shared_words) -> None:
        self._similarity = similarity
        self._met: dict[Whose, dict[str, Pattern]] = {}

    def meet(self, pattern: Pattern, *, whose: Whose = ("", "")) -> Alike | None:
        """Remember a pattern; what it is like, where nobody can say what it is."""
        met = self._met.pop(whose, {})
        before = met.pop(pattern.fingerprint, pattern)
        count = before.count + 1 if before is not pattern else 1
        met[pattern.fingerprint] = replace(pattern, count=count)
        self._met[whose] = met
        _forget_oldest(met, most=MOST_PATTERNS)
        _forget_oldest(self._met, most=MOST_PEOPLE)
        return find_alike(pattern, list(met.values()), similarity=self._similarity)


def _forget_oldest(held: dict[K, V], *, most: int) -> None:
    if len(held) > most:
        held.pop(next(iter(held)), None)
