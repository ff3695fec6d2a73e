"""Arguments that break their schema, changed as little as needed to fit it."""

from __future__ import annotations

import datetime
import json
from typing import Any

import pytest

from mulligan.learning.conform import (
    LONGEST_WRAPPED,
    clean_name,
    conform,
    rejoin_pieces,
    strip_debris,
    unwrap_arguments,
)
from mulligan.learning.schema import Schema, read_schema
from mulligan.types.errors import NoSchemaError
from mulligan.types.lesson import Kind
from tests.learning.failures import TEXT, WHOLE, obj

TEXTS = {"type": "array", "items": TEXT}
NUMBERS = {"type": "array", "items": WHOLE}
DAY = {**TEXT, "format": "date"}
UNIT = {"enum": ["Celsius", "Kelvin"]}
LIMITED = {**WHOLE, "minimum": 0, "maximum": 10}


def schema(*required: str, **properties: Any) -> Schema:
    return read_schema(obj(*required, **properties))


PURGE = schema("ids", ids=TEXTS)


@pytest.mark.parametrize(
    ("properties", "before", "after", "kind"),
    [
        ({"limit": WHOLE}, {"limit": "5"}, {"limit": 5}, Kind.COERCE),
        ({"limit": WHOLE}, {"limit": "1,000"}, {"limit": 1000}, Kind.COERCE),
        ({"ratio": {"type": "number"}}, {"ratio": "0.5"}, {"ratio": 0.5}, Kind.COERCE),
        ({"deep": {"type": "boolean"}}, {"deep": "False"}, {"deep": False}, Kind.COERCE),
        ({"zip": TEXT}, {"zip": 80217}, {"zip": "80217"}, Kind.COERCE),
        ({"tags": TEXTS}, {"tags": "red"}, {"tags": ["red"]}, Kind.COERCE),
        ({"ids": NUMBERS}, {"ids": "[1, 2]"}, {"ids": [1, 2]}, Kind.COERCE),
        ({"ids": NUMBERS}, {"ids": ["1", "2"]}, {"ids": [1, 2]}, Kind.COERCE),
        ({"at": {"type": "object"}}, {"at": "{'x': 1}"}, {"at": {"x": 1}}, Kind.COERCE),
        ({"n": {"anyOf": [WHOLE, {"type": "null"}]}}, {"n": "7"}, {"n": 7}, Kind.COERCE),
        ({"zip": TEXT}, {"ZIP": "1"}, {"zip": "1"}, Kind.RENAME),
        ({"max_results": WHOLE}, {"maxResults": 3}, {"max_results": 3}, Kind.RENAME),
        ({"colour": TEXT}, {"color": "red"}, {"colour": "red"}, Kind.RENAME),
        ({"unit": UNIT}, {"unit": "celsius"}, {"unit": "Celsius"}, Kind.ENUM),
        ({"unit": UNIT}, {"unit": "Kelvn"}, {"unit": "Kelvin"}, Kind.ENUM),
        ({"unit": UNIT}, {"unit": "in Kelvin please"}, {"unit": "Kelvin"}, Kind.OTHER),
        ({"limit": LIMITED}, {"limit": 50}, {"limit": 10}, Kind.CLAMP),
        ({"limit": LIMITED}, {"limit": "-1"}, {"limit": 0}, Kind.CLAMP),
        ({"day": DAY}, {"day": "5 Jan 2026"}, {"day": "2026-01-05"}, Kind.REFORMAT),
        (
            {"code": {**TEXT, "pattern": "^#W\\d+$"}},
            {"code": "17"},
            {"code": "#W17"},
            Kind.REFORMAT,
        ),
        ({"limit": WHOLE}, {"limit": 5, "note": ""}, {"limit": 5}, Kind.DROP),
        ({"limit": WHOLE}, {"limit": 5, "note": "x"}, {"limit": 5}, Kind.OTHER),
        ({"limit": WHOLE, "unit": TEXT}, {"limit": 5, "unit": None}, {"limit": 5}, Kind.DROP),
        ({"a": WHOLE, "b": WHOLE}, {"params": {"a": 1, "b": 2}}, {"a": 1, "b": 2}, Kind.REFORMAT),
    ],
)
def test_what_breaks_the_schema_is_changed_and_nothing_else(
    properties: dict[str, Any], before: dict[str, object], after: dict[str, object], kind: Kind
) -> None:
    fixed = conform(before, schema(**properties))

    assert fixed is not None
    assert fixed.arguments == after
    assert kind in fixed.kinds
    assert fixed.notes


