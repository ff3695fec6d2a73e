from __future__ import annotations

import json

import pytest

from mulligan.learning.error_details import LONGEST_ERROR, ErrorFields, read_error, read_structure

SHAPES = {
    "a flagged part of MCP content": (
        {
            "type": "text",
            "text": '{"status": 404, "code": "no_page", "message": "gone"}',
            "error": True,
        },
        ErrorFields(message="gone", status=404, code="no_page"),
    ),
    "problem details": (
        {
            "type": "https://shop.example/problems/out_of_credit",
            "title": "Out of credit",
            "status": 403,
            "detail": "Your balance is 30.",
        },
        ErrorFields(
            message="Out of credit: Your balance is 30.", status=403, reason="out_of_credit"
        ),
    ),
    "GraphQL": (
        {
            "data": None,
            "errors": [
                {
                    "message": "No",
                    "path": ["me", 0, "cart"],
                    "extensions": {"code": "UNAUTHENTICATED"},
                }
            ],
        },
        ErrorFields(message="No", code="UNAUTHENTICATED", path="me.0.cart"),
    ),
    "an object that names itself an error": (
        {"object": "error", "status": 400, "code": "validation_error", "message": "Bad title."},
        ErrorFields(message="Bad title.", status=400, code="validation_error"),
    ),
    "a cloud's exception": (
        {
            "Error": {"Code": "AccessDenied", "Message": "No"},
            "ResponseMetadata": {"HTTPStatusCode": 403},
        },
        ErrorFields(message="No", status=403, code="AccessDenied"),
    ),
    "a cloud's typed exception": (
        {"__type": "com.cloud.table#ThrottlingException", "message": "Slowly"},
        ErrorFields(message="Slowly", code="ThrottlingException"),
    ),
    "a status of gRPC in JSON": (
        {"error": {"code": 404, "status": "NOT_FOUND", "message": "No such topic"}},
        ErrorFields(message="No such topic", status=404, code="NOT_FOUND"),
    ),
    "a code and nothing else": (
        {"ok": False, "error": "channel_not_found"},
        ErrorFields(message="channel_not_found", code="channel_not_found"),
    ),
    "a payment that names its parameter": (
        {"error": {"code": "card_declined", "param": "source", "message": "Declined"}},
        ErrorFields(message="Declined", code="card_declined", path="source"),
    ),
    "a program that a tool ran": (
        {"exit_code": 2, "stdout": "", "stderr": "ls: no such file"},
        ErrorFields(message="ls: no such file", exit_code=2),
    ),
    "an answer inside an answer": (
        {"error": "", "response": "{'message': 'genre must be a number'}"},
        ErrorFields(message="genre must be a number"),
    ),
    "a reason inside a list": (
        {
            "error": {
                "code": 403,
                "message": "No more",
                "errors": [{"reason": "dailyLimitExceeded"}],
            }
        },
        ErrorFields(message="No more", status=403, reason="dailyLimitExceeded"),
    ),
}


@pytest.mark.parametrize("shape", SHAPES)
def test_the_parts_of_an_error_are_kept_from_any_shape(shape: str) -> None:
    given, expected = SHAPES[shape]

    assert read_error(json.dumps(given)) == expected


@pytest.mark.parametrize("shape", SHAPES)
def test_what_is_said_on_one_line_is_read_back_from_it(shape: str) -> None:
    found = SHAPES[shape][1]

    assert read_error(found.render()) == found


def test_several_errors_each_have_their_say_with_their_place() -> None:
    listed = {"detail": [{"loc": ["body", f], "msg": "field required"} for f in ("day", "city")]}

    said = read_error(json.dumps(listed))

    assert said.message == "body.day: field required; body.city: field required"


@pytest.mark.parametrize(
    ("prose", "status", "code"),
    [
        ("Request failed (Status: 400)", 400, ""),
        ("GET /x: 404 Not Found", 404, ""),
        ("MCP error -32602: odd", -32602, ""),
        ("1054 (42S22): Unknown column", None, "42S22"),
        ("SQLSTATE[23505]: duplicate key", None, "23505"),
        ("It costs 404 crowns, error and all", None, ""),
        ("We have (12345): five in all", None, "12345"),
        ("The code 7 is odd", None, ""),
    ],
)
def test_codes_are_read_from_prose_where_they_are_called_so(
    prose: str, status: int | None, code: str
) -> None:
    found = read_error(prose)

    assert (found.message, found.status, found.code) == (prose, status, code)


def test_a_page_that_is_an_error_is_read_without_its_tags() -> None:
    page = "<html><head><title>Forbidden</title></head><body>Ask for a key.</body></html>"

    assert read_error(page).message == "Forbidden Ask for a key."


@pytest.mark.parametrize("value", [None, 7, True, [], {}, {"id": 17}, object(), [[[]]]])
def test_what_says_nothing_of_an_error_has_no_parts(value: object) -> None:
    assert read_structure(value) is None


def test_an_endless_or_a_bottomless_error_is_read_as_far_as_is_sensible() -> None:
    assert read_error("x" * 10**6).message == "x" * LONGEST_ERROR
    assert read_error('{"error":' * 5_000).message.startswith('{"error":')
    loop: dict[str, object] = {}
    loop["error"] = loop
    assert read_structure(loop) is None
