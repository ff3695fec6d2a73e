"""Events of texts: each a thing that happened, which nobody can change afterwards."""

from __future__ import annotations

import pytest

from mulligan.types import events
from tests.types.kinds import hold_as_event, list_kinds

KINDS = list_kinds(events)


def test_there_are_some() -> None:
    assert events.ReplyChecked in KINDS


@pytest.mark.parametrize("kind", KINDS)
def test_it_happened_and_cannot_be_changed(kind: type) -> None:
    hold_as_event(kind)