@pytest.mark.parametrize(
    ("properties", "before"),
    [
        ({"limit": WHOLE}, {"limit": 5}),
        ({"limit": WHOLE}, {"limit": "a few"}),
        ({"limit": WHOLE}, {"limit": "2.5"}),
        ({"limit": {**WHOLE, "maximum": 0}}, {"limit": True}),
        ({"unit": {"enum": ["vegan", "kosher"]}}, {"unit": "vegetarian"}),
        ({"state": {"enum": ["urgent", "later"]}}, {"state": "not urgent"}),
        ({"unit": UNIT}, {"unit": "Celsius or Kelvin"}),
        ({"day": DAY}, {"day": "03/04/2026"}),
        ({"day": DAY}, {"day": "next Friday"}),
        ({"a": {"type": "object"}}, {"a": [1, 2]}),
        ({"limit": WHOLE}, {"limit": "5", "note": "x" * 10_000_000}),
    ],
)
def test_what_fits_or_cannot_be_made_to_is_left_alone(properties, before) -> None:
    assert conform(before, schema(**properties)) is None


def test_arguments_of_any_depth_are_left_alone() -> None:
    deep: dict[str, object] = {}
    inner = deep
    for _ in range(5_000):
        inner["a"] = inner = {}

    assert conform({"limit": "5", "note": deep}, schema(limit=WHOLE)) is None


@pytest.mark.parametrize(
    ("tool", "arguments", "kind", "unasked"),
    [
        (PURGE, {"ids": ["a"], "dry_run": True}, Kind.OTHER, ("dry_run",)),
        (PURGE, {"beta_ids": ["a"]}, Kind.OTHER, ("beta_ids",)),
        (PURGE, {"ids": ["a"], "note": None}, Kind.DROP, ()),
        (schema("payment_id", payment_id=TEXT), {"id": "7"}, Kind.OTHER, ()),
        (schema("unit", unit={**TEXT, "default": "km"}), {}, Kind.DEFAULT, ()),
    ],
)
def test_what_was_asked_for_and_is_no_longer_is_named(tool, arguments, kind, unasked) -> None:
    fixed = conform(arguments, tool)

    assert fixed is not None
    assert (fixed.kinds, fixed.unasked) == ((kind,), unasked)


@pytest.mark.parametrize(
    ("tool", "arguments"),
    [
        (PURGE, {"ids_to_keep": ["a"]}),
        (PURGE, {"except_ids": ["a"]}),
        (PURGE, {"parent_ids": ["a"]}),
        (schema("user_id", "order_id", user_id=TEXT, order_id=TEXT), {"id": "7"}),
        (schema("a", "b", a=WHOLE, b=TEXT), {"a": "1"}),
    ],
    ids=["opposite", "opposite", "other", "two could be meant", "nothing to complete it with"],
)
def test_a_missing_argument_is_not_made_up(tool: Schema, arguments: dict[str, object]) -> None:
    assert conform(arguments, tool) is None


def test_parts_inside_lists_and_references_are_repaired_too() -> None:
    leg = obj("date", date=TEXT, seats=WHOLE)
    legs = {"type": "array", "items": {"$ref": "#/$defs/leg"}}
    nested = read_schema({**obj(legs=legs), "$defs": {"leg": leg}})

    fixed = conform({"legs": [{"date": "a", "seats": 1}, {" date": "b", "seats": "2"}]}, nested)

    assert fixed is not None
    assert fixed.arguments == {"legs": [{"date": "a", "seats": 1}, {"date": "b", "seats": 2}]}


