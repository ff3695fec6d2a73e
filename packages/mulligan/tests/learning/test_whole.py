from __future__ import annotations

import pytest

from mulligan.learning.parsing import LONGEST_TEXT, GarbledError, read_json, read_whole


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ('{"a": [1, null]}', {"a": [1, None]}),
        ("{'a': True,}", {"a": True}),
        ("  [1, 2]  ", [1, 2]),
        ('"only text"', "only text"),
    ],
)
def test_a_text_that_is_one_value_is_read_strictly_or_loosely(text: str, value: object) -> None:
    assert read_whole(text) == value


@pytest.mark.parametrize(
    "text", ["{'a': 1} and more", "[" * 100_000, "{'a': '" + "x" * LONGEST_TEXT]
)
def test_a_text_that_says_more_or_too_much_is_garbled(text: str) -> None:
    with pytest.raises(GarbledError):
        read_whole(text)


def test_json_is_json_or_it_is_not() -> None:
    assert read_json("null") == (True, None)
    assert read_json("{'a': 1}") == (False, None)
    assert read_json("[" * 100_000) == (False, None)
