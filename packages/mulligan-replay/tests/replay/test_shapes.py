"""Files of libraries that replay does not name, as these wrote them: smolagents 1.26, haystack 3.4,
autogen-agentchat 0.7.5, llama-index 0.14, agno 3.1, dspy 3.4, strands-agents 1.62; and a log of
somebody's own.
"""

from __future__ import annotations

import json

import pytest

from mulligan_replay.reading import ReadAccount, read_files
from mulligan_replay.trace import TracedTurn
from tests.replay import made

ASKED = "Cancel my order 77, please."
GIVEN = {"order_id": "77"}
REFUSED = "order_id must begin with #"


def call(number: int, **more: object) -> dict[str, object]:
    return {"id": f"c{number}", "function": {"name": "find_order", "arguments": GIVEN}, **more}


SMOLAGENTS = [
    {"task": ASKED, "task_images": None},
    {
        "step_number": 1,
        "model_input_messages": [{"role": "user", "content": "The whole prompt again"}],
        "tool_calls": [],
        "error": {"type": "AgentToolExecutionError", "message": REFUSED},
        "model_output_message": {"role": "assistant", "content": "", "tool_calls": [call(0)]},
        "observations": None,
    },
    {"step_number": 2, "tool_calls": [call(1)], "error": None, "observations": "open"},
]
HAYSTACK = [
    {"role": "user", "meta": {}, "content": [{"text": ASKED}]},
    *(
        {"role": role, "content": [held]}
        for number, (error, came) in enumerate(((True, REFUSED), (False, "open")))
        for origin in [{"tool_name": "find_order", "arguments": GIVEN, "id": f"c{number}"}]
        for role, held in (
            ("assistant", {"tool_call": origin}),
            ("tool", {"tool_call_result": {"result": came, "origin": origin, "error": error}}),
        )
    ),
]
AUTOGEN = [
    {"source": "user", "content": ASKED, "type": "TextMessage"},
    *(
        {"source": "desk", "content": [held], "type": kind}
        for number, (error, came) in enumerate(((True, REFUSED), (False, "open")))
        for kind, held in (
            (
                "ToolCallRequestEvent",
                {"id": f"c{number}", "arguments": json.dumps(GIVEN), "name": "find_order"},
            ),
            (
                "ToolCallExecutionEvent",
                {
                    "content": came,
                    "name": "find_order",
                    "call_id": f"c{number}",
                    "is_error": error,
                },
            ),
        )
    ),
]
AUTOGEN_STATE = {"type": "AssistantAgentState", "llm_context": {"messages": AUTOGEN}}
OWN_LOG = {
    "question": ASKED,
    "steps": [
        {"tool": "find_order", "args": GIVEN, "error": REFUSED},
        {"tool": "find_order", "args": GIVEN, "result": "open"},
    ],
    "answer": "It is open.",
}
LLAMA_INDEX = [
    {"role": "user", "additional_kwargs": {}, "blocks": [{"block_type": "text", "text": ASKED}]},
    *(
        each
        for number, came in enumerate((f"Error: {REFUSED}", "open"))
        for each in (
            {"role": "assistant", "additional_kwargs": {"tool_calls": [call(number)]}},
            {
                "role": "tool",
                "additional_kwargs": {"tool_call_id": f"c{number}"},
                "blocks": [{"block_type": "text", "text": came}],
            },
        )
    ),
]
AGNO = {
    "run_id": "r1",
    "messages": [
        {"role": "user", "content": ASKED, "created_at": 1795052569},
        *(
            each
            for number, (error, came) in enumerate(((True, REFUSED), (False, "open")))
            for each in (
                {
                    "role": "assistant",
                    "tool_calls": [
                        {
                            "id": f"t{number}",
                            "type": "function",
                            "function": {"name": "find_order", "arguments": json.dumps(GIVEN)},
                        }
                    ],
                },
                {
                    "role": "tool",
                    "content": came,
                    "tool_call_id": f"t{number}",
                    "tool_name": "find_order",
                    "tool_args": GIVEN,
                    "tool_call_error": error,
                },
            )
        ),
    ],
}
DSPY = {
    "question": ASKED,
    "trajectory": {
        f"{name}_{number}": value
        for number, came in enumerate((f"Execution error in find_order: {REFUSED}", "open"))
        for name, value in (
            ("thought", "Go on."),
            ("tool_name", "find_order"),
            ("tool_args", GIVEN),
            ("observation", came),
        )
    },
    "answer": "It is open.",
}
STRANDS = [
    {"role": "user", "content": [{"text": ASKED}]},
    *(
        each
        for number, (status, came) in enumerate((("error", REFUSED), ("success", "open")))
        for key in [f"t{number}"]
        for each in (
            {
                "role": "assistant",
                "content": [{"toolUse": {"toolUseId": key, "name": "find_order", "input": GIVEN}}],
            },
            {
                "role": "user",
                "content": [
                    {
                        "toolResult": {
                            "toolUseId": key,
                            "status": status,
                            "content": [{"text": came}],
                        }
                    }
                ],
            },
        )
    ),
]
FLAGGED = {
    "smolagents": SMOLAGENTS,
    "smolagents-result": [{"output": "Done.", "state": "success", "steps": SMOLAGENTS}],
    "haystack": HAYSTACK,
    "autogen": AUTOGEN,
    "autogen-state": [AUTOGEN_STATE],
    "own": [OWN_LOG],
    "agno": [AGNO],
    "strands": [STRANDS],
}


