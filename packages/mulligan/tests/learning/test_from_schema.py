from __future__ import annotations

import pytest

from mulligan.learning.suggest import from_schema
from mulligan.types.errors import NoSchemaError
from mulligan.types.lesson import Kind, Origin, Patch
from tests.learning.failures import TEXT, WHOLE, failed, obj

MISSING_DATE = """1 validation error for Leg
date
  Field required [type=missing, input_value={'number': 'A1', ' date': 'x'}, input_type=dict]
"""


@pytest.mark.parametrize(
    ("arguments", "error", "schema", "patch"),
    [
        ({"limit": "5"}, "wrong type", obj(limit=WHOLE), Patch(changes={"limit": 5})),
        (
            {"ZIP": "1"},
            "f() got an unexpected keyword argument 'ZIP'",
            obj("zip", zip=TEXT),
            Patch(changes={"zip": "1"}, drops=("ZIP",)),
        ),
        ({"limit": 50}, "limit must be <= 10", obj(limit=WHOLE), Patch(changes={"limit": 10})),
        ({"q": "x", "limit": 50}, "limit must be at most 10", None, Patch(changes={"limit": 10})),
        (
            {"q": "x", "n": 50},
            "50 is greater than the maximum of 10",
            None,
            Patch(changes={"n": 10}),
        ),
        (
            {"limit": "50"},
            "limit must be <= 10",
            obj(limit={"type": "integer", "maximum": 10}),
            Patch(changes={"limit": 10}),
        ),
        (
            {"city": "Oslo", "day": "Jan 5, 2026"},
            "Invalid date format, expected YYYY-MM-DD",
            None,
            Patch(changes={"day": "2026-01-05"}),
        ),
        (
            {"unit": "celsius"},
            "unit must be one of 'Celsius', 'Kelvin'",
            None,
            Patch(changes={"unit": "Celsius"}),
        ),
        (
            {"day": "Jan 5, 2026"},
            "day does not match format YYYY-MM-DD",
            obj(day=TEXT),
            Patch(changes={"day": "2026-01-05"}),
        ),
        (
            {"start": "2026-10-15T18:00:00", "title": "Dinner"},
            "time data '2026-10-15T18:00:00' does not match format '%Y-%m-%d %H:%M'",
            obj(start=TEXT, title=TEXT),
            Patch(changes={"start": "2026-10-15 18:00"}),
        ),
        (
            {"start": "2026-10-15 18:00:00", "end": "2026-10-15 19:00"},
            "unconverted data remains: :00",
            obj(start=TEXT, end=TEXT),
            Patch(changes={"start": "2026-10-15 18:00"}),
        ),
        (
            {"day": "5 January 2026"},
            "Invalid isoformat string: '5 January 2026'",
            obj(day=TEXT),
            Patch(changes={"day": "2026-01-05"}),
        ),
        (
            {"wait": "30 min"},
            "wait must be given in seconds",
            obj(wait={}),
            Patch(changes={"wait": 1800}),
        ),
        (
            {"unit": "celsius"},
            "'celsius' is not a valid unit. Allowed values: 'Celsius', 'Kelvin'",
            obj(unit=TEXT),
            Patch(changes={"unit": "Celsius"}),
        ),
        (
            {"limit": 50},
            "The maximum value for limit is 10",
            obj(limit={"type": "integer"}),
            Patch(changes={"limit": 10}),
        ),
        (
            {"legs": [{"number": "A1", "date": "x"}, {"number": "A2", " date": "y"}]},
            MISSING_DATE,
            None,
            Patch(changes={"legs": [{"number": "A1", "date": "x"}, {"number": "A2", "date": "y"}]}),
        ),
        ({"id": 'id": "card_17'}, "not found", obj(id=TEXT), Patch(changes={"id": "card_17"})),
        ({"city": '"Oslo"'}, "unknown city", obj(city=TEXT), Patch(changes={"city": "Oslo"})),
    ],
)
def test_the_schema_and_the_error_say_how_the_call_was_meant(
    arguments, error, schema, patch
) -> None:
    found = list(from_schema(failed(arguments, error=error, schema=schema)))

    assert [each.patch for each in found] == [patch]
    assert found[0].source is Origin.SCHEMA
    assert 0 < found[0].probability < 1
    assert found[0].n == 0
    assert found[0].evidence


@pytest.mark.parametrize(
    ("arguments", "error", "schema"),
    [
        ({"limit": 5}, "out of luck", obj(limit=WHOLE)),
        ({}, "'city' is a required property", obj("city", city=TEXT)),
        ({"limit": "5"}, "'town' is a required property", obj(limit=WHOLE)),
        ({"text": 'She said "no"'}, "refused", obj(text=TEXT)),
        ({"tags": "a, b"}, "tags must be a list", obj(tags={"type": "array", "items": TEXT})),
        ({"city": "Oslo", "note": "x"}, "city not found", obj(city=TEXT)),
        ({"bookingId": "7"}, "f() got an unexpected keyword argument 'bookingId'", None),
        ({"a": "50", "b": "50"}, "50 is greater than the maximum of 10", None),
        ({"day": "today"}, "time data 'today' does not match format '%Y-%m-%d'", obj(day=TEXT)),
        (
            {"start": "2026-10-15T18:00:30"},
            "time data '2026-10-15T18:00:30' does not match format '%Y-%m-%d %H:%M'",
            obj(start=TEXT),
        ),
        ({"start": "2026-10-15 18:00:30"}, "unconverted data remains: :30", obj(start=TEXT)),
        (
            {"start": "2026-10-15 18:00:00", "end": "2026-10-15 19:00:00"},
            "unconverted data remains: :00",
            obj(start=TEXT, end=TEXT),
        ),
        ({"note": "ready at :00"}, "unconverted data remains: :00", obj(note=TEXT)),
        ({"wait": "30"}, "wait must be in seconds", obj(wait=TEXT)),
    ],
)
def test_a_correction_that_would_not_answer_the_error_is_not_made(arguments, error, schema) -> None:
    assert list(from_schema(failed(arguments, error=error, schema=schema))) == []


def test_the_tool_that_was_meant_is_named() -> None:
    call = failed({}, tool="find_order<|channel|>commentary", tools=("find_order", "send_mail"))

    (found,) = from_schema(call)

    assert found.patch == Patch(tool="find_order")
    assert found.kinds == (Kind.TOOL,)


def test_a_schema_that_is_none_is_said_so() -> None:
    with pytest.raises(NoSchemaError, match="find_order"):
        list(from_schema(failed({}, schema={"properties": 3})))
