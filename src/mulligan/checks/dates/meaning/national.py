"""A country's public holidays, from the `holidays` library if it is there; else none, silently."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from datetime import date
from functools import lru_cache
from importlib import import_module
from typing import Any

from mulligan.checks.language.tables import Table, Words
from mulligan.checks.language.tokens import LOOKAHEAD, tokenize

_CATEGORIES = ("public", "unofficial")
_MOVED = "("
"""What is in brackets says that a day off was moved; the day itself was not."""


@lru_cache(maxsize=512)
def load_national_days(country: str, year: int) -> Mapping[str, tuple[date, ...]]:
    """The days of each holiday in a year, by its name as tokens with spaces between."""
    found: dict[str, tuple[date, ...]] = {}
    for day, names in _load_calendar(country, year):
        for name in names.split(";"):
            key = " ".join(token.text for token in tokenize(name))
            if _MOVED not in name and 0 < len(key.split()) < LOOKAHEAD // 2:
                found[key] = (*found.get(key, ()), day)
    return found


@lru_cache(maxsize=64)
def load_national_names(country: str, year: int, *, words: Words) -> Table[str]:
    """Everything people call the holidays of a country, and the name in `load_national_days`."""
    names = load_national_days(country, year)
    spellings = {name.replace("'", ""): name for name in names} | {name: name for name in names}
    aliases = {alias: name for alias, name in words.feast_aliases.items() if name in names}
    return Table(spellings | aliases)


def _load_calendar(country: str, year: int) -> Iterator[tuple[date, str]]:
    library = _load_library()
    if library is None:
        return
    try:
        known = library.list_supported_countries()
        if country not in known:
            return
        kinds = library.country_holidays(country).supported_categories
        wanted = tuple(each for each in _CATEGORIES if each in kinds)
        days = library.country_holidays(country, years=year, categories=wanted)
    except (NotImplementedError, ValueError):
        # A country or a year the library does not know has no holidays for us.
        return
    yield from days.items()


def _load_library() -> Any:
    try:
        return import_module("holidays")
    except ImportError:
        # `pip install mulligan[dates]` brings it; without it, holidays of countries are unknown.
        return None
