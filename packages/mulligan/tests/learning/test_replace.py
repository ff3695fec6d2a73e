from __future__ import annotations

from mulligan.learning.values import replace_value


def test_one_value_is_exchanged_and_everything_else_is_shared() -> None:
    arguments = {"a": {"b": [1, {"c": 2}]}, "d": ["kept"]}

    changed = replace_value(arguments, at=("a", "b", 1, "c"), value="new")

    assert changed == {"a": {"b": [1, {"c": "new"}]}, "d": ["kept"]}
    assert changed["d"] is arguments["d"]
    assert arguments["a"] == {"b": [1, {"c": 2}]}


def test_a_path_that_leads_nowhere_changes_nothing() -> None:
    assert replace_value({"a": 1}, at=("a", "b"), value=2) == {"a": 1}
    assert replace_value({"a": 1}, at=("z",), value=2) == {"a": 1}
    assert replace_value({"a": 1}, at=(), value=2) == {"a": 1}
