"""Results that were returned as successes and are errors, and results that only look like it."""

from __future__ import annotations

import json
import time
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from mulligan.learning.classify import classify_text
from mulligan.learning.result_evidence import LONGEST_PAGE, SHORT, opens_as_error
from mulligan.learning.soft_errors import PlainShapes, find_breach, find_silent_error


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
        ({"result": ToolResult([Part("no such page")], isError=True)}, "no such page"),
        ({"isError": True, "anything": [1]}, "marked as an error"),
        ({"error": "user not found", "somethingNew": "x"}, "user not found"),
        ('{"error": {"code": 7, "message": "bad day"}}', "bad day"),
        ({"errors": ["first", "second"]}, "first"),
        ({"errors": {"title": "must be given"}, "meta": {"v": 1}}, "must be given"),
        ({"success": False, "message": "closed"}, "closed"),
        ({"success": "false", "message": "gone"}, "gone"),
        ({"success": 0, "message": "gone"}, "gone"),
        ({"status": "error", "message": "closed", "category": "X"}, "closed"),
        ({"status": "fail", "data": {"title": "must be given"}}, "must be given"),
        ({"status": 404, "message": "nothing here"}, "nothing here"),
        ({"status_code": "503", "detail": "later"}, "later"),
        ({"code": 5, "message": "Requested entity was not found.", "details": []}, "not found"),
        ({"code": "NOT_FOUND", "message": "session gone", "details": []}, "session gone"),
        ({"__type": "a.b#NoTableException", "message": "Requested table: t"}, "NoTableException"),
        ({"kind": "Status", "status": "Failure", "message": "no", "code": 403}, "no"),
        ({"type": "about:blank", "title": "Forbidden", "status": 403, "balance": 30}, "Forbidden"),
        ({"detail": [{"loc": ["body", "x"], "msg": "field required"}]}, "field required"),
        ({"errorMessage": "by zero", "errorType": "ZeroDivisionError", "stackTrace": ["a"]}, "by"),
        ({"jsonrpc": "2.0", "id": 1, "error": {"code": -32602, "message": "odd"}}, "odd"),
        ("Error: user not found", "user not found"),
        ("ValueError: bad day", "bad day"),
        ("Traceback (most recent call last):\n  File ...", "Traceback"),
        ("meta=None content=[TextContent(type='text', text='no')] isError=True", "no"),
        ('meta=None content=[Text(text=\'{"isError": true, "text": "no"}\')] isError=False', "no"),
        ({"type": "text", "text": "no such file", "error": True, "annotations": None}, "no such"),
        (
            {"object": "error", "status": 400, "code": "validation_error", "message": "Bad title"},
            "Bad title (status 400, code validation_error)",
        ),
        ({"type": "error", "message": "boom"}, "boom"),
        ({"error": "", "response": "{'success': False, 'message': 'nothing sent'}"}, "nothing"),
        ({"error": "", "response": "Forbidden"}, "Forbidden"),
        ({"message": "Endpoint '/x' does not exist", "data": None}, "does not exist"),
        ({"message": "genre must be a number", "retry_after": 6}, "genre"),
        ({"detail": "Not Found"}, "Not Found"),
        ({"status": "error", "started_at": "9:00", "error": "no text", "message": "a"}, "no text"),
        ({"status": "401", "msg": "Who are you?"}, "Who are you? (status 401)"),
        (envelope("Failed to fetch https://a.example: gone"), "Failed to fetch"),
        ('{"type":"text","text":"TimeoutError: too late\\n  - waiting', "too late"),
        ({"exit_code": 2, "stdout": "", "stderr": "ls: no"}, "ls: no (exit code 2)"),
        ({"command": "make", "returncode": 2}, "exit code 2"),
        ({"status": 429, "error": "Too many requests", "retry_after": 30}, "Too many"),
        ({"data": {"orderUpdate": {"order": None, "userErrors": [{"message": "no"}]}}}, "no"),
        ({"Envelope": {"Body": {"Fault": {"faultstring": "no id"}}}}, "no id"),
        ([{"message": "gone", "errorCode": "NOT_FOUND"}], "gone (code NOT_FOUND)"),
        (({"error": "bad"}, 400), "bad (status 400)"),
        (b'{"error": "not found"}', "not found"),
        ("<html><head><title>502 Bad Gateway</title></head></html>", "502 Bad Gateway"),
        ("<!doctype html><html><title>HTTP Status 404 \u2013 Not Found</title></html>", "404"),
        ("<html><body><h1>Service Unavailable</h1></body></html>", "Service Unavailable"),
        ("<?xml version='1.0'?><Error><Code>NoKey</Code><Message>Gone</Message></Error>", "Gone"),
        ("<s:Envelope><s:Body><s:Fault><faultstring>No id</faultstring></s:Fault>", "No id"),
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
    assert says in (find_silent_error(result) or "")


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
        {"error": "one was skipped", "total": 12},
        {"errors": ["E501"], "warnings": []},
        {"errors": {"404": 12, "500": 3}},
        {"valid": False, "errors": ["name is missing"]},
        {"success": [1, 2], "errors": [{"id": 3}]},
        {"data": {"user": {"name": "x"}}, "errors": [{"message": "avatar timed out"}]},
        {"ok": False, "votes": 3},
        {"status": "failed", "order_id": "17", "items": [1]},
        {"device": "printer", "state": "error", "message": "paper jam"},
        {"url": "https://a.example", "status_code": 404},
        {"status": 200, "message": "fine"},
        {"code": 404, "city": "Berlin"},
        {"fault": "San Andreas", "length": "1200 km"},
        {"mean": "3.2", "error": "0.5 %"},
        {"name": "nightly", "last_error": "disk full"},
        {"level": "error", "error": "boom", "msg": "it broke"},
        [{"error": "a record about an error"}],
        '{"title": "How to handle errors", "text": "error error error"}',
        envelope('{"temperature": 12}'),
        ToolResult([Part("twelve degrees")]),
        "meta=None content=[TextContent(type='text', text='fine')] isError=False",
        {"message": "Order created"},
        {"message": "No errors found"},
        {"message": "0 failed"},
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
        "Test 1: ERROR: shown\nTest 2: fine\nReturn code: 0",
        [
            {"type": "text", "text": "Cloning into 'x' …", "error": True},
            {"type": "text", "text": "Command completed with return code: 0"},
        ],
        "<html><head><title>404 Not Found: how to write a good page</title></head></html>",
        "<html><head><title>Shop</title></head><h1>Errors and how to avoid them</h1></html>",
        "<log><Error><Code>7</Code><Message>disk full</Message></Error></log>",
        "<Errors/>",
        "<html><head><title>502 Bad Gateway</title></head>" + "word " * LONGEST_PAGE,
        "word " * 2_000_000,
        "{" * 2_000_000,
    ],
    ids=lambda result: repr(result)[:60],
)
def test_a_result_that_only_speaks_of_errors_is_none(result: object) -> None:
    assert find_silent_error(result) is None


