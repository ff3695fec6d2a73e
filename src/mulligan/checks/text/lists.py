"""The word lists that ship with the checks, read once."""

from __future__ import annotations

import tomllib
from functools import cache
from importlib.resources import files
from typing import Any


@cache
def load_word_lists() -> dict[str, Any]:
    """Every list of `english.toml`, by name."""
    return tomllib.loads(files(__package__).joinpath("english.toml").read_text(encoding="utf-8"))
