from __future__ import annotations

import json
import time
from dataclasses import dataclass, field

import pytest

from mulligan.learning.soft_errors import PlainShapes, find_silent_error


@dataclass
class Part:
    text: str
    type: str = "text"


@dataclass
class ToolResult:
    content: list[Part] = field(default_factory=list)
    isError: bool = False


def envelope(text: str, *, flag: bool = False) -> dict[str, object]:
    return {"content": [{"type": "text", "text": text}], "isError": flag}


@pytest.mark.parametrize(
    ("result", "says"),
    [
        ({"isError": True, "content": [{"type": "text", "text": "no such page"}]}, "no such page"),
        (envelope(json.dumps(envelope("quota used up", flag=True))), "quota used up"),
        (ToolResult([Part("broken")], isError=True), "broken"),
        (ToolResult([Part('{"error": "no slides"}')]), "no slides"),
        ({"error": "user not found"}, "user not found"),
        ('{"error": {"code": 7, "message": "bad day"}}', "bad day"),
        ({"errors": ["first", "second"]}, "first"),
        ({"success": False, "message": "closed"}, "closed"),
        ({"status": "error", "message": "closed"}, "closed"),
        ({"status": 404, "message": "nothing here"}, "nothing here"),
        ({"status_code": "503", "detail": "later"}, "later"),
        ({"jsonrpc": "2.0", "id": 1, "error": {"code": -32602, "message": "odd"}}, "odd"),
        ("Error: user not found", "user not found"),
        ("ValueError: bad day", "bad day"),
        ("Traceback (most recent call last):\n  File ...", "Traceback"),
        ("meta=None content=[TextContent(type='text', text='no')] isError=True", "no"),
        (
            'meta=None content=[Text(text=\'{"isError": true, "text": "no"}\')] isError=False',
            "no",
        ),
        ({"type": "text", "text": "no such file", "error": True, "annotations": None}, "no such"),
        (
            {"object": "error", "status": 400, "code": "validation_error", "message": "Bad title"},
            "Bad title (status 400, code validation_error)",
        ),
        ({"type": "error", "message": "boom"}, "boom"),
        ({"error": "", "response": "{'success': False, 'message': 'nothing sent'}"}, "nothing"),
        ({"error": "", "response": "Forbidden"}, "Forbidden"),
        ({"message": "Endpoint '/x' does not exist"}, "does not exist"),
        ({"detail": "Not Found"}, "Not Found"),
        (
            {"status": "error", "started_at": "9:00", "error": "no text", "message": "bad"},
            "no text",
        ),
        ({"status": "401", "msg": "Who are you?"}, "Who are you? (status 401)"),
        (envelope("Failed to fetch https://a.example: gone"), "Failed to fetch"),
        ('{"type":"text","text":"TimeoutError: too late\\n  - waiting', "too late"),
        ({"exit_code": 2, "stdout": "", "stderr": "ls: no"}, "ls: no (exit code 2)"),
        ({"error": "not found", "correlationId": "a", "url": "/x", "tries": 2}, "not found"),
        ({"status": 429, "error": "Too many requests", "retry_after": 30}, "Too many"),
        ({"data": {"orderUpdate": {"order": None, "userErrors": [{"message": "no"}]}}}, "no"),
        ({"Envelope": {"Body": {"Fault": {"faultstring": "no id"}}}}, "no id"),
        ([{"message": "gone", "errorCode": "NOT_FOUND"}], "gone (code NOT_FOUND)"),
        (({"error": "bad"}, 400), "bad (status 400)"),
        (b'{"error": "not found"}', "not found"),
        ("<Error><Code>NoKey</Code><Message>It is gone</Message></Error>", "It is gone"),
        ("KeyError: 'a'\n=== INFO ===\nReturn code: 1", "KeyError"),
        (
            [
                {"type": "text", "text": "sh: no such program"},
                {"type": "text", "text": "Command completed with return code: 127"},
            ],
            "no such program",
        ),
    ],
)
def test_a_result_that_says_it_is_an_error_is_one(result: object, says: str) -> None:
    said = find_silent_error(result)

    assert said is not None
    assert says in said


