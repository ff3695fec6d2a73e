"""Words without their endings, so that a client and clients are the same."""

from __future__ import annotations

from functools import lru_cache

_ENDINGS = (
    ("ies", "y"), ("sses", "ss"), ("ations", "at"), ("ation", "at"), ("ingly", ""), ("edly", ""),
    ("ments", ""), ("ment", ""), ("ness", ""), ("ing", ""), ("ers", ""), ("ed", ""), ("er", ""),
    ("es", ""), ("ly", ""), ("al", ""), ("s", ""), ("e", ""),
)  # fmt: skip
SHORTEST = 3


@lru_cache(maxsize=20_000)
def stem(word: str) -> str:
    """A word's beginning, by the longest ending that leaves enough of it."""
    word = word.removesuffix("'s")
    for ending, instead in _ENDINGS:
        if word.endswith(ending) and len(word) - len(ending) >= SHORTEST:
            left = word[: -len(ending)] + instead
            doubled = len(left) > SHORTEST and left[-1] == left[-2] and left[-1] not in "lsz"
            return left[:-1] if doubled else left
    return word
