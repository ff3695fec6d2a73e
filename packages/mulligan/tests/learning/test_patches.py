from __future__ import annotations

from mulligan.learning.suggest import diff_arguments
from mulligan.types.lesson import Patch


def test_a_patch_makes_one_call_out_of_the_other() -> None:
    before, after = {"a": 1, "b": "x", "c": 0}, {"a": 1, "b": "y", "d": None}

    patch = diff_arguments(before, after)

    assert patch == Patch(changes={"b": "y", "d": None}, drops=("c",))
    assert patch.apply(before) == after


def test_equal_values_of_other_types_are_other_values_to_a_tool() -> None:
    assert diff_arguments({"a": 1}, {"a": True}).changes == {"a": True}
    assert diff_arguments({"a": 1}, {"a": 1.0}).changes == {"a": 1.0}
    assert diff_arguments({"a": [1]}, {"a": [True]}).changes == {"a": [True]}
