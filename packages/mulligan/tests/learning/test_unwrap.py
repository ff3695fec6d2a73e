"""Arguments in a wrapping: read where the schema leaves no doubt, and left alone otherwise."""

from __future__ import annotations

import json

import pytest

from mulligan.learning.conform import LONGEST_WRAPPED, unwrap_arguments
from mulligan.learning.schema import read_schema

SCHEMA = read_schema(
    {
        "type": "object",
        "properties": {
            "query": {"type": "string"},
            "filter": {"type": "object"},
            "tags": {"anyOf": [{"type": "array"}, {"type": "null"}]},
        },
        "required": ["query", "filter"],
    },
    tool="search",
)
MEANT = {"query": "x", "filter": {"a": 1}}


@pytest.mark.parametrize(
    "given",
    [
        {"query": "x", "filter": '{"a": 1}'},
        {"arguments": MEANT},
        {"input": json.dumps(MEANT)},
        {"query": json.dumps(MEANT)},
    ],
)
def test_a_wrapping_is_taken_off_where_nothing_else_can_be_meant(given: dict[str, object]) -> None:
    assert unwrap_arguments(given, SCHEMA) == MEANT


def test_a_list_that_came_as_text_is_a_list() -> None:
    given = {**MEANT, "tags": '["a", "b"]'}

    assert unwrap_arguments(given, SCHEMA) == {**MEANT, "tags": ["a", "b"]}


@pytest.mark.parametrize(
    "given",
    [
        MEANT,
        {"query": '{"a": 1}', "filter": {}},
        {"query": '{"query": "x"}', "filter": {}},
        {"query": "x", "filter": "{a: 1}"},
        {"query": "x", "filter": "[1, 2]"},
        {"arguments": {"query": "x"}},
        {"arguments": {**MEANT, "more": 1}},
        {"arguments": MEANT, "more": 1},
        {"query": "x", "filter": json.dumps({"a": "x" * LONGEST_WRAPPED})},
        {},
    ],
)
def test_what_is_right_or_in_doubt_is_left_as_it_is(given: dict[str, object]) -> None:
    assert unwrap_arguments(given, SCHEMA) is None


def test_a_tool_that_takes_one_text_may_be_given_json() -> None:
    schema = read_schema(
        {"type": "object", "properties": {"text": {"type": "string"}}, "required": ["text"]},
        tool="write",
    )

    assert unwrap_arguments({"text": '{"text": "x"}'}, schema) is None
