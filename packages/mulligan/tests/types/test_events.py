"""Events: each a thing that happened, which nobody can change afterwards."""

from __future__ import annotations

import inspect

from msgspec import Struct

from mulligan.types import events
from mulligan.types.events import Happened


def test_every_event_happened_and_cannot_be_changed() -> None:
    found = inspect.getmembers(events, inspect.isclass)
    own = [kind for _, kind in found if kind.__module__ == events.__name__]
    kinds = [kind for kind in own if issubclass(kind, Struct) and kind is not Happened]

    assert {events.NotesPromoted, events.ReplyChecked} <= set(kinds)
    for kind in kinds:
        assert issubclass(kind, Happened)
        assert kind.__struct_config__.frozen
