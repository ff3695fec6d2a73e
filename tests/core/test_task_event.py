"""Events of tasks: each a thing that happened, which nobody can change afterwards."""

from __future__ import annotations

import inspect
from dataclasses import fields, is_dataclass

import pytest

from mulligan.core import task_event
from mulligan.core.event import Happened

KINDS = [
    kind
    for _, kind in inspect.getmembers(task_event, inspect.isclass)
    if kind.__module__ == task_event.__name__
]


def test_there_are_some() -> None:
    assert task_event.NotesPromoted in KINDS


@pytest.mark.parametrize("kind", KINDS)
def test_it_happened_and_cannot_be_changed(kind: type) -> None:
    assert issubclass(kind, Happened)
    assert is_dataclass(kind)
    assert fields(kind)
    made = object.__new__(kind)
    with pytest.raises(AttributeError):
        setattr(made, fields(kind)[0].name, "other")
