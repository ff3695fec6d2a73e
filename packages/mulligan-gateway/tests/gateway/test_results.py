import json

import pytest

from mulligan_gateway.tools import add_notes, build_result, read_failure, read_value


def text(said: str) -> dict:
    return {"content": [{"type": "text", "text": said}]}


def test_the_value_of_a_result_is_what_its_tool_returned():
    assert read_value({"structuredContent": {"result": 3}}) == 3
    assert read_value({"structuredContent": {"a": 1}}) == {"a": 1}
    assert read_value(text('{"a": 1}')) == {"a": 1}
    assert read_value(text("hello")) == "hello"
    assert read_value(text("[not json")) == "[not json"
    assert read_value({"content": "odd"}) == ""


def test_a_failure_keeps_its_words_and_its_code():
    failed = read_failure({**text('{"error": {"code": "E42", "message": "no"}}'), "isError": True})

    assert failed.code == "E42"
    assert '"no"' in str(failed)


@pytest.mark.parametrize(
    ("said", "code"),
    [
        ("Error executing tool get: 2 validation errors for getArguments\nname\n  ...", -32602),
        ("1 validation error for call[get]\nname\n  Missing required argument", -32602),
        ("Error calling tool 'get': 1 validation error for call[get]\nname", -32602),
        ("MCP error -32602: Input validation error: Invalid arguments for tool get", -32602),
        ("MCP error -32603: it broke", -32603),
        ("Error executing tool get: 1 validation error for Invoice\ntotal\n  ...", None),
        ("It said: MCP error -32602: no", None),
    ],
)
def test_where_an_sdk_has_refused_the_arguments_its_words_are_a_code(said, code):
    assert read_failure({**text(said), "isError": True}).code == code


def test_what_we_add_is_a_part_of_its_own_that_says_so():
    raw = b'{"z":1.0,"content":[{"type":"text","text":"x"}],"a":2}'

    noted = add_notes(raw, ["Try this.", ""])

    assert noted.startswith(b'{"z":1.0,"content":[{"type":"text","text":"x"},{')
    assert json.loads(noted)["content"][1] == {
        "type": "text",
        "text": "Try this.",
        "_meta": {"mulligan/note": True},
    }
    assert add_notes(raw, []) == raw
    assert json.loads(add_notes(b"{}", ["x"]))["content"][0]["text"] == "x"


def test_a_result_of_our_own_says_the_same_in_both_forms():
    made = json.loads(build_result({"a": 1}, modern=False))

    assert made == {**text('{"a":1}'), "structuredContent": {"a": 1}}
    assert json.loads(build_result("no", failed=True, modern=False))["isError"] is True
    assert "resultType" not in made
    assert json.loads(build_result("yes", modern=True))["resultType"] == "complete"
