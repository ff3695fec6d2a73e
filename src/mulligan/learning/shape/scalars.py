"""A scalar that breaks its schema, brought into it: type, enum, bounds, format, pattern."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from typing import Any

from mulligan.core.failures.suggestion import Kind
from mulligan.learning.shape.coerce import NOTHING, coerce, has_type
from mulligan.learning.shape.formats import convert_format, list_variants
from mulligan.learning.shape.moment_forms import find_form, format_moment
from mulligan.learning.shape.units import UNIT_KEY, convert_unit
from mulligan.learning.values.argument_names import NEGATING
from mulligan.learning.values.closeness import fold, match_spelling, pick_only, tokenize

LONGEST_TEXT = 500
"""Longer texts are prose, not codes: they are never reformatted."""

Mended = tuple[object, Kind] | None
"""A better value and what was done to it, or nothing."""

Accepts = Callable[[object], bool]
"""Whether a part of the schema takes a value."""


def list_types(part: dict[str, Any]) -> tuple[str, ...]:
    """The types a part of a schema allows; none named means any."""
    named = part.get("type")
    return (named,) if isinstance(named, str) else tuple(named or ())


def mend_value(value: object, part: dict[str, Any], *, accepts: Accepts) -> Mended:
    """The first plain change after which the schema takes the value."""
    steps: tuple[Callable[[], Iterable[tuple[object, Kind]]], ...] = (
        lambda: _convert_amount(value, part),
        lambda: _coerce_value(value, part),
        lambda: _match_enum(value, part),
        lambda: _reformat_value(value, part),
        lambda: _clamp_value(value, part),
    )
    for step in steps:
        fitting = [(found, kind) for found, kind in step() if accepts(found)]
        if len({repr(found) for found, _ in fitting}) == 1:
            return fitting[0]
    return None


def _convert_amount(value: object, part: dict[str, Any]) -> Iterable[tuple[object, Kind]]:
    unit = part.get(UNIT_KEY)
    found = convert_unit(value, unit) if isinstance(value, str) and isinstance(unit, str) else None
    if found is not None:
        yield found, Kind.REFORMAT


def _coerce_value(value: object, part: dict[str, Any]) -> Iterable[tuple[object, Kind]]:
    wanted = list_types(part)
    if any(has_type(value, each) for each in wanted):
        return
    for each in wanted:
        found = coerce(value, each)
        if found is NOTHING:
            continue
        yield found, Kind.COERCE
        yield from _match_enum(found, part)
        yield from _clamp_value(found, part)


def _match_enum(value: object, part: dict[str, Any]) -> Iterable[tuple[object, Kind]]:
    domain = part.get("enum")
    if not isinstance(domain, list) or not isinstance(value, str) or len(value) > LONGEST_TEXT:
        return
    words = {str(each): each for each in domain if isinstance(each, str | int | float)}
    same = match_spelling(value, words)
    if same is not None:
        yield words[same], Kind.ENUM
        return
    mine = set(tokenize(value))
    if mine & NEGATING:
        return
    inside = pick_only(each for each in words if tokenize(each) and set(tokenize(each)) <= mine)
    if inside is not None:
        yield words[inside], Kind.OTHER


def _reformat_value(value: object, part: dict[str, Any]) -> Iterable[tuple[object, Kind]]:
    if not isinstance(value, str) or len(value) > LONGEST_TEXT:
        return
    if isinstance(part.get("format"), str):
        found = convert_format(value, part["format"])
        if found is not None:
            yield found, Kind.REFORMAT
    if isinstance(part.get("pattern"), str):
        form = find_form(str(part.get("description", "")))
        dated = format_moment(value, form) if form else None
        forms = {dated} if dated else list_variants(value, part["pattern"])
        yield from ((each, Kind.REFORMAT) for each in sorted(forms) if fold(each))


def _clamp_value(value: object, part: dict[str, Any]) -> Iterable[tuple[object, Kind]]:
    if not isinstance(value, int | float) or isinstance(value, bool) or not math.isfinite(value):
        return
    low, high = part.get("minimum"), part.get("maximum")
    if isinstance(low, int | float) and value < low:
        yield low, Kind.CLAMP
    if isinstance(high, int | float) and value > high:
        yield high, Kind.CLAMP
