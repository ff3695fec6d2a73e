from __future__ import annotations

import math

import pytest

from mulligan.learning.coerce import NOTHING, coerce, from_text, has_type, may_be_two


@pytest.mark.parametrize(
    ("value", "wanted", "found"),
    [
        ("12", "integer", 12),
        ("1,200", "integer", 1200),
        ("12.0", "integer", 12),
        ("12.5", "integer", NOTHING),
        ("12.5", "number", 12.5),
        ("1e400", "number", NOTHING),
        (12, "string", "12"),
        (True, "string", "true"),
        (2.0, "string", "2"),
        (math.inf, "string", NOTHING),
        ("Yes", "boolean", True),
        (0, "boolean", False),
        (2, "boolean", NOTHING),
        ("perhaps", "boolean", NOTHING),
        (["12"], "integer", 12),
        ("[1, 2]", "array", [1, 2]),
        ("one", "array", ["one"]),
        ("one, two", "array", NOTHING),
        ("{'a': 1}", "object", {"a": 1}),
        ({"a": 1}, "array", NOTHING),
    ],
)
def test_a_value_changes_its_type_only_where_it_says_the_same(
    value: object, wanted: str, found: object
) -> None:
    assert coerce(value, wanted) == found


def test_a_truth_is_no_number_and_a_whole_float_is_an_integer() -> None:
    assert not has_type(True, "integer")
    assert not has_type(True, "number")
    assert has_type(2.0, "integer")
    assert not has_type(2.5, "integer")
    assert has_type("x", "a type nobody knows")


def test_only_a_list_or_an_object_is_read_from_text() -> None:
    assert from_text('{"a": [1]}') == {"a": [1]}
    assert from_text("12") is NOTHING
    assert from_text("[1, 2 and more") is NOTHING


@pytest.mark.parametrize(
    ("text", "twofold"),
    [
        ("1.000", True),
        ("1,000", True),
        ("-12.500", True),
        ("0.125", False),
        ("1,000,000", False),
        ("1,234.5", False),
        ("12.50", False),
        ("1000", False),
    ],
)
def test_a_point_or_comma_before_three_digits_can_be_read_in_two_ways(
    text: str, twofold: bool
) -> None:
    assert may_be_two(text) is twofold


def test_a_list_with_an_expression_in_it_is_no_value() -> None:
    assert from_text('["a" + "b"]') is NOTHING
