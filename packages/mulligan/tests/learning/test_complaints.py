from __future__ import annotations

import pytest

from mulligan.learning.validation_errors import Complaint, ComplaintKind, parse_complaints

PYDANTIC = """2 validation errors for Booking
flights.0.date
  Field required [type=missing, input_value={'day': '2026'}, input_type=dict]
    For further information visit https://errors.example/missing
seats
  Input should be less than or equal to 9 [type=less_than_equal, input_value=12, input_type=int]
"""


@pytest.mark.parametrize(
    ("error", "expected"),
    [
        (
            "Input validation error: 'city' is a required property",
            [Complaint(ComplaintKind.MISSING, "city")],
        ),
        (
            "find() missing 1 required positional argument: 'city'",
            [Complaint(ComplaintKind.MISSING, "city")],
        ),
        ("Missing required parameter: city", [Complaint(ComplaintKind.MISSING, "city")]),
        (
            "Api.find() got an unexpected keyword argument 'zip'",
            [Complaint(ComplaintKind.UNEXPECTED, "zip")],
        ),
        (
            "Additional properties are not allowed ('zip' was unexpected)",
            [Complaint(ComplaintKind.UNEXPECTED, "zip")],
        ),
        ("limit must be <= 10", [Complaint(ComplaintKind.MOST, "limit", ("10",))]),
        ("`limit` should be at least 3", [Complaint(ComplaintKind.LEAST, "limit", ("3",))]),
        (
            "limit must be between 1 and 10",
            [
                Complaint(ComplaintKind.LEAST, "limit", ("1",)),
                Complaint(ComplaintKind.MOST, "limit", ("10",)),
            ],
        ),
        ("unit must be one of: 'C', 'F'", [Complaint(ComplaintKind.DOMAIN, "unit", ("C", "F"))]),
        (
            "unit must be one of C, F or K",
            [Complaint(ComplaintKind.DOMAIN, "unit", ("C", "F", "K"))],
        ),
        (
            "unit must be one of 'C', 'F', got 'c'",
            [Complaint(ComplaintKind.DOMAIN, "unit", ("C", "F"))],
        ),
        (
            "state must be one of 'got', 'not now' (but got 'Got')",
            [Complaint(ComplaintKind.DOMAIN, "state", ("got", "not now"))],
        ),
        (
            "day does not match format YYYY-MM-DD",
            [Complaint(ComplaintKind.FORM, "day", ("YYYY-MM-DD",))],
        ),
        (
            PYDANTIC,
            [
                Complaint(ComplaintKind.MISSING, "flights.0.date"),
                Complaint(ComplaintKind.MOST, "seats", ("9",)),
            ],
        ),
        (
            '{"detail": [{"loc": ["body", "seats"], "type": "less_than_equal", "msg": "<= 9"}]}',
            [Complaint(ComplaintKind.MOST, "seats", ("9",))],
        ),
        (
            'error -32602: [{"code": "too_big", "type": "number", "maximum": 9, "path": ["n"]}]',
            [Complaint(ComplaintKind.MOST, "n", ("9",))],
        ),
        (
            '[{"code": "invalid_type", "expected": "s", "received": "undefined", "path": ["a"]}]',
            [Complaint(ComplaintKind.MISSING, "a")],
        ),
        (
            '[{"code": "unrecognized_keys", "keys": ["b", "c"], "path": []}]',
            [Complaint(ComplaintKind.UNEXPECTED, "b"), Complaint(ComplaintKind.UNEXPECTED, "c")],
        ),
        (
            '[{"instancePath": "", "keyword": "required", "params": {"missingProperty": "a"}}]',
            [Complaint(ComplaintKind.MISSING, "a")],
        ),
        (
            '[{"dataPath": "/unit", "keyword": "enum", "params": {"allowedValues": ["C", "F"]}}]',
            [Complaint(ComplaintKind.DOMAIN, "unit", ("C", "F"))],
        ),
        (
            "1000 is greater than the maximum of 100",
            [Complaint(ComplaintKind.MOST, "1000", ("100",))],
        ),
        (
            "'Celsius' is not one of ['C', 'F']",
            [Complaint(ComplaintKind.DOMAIN, "Celsius", ("C", "F"))],
        ),
        (
            "Invalid date format, expected YYYY-MM-DD",
            [Complaint(ComplaintKind.FORM, "", ("YYYY-MM-DD",))],
        ),
        (
            "time data 'x' does not match format '%d.%m.%Y %H:%M'",
            [Complaint(ComplaintKind.FORM, "x", ("%d.%m.%Y %H:%M",))],
        ),
        ("unconverted data remains: :00Z", [Complaint(ComplaintKind.REST, "", (":00Z",))]),
        ("`wait` must be in seconds", [Complaint(ComplaintKind.UNIT, "wait", ("seconds",))]),
        ("wait must be in the morning", []),
        ("the limit is 10 seconds", []),
        ("limit exceeds the maximum of 10", [Complaint(ComplaintKind.MOST, "limit", ("10",))]),
        (
            '{"error": {"param": "limit", "message": "Must be at most 10"}}',
            [Complaint(ComplaintKind.MOST, "limit", ("10",))],
        ),
        (
            '{"errors": [{"path": ["order", "city"], "message": "is required"}]}',
            [Complaint(ComplaintKind.MISSING, "order.city")],
        ),
        ('{"error": {"param": "limit", "message": "Odd"}}', []),
        ("Something went wrong", []),
        ("", []),
    ],
)
def test_a_complaint_names_its_field_and_what_is_wanted(
    error: str, expected: list[Complaint]
) -> None:
    assert parse_complaints(error) == expected


def test_an_error_that_complains_for_a_megabyte_is_read_up_to_a_bound() -> None:
    found = parse_complaints("".join(f"'f{n}' is a required property. " for n in range(50_000)))

    assert 0 < len(found) <= 20
