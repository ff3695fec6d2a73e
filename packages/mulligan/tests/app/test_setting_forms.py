from __future__ import annotations

from datetime import timedelta

import pytest

from mulligan.settings import FORMS, Seconds
from mulligan.types.effect import Outside


@pytest.mark.parametrize(
    ("kind", "text", "value"),
    [
        (int, "3", 3),
        (int, 2.0, 2),
        (Seconds, "90", timedelta(seconds=90)),
        (Outside, "refuse", Outside.REFUSE),
        (bool, "off", False),
        (frozenset[str], "a, b", frozenset({"a", "b"})),
    ],
)
def test_text_is_read_as_what_it_stands_for(kind: object, text: object, value: object) -> None:
    assert FORMS[kind].read(text) == value


@pytest.mark.parametrize(
    ("kind", "text", "says"),
    [(int, "2.5", "whole number"), (Outside, "maybe", "'turn', 'run', 'refuse'")],
)
def test_what_cannot_be_read_says_what_can(kind: object, text: object, says: str) -> None:
    with pytest.raises(ValueError, match=says):
        FORMS[kind].read(text)
