from __future__ import annotations

import pytest

from mulligan.learning.suggest import tighten_schema
from mulligan.learning.validation_errors import Complaint, ComplaintKind
from tests.learning.failures import TEXT, obj


def about(kind: ComplaintKind, subject: str, *wanted: str) -> Complaint:
    return Complaint(about=kind, subject=subject, wanted=wanted)


@pytest.mark.parametrize(
    ("complaint", "rule"),
    [
        (about(ComplaintKind.DOMAIN, "unit", "km", "mi"), {"enum": ["km", "mi"]}),
        (about(ComplaintKind.MOST, "unit", "50"), {"maximum": 50}),
        (about(ComplaintKind.LEAST, "unit", "0.5"), {"minimum": 0.5}),
        (about(ComplaintKind.TYPE, "unit", "integer"), {"type": "integer"}),
    ],
)
def test_a_complaint_becomes_a_rule_of_its_argument(
    complaint: Complaint, rule: dict[str, object]
) -> None:
    schema = obj(unit=TEXT)

    strict = tighten_schema(schema, [complaint], arguments={"unit": "x"})

    assert strict is not None
    assert strict["properties"]["unit"].items() >= rule.items()
    assert schema == obj(unit=TEXT), "the schema itself stays as it was"


def test_what_is_missing_becomes_required_and_what_is_unexpected_forbidden() -> None:
    complaints = [
        about(ComplaintKind.MISSING, "to"),
        about(ComplaintKind.UNEXPECTED, "units"),
    ]

    strict = tighten_schema(
        obj(to=TEXT, units=TEXT), complaints, arguments={"units": "x", "to_": "y"}
    )

    assert strict is not None
    assert strict["required"] == ["to"]
    assert strict["additionalProperties"] is False
    assert "units" not in strict["properties"]


def test_an_argument_may_be_named_by_its_value() -> None:
    strict = tighten_schema(
        obj(unit=TEXT),
        [about(ComplaintKind.DOMAIN, "kilometre", "km")],
        arguments={"unit": "kilometre"},
    )

    assert strict is not None
    assert strict["properties"]["unit"]["enum"] == ["km"]


def test_a_complaint_that_nobody_can_place_helps_nobody() -> None:
    assert (
        tighten_schema(
            obj(unit=TEXT),
            [about(ComplaintKind.MOST, "weight", "5")],
            arguments={"unit": "x"},
        )
        is None
    )
