"""Records as systems return them."""

from __future__ import annotations

import pytest

from mulligan.checks.tool_outputs import get_id_of, get_title_of, join_texts


@pytest.mark.parametrize(
    ("record", "held"),
    [
        ({"event_id": "7", "id": "8"}, "7"),
        ({"id": 8}, "8"),
        ({"id_": "9"}, "9"),
        ({"name": "x"}, None),
        ({"id": True}, None),
    ],
)
def test_the_id_is_the_field_of_its_parameter_or_one_of_the_usual(
    record: dict[str, object], held: str | None
) -> None:
    assert get_id_of(record, name="event_id") == held


@pytest.mark.parametrize(
    ("record", "title"),
    [
        ({"event_name": " Dinner "}, "Dinner"),
        ({"subject": "Hi", "title": "T"}, "T"),
        ({"a": 1}, ""),
    ],
)
def test_the_title_is_what_it_is_called(record: dict[str, object], title: str) -> None:
    assert get_title_of(record) == title


def test_texts_are_of_the_values_alone() -> None:
    assert join_texts({"where": "Luigi's", "who": ["ann", "bob"]}) == "Luigi's ann bob"