def test_a_list_that_was_cut_at_every_comma_is_put_together_again() -> None:
    people = schema(people={"type": "array", "items": obj(name=TEXT)})

    fixed = conform(
        {"people": ['{ "name": "Ann', 'age": 3 }', '{ "name": "Bo', 'age": 4 } ]']}, people
    )

    assert fixed is not None
    assert fixed.arguments == {"people": [{"name": "Ann", "age": 3}, {"name": "Bo", "age": 4}]}


@pytest.mark.parametrize(
    ("pieces", "whole"),
    [
        (['{"a": "x', 'b": 1}'], [{"a": "x", "b": 1}]),
        (['[{"a": 1}', '{"a": 2}]'], [{"a": 1}, {"a": 2}]),
        (["a", "b"], None),
        (['{"a": "x', 7], None),
        (["{", "no object"], None),
        ([], None),
        (['{"a": "' + "x" * 20_000, 'b": 1}'], None),
    ],
)
def test_pieces_of_objects_are_put_together_and_nothing_else_is(pieces, whole) -> None:
    assert rejoin_pieces(pieces) == whole


@pytest.mark.parametrize(
    ("value", "meant"),
    [
        ("'km'", "km"),
        ("km',", "km"),
        ("unit': 'km'}", "km"),
        ("<|channel|>commentary km", "km"),
        (['{"a": "x', 'b": 1}'], [{"a": "x", "b": 1}]),
        ('He said "go", then left', 'He said "go", then left'),
        ("weight': 'km'", "weight': 'km'"),
        (["a", "b"], ["a", "b"]),
        ("", ""),
        (7, 7),
    ],
)
def test_syntax_that_stuck_to_a_value_comes_off_and_prose_is_left_alone(value, meant) -> None:
    assert strip_debris({"unit": value}) == {"unit": meant}
    assert clean_name("find_order<|channel|>json") == "find_order"


SEARCH = schema(
    "query",
    "filter",
    query=TEXT,
    filter={"type": "object"},
    tags={"anyOf": [{"type": "array"}, {"type": "null"}]},
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
def test_a_wrapping_is_taken_off_where_nothing_else_can_be_meant(given) -> None:
    assert unwrap_arguments(given, SEARCH) == MEANT


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
    assert unwrap_arguments(given, SEARCH) is None
    assert unwrap_arguments({"text": '{"text": "x"}'}, schema("text", text=TEXT)) is None


BARE = obj("limit", limit={**WHOLE, "maximum": 10})


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
def test_a_schema_is_read_from_every_dialect_tools_are_declared_in(declared) -> None:
    found = read_schema(declared)

    assert found.fits({"limit": 3})
    assert [each.rule for each in found.list_problems({"limit": 30})] == ["maximum"]
    assert [each.rule for each in found.list_problems({"limit": 3, "size": 1})] == ["unknown"]


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
    with pytest.raises(NoSchemaError, match="The schema of tool 'find' is not a JSON Schema: "):
        read_schema(declared, tool="find")


def test_an_unknown_type_allows_anything_and_a_value_that_is_no_json_is_a_problem() -> None:
    assert schema(a={"type": "widget"}).fits({"a": [1]})

    day = {"limit": datetime.date(2026, 1, 1)}
    assert [problem.rule for problem in read_schema(BARE).list_problems(day)] == ["json"]
    assert not read_schema(BARE).fits(day)


def test_arguments_are_in_the_order_of_their_own_definition() -> None:
    assert list(schema(to=TEXT, body=TEXT).properties) == ["to", "body"]
    assert list(schema(body=TEXT, to=TEXT).properties) == ["body", "to"]
