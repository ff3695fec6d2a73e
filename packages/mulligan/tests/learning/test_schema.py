from __future__ import annotations

import datetime

import pytest

from mulligan.learning.schema import read_schema
from mulligan.types.errors import NoSchemaError

BARE = {
    "type": "object",
    "properties": {"limit": {"type": "integer", "maximum": 10}},
    "required": ["limit"],
}


@pytest.mark.parametrize(
    "declared",
    [
        BARE,
        {"type": "function", "function": {"name": "find", "parameters": BARE}},
        {"name": "find", "description": "Finds.", "parameters": BARE},
        {"name": "find", "inputSchema": BARE},
        {**BARE, "type": "dict", "properties": {"limit": {"type": "int", "maximum": 10}}},
    ],
)
def test_a_schema_is_read_from_every_dialect_tools_are_declared_in(
    declared: dict[str, object],
) -> None:
    schema = read_schema(declared)

    assert schema.fits({"limit": 3})
    assert [problem.rule for problem in schema.list_problems({"limit": 30})] == ["maximum"]
    assert [problem.rule for problem in schema.list_problems({"limit": 3, "size": 1})] == [
        "unknown"
    ]


@pytest.mark.parametrize(
    "declared",
    [
        {"type": "object", "properties": [1]},
        {"properties": {"a": {"pattern": "("}}},
        {"type": "object", "properties": {"a": object()}},
        {"$ref": "https://example.com/schema.json"},
        {"$ref": "#/nowhere"},
    ],
)
def test_a_schema_that_is_none_is_one_clear_error(declared: dict[str, object]) -> None:
    with pytest.raises(NoSchemaError, match="The schema of tool 'find' is no JSON Schema: "):
        read_schema(declared, tool="find")


def test_a_type_nobody_knows_allows_anything() -> None:
    schema = read_schema({"type": "object", "properties": {"a": {"type": "widget"}}})

    assert schema.fits({"a": [1]})


def test_values_that_are_no_json_are_a_problem_and_not_an_error() -> None:
    schema = read_schema(BARE)

    problems = schema.list_problems({"limit": datetime.date(2026, 1, 1)})

    assert [problem.rule for problem in problems] == ["json"]
    assert not schema.fits({"limit": datetime.date(2026, 1, 1)})


def test_arguments_are_in_the_order_of_their_own_definition() -> None:
    text = {"type": "string"}
    one = {"type": "object", "properties": {"to": text, "body": text}}
    other = {"properties": {"body": text, "to": text}, "type": "object"}

    assert [list(read_schema(each).properties) for each in (one, other)] == [
        ["to", "body"],
        ["body", "to"],
    ]
