"""What holds of every event, whichever module it stands in."""

from __future__ import annotations

import inspect
from dataclasses import fields, is_dataclass
from types import ModuleType

import pytest

from mulligan.types.events import Happened


def list_kinds(module: ModuleType) -> list[type]:
    """The events that a module defines itself."""
    found = inspect.getmembers(module, inspect.isclass)
    own = [kind for _, kind in found if kind.__module__ == module.__name__]
    return [kind for kind in own if is_dataclass(kind) and kind is not Happened]


def hold_as_event(kind: type) -> None:
    """It is a thing that happened, and nobody can change it afterwards."""
    assert issubclass(kind, Happened)
    assert is_dataclass(kind)
    made = object.__new__(kind)
    with pytest.raises(AttributeError):
        setattr(made, fields(kind)[0].name, "other")
