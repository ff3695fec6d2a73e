from __future__ import annotations

import pytest

from mulligan.learning.conform import clean_name, strip_debris


@pytest.mark.parametrize(
    ("value", "meant"),
    [
        ("'km'", "km"),
        ("km',", "km"),
        ("unit': 'km'}", "km"),
        ("<|channel|>commentary km", "km"),
        ('He said "go", then left', 'He said "go", then left'),
        ("weight': 'km'", "weight': 'km'"),
        ("", ""),
        (7, 7),
    ],
)
def test_syntax_that_stuck_to_a_value_comes_off_and_prose_is_left_alone(
    value: object, meant: object
) -> None:
    assert strip_debris({"unit": value}) == {"unit": meant}


def test_a_list_that_was_cut_at_its_commas_is_whole_again() -> None:
    assert strip_debris({"items": ['{"a": "x', 'b": 1}']}) == {"items": [{"a": "x", "b": 1}]}
    assert strip_debris({"items": ["a", "b"]}) == {"items": ["a", "b"]}


def test_a_tools_name_loses_the_tokens_of_its_model() -> None:
    assert clean_name("find_order<|channel|>json") == "find_order"
