from __future__ import annotations

import pytest

from mulligan.core.error_class import ErrorClass
from mulligan.learning.errors.wording import classify_text


@pytest.mark.parametrize(
    ("error", "expected"),
    [
        ("You are not logged in.", ErrorClass.AUTH),
        ("Access token has expired: token expired", ErrorClass.AUTH),
        ("403 Forbidden", ErrorClass.POLICY),
        ("Rate limit reached for this key", ErrorClass.RATE_LIMIT),
        ("connect ECONNREFUSED 127.0.0.1:80", ErrorClass.NOT_SENT),
        ("503 Service Unavailable", ErrorClass.AMBIGUOUS),
        ("The request timed out", ErrorClass.AMBIGUOUS),
        ("Failed with status code 502", ErrorClass.AMBIGUOUS),
        ("A user of that name already exists", ErrorClass.CONFLICT),
        ("'city' is a required property", ErrorClass.VALIDATION),
        ("find() got an unexpected keyword argument 'zip'", ErrorClass.VALIDATION),
        ("limit must be between 1 and 10", ErrorClass.VALIDATION),
        ("MCP error -32602: odd", ErrorClass.VALIDATION),
        ("No such file or directory", ErrorClass.MISSING),
        ("Order W17 not found", ErrorClass.MISSING),
        ("Delivered orders cannot be cancelled", ErrorClass.RULE),
        ("Expecting ',' delimiter: line 1 column 8 (char 7)", ErrorClass.TOOL_EXCEPTION),
        ("list index out of range", ErrorClass.TOOL_EXCEPTION),
        ("hm", ErrorClass.UNKNOWN),
        ("", ErrorClass.UNKNOWN),
        ('{"error": "booking not found"}', ErrorClass.MISSING),
    ],
)
def test_an_error_is_classed_by_the_words_of_its_kind(error: str, expected: ErrorClass) -> None:
    assert classify_text(error) is expected
