"""Forms that no library here writes: these files are made from their documentation."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from pathlib import Path

import pytest

from mulligan_replay.reading import ReadAccount, read_files
from mulligan_replay.trace import TracedTurn

START, END = "2026-11-18T09:00:00Z", "2026-11-18T09:00:02Z"
GIVEN, CAME = {"order_id": "77"}, {"state": "open"}

ANTHROPIC = [
    {
        "request": {
            "model": "claude",
            "system": "Be kind.",
            "tools": [{"name": "find_order", "input_schema": {"type": "object"}}],
            "messages": [
                {"role": "user", "content": "Where is order 77?"},
                {
                    "role": "assistant",
                    "content": [
                        {"type": "text", "text": "I look."},
                        {"type": "tool_use", "id": "t1", "name": "find_order", "input": GIVEN},
                    ],
                },
                {
                    "role": "user",
                    "content": [
                        {"type": "tool_result", "tool_use_id": "t1", "content": json.dumps(CAME)}
                    ],
                },
            ],
        },
        "response": {
            "id": "msg_1",
            "type": "message",
            "role": "assistant",
            "content": [{"type": "text", "text": "It is open."}],
        },
    }
]
LANGSMITH = [
    {
        "id": "r2",
        "trace_id": "r1",
        "parent_run_id": "r1",
        "name": "find_order",
        "run_type": "tool",
        "start_time": START,
        "end_time": END,
        "inputs": GIVEN,
        "outputs": CAME,
        "error": None,
    },
    {
        "id": "r1",
        "trace_id": "r1",
        "parent_run_id": None,
        "name": "desk",
        "run_type": "chain",
        "start_time": START,
        "end_time": END,
        "inputs": {"messages": [{"role": "user", "content": "Where is order 77?"}]},
        "outputs": {"messages": [{"type": "ai", "content": "It is open."}]},
        "feedback": [{"key": "user", "score": 0}],
    },
]
LANGFUSE = [
    {
        "id": "o2",
        "traceId": "t1",
        "parentObservationId": "o1",
        "type": "TOOL",
        "name": "find_order",
        "startTime": START,
        "endTime": END,
        "input": GIVEN,
        "output": CAME,
        "level": "DEFAULT",
    },
    {
        "id": "o1",
        "traceId": "t1",
        "type": "AGENT",
        "name": "desk",
        "startTime": START,
        "endTime": END,
        "input": [{"role": "user", "content": "Where is order 77?"}],
        "output": {"role": "assistant", "content": "It is open."},
    },
]
OPENLLMETRY = [
    {
        "traceId": "a" * 32,
        "spanId": "2",
        "parentSpanId": "1",
        "name": "find_order.tool",
        "startTimeUnixNano": "1794992400000000000",
        "endTimeUnixNano": "1794992402000000000",
        "attributes": {
            "traceloop.span.kind": "tool",
            "traceloop.entity.name": "find_order",
            "traceloop.entity.input": json.dumps(GIVEN),
            "traceloop.entity.output": json.dumps(CAME),
        },
    },
    {
        "traceId": "a" * 32,
        "spanId": "1",
        "name": "openai.chat",
        "startTimeUnixNano": "1794992400000000000",
        "endTimeUnixNano": "1794992402000000000",
        "attributes": {
            "gen_ai.prompt.0.role": "user",
            "gen_ai.prompt.0.content": "Where is order 77?",
            "gen_ai.prompt.1.role": "assistant",
            "gen_ai.prompt.1.tool_calls.0.id": "c1",
            "gen_ai.prompt.1.tool_calls.0.name": "find_order",
            "gen_ai.prompt.1.tool_calls.0.arguments": json.dumps(GIVEN),
            "gen_ai.prompt.2.role": "tool",
            "gen_ai.prompt.2.tool_call_id": "c1",
            "gen_ai.prompt.2.content": json.dumps(CAME),
            "gen_ai.completion.0.role": "assistant",
            "gen_ai.completion.0.content": "It is open.",
            "gen_ai.usage.prompt_tokens": 12,
            "gen_ai.usage.completion_tokens": 3,
        },
    },
]

LOGFIRE = [
    {
        "trace_id": "b" * 32,
        "span_id": "2",
        "parent_span_id": "1",
        "span_name": "running tool",
        "start_timestamp": START,
        "end_timestamp": END,
        "otel_status_code": "UNSET",
        "attributes": {
            "gen_ai.tool.name": "find_order",
            "tool_arguments": json.dumps(GIVEN),
            "tool_response": json.dumps(CAME),
        },
    },
    {
        "trace_id": "b" * 32,
        "span_id": "1",
        "parent_span_id": None,
        "span_name": "agent run",
        "start_timestamp": START,
        "end_timestamp": END,
        "attributes": {
            "agent_name": "desk",
            "gen_ai.operation.name": "invoke_agent",
            "pydantic_ai.all_messages": [
                {"role": "user", "parts": [{"type": "text", "content": "Where is order 77?"}]},
                {"role": "assistant", "parts": [{"type": "text", "content": "It is open."}]},
            ],
        },
    },
]
CODING_AGENT = [
    {
        "type": kind,
        "sessionId": "s1",
        "timestamp": START,
        "message": {"role": kind, "content": content},
    }
    for kind, content in (
        ("user", "Where is order 77?"),
        ("assistant", [{"type": "tool_use", "id": "t1", "name": "find_order", "input": GIVEN}]),
        ("user", [{"type": "tool_result", "tool_use_id": "t1", "content": json.dumps(CAME)}]),
        ("assistant", [{"type": "text", "text": "It is open."}]),
    )
]


def read(folder: Path, *values: object) -> tuple[list[TracedTurn], ReadAccount]:
    path, account = folder / "export.jsonl", ReadAccount()
    path.write_text("".join(f"{json.dumps(value)}\n" for value in values))
    found = list(read_files([path], account))
    return [each for each in found if isinstance(each, TracedTurn)], account


DOCUMENTED = {
    "anthropic": ANTHROPIC,
    "langsmith": LANGSMITH,
    "langfuse": LANGFUSE,
    "openllmetry": OPENLLMETRY,
    "logfire": LOGFIRE,
    "coding agent": CODING_AGENT,
}


@pytest.mark.parametrize("values", DOCUMENTED.values(), ids=DOCUMENTED)
def test_a_documented_form_is_read(tmp_path, values):
    (turn,), account = read(tmp_path, *values)

    assert (turn.message, turn.reply) == ("Where is order 77?", "It is open.")
    (call,) = turn.calls
    assert (call.tool, call.arguments, call.error) == ("find_order", GIVEN, None)
    assert call.result in (CAME, json.dumps(CAME))
    assert not account.unread
    assert not account.parts


def test_a_score_of_langsmith_judges_its_turn(tmp_path):
    (turn,), _ = read(tmp_path, *LANGSMITH)

    assert turn.correct is False


def test_an_error_of_langfuse_is_flagged(tmp_path):
    tool = {**LANGFUSE[0], "level": "ERROR", "statusMessage": "no such order", "output": None}

    (turn,), _ = read(tmp_path, tool, LANGFUSE[1])

    assert turn.calls[0].error == "no such order"


def ask(text: str, *calls: str) -> list[dict[str, object]]:
    """A conversation of one request."""
    said: list[dict[str, object]] = [{"role": "user", "content": text}]
    for number, tool in enumerate(calls):
        call = {"id": f"c{number}", "function": {"name": tool, "arguments": "{}"}}
        said.append({"role": "assistant", "content": None, "tool_calls": [call]})
        said.append({"role": "tool", "tool_call_id": f"c{number}", "content": "ok"})
    return said


def test_two_runs_that_begin_alike_are_two_where_they_have_ids(tmp_path):
    short, long = ask("Book it", "find"), ask("Book it", "find", "book")

    turns, _ = read(tmp_path, {"id": "a", "messages": short}, {"id": "b", "messages": long})

    assert [[call.tool for call in turn.calls] for turn in turns] == [["find"], ["find", "book"]]


def test_a_log_that_tells_a_conversation_again_and_again_is_one(tmp_path):
    whole = ask("Book it", "find", "book")
    records = [{"messages": whole[:end]} for end in (1, 3, 5)]

    (turn,), _ = read(tmp_path, *records)

    assert [call.tool for call in turn.calls] == ["find", "book"]


def log_requests(text: str, *calls: str) -> list[dict[str, object]]:
    """A record a request, each with an id of its own, as gateways to models write them."""
    whole = ask(text, *calls)
    messages = [*whole, {"role": "assistant", "content": "Done."}]
    return [
        {
            "id": f"chatcmpl-{text}-{end}",
            "session_id": "",
            "startTime": 1_700_000_000.5 + end,
            "messages": messages[:end],
            "response": {"choices": [{"message": {**messages[end], "function_call": None}}]},
        }
        for end in range(1, len(messages), 2)
    ]


def test_requests_with_ids_of_their_own_are_one_conversation(tmp_path):
    (turn,), _ = read(tmp_path, *log_requests("Book it", "find", "book"))

    assert [(call.tool, call.answered) for call in turn.calls] == [("find", True), ("book", True)]
    assert turn.reply == "Done."


def test_conversations_whose_requests_come_in_turn_stay_apart(tmp_path):
    alike = log_requests("Book it", "find", "book"), log_requests("Book it", "ask", "book")

    turns, _ = read(tmp_path, *(record for pair in zip(*alike, strict=True) for record in pair))

    assert [[call.tool for call in turn.calls] for turn in turns] == [
        ["find", "book"],
        ["ask", "book"],
    ]


def test_what_was_said_last_was_said_when_the_model_was_asked(tmp_path):
    talk = [*ask("Find it", "find"), {"role": "assistant", "content": "Found."}]
    answered = {"choices": [{"message": {"role": "assistant", "content": "Booked."}}]}
    record = {
        "startTime": 1_700_000_000,
        "messages": [*talk, *ask("Book it", "book")],
        "response": answered,
    }

    (first, second), _ = read(tmp_path, record)

    assert first.at is None  # it was said before, and nobody knows when
    assert second.at == datetime(2023, 11, 14, 22, 13, 20, tzinfo=UTC)


def test_a_whole_conversation_says_nothing_of_when_it_was_said(tmp_path):
    (turn,), _ = read(tmp_path, {"created_at": START, "messages": ask("Book it", "book")})

    assert turn.at is None


def test_an_empty_file_is_said_to_be_empty(tmp_path):
    path = tmp_path / "runs.jsonl"
    path.touch()
    account = ReadAccount()

    assert list(read_files([path], account)) == []
    assert account.unread == {"the file is empty": 1}


def test_every_request_of_a_conversation_is_a_turn_that_knows_those_before(tmp_path):
    talk = [
        *ask("Find it", "find"),
        {"role": "assistant", "content": "Found."},
        *ask("Book it", "book"),
    ]

    first, second = read(tmp_path, {"messages": talk})[0]

    assert (first.message, second.message) == ("Find it", "Book it")
    assert [call.tool for call in second.calls] == ["book"]
    assert len(first.before) == 0
    assert len(second.before) == 3


def test_what_is_in_no_known_form_is_counted_with_its_place(tmp_path):
    turns, account = read(tmp_path, {"weather": "sun"}, {"messages": ask("Hi", "find")}, {"x": 1})

    assert len(turns) == 1
    assert account.unread == {"in no known form": 2}
    places = [each.where for each in account.examples]
    assert places == ["export.jsonl, line 1", "export.jsonl, line 3"]


def test_sessions_that_are_written_into_one_file_stay_apart(tmp_path):
    other = [{**each, "sessionId": "s2"} for each in CODING_AGENT]
    mixed = [each for pair in zip(CODING_AGENT, other, strict=True) for each in pair]

    turns, account = read(tmp_path, *mixed)

    assert [len(turn.calls) for turn in turns] == [1, 1]
    assert all(turn.calls[0].answered for turn in turns)
    assert not account.parts
