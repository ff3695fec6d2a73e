from __future__ import annotations

import pytest

from mulligan.learning.parsing import is_like, match_tool, match_tool_name, normalize_spelling

TOOLS = ("find_order", "weather.get", "archive_user", "archive_users")


@pytest.mark.parametrize(
    ("name", "tool"),
    [
        ("find_order", "find_order"),
        ("findOrder", "find_order"),
        ("Find-Order", "find_order"),
        ("weather_get", "weather.get"),
        ("archive_user_", "archive_user"),
        ("functions.find_order", "find_order"),
        ("default_api.weather_get", "weather.get"),
        ("undo_find_order", None),
        ("find_order_later", None),
        ("staging.find_order", None),
        ("staging/find_order", None),
        ("find_orders", None),
        ("order", None),
        ("", None),
    ],
)
def test_a_name_is_a_tool_in_another_spelling_and_never_with_a_word_more(
    name: str, tool: str | None
) -> None:
    assert match_tool(name, TOOLS) == tool


def test_a_name_that_two_are_spelled_like_is_neither() -> None:
    assert match_tool_name("ORDER_ID", ("orderId", "order_id")) is None
    assert match_tool_name("order_id", ("orderId", "order_id")) == "order_id"


@pytest.mark.parametrize(
    ("one", "other"), [("1.5", "15"), ("C#", "C"), ("-5", "5"), ("10-20", "1020"), ("pros", "pro")]
)
def test_signs_that_mean_something_stay(one: str, other: str) -> None:
    assert normalize_spelling(one) != normalize_spelling(other)


def test_a_tool_with_words_more_or_less_is_like_it() -> None:
    assert is_like("undo_find_order", TOOLS)
    assert is_like("order", TOOLS)
    assert not is_like("print", TOOLS)
    assert not is_like("", TOOLS)
