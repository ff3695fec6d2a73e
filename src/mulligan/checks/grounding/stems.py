"""Words without their endings, so that a client and clients are the same."""

from __future__ import annotations

from functools import cache, lru_cache

from mulligan.checks.grounding.lists import load_grounding_tables

SHORTEST = 3


@lru_cache(maxsize=20_000)
def stem(word: str) -> str:
    """A word's beginning, by the longest ending that leaves enough of it."""
    word = word.removesuffix(load_grounding_tables()["stems"]["possessive"])
    for ending, instead in _load_endings():
        if word.endswith(ending) and len(word) - len(ending) >= SHORTEST:
            left = word[: -len(ending)] + instead
            doubled = len(left) > SHORTEST and left[-1] == left[-2] and left[-1] not in "lsz"
            return left[:-1] if doubled else left
    return word


@cache
def _load_endings() -> tuple[tuple[str, str], ...]:
    """What a word may end in, and what its stem has instead; the longest first."""
    return tuple(
        (str(ending), str(left)) for ending, left in load_grounding_tables()["stems"]["endings"]
    )
