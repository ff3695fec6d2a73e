from __future__ import annotations

import pytest

from mulligan.learning.error_details import fold_field
from mulligan.learning.result_evidence import is_error, is_only_message


def fold(held: dict[str, object]) -> dict[str, object]:
    return {fold_field(name): value for name, value in held.items()}


@pytest.mark.parametrize(
    "held",
    [
        {"isError": True, "anything": [1]},
        {"success": "false", "message": "gone"},
        {"success": 0, "message": "gone"},
        {"error": "not found", "somethingNew": "x"},
        {"errorMessage": "division by zero", "errorType": "ZeroDivisionError", "stackTrace": ["a"]},
        {"type": "about:blank", "title": "Forbidden", "status": 403, "balance": 30},
        {"status": "error", "message": "nope", "category": "X"},
        {"code": 5, "message": "Requested entity was not found.", "details": []},
        {"code": "NOT_FOUND", "message": "session gone", "details": []},
        {"__type": "a.b#NoTableException", "message": "Requested table: t"},
        {"kind": "Status", "apiVersion": "v1", "status": "Failure", "message": "no", "code": 403},
        {"detail": [{"loc": ["body", "x"], "msg": "field required"}]},
        {"errors": {"title": "must be given"}, "meta": {"v": 1}},
        {"status": "fail", "data": {"title": "must be given"}},
        {"command": "make", "returncode": 2},
    ],
)
def test_what_says_that_it_is_an_error_is_one_whatever_stands_beside_it(
    held: dict[str, object],
) -> None:
    assert is_error(fold(held))


@pytest.mark.parametrize(
    "held",
    [
        {"error": "one was skipped", "rows": [1, 2]},
        {"error": "one was skipped", "total": 12},
        {"errors": ["E501"], "warnings": []},
        {"errors": {"404": 12, "500": 3}},
        {"valid": False, "errors": ["name is missing"]},
        {"success": [1, 2], "errors": [{"id": 3}]},
        {"data": {"user": {"name": "x"}}, "errors": [{"message": "avatar timed out"}]},
        {"ok": False, "votes": 3},
        {"id": 7, "status": "failed"},
        {"device": "printer", "state": "error", "message": "paper jam"},
        {"url": "https://a.example", "status_code": 404},
        {"code": 415, "title": "San Francisco"},
        {"fault": "San Andreas", "length": "1200 km"},
        {"mean": "3.2", "error": "0.5 %"},
        {"name": "nightly", "last_error": "disk full"},
        {"level": "error", "error": "boom", "msg": "it broke"},
    ],
)
def test_what_somebody_may_have_asked_for_speaks_against_it(held: dict[str, object]) -> None:
    assert not is_error(fold(held))


def test_where_errors_are_asked_for_a_mere_sign_is_none() -> None:
    sign = {"status": "failed", "message": "disk full"}

    assert is_error(sign)
    assert not is_error(sign, asked=True)


def test_a_message_is_an_error_only_where_it_is_all_there_is() -> None:
    assert is_only_message({"message": "Order W1 not found", "data": None})
    assert is_only_message({"message": "You are rate limited.", "retryafter": 6})
    assert not is_only_message({"message": "Order W1 not found", "user": "ann"})
    assert not is_only_message({"message": "Order W1 was made"})
