"""Events of texts: each a thing that happened, which nobody can change afterwards."""

from __future__ import annotations

import inspect
from dataclasses import fields, is_dataclass

import pytest

from mulligan.core import text_event
from mulligan.core.event import Happened

KINDS = [
    kind
    for _, kind in inspect.getmembers(text_event, inspect.isclass)
    if kind.__module__ == text_event.__name__
]


def test_there_are_some() -> None:
    assert text_event.ReplyChecked in KINDS


@pytest.mark.parametrize("kind", KINDS)
def test_it_happened_and_cannot_be_changed(kind: type) -> None:
    assert issubclass(kind, Happened)
    assert is_dataclass(kind)
    assert fields(kind)
    made = object.__new__(kind)
    with pytest.raises(AttributeError):
        setattr(made, fields(kind)[0].name, "other")
