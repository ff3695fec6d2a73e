"""One value in another type, where it says the same in both."""

from __future__ import annotations

import math
import re

from mulligan.learning.written.literal import GarbledError, list_expressions
from mulligan.learning.written.whole import read_whole

TRUE = frozenset({"true", "yes", "on"})
FALSE = frozenset({"false", "no", "off"})

_WHOLE = re.compile(r"[+-]?\d{1,18}(?:\.0+)?|[+-]?\d{1,3}(?:,\d{3}){1,5}")
_NUMBER = re.compile(r"[+-]?(?:\d{1,18}(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d{1,3})?")
_GROUPED = re.compile(r"[+-]?\d{1,3}(?:,\d{3})+(?:\.\d+)?")

_TWO_NUMBERS = re.compile(r"[+-]?[1-9]\d{0,2}[.,]\d{3}")
"""Half the world reads `1.000` as one, the other half as a thousand."""

NOTHING = object()
"""No value, where `None` is one: what a way to make a value answers that leads nowhere."""


def has_type(value: object, wanted: str) -> bool:
    """Whether a value is of a JSON type already."""
    match wanted:
        case "string":
            return isinstance(value, str)
        case "integer":
            whole = isinstance(value, float) and value.is_integer()
            return whole or (isinstance(value, int) and not isinstance(value, bool))
        case "number":
            return isinstance(value, int | float) and not isinstance(value, bool)
        case "boolean":
            return isinstance(value, bool)
        case "array":
            return isinstance(value, list | tuple)
        case "object":
            return isinstance(value, dict)
        case "null":
            return value is None
        case _:
            return True


def may_be_two(text: str) -> bool:
    """Whether a number that came as text can be read as two different ones."""
    return _TWO_NUMBERS.fullmatch(text.strip()) is not None


def coerce(value: object, wanted: str) -> object:
    """The value in the type that is wanted, or `NOTHING`."""
    if isinstance(value, list) and len(value) == 1 and wanted in ("string", "integer", "number"):
        return value[0] if has_type(value[0], wanted) else coerce(value[0], wanted)
    match wanted:
        case "string":
            return _as_text(value)
        case "integer":
            return _as_whole(value)
        case "number":
            return _as_number(value)
        case "boolean":
            return _as_boolean(value)
        case "array" | "object":
            return _as_structure(value, wanted)
        case _:
            return NOTHING


def _as_text(value: object) -> object:
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int) and abs(value) < 10**18:
        return str(value)
    if isinstance(value, float) and math.isfinite(value):
        return str(int(value)) if value.is_integer() and abs(value) < 10**15 else repr(value)
    return NOTHING


def _as_whole(value: object) -> object:
    if isinstance(value, float) and value.is_integer():
        return int(value)
    if isinstance(value, str) and _WHOLE.fullmatch(value.strip()):
        return int(float(value.replace(",", ""))) if "." in value else int(value.replace(",", ""))
    return NOTHING


def _as_number(value: object) -> object:
    if not isinstance(value, str):
        return NOTHING
    text = value.strip()
    if _WHOLE.fullmatch(text):
        return _as_whole(text)
    if _NUMBER.fullmatch(text) or _GROUPED.fullmatch(text):
        number = float(text.replace(",", ""))
        return number if math.isfinite(number) else NOTHING
    return NOTHING


def _as_boolean(value: object) -> object:
    if type(value) is int and value in (0, 1):
        return bool(value)
    if isinstance(value, str) and value.strip().casefold() in TRUE | FALSE:
        return value.strip().casefold() in TRUE
    return NOTHING


def _as_structure(value: object, wanted: str) -> object:
    found = from_text(value) if isinstance(value, str) else NOTHING
    if has_type(found, wanted):
        return found
    several = isinstance(value, str) and any(sign in value for sign in ",;\n")
    if (
        wanted == "array"
        and found is NOTHING
        and not isinstance(value, dict | list)
        and not several
    ):
        return [value]
    return NOTHING


def from_text(text: str) -> object:
    """A list or an object that came as text, or `NOTHING`."""
    if text.lstrip()[:1] not in ("[", "{", "("):
        return NOTHING
    try:
        value = read_whole(text)
    except GarbledError:
        return NOTHING
    return value if isinstance(value, list | dict) and not list_expressions(value) else NOTHING
