from __future__ import annotations

from typing import Any

import pytest

from mulligan.learning.conform import conform
from mulligan.learning.schema import read_schema
from mulligan.types.lesson import Kind


def schema(required: tuple[str, ...] = (), **properties: Any):
    return read_schema({"type": "object", "properties": properties, "required": list(required)})


TEXT = {"type": "string"}
WHOLE = {"type": "integer"}


@pytest.mark.parametrize(
    ("properties", "before", "after", "kind"),
    [
        ({"limit": WHOLE}, {"limit": "5"}, {"limit": 5}, Kind.COERCE),
        ({"limit": WHOLE}, {"limit": "1,000"}, {"limit": 1000}, Kind.COERCE),
        ({"ratio": {"type": "number"}}, {"ratio": "0.5"}, {"ratio": 0.5}, Kind.COERCE),
        ({"deep": {"type": "boolean"}}, {"deep": "False"}, {"deep": False}, Kind.COERCE),
        ({"zip": TEXT}, {"zip": 80217}, {"zip": "80217"}, Kind.COERCE),
        (
            {"tags": {"type": "array", "items": TEXT}},
            {"tags": "red"},
            {"tags": ["red"]},
            Kind.COERCE,
        ),
        (
            {"ids": {"type": "array", "items": WHOLE}},
            {"ids": "[1, 2]"},
            {"ids": [1, 2]},
            Kind.COERCE,
        ),
        (
            {"ids": {"type": "array", "items": WHOLE}},
            {"ids": ["1", "2"]},
            {"ids": [1, 2]},
            Kind.COERCE,
        ),
        ({"at": {"type": "object"}}, {"at": "{'x': 1}"}, {"at": {"x": 1}}, Kind.COERCE),
        ({"zip": TEXT}, {"ZIP": "1"}, {"zip": "1"}, Kind.RENAME),
        ({"max_results": WHOLE}, {"maxResults": 3}, {"max_results": 3}, Kind.RENAME),
        ({"colour": TEXT}, {"color": "red"}, {"colour": "red"}, Kind.RENAME),
        (
            {"unit": {"enum": ["Celsius", "Kelvin"]}},
            {"unit": "celsius"},
            {"unit": "Celsius"},
            Kind.ENUM,
        ),
        (
            {"sort": {"enum": ["newest", "oldest"]}},
            {"sort": "newst"},
            {"sort": "newest"},
            Kind.ENUM,
        ),
        ({"limit": {**WHOLE, "maximum": 10}}, {"limit": 50}, {"limit": 10}, Kind.CLAMP),
        (
            {"day": {**TEXT, "format": "date"}},
            {"day": "5 Jan 2026"},
            {"day": "2026-01-05"},
            Kind.REFORMAT,
        ),
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
        ({"unit": {"enum": ["vegan", "kosher"]}}, {"unit": "vegetarian"}),
        ({"state": {"enum": ["urgent", "later"]}}, {"state": "not urgent"}),
        ({"day": {**TEXT, "format": "date"}}, {"day": "03/04/2026"}),
        ({"day": {**TEXT, "format": "date"}}, {"day": "next Friday"}),
        ({"a": {"type": "object"}}, {"a": [1, 2]}),
    ],
)
def test_what_fits_or_cannot_be_made_to_is_left_alone(
    properties: dict[str, Any], before: dict[str, object]
) -> None:
    assert conform(before, schema(**properties)) is None


def test_what_was_asked_for_and_is_no_longer_is_named() -> None:
    purge = schema(("ids",), ids={"type": "array", "items": TEXT})

    dry = conform({"ids": ["a"], "dry_run": True}, purge)
    less = conform({"beta_ids": ["a"]}, purge)
    more = conform({"id": "7"}, schema(("payment_id",), payment_id=TEXT))
    empty = conform({"ids": ["a"], "note": None}, purge)

    assert dry is not None
    assert less is not None
    assert more is not None
    assert empty is not None
    assert (dry.kinds, dry.unasked) == ((Kind.OTHER,), ("dry_run",))
    assert (less.kinds, less.unasked) == ((Kind.OTHER,), ("beta_ids",))
    assert (more.kinds, more.unasked) == ((Kind.OTHER,), ())
    assert (empty.kinds, empty.unasked) == ((Kind.DROP,), ())


@pytest.mark.parametrize("name", ["ids_to_keep", "except_ids", "not_ids", "skip_ids", "parent_ids"])
def test_a_name_that_means_something_else_is_never_the_one_that_is_missing(name: str) -> None:
    purge = schema(("ids",), ids={"type": "array", "items": TEXT})

    assert conform({name: ["a"]}, purge) is None


def test_a_name_that_could_be_two_is_not_renamed() -> None:
    two = schema(("user_id", "order_id"), user_id=TEXT, order_id=TEXT)

    assert conform({"id": "7"}, two) is None


def test_a_required_argument_gets_the_default_of_its_schema() -> None:
    fixed = conform({}, schema(("unit",), unit={"type": "string", "default": "km"}))

    assert fixed is not None
    assert fixed.arguments == {"unit": "km"}
    assert fixed.kinds == (Kind.DEFAULT,)


def test_a_missing_argument_without_a_default_is_nobodys_to_invent() -> None:
    assert conform({"a": "1"}, schema(("a", "b"), a=WHOLE, b=TEXT)) is None


def test_parts_inside_lists_and_references_are_mended_too() -> None:
    nested = read_schema(
        {
            "type": "object",
            "properties": {"legs": {"type": "array", "items": {"$ref": "#/$defs/leg"}}},
            "$defs": {
                "leg": {
                    "type": "object",
                    "properties": {"date": TEXT, "seats": WHOLE},
                    "required": ["date"],
                }
            },
        }
    )

    fixed = conform({"legs": [{"date": "a", "seats": 1}, {" date": "b", "seats": "2"}]}, nested)

    assert fixed is not None
    assert fixed.arguments == {"legs": [{"date": "a", "seats": 1}, {"date": "b", "seats": 2}]}


def test_a_list_that_was_cut_at_every_comma_is_put_together_again() -> None:
    people = schema(
        people={"type": "array", "items": {"type": "object", "properties": {"name": TEXT}}}
    )

    fixed = conform(
        {"people": ['{ "name": "Ann', 'age": 3 }', '{ "name": "Bo', 'age": 4 } ]']}, people
    )

    assert fixed is not None
    assert fixed.arguments == {"people": [{"name": "Ann", "age": 3}, {"name": "Bo", "age": 4}]}


def test_one_of_several_allowed_types_is_enough() -> None:
    either = schema(limit={"anyOf": [{"type": "integer"}, {"type": "null"}]})

    fixed = conform({"limit": "7"}, either)

    assert fixed is not None
    assert fixed.arguments == {"limit": 7}


def test_arguments_of_ten_megabytes_and_of_any_depth_are_left_alone() -> None:
    deep: dict[str, object] = {}
    inner = deep
    for _ in range(5_000):
        inner["a"] = inner = {}

    assert conform({"limit": "5", "note": "x" * 10_000_000}, schema(limit=WHOLE)) is None
    assert conform({"limit": "5", "note": deep}, schema(limit=WHOLE)) is None
