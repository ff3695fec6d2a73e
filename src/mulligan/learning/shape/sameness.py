"""Whether arguments that were only read say what was written, in the types of their schema.

Stricter than what may be suggested after a failure: here nobody has refused the call as it was, and
nothing asks again before it is made.
"""

from __future__ import annotations

from collections.abc import Mapping

from mulligan.learning.shape.coerce import FALSE, TRUE, from_text, may_be_two
from mulligan.learning.shape.formats import read_date
from mulligan.learning.written.spelling import normalize_spelling

_QUOTES = " \t\r\n\"'`"


def says_same_in_shape(before: object, after: object) -> bool:
    """Whether every value is there, and only its type, its case or its separators are others."""
    if repr(before) == repr(after):
        return True
    match before, after:
        case Mapping(), Mapping():
            return _says_same_by_name(before, after)
        case list(), list():
            alike = zip(before, after, strict=False)
            return len(before) == len(after) and all(says_same_in_shape(*pair) for pair in alike)
        case [only], _:
            return says_same_in_shape(only, after)
        case str(), list() | Mapping() if before.lstrip()[:1] in ("[", "{", "("):
            return says_same_in_shape(from_text(before), after)
        case _, [only]:
            return says_same_in_shape(before, only)
        case _:
            return _says_same_value(before, after)


def _says_same_by_name(before: Mapping[str, object], after: Mapping[str, object]) -> bool:
    """Under the same names, but for spelling; a null may be left out, a default be put in."""
    spelled = {normalize_spelling(str(name)): name for name in after}
    if len(spelled) < len(after):
        spelled = {str(name): name for name in after}
    for name, held in before.items():
        new = name if name in after else spelled.get(normalize_spelling(str(name)))
        if new is None and held is not None:
            return False
        if new is not None and not says_same_in_shape(held, after[new]):
            return False
    return True


def _says_same_value(before: object, after: object) -> bool:
    if isinstance(after, bool):
        return _read_truth(before) is after
    if isinstance(before, bool):
        return isinstance(after, str) and after.casefold() == str(before).casefold()
    if isinstance(after, int | float):
        return _is_number(before, after)
    if isinstance(before, int) and isinstance(after, str):
        # Of a number with a point nobody knows how it was written: 1.10 is 1.1 by now.
        return after == str(before)
    return isinstance(before, str) and isinstance(after, str) and _says_same_text(before, after)


def _says_same_text(before: str, after: str) -> bool:
    day = read_date(before)
    if day is not None:
        return day == read_date(after)
    plain = normalize_spelling(before.strip(_QUOTES))
    return bool(plain) and plain == normalize_spelling(after)


def _read_truth(value: object) -> bool | None:
    if type(value) is int and value in (0, 1):
        return bool(value)
    said = value.strip().casefold() if isinstance(value, str) else ""
    return said in TRUE if said in TRUE | FALSE else None


def _is_number(before: object, after: float) -> bool:
    if isinstance(before, str):
        if may_be_two(before):
            return False
        try:
            return float(before.replace(",", "")) == after
        except ValueError:
            return False
    return isinstance(before, int | float) and before == after
