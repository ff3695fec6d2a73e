from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Any

from mulligan.codec import describe_types


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
