"""What an error holds against each argument."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from mulligan.learning.validation_errors import Complaint, ComplaintKind, parse_complaints

PYDANTIC = """2 validation errors for Booking
flights.0.date
  Field required [type=missing, input_value={'day': '2026'}, input_type=dict]
    For further information visit https://errors.example/missing
seats
  Input should be less than or equal to 9 [type=less_than_equal, input_value=12, input_type=int]
"""


def complain(kind: ComplaintKind) -> Callable[..., Complaint]:
    return lambda subject, *wanted: Complaint(kind, subject, wanted)


domain = complain(ComplaintKind.DOMAIN)


form = complain(ComplaintKind.FORM)


least = complain(ComplaintKind.LEAST)


missing = complain(ComplaintKind.MISSING)


most = complain(ComplaintKind.MOST)


unexpected = complain(ComplaintKind.UNEXPECTED)


unit = complain(ComplaintKind.UNIT)


@pytest.mark.parametrize(
    ("error", "expected"),
    [
        ("Input validation error: 'city' is a required property", [missing("city")]),
        ("find() missing 1 required positional argument: 'city'", [missing("city")]),
        ("Missing required parameter: city", [missing("city")]),
        ("Api.find() got an unexpected keyword argument 'zip'", [unexpected("zip")]),
        ("Additional properties are not allowed ('zip' was unexpected)", [unexpected("zip")]),
        ("limit must be <= 10", [most("limit", "10")]),
        ("`limit` should be at least 3", [least("limit", "3")]),
        (
            "limit must be between 1 and 10",
            [
                least("limit", "1"),
                most("limit", "10"),
            ],
        ),
        ("unit must be one of: 'C', 'F'", [domain("unit", "C", "F")]),
        ("unit must be one of C, F or K", [domain("unit", "C", "F", "K")]),
        ("unit must be one of 'C', 'F', got 'c'", [domain("unit", "C", "F")]),
        (
            "state must be one of 'got', 'not now' (but got 'Got')",
            [domain("state", "got", "not now")],
        ),
        ("day does not match format YYYY-MM-DD", [form("day", "YYYY-MM-DD")]),
        (
            PYDANTIC,
            [
                missing("flights.0.date"),
                most("seats", "9"),
            ],
        ),
        (
            '{"detail": [{"loc": ["body", "seats"], "type": "less_than_equal", "msg": "<= 9"}]}',
            [most("seats", "9")],
        ),
        (
            'error -32602: [{"code": "too_big", "type": "number", "maximum": 9, "path": ["n"]}]',
            [most("n", "9")],
        ),
        (
            '[{"code": "invalid_type", "expected": "s", "received": "undefined", "path": ["a"]}]',
            [missing("a")],
        ),
        (
            '[{"code": "unrecognized_keys", "keys": ["b", "c"], "path": []}]',
            [unexpected("b"), unexpected("c")],
        ),
        (
            '[{"instancePath": "", "keyword": "required", "params": {"missingProperty": "a"}}]',
            [missing("a")],
        ),
        (
            '[{"dataPath": "/unit", "keyword": "enum", "params": {"allowedValues": ["C", "F"]}}]',
            [domain("unit", "C", "F")],
        ),
        ("1000 is greater than the maximum of 100", [most("1000", "100")]),
        ("'Celsius' is not one of ['C', 'F']", [domain("Celsius", "C", "F")]),
        ("Invalid date format, expected YYYY-MM-DD", [form("", "YYYY-MM-DD")]),
        ("time data 'x' does not match format '%d.%m.%Y %H:%M'", [form("x", "%d.%m.%Y %H:%M")]),
        ("`wait` must be in seconds", [unit("wait", "seconds")]),
        ("wait must be in the morning", []),
        ("the limit is 10 seconds", []),
        ("limit exceeds the maximum of 10", [most("limit", "10")]),
        ('{"error": {"param": "limit", "message": "Must be at most 10"}}', [most("limit", "10")]),
        (
            '{"errors": [{"path": ["order", "city"], "message": "is required"}]}',
            [missing("order.city")],
        ),
        ('{"error": {"param": "limit", "message": "Odd"}}', []),
        ("Something went wrong", []),
        ("", []),
    ],
)
def test_a_complaint_names_its_field_and_what_is_wanted(error, expected) -> None:
    assert parse_complaints(error) == expected


def test_an_error_that_complains_for_a_megabyte_is_read_up_to_a_bound() -> None:
    found = parse_complaints("".join(f"'f{n}' is a required property. " for n in range(50_000)))

    assert 0 < len(found) <= 20
