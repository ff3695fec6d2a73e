"""What a tool returned, as fields."""

from __future__ import annotations

import pytest

from mulligan.checks.tool_outputs import LONGEST_OUTPUT, read_structure


@pytest.mark.parametrize(
    ("result", "read"),
    [
        ('{"id": "7"}', {"id": "7"}),
        ("```json\n[1, 2]\n```", [1, 2]),
        ("{'id': '7', 'note': nan}", {"id": "7", "note": None}),
        ("<<- a\n- b>>", ["a", "b"]),
        ("[]", []),
        ("- id: 1\n  name: x", [{"id": 1, "name": "x"}]),
        ([{"type": "text", "text": '{"id": "7"}'}], [{"id": "7"}]),
        ({"type": "text", "text": "[1]"}, [1]),
        ("Just a sentence.", "Just a sentence."),
        ("{broken", "{broken"),
        (7, 7),
        (None, None),
    ],
)
def test_a_text_is_taken_apart_as_far_as_it_writes_fields_out(result: object, read: object) -> None:
    assert read_structure(result) == read


def test_what_is_very_long_stays_a_text() -> None:
    long = "[" + "1," * LONGEST_OUTPUT + "1]"

    assert read_structure(long) is long
