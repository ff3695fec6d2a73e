from __future__ import annotations

from mulligan.learning.values import DEEPEST, find_key, is_small, list_leaves


def test_every_value_has_the_path_that_leads_to_it_the_outermost_first() -> None:
    held = {"a": {"b": [1, 2]}, "c": 3}

    assert list(list_leaves(held)) == [(("c",), 3), (("a", "b", 0), 1), (("a", "b", 1), 2)]


def test_no_more_are_given_than_were_asked_for_however_deep_it_is() -> None:
    deep: list[object] = []
    for _ in range(10_000):
        deep = [deep]

    assert len(list(list_leaves(list(range(1_000)), most=7))) == 7
    [(path, _)] = list_leaves(deep)
    assert len(path) == DEEPEST


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
