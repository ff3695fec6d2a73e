"""What people mean by a date: every time expression of a message, with all it can mean.

Names are imported on first use: splitting words loads no calendar.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from mulligan_dates.reader import find, resolve
    from mulligan_dates.readings import Convention, Expression, Grain, Reading, UnknownZoneError

_HOMES = {"find": "reader", "resolve": "reader"}

__all__ = ["Convention", "Expression", "Grain", "Reading", "UnknownZoneError", "find", "resolve"]


def __getattr__(name: str) -> object:
    if name not in __all__:
        raise AttributeError(f"module 'mulligan_dates' has no attribute {name!r}")
    return getattr(import_module(f"mulligan_dates.{_HOMES.get(name, 'readings')}"), name)


def __dir__() -> list[str]:
    return __all__
