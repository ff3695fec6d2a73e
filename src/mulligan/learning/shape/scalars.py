"""A scalar that breaks its schema, brought into it: type, enum, bounds, format, pattern."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from typing import Any

from mulligan.core.suggestion import Kind
from mulligan.learning.shape.coerce import NOTHING, coerce, has_type
from mulligan.learning.shape.formats import date_form, in_form, in_format, variants
from mulligan.learning.values.closeness import fold, only, spelling, tokens

NEGATIONS = frozenset({"not", "no", "non", "never", "without", "except", "un", "dis"})
LONGEST_TEXT = 500
"""Longer texts are prose, not codes: they are never reformatted."""

Mended = tuple[object, Kind] | None
"""A better value and what was done to it, or nothing."""

Accepts = Callable[[object], bool]
"""Whether a part of the schema takes a value."""


def types_of(part: dict[str, Any]) -> tuple[str, ...]:
    """The types a part of a schema allows; none named means any."""
    named = part.get("type")
    return (named,) if isinstance(named, str) else tuple(named or ())


def mend_value(value: object, part: dict[str, Any], *, accepts: Accepts) -> Mended:
    """The first plain change after which the schema takes the value."""
    steps: tuple[Callable[[], Iterable[tuple[object, Kind]]], ...] = (
        lambda: _coerced(value, part),
        lambda: _of_enum(value, part),
        lambda: _reformatted(value, part),
        lambda: _clamped(value, part),
    )
    for step in steps:
        fitting = [(found, kind) for found, kind in step() if accepts(found)]
        if len({repr(found) for found, _ in fitting}) == 1:
            return fitting[0]
    return None


def _coerced(value: object, part: dict[str, Any]) -> Iterable[tuple[object, Kind]]:
    wanted = types_of(part)
    if any(has_type(value, each) for each in wanted):
        return
    for each in wanted:
        found = coerce(value, each)
        if found is NOTHING:
            continue
        yield found, Kind.COERCE
        yield from _of_enum(found, part)
        yield from _clamped(found, part)


def _of_enum(value: object, part: dict[str, Any]) -> Iterable[tuple[object, Kind]]:
    domain = part.get("enum")
    if not isinstance(domain, list) or not isinstance(value, str) or len(value) > LONGEST_TEXT:
        return
    words = {str(each): each for each in domain if isinstance(each, str | int | float)}
    same = spelling(value, words)
    if same is not None:
        yield words[same], Kind.ENUM
        return
    mine = set(tokens(value))
    if mine & NEGATIONS:
        return
    inside = only(each for each in words if tokens(each) and set(tokens(each)) <= mine)
    if inside is not None:
        yield words[inside], Kind.OTHER


def _reformatted(value: object, part: dict[str, Any]) -> Iterable[tuple[object, Kind]]:
    if not isinstance(value, str) or len(value) > LONGEST_TEXT:
        return
    if isinstance(part.get("format"), str):
        found = in_format(value, part["format"])
        if found is not None:
            yield found, Kind.REFORMAT
    if isinstance(part.get("pattern"), str):
        form = date_form(str(part.get("description", "")))
        dated = in_form(value, form) if form else None
        forms = {dated} if dated else variants(value, part["pattern"])
        yield from ((each, Kind.REFORMAT) for each in sorted(forms) if fold(each))


def _clamped(value: object, part: dict[str, Any]) -> Iterable[tuple[object, Kind]]:
    if not isinstance(value, int | float) or isinstance(value, bool) or not math.isfinite(value):
        return
    low, high = part.get("minimum"), part.get("maximum")
    if isinstance(low, int | float) and value < low:
        yield low, Kind.CLAMP
    if isinstance(high, int | float) and value > high:
        yield high, Kind.CLAMP
