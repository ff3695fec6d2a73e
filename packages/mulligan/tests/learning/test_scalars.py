from __future__ import annotations

import pytest

from mulligan.learning.coerce import list_types, mend_value
from mulligan.types.lesson import Kind

UNITS = {"type": "string", "enum": ["km", "mi"]}


@pytest.mark.parametrize(
    ("value", "part", "mended"),
    [
        ("12", {"type": "integer"}, (12, Kind.COERCE)),
        ("KM", UNITS, ("km", Kind.ENUM)),
        ("in km please", UNITS, ("km", Kind.OTHER)),
        ("not km", UNITS, None),
        ("km or mi", UNITS, None),
        (99, {"type": "integer", "maximum": 50}, (50, Kind.CLAMP)),
        (-1, {"type": "integer", "minimum": 0}, (0, Kind.CLAMP)),
        ("99", {"type": "integer", "maximum": 50}, (50, Kind.CLAMP)),
        (True, {"type": "integer", "maximum": 0}, None),
    ],
)
def test_the_first_plain_change_that_the_schema_takes_is_made(
    value: object, part: dict[str, object], mended: tuple[object, Kind] | None
) -> None:
    def accepts(found: object) -> bool:
        low, high = part.get("minimum", found), part.get("maximum", found)
        return found in part.get("enum", [found]) and low <= found <= high

    assert mend_value(value, part, accepts=accepts) == mended


def test_a_part_without_types_takes_any() -> None:
    assert list_types({}) == ()
    assert list_types({"type": "string"}) == ("string",)
    assert list_types({"type": ["string", "null"]}) == ("string", "null")
