from __future__ import annotations

from mulligan.learning.values import find_key, is_small
from mulligan_dates.text import DEEPEST


def test_a_structure_is_small_by_its_parts_its_text_and_its_depth() -> None:
    assert is_small([1] * 2_000)
    assert not is_small([1] * 2_001)
    assert not is_small(["x" * 500_001])
    deep: object = 1
    for _ in range(DEEPEST):
        deep = [deep]
    assert not is_small(deep)


def test_a_value_in_a_list_is_known_by_the_name_of_the_list() -> None:
    assert find_key(("orders", 3)) == "orders"
    assert find_key((3,)) == ""
