"""What annotations say, as a JSON Schema."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date, datetime, timedelta
from decimal import Decimal
from enum import StrEnum
from typing import Any, Literal, NamedTuple, TypedDict
from uuid import UUID

import jsonschema_rs
import pytest
from pydantic import BaseModel

from mulligan.codec import describe_types, to_arguments_schema, to_schema
from mulligan.types.lesson import hash_schema


class Colour(StrEnum):
    RED = "red"
    BLUE = "blue"


class Street(BaseModel):
    name: str


class Place(BaseModel):
    street: Street


@dataclass
class Event:
    title: str
    at: date
    took: timedelta = timedelta()
    place: Place | None = None
    after: Event | None = None


class Options(TypedDict):
    limit: int


class Point(NamedTuple):
    x: int
    y: int


class Unknown:
    pass


def plain(
    title: str,
    start: datetime,
    colour: Colour,
    unit: Literal["week", "day"],
    ids: list[UUID],
    seen: set[int] | None,
    more: dict[str, int],
    count: int = 3,
    *,
    anything: Any = None,
) -> None: ...


def rich(event: Event, places: list[Place], options: Options, point: Point) -> None: ...


def test_the_schema_of_plain_arguments_is_known_by_the_hash_that_lessons_have() -> None:
    schema = to_arguments_schema(plain)

    assert schema["properties"]["unit"] == {"enum": ["week", "day"]}
    assert schema["properties"]["count"] == {"type": "integer", "default": 3}
    assert hash_schema(schema) == "b7d440fa683d9665"


GIVEN = {
    "event": {"title": "Dinner", "at": "2026-11-20", "took": 90.5, "after": None},
    "places": [{"street": {"name": "Pier 7"}}],
    "options": {"limit": 3},
    "point": [1, 2],
}


@pytest.mark.parametrize(
    ("change", "fits"),
    [
        ({}, True),
        ({"event": {"title": "Dinner"}}, False),
        ({"event": {"title": "Dinner", "at": "2026-11-20", "place": {"street": 7}}}, False),
        ({"places": [{"street": {}}]}, False),
        ({"options": {}}, False),
        ({"point": [1]}, False),
    ],
    ids=str,
)
def test_records_and_models_are_described_with_all_they_refer_to(
    change: dict[str, object], *, fits: bool
) -> None:
    validator = jsonschema_rs.validator_for(to_arguments_schema(rich), offline=True)

    assert validator.is_valid(GIVEN | change) is fits


@pytest.mark.parametrize("hint", [Unknown, object, Any, None, Decimal, timedelta, int | Unknown])
def test_what_nobody_can_describe_is_left_open(hint: Any) -> None:
    assert to_schema(hint) == {}


def test_a_pair_is_described_part_by_part() -> None:
    assert to_schema(tuple[int, str])["prefixItems"] == [{"type": "integer"}, {"type": "string"}]
    assert to_schema(tuple[int, ...]) == {"type": "array", "items": {"type": "integer"}}


@dataclass
class Part:
    at: datetime
    anything: Any
    odd: object = None


@dataclass
class Whole:
    parts: tuple[Part, ...]


def test_a_type_is_described_with_what_it_is_made_of() -> None:
    (schema,), parts = describe_types([Whole], at="#/here/")

    assert schema == {"$ref": "#/here/Whole"}
    assert parts["Whole"]["properties"]["parts"]["items"] == {"$ref": "#/here/Part"}
    assert parts["Part"]["properties"]["at"]["type"] == "string"
    assert parts["Part"]["properties"]["odd"]["default"] is None
