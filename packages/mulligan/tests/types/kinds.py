"""What holds of every event, whichever module it stands in."""

from __future__ import annotations

import inspect
from types import ModuleType

from msgspec import Struct

from mulligan.types.events import Happened


def list_kinds(module: ModuleType) -> list[type]:
    """The events that a module defines itself."""
    found = inspect.getmembers(module, inspect.isclass)
    own = [kind for _, kind in found if kind.__module__ == module.__name__]
    return [kind for kind in own if issubclass(kind, Struct) and kind is not Happened]


def hold_as_event(kind: type[Struct]) -> None:
    """It is a thing that happened, and nobody can change it afterwards."""
    assert issubclass(kind, Happened)
    assert kind.__struct_config__.frozen
