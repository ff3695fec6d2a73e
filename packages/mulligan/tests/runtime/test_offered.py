"""Calls in what a model wrote, by the tools that an application has or is told of."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from mulligan import Effect, Mulligan
from mulligan.types.errors import ConfigurationError


@pytest.fixture
def m():
    with Mulligan("memory:") as m:
        yield m


@pytest.fixture
def find_order(m: Mulligan) -> Callable[..., Any]:
    @m.tool(effect=Effect.READ)
    def find_order(order_id: str, limit: int = 1) -> str:
        return order_id * limit

    @m.tool(effect=Effect.READ)
    def list_orders(status: str) -> str:
        return status

    return find_order


WRITTEN = """I will look.
```json
{"name": "find_order", "arguments": {"order_id": "W17", "limit": "2"}}
```"""


def test_a_call_is_read_out_of_talk_and_brought_into_the_shape_of_its_tool(m, find_order) -> None:
    [call] = m.read_calls(WRITTEN)

    assert (call.tool, call.arguments, call.fits) == (
        "find_order",
        {"order_id": "W17", "limit": 2},
        True,
    )
    assert find_order(**call.arguments) == "W17W17"


@pytest.mark.parametrize(
    "written",
    [
        'find_order(order_id="W17")',
        "<tool_call>{'name': 'find_order', 'arguments': '{\"order_id\": \"W17\"}'}</tool_call>",
        'Action: find_order\nAction Input: {"order_id": "W17"}',
        'Thought: I look.\nAction: find_order\nAction Input:\n```json\n{"order_id": "W17"}\n```',
        'Tool: `find_order`\nArguments: {"order_id": "W17"}',
        {"function": {"name": "find_order", "arguments": '{"order_id": "W17"}'}},
    ],
)
def test_the_ways_that_models_write_calls_are_all_one(m, find_order, written: object) -> None:
    read = [(call.tool, call.arguments) for call in m.read_calls(written)]

    assert read == [("find_order", {"order_id": "W17"})]


def test_only_the_tools_that_were_offered_are_read(m, find_order) -> None:
    written = 'list_orders(status="open")'

    assert m.read_calls(written, [find_order]) == m.read_calls(written, ["find_order"]) == []
    assert [call.tool for call in m.read_calls(written, ["list_orders"])] == ["list_orders"]


@pytest.mark.full
@pytest.mark.parametrize("key", ["parameters", "input_schema", "inputSchema"])
@pytest.mark.parametrize("nested", [False, True])
def test_definitions_as_models_are_given_them_are_enough(m, key: str, nested: bool) -> None:
    schema = {"type": "object", "properties": {"city": {"type": "string"}}, "required": ["city"]}
    definition = {"name": "weather", key: schema}
    tools = [{"type": "function", "function": definition} if nested else definition]

    assert [call.arguments for call in m.read_calls("weather('Oslo')", tools)] == [{"city": "Oslo"}]
    assert [call.tool for call in m.read_calls("weather('Oslo')", {"weather": schema})] == [
        "weather"
    ]


def test_talk_is_no_call_and_a_call_that_does_not_fit_says_so(m, find_order) -> None:
    [call] = m.read_calls("find_order(limit=2)")

    assert not call.fits
    assert m.read_calls("I cannot help with find_order.") == []


@pytest.mark.full
@pytest.mark.parametrize(
    ("tools", "says"),
    [
        ("find_order", "is text"),
        (["pay"], "is no tool of this application"),
        ([print], "is no tool of this application"),
        ([{"parameters": {}}], "has none"),
    ],
)
def test_tools_that_cannot_be_meant_are_one_sentence(m, find_order, tools: Any, says: str) -> None:
    with pytest.raises(ConfigurationError, match=says):
        m.read_calls("find_order()", tools)