def read(path) -> tuple[TracedTurn, ReadAccount]:
    account = ReadAccount()
    (turn,) = (each for each in read_files([path], account) if isinstance(each, TracedTurn))
    return turn, account


@pytest.mark.parametrize("values", FLAGGED.values(), ids=FLAGGED)
def test_calls_are_read_by_their_shape(values, tmp_path):
    turn, account = read(made.write_lines(tmp_path / "file.jsonl", values))

    assert turn.message == ASKED
    assert [(each.tool, dict(each.arguments)) for each in turn.calls] == [("find_order", GIVEN)] * 2
    assert [each.error for each in turn.calls] == [REFUSED, None]
    assert turn.calls[1].result == "open"
    assert not account.unread
    assert not account.parts


def test_a_conversation_with_a_file_for_each_message_is_one_in_its_order(tmp_path):
    for number, message in enumerate(STRANDS * 3):
        held = {"message": message, "message_id": number, "created_at": "2026-11-19T01:41:29+00:00"}
        made.write_json(tmp_path / f"message_{number}.json", held)
    account = ReadAccount()

    turns = list(read_files(sorted(tmp_path.iterdir()), account))

    assert [(turn.message, len(turn.calls)) for turn in turns] == [(ASKED, 2)] * 3
    assert [call.error for call in turns[2].calls] == [REFUSED, None]
    assert not account.parts


def test_files_of_one_message_in_two_folders_are_two_conversations(tmp_path):
    paths = []
    for name in ("a", "b"):
        (tmp_path / name).mkdir()
        paths.append(made.write_json(tmp_path / name / "0.json", STRANDS[0]))

    turns = list(read_files(paths, ReadAccount()))

    assert [turn.before for turn in turns] == [(), ()]


def test_steps_under_numbered_names_are_calls(tmp_path):
    turn, account = read(made.write_json(tmp_path / "file.json", DSPY))

    assert turn.message == ASKED
    assert [(each.tool, dict(each.arguments)) for each in turn.calls] == [("find_order", GIVEN)] * 2
    assert REFUSED in turn.calls[0].result
    assert turn.calls[1].result == "open"
    assert turn.reply == "It is open."
    assert not account.parts


def test_a_failure_without_a_flag_stays_a_result(tmp_path):
    turn, _ = read(made.write_json(tmp_path / "file.json", LLAMA_INDEX))

    assert turn.message == ASKED
    assert [each.result for each in turn.calls] == [f"Error: {REFUSED}", "open"]


@pytest.mark.parametrize(
    "value",
    [
        {"level": "info", "message": "started", "args": {"port": 80}},
        {"name": "http.request", "input": {"path": "/"}},
        {"results": [{"id": "1", "name": "A page", "content": "Words"}]},
        {"task": "index", "state": "done", "seconds": 3},
    ],
)
def test_a_line_of_another_log_is_no_call(value, tmp_path):
    account = ReadAccount()

    found = list(read_files([made.write_lines(tmp_path / "file.jsonl", [value])], account))

    assert not found
    assert account.unread == {"in no known form": 1}


def test_a_block_of_the_agent_that_says_nothing_known_is_counted(tmp_path):
    drawn = [{"type": "picture", "url": "a.png"}, {"type": "thinking", "thinking": "Hm."}]
    talk = [
        {"role": "user", "content": ASKED},
        {"role": "assistant", "content": drawn},
        {"role": "assistant", "content": "Here."},
    ]

    turn, account = read(made.write_lines(tmp_path / "file.jsonl", talk))

    assert turn.reply == "Here."
    assert account.parts == {"1 parts of messages that are neither text nor calls": 1}
