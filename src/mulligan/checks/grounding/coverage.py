"""How much of a sentence's wording a context shares: a weak sign, and the best without a model."""

from __future__ import annotations

import re
from functools import lru_cache
from itertools import pairwise

from mulligan.checks.grounding.lists import load_empty_words
from mulligan.checks.grounding.stems import stem
from mulligan.checks.text.fold import fold

RECENT = 16

_WORD = re.compile(r"[^\W_][\w'\-]*+")
_CITATION = re.compile(r"\[\d{1,3}\]")


def measure_coverage(claim: str, *, context: tuple[str, ...]) -> float:
    """The share of a claim's neighbouring words that stand close together in the context too.

    Meaning is beyond it: a claim that says the opposite in the same words is fully covered.
    """
    neighbours = list(pairwise(_list_stems(claim)))
    if not neighbours:
        return 1.0
    known = _list_close_pairs(context)
    shared = sum(pair in known or pair[::-1] in known for pair in neighbours)
    return shared / len(neighbours)


@lru_cache(maxsize=RECENT)
def _list_close_pairs(context: tuple[str, ...]) -> frozenset[tuple[str, str]]:
    stems = [each for passage in context for each in _list_stems(passage)]
    return frozenset(pairwise(stems)) | frozenset(zip(stems, stems[2:], strict=False))


def _list_stems(text: str) -> list[str]:
    said = _WORD.findall(fold(_CITATION.sub(" ", text)))
    return [stem(word) for word in said if word not in load_empty_words()]
