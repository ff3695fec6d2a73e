"""Messages that ask for no more than a short answer."""

from __future__ import annotations

from functools import cache, lru_cache

from mulligan.checks.text.fold import fold
from mulligan.checks.text.lists import load_word_lists
from mulligan.checks.text.sentences import split_words
from mulligan.core.text import Reply

RECENT = 8
"""Messages that are remembered, so that all checks of one reply read it once."""


def is_small_talk(reply: Reply) -> bool:
    """Whether the person only said hello, thanks or goodbye. Unsure means no."""
    return _is_small_talk(reply.query)


@lru_cache(maxsize=RECENT)
def _is_small_talk(query: str) -> bool:
    spoken = split_words(fold(query))
    if not spoken:
        return False
    talk = load_word_lists()["small_talk"]
    return (
        len(spoken) <= talk["most_words"]
        and _load_words().issuperset(spoken)
        and not set(spoken).isdisjoint(talk["needs_one_of"])
    )


@cache
def _load_words() -> frozenset[str]:
    """All that small talk consists of."""
    return frozenset(load_word_lists()["small_talk"]["words"])
