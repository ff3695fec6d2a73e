"""Whether a value holds so much text that reading it takes a while."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import islice
from typing import NamedTuple

from mulligan.core.escape import format_value

LONG = 4_000
"""Characters from which reading may take longer than a millisecond, so that no loop should wait."""
MOST_PARTS = 64
"""Parts of one value that are looked into: telling what is long must not take long itself."""
_SAID_COSTS = 10
"""How many other characters one costs that is read for times: a message may hold little else."""
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
            room -= len(each.text) * _SAID_COSTS
        elif isinstance(each, str | bytes | bytearray):
            room -= len(each)
        elif each is not None and not isinstance(each, int | float):
            inner = _list_inside(each)
            if len(inner) + looked > MOST_PARTS:
                return True
            ahead += inner
    return room < 0


def _list_inside(value: object) -> list[object]:
    """What is in a value, as far as it is looked into."""
    try:
        if isinstance(value, BaseException):
            # What is read of an error is what it prints as, whatever it is made of.
            return [format_value(value), *value.args]
        if isinstance(value, Mapping):
            return [*islice(value.values(), MOST_PARTS + 1)]
        if isinstance(value, list | tuple | set | frozenset):
            return [*islice(value, MOST_PARTS + 1)]
        held = (getattr(value, name, None) for name in _ASKED)
        return [each for each in held if isinstance(each, str | list | tuple | dict)]
    except Exception:  # noqa: BLE001 - a value of somebody's own may refuse anything
        return []