PLAIN = [
    "Failed to fetch https://a.example: connection lost",
    "Unable to open the file.",
    "Could not connect to the server",
    "Cannot find module 'x'",
    "Access denied: bucket 'b' is not on the list",
    "access to repository 'a/b' is not allowed by your administrator",
    "403 Forbidden",
    "Not found",
    "Too many requests, come back later",
    "An API key is required to read this",
    "Tool read_mail not found",
    "Missing required parameter: path",
    "Place search failed: ZERO_RESULTS",
    "Invalid paragraph index. The document has 7.",
    "=== TIMEOUT ===\nExecution timed out after 60 seconds",
    "No such table: orders",
    "An unexpected error occurred while saving",
    "Error fetching the page",
    "HTTP 502 from upstream",
    "Connection refused by the host",
    "Request failed with status code 404",
    "You do not have permission to see this",
    "You must log in first",
    "Parameter 'q' is required",
    "The page could not be found.",
    "\u274c Failed to create the page",
    "Something went wrong. Try again later.",
]
PROGRAMS = [
    "fatal: not a git repository",
    "ls: cannot access '/x': No such file or directory",
    "bash: line 1: jq: command not found",
    "ORA-00942: table or view does not exist",
    "HTTP/1.1 403 Forbidden",
    "Fehler: der Kunde fehlt",
    "Erreur : la commande est introuvable",
    "Kunde nicht gefunden",
    "Acceso denegado",
    "Sorry, I couldn't find that order.",
    "**Error:** no such page",
    "TimeoutError: the button did not answer\nCall log:\n" + "  - waiting for it\n" * 100,
]


