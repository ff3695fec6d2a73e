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
        ("channel_not_found", ErrorClass.MISSING),
        ("TOO_MANY_REQUESTS", ErrorClass.RATE_LIMIT),
        ("missing_scope", ErrorClass.POLICY),
        ("Could not post: ThrottlingException", ErrorClass.RATE_LIMIT),
        ('{"ok": false, "error": "not_authed"}', ErrorClass.AUTH),
        ('{"code": 403, "reason": "dailyLimitExceeded", "message": "No"}', ErrorClass.RATE_LIMIT),
        ('{"status": 404, "code": "invalid_request_error", "message": "No"}', ErrorClass.MISSING),
        ('{"status": 400, "message": "It could not be found out"}', ErrorClass.VALIDATION),
        ("Failed to connect to the shop's own host (Status: 400)", ErrorClass.VALIDATION),
        ("1054 (42S22): no column price", ErrorClass.VALIDATION),
        ("SQLSTATE[42P01]: no orders", ErrorClass.MISSING),
        ("SQLSTATE[42501]: no orders", ErrorClass.POLICY),
        ("SQLSTATE[23505]: orders_pkey", ErrorClass.CONFLICT),
        ("SQLSTATE[40001]: once more", ErrorClass.CONFLICT),
        ("The formula must start with '='", ErrorClass.VALIDATION),
        ("A name cannot contain spaces", ErrorClass.VALIDATION),
        ("Must provide a source or a customer.", ErrorClass.VALIDATION),
        ("body.title should be defined, instead was `undefined`", ErrorClass.VALIDATION),
        ("time data 'today' does not match format '%Y-%m-%d'", ErrorClass.VALIDATION),
        ("unconverted data remains: :00Z", ErrorClass.VALIDATION),
        ("An API key is required, and none was given", ErrorClass.AUTH),
        ("This report is disabled for your subscription", ErrorClass.POLICY),
        ("Your card was declined", ErrorClass.RULE),
        ("Unexpected token '<' is not valid JSON", ErrorClass.TOOL_EXCEPTION),
        # Each looks like one of those above, and is none of them.
        ("Orders that were paid should not be changed", ErrorClass.RULE),
        ("A member must be asked before", ErrorClass.RULE),
        ("You cannot end a booking that has begun", ErrorClass.RULE),
        ("Invalid state: the order is paid already", ErrorClass.RULE),
        ("The seat limit of 4 is reached", ErrorClass.RULE),
        ("There are (12345): of them", ErrorClass.UNKNOWN),
    ],
)
def test_an_error_is_classed_by_the_words_of_its_kind(error: str, expected: ErrorClass) -> None:
    assert classify_text(error) is expected
