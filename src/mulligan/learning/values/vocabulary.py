"""How tables of words and phrases are written, so that they can be read."""

from __future__ import annotations

import re

from mulligan.core.runtime.late_pattern import compile_late

_BETWEEN = compile_late(r"(?<!\s)\s++\|\s++|\n\s*+")


def list_words(text: str) -> frozenset[str]:
    """Words, with blanks between them."""
    return frozenset(text.split())


def compile_phrases(text: str) -> re.Pattern[str]:
    """A pattern of phrases, each on a line of its own or with ` | ` between them; case is ignored.

    Inside a phrase it is a regular expression, in which `|` has no blanks around it.
    """
    return compile_late(join_alternatives(text), re.IGNORECASE)


def join_alternatives(text: str) -> str:
    """The phrases as one group of a larger pattern."""
    return "(?:" + "|".join(part for part in _BETWEEN.split(text.strip()) if part) + ")"