@pytest.mark.parametrize("text", [*PLAIN, *PROGRAMS])
def test_a_short_text_that_opens_as_errors_do_is_one(text: str) -> None:
    assert opens_as_error(text)
    assert find_silent_error(text) is not None


SENTENCES = """
Your session has expired
User with this email already exists
Customer record could not be located
Card was declined
Your API key has been disabled
This slot is already booked
Access denied for user 'root'@'localhost'
Invalid e-mail address: foo
Incorrect username or password
Unknown column 'x' in 'field list'
Table 'x.y' doesn't exist
File already exists
Disk quota exceeded
Host unreachable
Connection closed by remote host
Connection to server was lost
The service is currently unavailable.
Model is overloaded
Request timed out after 30 s
Operation canceled due to timeout
Build failed
Tool execution failed
Transaction rolled back: deadlock detected
Query failed: syntax error near 'FROM'
Parse error: unexpected token
Malformed JSON in request body
Missing parameter 'q'
Field "name" is required
name: this field is required
limit must be less than or equal to 100
Cannot divide by zero
Cannot book a room in the past
You cannot delete this item
You are not allowed to do this
This operation is not supported
Unsupported media type
Resource is locked by another user
Record was modified by another user
Limit reached, upgrade your plan
Monthly limit exceeded
Your IP has been blocked
Two-factor authentication required
The link is no longer valid
SSL handshake failed
404 page not found
Error 1045: Access denied
Failed
Something went wrong, please try again.
Sorry, I could not find that.
An error has occurred while processing your request
Internal Server Error
Not authorized
Please authenticate first
Authentication token is missing
No permission
No such user
Method 'foo' not found
"abc" is not a valid UUID
Could not resolve host: foo
Couldn't load the page
Element not found
Page crashed
Command not found
Request rejected by policy
Action not permitted
Out of memory
Datei nicht gefunden
Der Benutzer existiert nicht
Fichier introuvable
No se pudo conectar
错误：参数无效
""".strip().splitlines()
"""Errors as programs of many kinds put them, in no API's words."""

ANSWERS = """
Unknown Pleasures
Forbidden Planet (1956)
Bad Request Line, a play
Error handling in Go
Access control lists explained
Your request has been received.
Your payment of 5 EUR was successful.
Order 5 cancelled at the customer's request
Not today
None
No messages
No rows
0 errors, 2 warnings
3 passed, 1 failed
Invalid: 3
Missing teeth: 12
Status: failed
Expected arrival Tuesday
Duplicate found: 3
The limit is 100 per day
A passport is required for this trip.
Reservation is required on weekends
The museum is closed.
Room 5 is not available on Friday.
Not in stock
It does not exist.
The word "error" was not found in the text.
String not found in file
No match for "error"
You must bring a towel.
Please log your hours by Friday
Can't wait to see you
Could not be happier!
Wrong Turn (2003)
Access road closed
Connection: keep-alive
Timeout is 30 seconds
Token saved.
API key created
Login at 9:00 by ann
Server started on port 80
Killed Bill
Process started with pid 3
Deployment finished
Refund issued for the failed payment.
Retrying failed jobs: 3 of 3 done
Error log cleared
Error rate: 0.2 %
Fatal Attraction
Warning: storm tonight
Traceback is a podcast
Conflict of interest policy
Timeout (magazine)
Unauthorized sale of tickets is forbidden by law
Not Found (film), 2013
Bad Gateway Hotel, Berlin
Rejected by three publishers before it sold a million
The invitation was declined by Bob.
Expired: 3 coupons
Insufficient evidence, said the judge
Denied boarding compensation is 250 EUR
Not authorized generics list
Not enough sleep causes headaches
Sorry seems to be the hardest word
Fehler 404 ist ein Buch
Le fichier est prêt
""".strip().splitlines()
"""Answers that have the same words in them."""


