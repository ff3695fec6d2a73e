"""How languages write quantities, dates and names, as tables."""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import cache
from typing import Any

from mulligan.checks.language.folders import load_tables
from mulligan.checks.language.lexicon import list_months


@cache
def load_grounding_tables() -> dict[str, Any]:
    """Every table that a language has for this, by name."""
    return {**load_tables("grounding.toml"), "months": list_months()}


@cache
def load_units() -> dict[str, tuple[str, float]]:
    """Each unit's dimension, and how many of the dimension's own unit it is."""
    return {
        name: (dimension, float(size))
        for dimension, sizes in load_grounding_tables()["units"].items()
        for name, size in sizes.items()
    }


@cache
def load_currencies() -> frozenset[str]:
    """The codes of the currencies that are known."""
    return frozenset(load_grounding_tables()["currencies"].values())


@cache
def load_empty_words() -> frozenset[str]:
    """Words that carry no claim by themselves."""
    return frozenset(load_grounding_tables()["words"]["empty"])


def build_alternation(words: Iterable[str]) -> str:
    """A pattern for any of these, the longest first."""
    return "|".join(re.escape(word) for word in sorted(words, key=len, reverse=True))
