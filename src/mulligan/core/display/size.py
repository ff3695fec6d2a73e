"""Whether a value can be read at once: how much text it holds, and how it is nested."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Mapping
from itertools import islice
from typing import NamedTuple

from mulligan.core.display.escape import format_value

LONG = 4_000
"""Characters from which reading may take longer than a millisecond, so that no loop should wait."""
MOST_PARTS = 64
"""Parts of one value that are looked into: telling what is long must not take long itself."""
_SAID_COSTS = 10
"""How many other characters one costs that is read for times: a message may hold little else."""
MOST_DEPTH = 12
MOST_CONTAINERS = 1_000
MOST_AGAIN = 8
"""Times that the same parts may be met again; each may double the ways through a value."""
_TEXTS = (str, bytes, bytearray)
_NUMBERS = (int, float)
_BUILT_IN = (dict, list, tuple, set, frozenset, OrderedDict)
_READ_BY = ("__iter__", "items", "values")
_ASKED = ("content", "text", "structuredContent", "args")
"""Where results and errors of libraries keep their text."""


class SaidText(NamedTuple):
    """A message that is read for all that it says of time, in every way it can mean it."""

    text: str


def is_long(*values: object) -> bool:
    """Whether these hold more than `LONG` characters; what has too many parts to tell does too."""
    room, ahead, looked = LONG, list(values), 0
    while ahead and room >= 0:
        each = ahead.pop()
        looked += 1
        if isinstance(each, SaidText):
            room -= _measure(each.text) * _SAID_COSTS
        elif isinstance(each, _TEXTS):
            room -= _measure(each)
        elif each is not None and not isinstance(each, _NUMBERS):
            inner = _list_inside(each)
            if len(inner) + looked > MOST_PARTS:
                return True
            ahead += inner
    return room < 0


def is_tangled(value: object) -> bool:
    """Whether a value holds itself, or the same parts so often that going through it has no end."""
    ahead: list[tuple[object, int]] = [(value, 0)]
    seen: set[int] = set()
    again = 0
    while ahead and len(seen) <= MOST_CONTAINERS:
        each, depth = ahead.pop()
        if not isinstance(each, Mapping | list | tuple):
            continue
        again += id(each) in seen
        if again > MOST_AGAIN:
            return True
        seen.add(id(each))
        if depth < MOST_DEPTH:
            ahead += [(inner, depth + 1) for inner in _list_inside(each)]
    return False


def is_tame(value: object) -> bool:
    """Whether going through its lists and mappings ends: none has a way of its own to be read."""
    ahead: list[object] = [value]
    seen: set[int] = set()
    while ahead:
        each = ahead.pop()
        if not isinstance(each, _BUILT_IN) or id(each) in seen:
            continue
        seen.add(id(each))
        kind = type(each)
        if kind not in _BUILT_IN and any(_is_overridden(kind, name) for name in _READ_BY):
            return False
        ahead += dict.values(each) if isinstance(each, dict) else each
    return True


def _is_overridden(kind: type, name: str) -> bool:
    """Whether a subclass of a built-in container reads itself in another way than that."""
    found = getattr(kind, name, None)
    return found not in [getattr(each, name, None) for each in _BUILT_IN]


def _measure(text: str | bytes | bytearray) -> int:
    """Its length; nothing of one that cannot say, as a stand-in for text or one loaded later."""
    try:
        return len(text)
    except Exception:  # noqa: BLE001 - a value of somebody's own may refuse anything
        return 0


def _list_inside(value: object) -> list[object]:
    """What is in a value, as far as it is looked into."""
    try:
        if type(value) is list or type(value) is tuple:
            return [*islice(value, MOST_PARTS + 1)]
        if isinstance(value, BaseException):
            # What is read of an error is what it prints as, whatever it is made of.
            return [format_value(value), *value.args]
        if isinstance(value, dict) or isinstance(value, Mapping):  # noqa: SIM101 - quicker
            return [*islice(value.values(), MOST_PARTS + 1)]
        if isinstance(value, list | tuple | set | frozenset):
            return [*islice(value, MOST_PARTS + 1)]
        held = (getattr(value, name, None) for name in _ASKED)
        return [each for each in held if isinstance(each, str | list | tuple | dict)]
    except Exception:  # noqa: BLE001 - a value of somebody's own may refuse anything
        return []
