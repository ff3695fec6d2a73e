import json

import pytest
from msgspec import Raw

from mulligan_gateway.peers import APPROVAL, read_approval, read_call
from mulligan_gateway.protocol import Frame


def read(params: object, *, intent: bool = False):
    raw = Raw(json.dumps(params).encode())
    return read_call(Frame(id=Raw(b"1"), method="tools/call", params=raw), intent=intent)


def test_a_call_is_read_with_what_its_client_says_to_us():
    asked = read({"name": "t", "arguments": {"a": 1}, "_meta": {"mulligan/message": "Hi."}})

    assert (asked.name, asked.arguments, asked.message) == ("t", {"a": 1}, "Hi.")


def test_a_stated_intent_is_no_argument_where_it_is_asked_for():
    params = {"name": "t", "arguments": {"a": 1, "why_this_call": "to see"}}

    assert read(params, intent=True).arguments == {"a": 1}
    assert read(params, intent=True).message == "to see"
    assert "why_this_call" in read(params).arguments


@pytest.mark.parametrize("params", [{}, {"name": ""}, {"name": 7}, {"name": "t", "arguments": []}])
def test_what_names_no_tool_is_no_call(params):
    assert read(params) is None


def test_a_persons_word_is_heard_only_where_it_was_asked_for():
    answer = {"action": "accept", "content": {"approve": True}}
    given = {"name": "t", "inputResponses": {APPROVAL: answer}}

    assert read({**given, "requestState": f"{APPROVAL}.x"}).approved is True
    assert read({**given, "requestState": APPROVAL}).approved is None
    assert read({**given, "requestState": "theirs"}).approved is None


def test_only_a_clear_yes_is_one():
    assert read_approval({"action": "accept", "content": {"approve": True}}) is True
    assert read_approval({"action": "accept", "content": {"approve": "yes"}}) is False
    assert read_approval({"action": "decline"}) is False
    assert read_approval({"action": "cancel"}) is None
    assert read_approval({"error": {}}) is None
