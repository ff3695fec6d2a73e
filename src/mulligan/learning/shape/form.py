"""Whether corrected arguments say what the failing ones said, in another form.

What a lesson made out of a call's own values can still be another call: letters put in front of an
id are another id, an argument left out is a wider request, a wildcard is every thing there is.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping
from types import MappingProxyType

from mulligan.learning.shape.formats import read_date
from mulligan.learning.values.argument_names import match_name
from mulligan.learning.values.locked import says_same

ADDED = frozenset({"", "#"})
"""What may be put around a value and leaves it what it is. All else could be another path, another
command, another person: `../plans`, `plans';--`, `@plans`, `//plans`."""
DROPPED = frozenset("#\"'`") | {"", " ", "./"}
"""What may be taken away from around it."""
JOINTS = frozenset(" _-")
"""Signs between two words, any of which may stand for another; between digits none may."""

_WORDS = re.compile(r"[^\W_]+")
_NUMBER = re.compile(r"\s*[-+]?[\d.,]+\s*")
NOTHING_SAID: tuple[object, ...] = (None, "", [], {})
"""Values that ask for nothing, so that a call without them asks for the same."""
NO_DEFAULTS: Mapping[str, object] = MappingProxyType({})


def changes_only_form(
    before: Mapping[str, object],
    after: Mapping[str, object],
    *,
    defaults: Mapping[str, object] = NO_DEFAULTS,
) -> bool:
    """Whether each value is still there and says the same, under its name in some spelling.

    Left out may be what says nothing, and what the tool does by itself, by its `defaults`.
    """
    gone = [name for name in before if name not in after]
    moved = {
        name: _find_origin(name, after[name], before=before, gone=gone)
        for name in after
        if name not in before
    }
    lost = [name for name in gone if name not in moved.values()]
    kept = all(is_same_in_form(before[name], after[name]) for name in after if name in before)
    return (
        kept
        and None not in moved.values()
        and all(_asks_for_nothing(before[name], default=defaults.get(name, ...)) for name in lost)
    )


def _asks_for_nothing(value: object, *, default: object) -> bool:
    """Whether a call without a value asks for the same; `...` is no default."""
    return value in NOTHING_SAID or repr(default) == repr(value)


def is_same_in_form(old: object, new: object) -> bool:
    """Whether two values differ in type, case, date format or the signs around them alone."""
    if repr(old) == repr(new):
        return True
    if not (isinstance(old, str) and isinstance(new, str)):
        return _says_same_in_parts(old, new)
    if (day := read_date(old)) is not None:
        return day == read_date(new)
    if _NUMBER.fullmatch(old) and _NUMBER.fullmatch(new):
        return says_same(old, new)
    return _split_words(old) == _split_words(new) != [] and _differs_in_form(old, new)


def _says_same_in_parts(old: object, new: object) -> bool:
    """Whether one is the other in another type, or a list of it."""
    if isinstance(new, list) and not isinstance(old, list):
        return len(new) == 1 and is_same_in_form(old, new[0])
    if isinstance(old, list) and not isinstance(new, list):
        return len(old) == 1 and is_same_in_form(old[0], new)
    if isinstance(old, list) and isinstance(new, list):
        alike = zip(old, new, strict=False)
        return len(old) == len(new) and all(is_same_in_form(*pair) for pair in alike)
    return says_same(old, new)


def _differs_in_form(old: str, new: str) -> bool:
    """Of two texts with the same words: whether the signs around and between them mean the same."""
    before, after = _WORDS.split(old), _WORDS.split(new)
    ends = zip((before[0], before[-1]), (after[0], after[-1]), strict=True)
    around = all(one == other or (other in ADDED and one in DROPPED) for one, other in ends)
    figures = all(word.isdigit() for word in _split_words(old))
    joints = zip(before[1:-1], after[1:-1], strict=True)
    return around and all(
        one == other or (not figures and {one, other} <= JOINTS) for one, other in joints
    )


def _find_origin(
    name: str, value: object, *, before: Mapping[str, object], gone: Collection[str]
) -> str | None:
    """The name that a value had before, if it is the same in another spelling."""
    old = match_name(name, gone)
    return old if old is not None and is_same_in_form(before[old], value) else None


def _split_words(value: object) -> list[str]:
    return [word.casefold() for word in _WORDS.findall(str(value))]