@pytest.mark.parametrize("text", SENTENCES)
def test_a_sentence_that_says_that_something_did_not_work_is_an_error(text: str) -> None:
    assert opens_as_error(text)


@pytest.mark.parametrize("text", ANSWERS)
def test_an_answer_with_the_words_of_errors_in_it_is_none(text: str) -> None:
    assert not opens_as_error(text)


@pytest.mark.parametrize(
    "result",
    [
        {"name": ["can't be blank"]},
        {"slug": ["must be lower case"], "owner": ["is invalid"]},
        {"result": "failure", "reason": "unknown user"},
        {"get": "games", "errors": {"key": "It is missing."}, "results": 0, "response": []},
        {"httpCode": "404", "httpMessage": "Nothing is there", "moreInformation": "See above"},
        {"status": {"error_code": 12, "error_message": "The key is missing", "elapsed": 9}},
    ],
)
def test_an_answer_without_data_beside_a_complaint_is_an_error(result) -> None:
    assert find_silent_error(result) is not None


@pytest.mark.parametrize(
    "result",
    [
        {"names": ["can do it", "must-see"], "n": 2},
        {"result": "failure", "experiment": "7", "notes": "third try"},
        {"errors": {"key": "It is missing."}, "results": 3, "response": [1, 2, 3]},
        {"message": "3 passed, 1 failed"},
        {"message": "The failed payment was refunded"},
    ],
)
def test_an_answer_with_data_beside_such_words_is_none(result) -> None:
    assert find_silent_error(result) is None