@pytest.mark.parametrize(
    "result",
    [
        None,
        "",
        0,
        [],
        {},
        {"error": None, "data": [1]},
        {"errors": [], "ok": True},
        {"error": "one row was skipped", "rows": [1, 2, 3]},
        {"status": "failed", "order_id": "17", "items": [1]},
        {"status": 200, "message": "fine"},
        {"code": 404, "city": "Berlin"},
        [{"error": "a record about an error"}],
        "Errors in Python: a guide",
        "The page explains what an Error: line means.",
        "Error-free since May",
        '{"title": "How to handle errors", "text": "error error error"}',
        envelope('{"temperature": 12}'),
        ToolResult([Part("twelve degrees")]),
        "meta=None content=[TextContent(type='text', text='fine')] isError=False",
        {"message": "Order created"},
        {"detail": "A fine view of the sea"},
        {"note": "Not found in any other shop"},
        {"message": "Failed", "user": "ann"},
        {"type": "error", "count": 3, "rows": [1]},
        {"job": 7, "error": True, "rows": [1]},
        {"exit_code": 0, "stdout": "Error: shown on purpose", "stderr": ""},
        {"exit_code": 1, "stdout": "", "stderr": ""},
        {"container": "web", "exit_code": 137},
        {"id": "m1", "subject": "hi", "body": "Failed to reach you by phone."},
        {"path": "a.txt", "content": "Error: see page 3"},
        [{"type": "error", "text": "disk full"}, {"type": "info", "text": "ok"}],
        [{"code": 404, "message": "Not Found"}, {"code": 500, "message": "Internal"}],
        ("Main Street", 404),
        {"content": [{"type": "text", "text": '{"error": "a", "sheet": 1}'}] * 2},
        {"response": {"message": "Failed payments of May", "items": [1, 2]}},
        "{'message': 'Order created'}",
        "2026-05-01 12:00:01 ERROR db: refused\n2026-05-01 12:00:02 ERROR db: refused",
        "Test 1: ERROR: shown\nTest 2: fine\nReturn code: 0",
        [
            {"type": "text", "text": "Cloning into 'x' …", "error": True},
            {"type": "text", "text": "Command completed with return code: 0"},
        ],
    ],
)
def test_a_result_that_only_speaks_of_errors_is_none(result: object) -> None:
    assert find_silent_error(result) is None


def test_an_object_whose_fields_raise_is_no_trouble() -> None:
    class Hostile:
        @property
        def isError(self) -> bool:
            raise RuntimeError("mine")

    assert find_silent_error(Hostile()) is None


def test_a_huge_text_is_not_searched() -> None:
    assert find_silent_error("word " * 2_000_000) is None
    assert find_silent_error("{" * 2_000_000) is None


def test_a_result_that_holds_itself_is_no_trouble() -> None:
    loop: dict[str, object] = {"isError": True}
    loop["error"] = loop

    assert find_silent_error(loop) == "The result is marked as an error."


@pytest.mark.parametrize(
    "result",
    [
        {"isError": True},
        {"Error": "no"},
        {"content": "x"},
        {"message": "x"},
        {"type": "error", "message": "x"},
        {"exit_code": 1, "out": "x"},
        {"a": 1, "STATUS": "failed"},
        "text",
        [{"error": "x"}],
        {"order": {"error": "x"}},
    ],
)
def test_a_glance_never_passes_over_what_could_be_an_error(result: object) -> None:
    shapes = PlainShapes()

    covered = [shapes.cover(result) for _ in range(2)]

    assert covered == [False, False]


def test_results_of_other_fields_are_passed_over_at_a_glance() -> None:
    shapes = PlainShapes()

    covered = [shapes.cover({"id": n, "title": "Dinner"}) for n in range(2)]

    assert covered == [True, True]


class Stub:
    """A stand-in, or the remote end of a call: it has whatever it is asked for."""

    def __getattr__(self, name: str) -> Stub:
        return Stub()


class Linked:
    """Has only what matters here, and each time something new."""

    @property
    def content(self) -> Linked:
        return Linked()

    text = structuredContent = content


@pytest.mark.parametrize("result", [Stub(), Linked(), {"result": Stub()}])
def test_an_object_that_makes_up_what_it_is_asked_for_is_soon_done_with(result: object) -> None:
    begun = time.perf_counter()

    assert find_silent_error(result) is None
    assert time.perf_counter() - begun < 1.0


def test_an_error_within_objects_is_still_found() -> None:
    inner = ToolResult(content=[Part(text="no such page")], isError=True)

    assert find_silent_error({"result": inner}) == "no such page"


NOTE = "Failed to reach Bob by phone; try again on Monday."


@pytest.mark.parametrize(
    ("result", "arguments"),
    [
        (NOTE, {"text": NOTE}),
        ({"result": NOTE}, {"notes": [NOTE]}),
        ({"code": 429, "message": "Too many requests"}, {"code": 429}),
        ({"ok": False}, {"ok": False}),
    ],
)
def test_what_the_caller_said_is_no_error_when_it_comes_back(
    result: object, arguments: dict[str, object]
) -> None:
    assert find_silent_error(result) is not None
    assert find_silent_error(result, arguments=arguments) is None


def test_an_error_about_what_the_caller_said_is_still_one() -> None:
    said = find_silent_error({"error": "no order W1"}, arguments={"order": "W1"})

    assert said == "no order W1"


def test_a_tool_that_tells_of_errors_is_believed_only_where_it_flags_one() -> None:
    shown = "Error: disk full"

    assert find_silent_error(shown, tool="write_page") is not None
    assert find_silent_error(shown, tool="read_logs") is None
    assert find_silent_error({"ok": False, "error": "no such log"}, tool="read_logs") is not None
