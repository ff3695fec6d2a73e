"""The parts of an error, whatever it came as: a structure, prose, a program, an exception."""

from __future__ import annotations

import json
import subprocess

import pytest

from mulligan.learning.error_details import (
    LONGEST_ERROR,
    ErrorFields,
    extract_message,
    find_exit,
    read_error,
    read_exception,
    read_exit,
    read_structure,
)

SHAPES = {
    "a flagged part of MCP content": (
        {"type": "text", "text": '{"status": 404, "code": "no_page", "message": "a"}', "error": 1},
        ErrorFields(message="a", status=404, code="no_page"),
    ),
    "problem details": (
        {
            "type": "https://a.example/problems/no_credit",
            "title": "A",
            "status": 403,
            "detail": "b",
        },
        ErrorFields(message="A: b", status=403, reason="no_credit"),
    ),
    "GraphQL": (
        {
            "data": None,
            "errors": [{"message": "a", "path": ["me", 0], "extensions": {"code": "NO_AUTH"}}],
        },
        ErrorFields(message="a", code="NO_AUTH", path="me.0"),
    ),
    "an object that names itself an error": (
        {"object": "error", "status": 400, "code": "validation_error", "message": "Bad title."},
        ErrorFields(message="Bad title.", status=400, code="validation_error"),
    ),
    "a cloud's exception": (
        {"Error": {"Code": "Denied", "Message": "a"}, "ResponseMetadata": {"HTTPStatusCode": 403}},
        ErrorFields(message="a", status=403, code="Denied"),
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
        {"error": {"code": 403, "message": "No more", "errors": [{"reason": "dailyLimit"}]}},
        ErrorFields(message="No more", status=403, reason="dailyLimit"),
    ),
}


@pytest.mark.parametrize("shape", SHAPES)
def test_the_parts_of_an_error_are_kept_from_any_shape_and_on_one_line(shape: str) -> None:
    given, expected = SHAPES[shape]

    assert read_error(json.dumps(given)) == expected
    assert read_error(expected.render()) == expected


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
def test_codes_are_read_from_prose_where_they_are_called_so(prose, status, code) -> None:
    found = read_error(prose)

    assert (found.message, found.status, found.code) == (prose, status, code)


@pytest.mark.parametrize(
    ("error", "said"),
    [
        ('{"detail": "{\\"msg\\": \\"not found\\"}"}', "not found"),
        ('{"code": 7}', '{"code": 7}'),
        ('{"error": "', '{"error": "'),
        ('{"error": ""}', '{"error": ""}'),
        (
            "<html><head><title>Forbidden</title></head><body>Ask for a key.</body></html>",
            "Forbidden Ask for a key.",
        ),
        ("x" * 10**6, "x" * LONGEST_ERROR),
    ],
)
def test_an_error_is_what_it_says_without_its_envelopes(error: str, said: str) -> None:
    assert extract_message(error) == read_error(error).message == said


LOOP: dict[str, object] = {}
LOOP["error"] = LOOP


@pytest.mark.parametrize("value", [None, 7, True, [], {}, {"id": 17}, object(), [[[]]], LOOP])
def test_what_says_nothing_of_an_error_has_no_parts(value: object) -> None:
    assert read_structure(value) is None
    assert read_error('{"error":' * 5_000).message.startswith('{"error":')


LOG = (
    "2026-05-01 12:00:01 INFO worker started\n2026-05-01 12:00:02 ERROR worker failed\n"
    "2026-05-01 12:00:03 INFO worker gone\n"
)


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("no such file\n\nCommand completed with return code: 2", 2),
        ("KeyError: 'a'\n=== INFO ===\nReturn code: 1\nTime: 0.1 s", 1),
        ("[exit code: 127]", 127),
        ("Process exited with code -9\nkilled", -9),
        ("exit_status=1", 1),
        ("The command exited with status 3.", 3),
        ("Error: the disk is full\nerror: cannot write\nExit code: 1", 1),
        # It went well, or is a text about a program.
        ("", None),
        ("All 12 tests passed.\nExit code: 0", None),
        ("Exit code: 1\n" + "it went on\n" * 20 + "Exit code: 0", None),
        ("An exit code of 1 means that a test has failed.", None),
        ("Return code: unknown", None),
        (LOG + "Process exited with code 1", None),
        ("ERROR a\nWARN b\nERROR c\nERROR d\nProcess exited with code 1", None),
        ("Exit code: 1 is what grep says\n" + "and more\n" * 9, None),
    ],
    ids=lambda value: str(value)[:40],
)
def test_how_a_program_ended_is_read_from_a_line_of_its_own(text: str, code: int | None) -> None:
    assert find_exit(text) == code
    assert read_exit("Cloning …\nCommand completed with return code: 0") == 0
    assert read_exit("Cloning …") is None


class KeptError(Exception):
    """As libraries of clouds, databases and models keep what was answered."""

    def __init__(self, said: str = "no", **kept: object) -> None:
        super().__init__(said)
        self.__dict__.update(kept)


class RpcError(Exception):
    """As grpc's: its code is a method."""

    __module__ = "grpc"

    def code(self) -> object:
        return type("StatusCode", (), {"name": "NOT_FOUND"})()


class MethodError(Exception):
    def code(self) -> object:
        raise AssertionError("a stranger's method is not called")


class HostileError(Exception):
    @property
    def body(self) -> object:
        raise KeyboardInterrupt

    def __str__(self) -> str:
        raise RuntimeError


def test_the_parts_that_libraries_keep_are_found() -> None:
    body = {"error": {"code": "insufficient_quota", "message": "none left", "param": "model"}}
    cloud = {"Error": {"Code": "ThrottlingException"}, "ResponseMetadata": {"HTTPStatusCode": 400}}

    assert read_exception(KeptError(body=body)).code == "insufficient_quota"
    assert read_exception(KeptError(body=body)).path == "model"
    assert read_exception(KeptError(response=cloud)).code == "ThrottlingException"
    assert read_exception(KeptError(sqlstate="23505")).code == "23505"
    assert read_exception(RpcError()).code == "NOT_FOUND"
    assert read_exception(subprocess.CalledProcessError(3, "ls")).exit_code == 3


def test_its_message_is_its_own_text_and_nothing_if_it_cannot_be_asked() -> None:
    assert read_exception(KeptError("mine", body={"message": "theirs"})).message == "mine"
    assert read_exception(HostileError()).message == ""
    assert read_exception(MethodError("no")).code == ""
