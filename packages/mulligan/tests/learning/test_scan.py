from __future__ import annotations

import pytest

from mulligan.learning.model_output import find_written

TOOLS = ("find", "drop")


def read(text: str) -> list[tuple[str, object]]:
    return [(call.name, call.arguments or call.values) for call in find_written(text, TOOLS)]


@pytest.mark.parametrize(
    "written",
    [
        "Action: find\nAction Input: {'id': 1}\nAction: find\nAction Input: {'id': 2}",
        "```tool_call\nfind(id=1)\n```\n```tool_call\nfind(id=2)\n```",
        "First:\n```json\n{'name': 'find', 'arguments': {'id': 1}}\n```\nThen:\nfind(id=2)",
        "I call find(id=1), then find(id=2).",
    ],
)
def test_every_call_is_read_in_its_order(written: str) -> None:
    assert read(written) == [("find", {"id": 1}), ("find", {"id": 2})]


def test_calls_after_a_refusal_are_refused_with_it_until_someone_speaks_again() -> None:
    assert read("Never run this:\ndrop(id=1)\ndrop(id=2)\nI look:\nfind(id=3)") == [
        ("find", {"id": 3})
    ]


@pytest.mark.parametrize("name", ["staging:drop", "bulk-drop", "staging/drop", "undo.drop"])
def test_the_whole_name_is_read(name: str) -> None:
    assert [call.name for call in find_written(f"{name}(id=1)", TOOLS)] == [name]


@pytest.mark.parametrize(
    "written",
    [
        'find(text="first line\ndrop(id=1)\nand it breaks off',
        '{"name": "find", "arguments": {"text": "first line\ndrop(id=1)\nand it',
    ],
)
def test_nothing_is_read_out_of_a_call_that_cannot_be_read(written: str) -> None:
    assert read(written) == []


def test_a_piece_of_an_argument_that_broke_at_a_quote_is_a_doubt() -> None:
    [call] = find_written('find(text="He said "no", then\ndrop(id=1)\n")', TOOLS)

    assert (call.name, len(call.doubts)) == ("find", 1)


def test_a_line_of_input_is_one_value_and_a_doubt_if_it_may_be_two() -> None:
    [one] = find_written("Action: find\nAction Input: W1", TOOLS)
    [two] = find_written("Action: find\nAction Input: W1, 5", TOOLS)

    assert (one.values, one.doubts) == (("W1",), ())
    assert two.doubts == ("'W1, 5' may be one value or several",)


def test_a_name_that_the_text_assigns_is_no_value() -> None:
    [call] = find_written("order = 'W1'\nfind(id=order)", TOOLS)

    assert call.doubts == ("'order' names a variable, and not its value",)


def test_what_follows_a_call_in_the_same_expression_is_a_doubt() -> None:
    [call] = find_written("drop(id=1).preview()", TOOLS)

    assert call.doubts == ("'.preview(' follows it, and is not read",)


def test_a_stranger_is_kept_in_a_list_with_tools_and_dropped_elsewhere() -> None:
    assert [name for name, _ in read("[find(id=1), moon(day=3)]")] == ["find", "moon"]
    assert [name for name, _ in read("x = find(id=1)\nprint(x)")] == ["find"]
