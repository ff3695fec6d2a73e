"""The word lists that ship with the checks, read once."""

from __future__ import annotations

from functools import cache
from typing import Any

from mulligan.checks.language.folders import load_tables


@cache
def load_word_lists() -> dict[str, Any]:
    """Every list that a language has for replies, by name."""
    return load_tables("replies.toml")
