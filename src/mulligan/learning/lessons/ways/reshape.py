"""Values that say the same in another shape: each way reads one source and writes one value."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping

from mulligan.core.failures.lesson import How
from mulligan.learning.lessons.ways.place import PLAIN, ArgumentPlace, Given, Way, is_same
from mulligan.learning.shape.coerce import NOTHING, coerce
from mulligan.learning.shape.formats import ORDERS, format_date

LONGEST_TEXT = 500
"""Longer texts are prose: nobody puts a sign before them or splits them."""
LONGEST_AFFIX = 12
LONGEST_ERROR = 4_000
SIGNS = ("/", "\\", "@", ":", ",", ";", "#", "|", "_", "-", ".", " ")
"""What a value may be split at."""

CASES: Mapping[str, Callable[[str], str]] = {
    "lower": str.lower,
    "upper": str.upper,
    "title": str.title,
    "capital": str.capitalize,
}
TYPES = ("integer", "number", "string", "boolean", "array", "object")
UNITS = (10, 100, 1_000, 1_000_000, 60, 3_600, 24, 86_400, 7, 12, 2.54, 1.609344, 0.453592, 3.78541)
"""Factors between units of money, measure and time; each counts both ways."""
FACTORS = (*UNITS, *(1 / unit for unit in UNITS))

_AFFIX = re.compile(r"[\W_]{1,4}|[A-Za-z]{1,8}[\W_]{1,3}|[\W_][A-Za-z0-9]{1,6}")
_BLANK = re.compile(r"[\s\u200b\ufeff]+")

Shape = Callable[[object, Given], object]
"""A source in its new shape."""

Read = Callable[[object, object], Iterator[Given]]
"""How a source was given its new shape."""


def _read_case(old: object, new: object) -> Iterator[Given]:
    if isinstance(old, str) and isinstance(new, str):
        yield from ({"case": name} for name, turn in CASES.items() if turn(old) == new)


def _change_case(old: object, given: Given) -> object:
    turn = CASES.get(str(given.get("case")))
    return turn(old) if turn and isinstance(old, str) else NOTHING


def _read_coerced(old: object, new: object) -> Iterator[Given]:
    for wanted in TYPES:
        found = coerce(old, wanted)
        if found is not NOTHING and type(found) is type(new) and found == new:
            yield {"to": wanted}


def _coerce_value(old: object, given: Given) -> object:
    return coerce(old, str(given.get("to")))


def _read_listed(old: object, new: object) -> Iterator[Given]:
    if isinstance(new, list) and len(new) == 1 and is_same(new[0], old):
        yield PLAIN


def _wrap_list(old: object, _: Given) -> object:
    return NOTHING if old is NOTHING or isinstance(old, list) else [old]


def _read_scalar(old: object, new: object) -> Iterator[Given]:
    if isinstance(old, list) and len(old) == 1 and is_same(old[0], new):
        yield PLAIN


def _unwrap_scalar(old: object, _: Given) -> object:
    return old[0] if isinstance(old, list) and len(old) == 1 else NOTHING


def _read_form(old: object, new: object) -> Iterator[Given]:
    if isinstance(old, str) and isinstance(new, str):
        forms = ("plain", *dict.fromkeys(ORDERS.values()))
        yield from ({"form": form} for form in forms if _change_form(old, {"form": form}) == new)


def _change_form(old: object, given: Given) -> object:
    if not isinstance(old, str):
        return NOTHING
    if given.get("form") == "plain":
        return _BLANK.sub(" ", old).strip().strip("'\"`")
    form = str(given.get("form"))
    found = format_date(old, form) if form in ORDERS.values() else None
    return NOTHING if found is None else found


def _read_prefix(old: object, new: object) -> Iterator[Given]:
    if isinstance(old, str) and isinstance(new, str) and old and new:
        if new.endswith(old) and _AFFIX.fullmatch(added := new[: -len(old)]):
            yield {"text": added}
        if old.endswith(new) and _AFFIX.fullmatch(taken := old[: -len(new)]):
            yield {"without": taken}


def _change_prefix(old: object, given: Given) -> object:
    if not isinstance(old, str):
        return NOTHING
    if isinstance(added := given.get("text"), str):
        return NOTHING if old.startswith(added) else added + old
    taken = str(given.get("without") or "")
    return old.removeprefix(taken) if taken and old.startswith(taken) else NOTHING


def _read_suffix(old: object, new: object) -> Iterator[Given]:
    if isinstance(old, str) and isinstance(new, str) and old and new:
        if new.startswith(old) and _AFFIX.fullmatch(added := new[len(old) :]):
            yield {"text": added}
        if old.startswith(new) and _AFFIX.fullmatch(taken := old[len(new) :]):
            yield {"without": taken}


def _change_suffix(old: object, given: Given) -> object:
    if not isinstance(old, str):
        return NOTHING
    if isinstance(added := given.get("text"), str):
        return NOTHING if old.endswith(added) else old + added
    taken = str(given.get("without") or "")
    return old.removesuffix(taken) if taken and old.endswith(taken) else NOTHING


def _read_part(old: object, new: object) -> Iterator[Given]:
    if not (isinstance(old, str) and isinstance(new, str) and new and len(old) <= LONGEST_TEXT):
        return
    for sign in (sign for sign in SIGNS if sign in old and new in old):
        parts = split(old, sign)
        if len(parts) > 1:
            yield from ({"sign": sign, "at": at} for at in (-1, 0, 1) if _pick_at(parts, at) == new)
            yield from ({"sign": sign, "upto": at} for at in (-1,) if sign.join(parts[:at]) == new)


def _pick_part(old: object, given: Given) -> object:
    sign = str(given.get("sign") or "")
    if not isinstance(old, str) or not sign or len(old) > LONGEST_TEXT:
        return NOTHING
    parts = split(old, sign)
    if len(parts) < 2:
        return NOTHING
    if isinstance(upto := given.get("upto"), int):
        return sign.join(parts[:upto]) or NOTHING
    at = given.get("at")
    return _pick_at(parts, at) if isinstance(at, int) else NOTHING


def split(text: str, sign: str) -> list[str]:
    """The parts of a value; a dot alone is the place one is at, and no part."""
    return [part for part in text.strip().split(sign) if part.strip() not in ("", ".")]


def _pick_at(parts: list[str], at: int) -> object:
    return parts[at].strip() if -len(parts) <= at < len(parts) else NOTHING


def _read_scaled(old: object, new: object) -> Iterator[Given]:
    numbers = not isinstance(old, bool) and not isinstance(new, bool)
    if numbers and isinstance(old, int | float) and isinstance(new, int | float) and old and new:
        yield from ({"by": by} for by in FACTORS if _is_close(old * by, new))


def _scale_number(old: object, given: Given) -> object:
    by = given.get("by")
    if isinstance(old, bool) or not isinstance(old, int | float) or by not in FACTORS:
        return NOTHING
    made = round(old * float(str(by)), 6)
    return int(made) if made.is_integer() else made


def _is_close(one: float, other: float) -> bool:
    return abs(one - other) <= 1e-6 * max(abs(one), abs(other))


def _build_way(read: Read, shape: Shape) -> Way:
    """A way from any argument: that of the same name first, then the others; lists by element."""

    def explain(value: object, place: ArgumentPlace) -> Iterator[Given]:
        for named, old in _list_sources(place):
            if is_same(old, value):
                continue
            found = [
                *read(old, value),
                *({**g, "each": True} for g in _read_each(old, value, read)),
            ]
            yield from ({**named, **given} for given in found if _is_keepable(given, place))

    def make(given: Given, place: ArgumentPlace) -> object:
        old = place.read_source(given)
        if given.get("each"):
            return _shape_each(old, given, shape)
        return NOTHING if old is NOTHING else shape(old, given)

    return Way(explain, make)


def _is_keepable(given: Given, place: ArgumentPlace) -> bool:
    """Signs may be kept; letters around a value only if the error or the schema has them."""
    kept = str(given.get("text") or given.get("without") or "")
    known = f"{place.failed.error[:LONGEST_ERROR]} {place.read_documentation()}"
    return not any(sign.isalnum() for sign in kept) or kept in known


def _list_sources(place: ArgumentPlace) -> Iterator[tuple[Given, object]]:
    if place.old is not NOTHING:
        yield PLAIN, place.old
    for name, value in place.failed.call.arguments.items():
        if name != place.argument:
            yield {"of": name}, value


def _read_each(old: object, new: object, read: Read) -> Iterator[Given]:
    if not (isinstance(old, list) and isinstance(new, list) and 0 < len(old) == len(new) <= 100):
        return
    shared = list(read(old[0], new[0]))
    for left, right in zip(old[1:], new[1:], strict=True):
        ways = list(read(left, right))
        shared = [given for given in shared if given in ways]
    yield from shared


def _shape_each(old: object, given: Given, shape: Shape) -> object:
    if not isinstance(old, list) or not old:
        return NOTHING
    made = [shape(item, given) for item in old]
    return NOTHING if NOTHING in made else made


RESHAPING: Mapping[How, Way] = {
    How.LIST: _build_way(_read_listed, _wrap_list),
    How.SCALAR: _build_way(_read_scalar, _unwrap_scalar),
    How.COERCE: _build_way(_read_coerced, _coerce_value),
    How.CASE: _build_way(_read_case, _change_case),
    How.FORMAT: _build_way(_read_form, _change_form),
    How.PREFIX: _build_way(_read_prefix, _change_prefix),
    How.SUFFIX: _build_way(_read_suffix, _change_suffix),
    How.PART: _build_way(_read_part, _pick_part),
    How.SCALE: _build_way(_read_scaled, _scale_number),
}
"""The simplest first."""
