"""Messages that ask for no more than a short answer."""

from __future__ import annotations

from mulligan.checks.text.fold import fold
from mulligan.checks.text.lists import load_word_lists
from mulligan.checks.text.sentences import split_words
from mulligan.core.text import Reply


def is_small_talk(reply: Reply) -> bool:
    """Whether the person only said hello, thanks or goodbye. Unsure means no."""
    spoken = split_words(fold(reply.query))
    if not spoken:
        return False
    talk = load_word_lists()["small_talk"]
    return (
        len(spoken) <= talk["most_words"]
        and set(spoken) <= set(talk["words"])
        and not set(spoken).isdisjoint(talk["needs_one_of"])
    )
