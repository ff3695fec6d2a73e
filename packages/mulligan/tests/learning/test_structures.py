from __future__ import annotations

import pytest

from mulligan.learning.model_output import (
    WrittenCall,
    decode_arguments,
    find_calls,
    from_named,
)
from mulligan.learning.parsing import Formula, Named

TOOLS = ("find",)
CALL = {"name": "find", "arguments": {"id": "7"}}


@pytest.mark.parametrize(
    "held",
    [
        [CALL],
        ["find", {"id": "7"}],
        {"find": '{"id": "7"}'},
        {"tool_calls": [{"id": "1", "type": "function", "function": CALL}], "role": "assistant"},
        {"type": "tool_use", "id": "t", "name": "find", "input": {"id": "7"}},
        {"recipient_name": "find", "parameters": {"id": "7"}},
        {"answer": [CALL]},
    ],
)
def test_a_call_is_found_in_the_structures_that_hold_calls(held: object) -> None:
    assert list(find_calls(held, TOOLS)) == [WrittenCall("find", {"id": "7"})]


@pytest.mark.parametrize(
    "held",
    [
        {"example": CALL},
        {"rejected": [CALL]},
        {"history": [CALL], "text": "nothing to do"},
        {"name": "find", "parameters": {"type": "object", "properties": {"id": {}}}},
    ],
)
def test_what_is_shown_remembered_or_defined_is_no_call(held: object) -> None:
    assert list(find_calls(held, TOOLS)) == []


def test_what_stands_beside_the_arguments_is_a_doubt_and_a_remark_is_none() -> None:
    [guarded] = find_calls({**CALL, "dry_run": True}, TOOLS)
    [remarked] = find_calls({**CALL, "id": "c1", "thought": "look first"}, TOOLS)

    assert guarded.doubts == ("dry_run=True stands beside its arguments",)
    assert remarked.doubts == ()


def test_an_expression_anywhere_in_the_arguments_is_a_doubt() -> None:
    call = from_named(Named("find", keywords={"ids": [Formula("f'{a}'")]}))

    assert call.doubts == ("\"f'{a}'\" is an expression, and not a value",)


def test_arguments_may_be_text() -> None:
    assert decode_arguments("{'id': 7,}") == {"id": 7}
    assert decode_arguments("seven") is None