@pytest.mark.parametrize("text", PLAIN)
def test_plain_words_count_only_where_nothing_much_follows(text: str) -> None:
    assert not opens_as_error(text + "\nAnd then there was more to tell." * (SHORT // 30))


@pytest.mark.parametrize(
    "text",
    [
        "Failed logins: 3",
        "Build failed: 0 of 12",
        "Access denied events: 12",
        "Invalid entries: none",
        "Cannot wait to see you on Friday!",
        "Could not agree more with what you wrote.",
        "Missing Persons were an American band.",
        "Unknown artist, track 1",
        "No mails found that match 'x'",
        "The string 'x' was not found on this page.",
        "The page explains what an Error: line means.",
        "Error-free since May",
        "Error handling: a guide",
        "Pattern not found.",
        "Not a word of it was not found to be true, they say",
        "The yeti does not exist.",
        "You must see this film!",
        "HTTP 200 from upstream",
        "Timeout of the season: a coach remembers",
        "Dogs must be kept on a leash.",
        "Unable to reproduce: 0 errors in 12 runs, all a success",
        "Error rate: 0.4 % over the last hour",
        "Error log: empty",
        "Timeout: 30 seconds",
        "Failed to deliver: 3 parcels; delivered: 120 parcels",
        "Bob: cannot come today",
        "Sorry, I can't come to the party",
        "Fehlerquote: 0,4 %",
        "Error: what it means, and why.\n" + "Much is to be said. " * 1_000,
        "2026-05-01 12:00:01 ERROR db: refused\n2026-05-01 12:00:02 ERROR db: refused",
        "ERROR: disk full on a\nERROR: disk full on b\nERROR: disk full on c\nWARN: cleaning",
        "Error: a\nError: b\nError: c\n",
        "ValueError: in job 1\nKeyError: in job 2\nValueError: in job 3",
    ],
    ids=lambda text: text[:50],
)
def test_a_text_about_errors_and_a_log_are_what_was_asked_for(text: str) -> None:
    assert not opens_as_error(text)
    assert find_silent_error(text * (50 if text.count("\n") > 1 else 1)) is None


@pytest.mark.parametrize(
    ("result", "passed"),
    [
        ({"id": 1, "title": "Dinner"}, True),
        ({"id": 1, "status": "open"}, True),
        ({"id": 1, "message": "not found"}, True),
        ({"id": 1, "status": "failed"}, False),
        ({"id": 1, "status": ["failed"]}, False),
        ({"id": None, "message": "not found"}, False),
        ({"id": 1, "syncErrors": 1}, False),
        ({"isError": True}, False),
        ({"Error": "no"}, False),
        ({"content": "x"}, False),
        ({"message": "x"}, False),
        ({"type": "error", "message": "x"}, False),
        ({"exit_code": 1, "out": "x"}, False),
        ({"a": 1, "STATUS": "failed"}, False),
        ("text", False),
        ([{"error": "x"}], False),
        ({"order": {"error": "x"}}, False),
    ],
)
def test_only_a_shape_that_cannot_be_an_error_is_passed_over_at_a_glance(result, passed) -> None:
    shapes = PlainShapes()

    assert [shapes.cover(result) for _ in range(2)] == [passed, passed]


class Hostile:
    @property
    def isError(self) -> bool:
        raise RuntimeError("mine")


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


@pytest.mark.parametrize("result", [Hostile(), Stub(), Linked(), {"result": Stub()}])
def test_an_object_that_raises_or_makes_up_its_fields_is_soon_done_with(result: object) -> None:
    begun = time.thread_time()

    assert find_silent_error(result) is None
    assert time.thread_time() - begun < 1.0


def test_a_result_that_holds_itself_is_no_trouble() -> None:
    loop: dict[str, object] = {"isError": True}
    loop["error"] = loop

    assert find_silent_error(loop) == "The result is marked as an error."


NOTE = "Failed to reach Bob by phone; try again on Monday."


@pytest.mark.parametrize(
    ("result", "arguments"),
    [
        (NOTE, {"text": NOTE.upper()}),
        (f"{NOTE[:40]} …", {"text": NOTE}),
        ({"result": NOTE}, {"notes": [{"text": NOTE}]}),
        ({"code": 429, "message": "Too many requests"}, {"code": 429}),
        ({"ok": False}, {"ok": False}),
    ],
)
def test_what_the_caller_said_is_no_error_when_it_comes_back(result, arguments) -> None:
    assert find_silent_error(result) is not None
    assert find_silent_error(result, arguments=arguments) is None


@pytest.mark.parametrize(
    ("result", "arguments"),
    [
        ({"error": "no order W1"}, {"order": "W1"}),
        ("Failed to reach Ann", {"text": NOTE}),
        ({"code": 429, "message": "Too many requests"}, {"code": 430}),
        ({"ok": False}, {"open": False}),
    ],
)
def test_an_error_about_what_the_caller_said_is_still_one(result, arguments) -> None:
    assert find_silent_error(result, arguments=arguments) is not None


def test_a_tool_that_tells_of_errors_is_believed_only_where_it_flags_one() -> None:
    for shown in ("Error: disk full", {"status": "failed", "message": "disk full"}):
        assert find_silent_error(shown, tool="write_page") is not None
        assert find_silent_error(shown, tool="read_logs") is None
    assert find_silent_error({"ok": False, "error": "no such log"}, tool="read_logs") is not None


def test_a_result_that_breaks_its_declared_schema_is_an_error() -> None:
    declared = {"type": "object", "properties": {"id": {"type": "string"}}, "required": ["id"]}

    assert find_breach({"id": "1"}, schema=declared, may_be_empty=True) is None
    assert find_breach({"name": "x"}, schema=declared, may_be_empty=True) == (
        'The result breaks its schema: "id" is a required property'
    )
    assert find_breach('{"name": "x"}', schema=declared, may_be_empty=True) is not None


@pytest.mark.parametrize("empty", [None, "", "  ", [], {}])
def test_an_empty_result_is_an_error_only_where_it_may_not_be_empty(empty: object) -> None:
    assert find_breach(empty, schema={}, may_be_empty=True) is None
    assert find_breach(empty, schema={}, may_be_empty=False) == "The result is empty."


@pytest.mark.parametrize(
    "result",
    [
        {"code": "not_found", "summary": "The file is not there"},
        {"Message": "The request is invalid.", "ModelState": {"Postcode": ["Invalid postcode."]}},
        {
            "account": {"summary": "Unknown account A1", "detail": "Ask for one."},
            "status_code": 400,
        },
        {"status": 401, "title": "Authorization has been denied for this request"},
        {"id": "rate_limit_exceeded", "message": "Wait a moment"},
        {"errorRef": "49f1-68a0", "message": "Please give a name in the body of the request"},
        {"type": "error", "id": 6200, "message": "You do not belong to this organisation"},
        {"status": "error", "errors": ["last_name is required"], "submission": {"id": "s1"}},
        {"message": "No such container: 17"},
        {"message": "Requires authentication"},
        {"code": 10404, "http_code": 404, "message": "It is not there"},
        [{"code": "invalid_name", "message": "Too long"}],
        {"meta": {"code": 400, "message": "bad request"}, "data": None},
        {"result": "error", "msg": "There is no such person"},
        {"status": "error", "data": "name is missing"},
        {"code": "invalid_entry", "message": "The entry is invalid.", "data": {"status": 404}},
        {"responseCode": 404, "responseMessage": "Nothing is there"},
        {"status": 401, "messages": ["Log in first"]},
        {"code": 429, "details": "Too many requests"},
        {"upload_errors": [{"row": 4, "reason": "no date"}]},
        {"booking_error": {"body": [{"at": "day", "said": "no such day"}]}},
        {"message": "Duplicate entry"},
        "exitcode: 1 (execution failed)\nCode output: Traceback (most recent call last): …",
    ],
)
def test_errors_are_told_by_their_shape_and_words_whoever_sends_them(result) -> None:
    assert find_silent_error(result) is not None


@pytest.mark.parametrize(
    "result",
    [
        {"code": "summer_sale", "summary": "10 % off"},
        {"Message": "Saved.", "ModelState": {"Postcode": ["1010 Vienna"]}},
        {"order": {"summary": "Two books", "detail": "Sent today"}, "status_code": 200},
        {"status": 401, "title": "Room 401"},
        {"id": "rate_limit_page", "message": "A page about limits", "author": "Ann"},
        {"id": 6200, "type": "error", "message": "It was down", "service": "mail", "host": "a"},
        {"code": 450, "description": "Widget"},
        {"message": "Ann has joined the team"},
        {"result": "error", "id": 4, "name": "Nightly run"},
        {"responseCode": 200, "responseMessage": "Ready"},
        {"code": 43, "details": "Austria"},
        {"upload_errors": [], "rows": [{"row": 4}]},
        {"messages": ["Log in first"], "chat": 7},
        {"code": "spring", "message": "Spring is here", "data": {"status": 404}},
        "exitcode: 0 (execution succeeded)\nCode output: Error rates fell",
    ],
)
def test_records_that_look_a_little_like_errors_are_none(result) -> None:
    assert find_silent_error(result) is None


@pytest.mark.parametrize(
    "message",
    [
        "No results found",
        "3 duplicates removed",
        "Conflicts resolved",
        "Failed jobs removed",
        "The missing file was restored",
        "Error logging enabled",
        "Expired sessions cleared",
        "Your booking is not confirmed yet",
        "Deleted. This cannot be undone.",
    ],
)
def test_a_message_that_says_what_was_done_is_no_error(message: str) -> None:
    assert find_silent_error({"message": message}) is None


ANSWERS = [
    json.loads(line)
    for line in Path(__file__).with_name("answers.jsonl").read_text(encoding="utf-8").splitlines()
]
"""Answers in formats that public services document. An error has the classes that a person would
accept for it, none where its words do not tell; what only speaks of errors has no such field."""


def test_an_error_in_a_public_format_is_noticed_and_says_what_it_is() -> None:
    said = {
        row["format"]: (find_silent_error(row["answer"]), row["classes"])
        for row in ANSWERS
        if "classes" in row
    }

    assert [name for name, (text, _) in said.items() if text is None] == []
    read = {name: classify_text(text).value for name, (text, known) in said.items() if known}
    assert {name: each for name, each in read.items() if each not in said[name][1]} == {}
    assert len(read) > 350


def test_an_answer_about_errors_is_what_was_asked_for() -> None:
    good = [row for row in ANSWERS if "classes" not in row]

    assert [row["format"] for row in good if find_silent_error(row["answer"]) is not None] == []
    assert len(good) > 200
