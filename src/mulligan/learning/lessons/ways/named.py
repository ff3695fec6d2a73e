"""Values that stand elsewhere in the call, in its schema, or that name nobody."""

from __future__ import annotations

import re
from collections.abc import Iterator

from mulligan.learning.lessons.ways.place import ArgumentPlace, Given, Way, is_same
from mulligan.learning.shape.coerce import NOTHING
from mulligan.learning.values.locked import is_locked

MOST_NUMBER = 100
LONGEST_WORD = 40
LONGEST_LIST = 20


def _explain_argument(value: object, place: ArgumentPlace) -> Iterator[Given]:
    for name, held in place.failed.call.arguments.items():
        if is_same(held, value):
            yield {"of": name}


def _make_argument(given: Given, place: ArgumentPlace) -> object:
    return place.read_source(given)


def _explain_constant(value: object, place: ArgumentPlace) -> Iterator[Given]:
    if names_nobody(value, place):
        yield {"value": normalize_number(value)}


def _make_constant(given: Given, place: ArgumentPlace) -> object:
    value = given.get("value", NOTHING)
    return value if value is not NOTHING and names_nobody(value, place) else NOTHING


def names_nobody(value: object, place: ArgumentPlace) -> bool:
    """Whether a value may be kept: a flag, a small number, signs, or a word of the tool's schema.

    Who, where and how much are never kept; of such a field only signs such as `..` are.
    """
    if isinstance(value, list):
        return len(value) <= LONGEST_LIST and all(names_nobody(item, place) for item in value)
    if isinstance(value, str):
        signs = len(value) <= 3 and not any(sign.isalnum() for sign in value)
        return signs or (not is_locked((place.argument,)) and _is_documented(value, place))
    if is_locked((place.argument,)):
        return False
    if value is None or isinstance(value, bool):
        return True
    return isinstance(value, int | float) and abs(value) <= MOST_NUMBER


def normalize_number(value: object) -> object:
    """One way to write a number, so that the same constant is the same lesson."""
    whole = isinstance(value, float) and value.is_integer()
    return int(value) if whole and isinstance(value, float) else value


def _is_documented(value: str, place: ArgumentPlace) -> bool:
    """Whether the schema itself says this word of the argument."""
    if not value.strip() or len(value) > LONGEST_WORD:
        return False
    found = re.search(rf"(?<![\w]){re.escape(value)}(?![\w])", place.read_documentation())
    return found is not None


FROM_ARGUMENT = Way(_explain_argument, _make_argument)
CONSTANT = Way(_explain_constant, _make_constant)
