"""Whether corrected arguments say what the failing ones said, in another form.

What a lesson made out of a call's own values can still be another call: letters put in front of an
id are another id, an argument left out is a wider request, a wildcard is every thing there is.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping

from mulligan.learning.shape.formats import read_date
from mulligan.learning.values.locked import says_same

OPERATORS = frozenset("*%?!~<>=^|&$€£¥+")
"""Signs that change what a value asks for."""
FIGURES = frozenset("-.,/")
"""Signs that change a number, and no other code."""

_WORDS = re.compile(r"[^\W_]+")
_EMPTY: tuple[object, ...] = (None, "", [], {})


def changes_only_form(
    before: Mapping[str, object], after: Mapping[str, object], *, known: Collection[str] = ()
) -> bool:
    """Whether each value is still there and says the same, under its name or a new one.

    `known` are the arguments that the tool has: any other may be left out.
    """
    gone = [name for name in before if name not in after]
    moved = {name: _find_origin(after[name], before, gone) for name in after if name not in before}
    lost = [name for name in gone if name not in moved.values() and name in known]
    kept = all(is_same_in_form(before[name], after[name]) for name in after if name in before)
    return kept and None not in moved.values() and all(before[name] in _EMPTY for name in lost)


def is_same_in_form(old: object, new: object) -> bool:
    """Whether two values differ in type, case, date format or the signs around them alone."""
    if repr(old) == repr(new) or says_same(old, new):
        return True
    if isinstance(old, str) and isinstance(new, str) and (day := read_date(old)) is not None:
        return day == read_date(new)
    left, right = _split_words(old), _split_words(new)
    if not left or left != right:
        return False
    weighty = OPERATORS | FIGURES if all(word.isdigit() for word in left) else OPERATORS
    return _list_signs(old) & weighty == _list_signs(new) & weighty


def _find_origin(value: object, before: Mapping[str, object], gone: Collection[str]) -> str | None:
    return next((name for name in gone if is_same_in_form(before[name], value)), None)


def _split_words(value: object) -> list[str]:
    return [word.casefold() for word in _WORDS.findall(str(value))]


def _list_signs(value: object) -> frozenset[str]:
    return frozenset(sign for sign in str(value) if not sign.isalnum())
