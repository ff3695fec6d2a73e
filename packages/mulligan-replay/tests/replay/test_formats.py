"""Files of the real libraries, made here and read again."""

from __future__ import annotations

import ast
import asyncio
import gzip
import inspect
import json
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest
from msgspec import msgpack
from msgspec.structs import replace

from mulligan.codec import encode_plain
from mulligan_replay.reading import ReadAccount, read_files
from mulligan_replay.trace import TracedTool, TracedTurn
from tests.replay import made

pytestmark = [pytest.mark.full, pytest.mark.filterwarnings("default")]

FLAGGED = [
    made.pydantic_ai_messages,
    made.otlp_json,
    made.otlp_json_old,
    made.otlp_protobuf,
    made.otlp_collector,
    made.sdk_spans,
    made.langchain_dicts,
    made.langchain_dumped,
    made.langgraph_state,
    made.langgraph_checkpoints,
    made.openai_agents_trace,
    made.mcp_log,
]
"""Forms that say of a call that it failed."""
UNFLAGGED = [made.openai_chat, made.openai_responses, made.openai_agents_session]
"""Forms in which a failure is a result like any other."""
WITH_TIMES = [
    made.pydantic_ai_messages,
    made.otlp_json,
    made.otlp_json_old,
    made.sdk_spans,
    made.langgraph_checkpoints,
]


def make(write, folder: Path) -> Path:
    path = write(folder)
    return asyncio.run(path) if inspect.iscoroutine(path) else path


def read(path: Path) -> tuple[list[TracedTurn], list[TracedTool], ReadAccount]:
    account = ReadAccount()
    found = list(read_files([path], account))
    turns = [each for each in found if isinstance(each, TracedTurn)]
    return turns, [each for each in found if isinstance(each, TracedTool)], account


@pytest.mark.parametrize("write", [*FLAGGED, *UNFLAGGED], ids=lambda write: write.__name__)
def test_a_file_of_a_real_library_is_read(write, tmp_path):
    path = make(write, tmp_path)

    (turn,), _, account = read(path)

    assert [(call.tool, dict(call.arguments)) for call in turn.calls] == made.STEPS
    assert all(call.answered for call in turn.calls)
    assert as_value(turn.calls[1].result) == {"order_id": "#77", "state": "open"}
    if write not in (made.mcp_log, made.openai_agents_trace):
        assert (turn.message, turn.reply) == (made.ASKED, made.REPLY)
    assert sum(account.read.values()) + sum(account.unread.values()) == account.values
    assert not account.unread
    assert not account.parts


@pytest.mark.parametrize("write", FLAGGED, ids=lambda write: write.__name__)
def test_a_failure_that_is_flagged_is_read_as_one(write, tmp_path):
    (turn,), _, _ = read(make(write, tmp_path))

    failed, *others = turn.calls

    assert made.REFUSED in (failed.error or "")
    assert [call.error for call in others] == [None, None]


@pytest.mark.parametrize("write", UNFLAGGED, ids=lambda write: write.__name__)
def test_a_failure_that_is_not_flagged_stays_a_result(write, tmp_path):
    (turn,), _, _ = read(make(write, tmp_path))

    assert turn.calls[0].error is None
    assert made.REFUSED in str(turn.calls[0].result)


@pytest.mark.parametrize("write", WITH_TIMES, ids=lambda write: write.__name__)
def test_times_are_read(write, tmp_path):
    (turn,), _, _ = read(make(write, tmp_path))

    assert turn.at is not None
    assert all(call.at is not None and call.seconds is not None for call in turn.calls)


@pytest.mark.parametrize(
    "write", [made.otlp_json, made.openai_chat, made.openai_responses, made.mcp_log]
)
def test_what_a_file_says_of_tools_is_read(write, tmp_path):
    _, tools, _ = read(make(write, tmp_path))

    assert {tool.name for tool in tools} == {"find_order", "cancel_order"}
    assert all("order_id" in tool.schema["properties"] for tool in tools)


def test_annotations_of_mcp_are_read(tmp_path):
    _, tools, _ = read(make(made.mcp_log, tmp_path))

    assert {tool.name: (tool.read_only, tool.destructive) for tool in tools} == {
        "find_order": (True, None),
        "cancel_order": (None, True),
    }


def test_a_thread_is_read_while_its_program_still_writes_to_it(tmp_path):
    from langgraph.checkpoint.sqlite import SqliteSaver

    path = tmp_path / "threads.db"
    with SqliteSaver.from_conn_string(str(path)) as saver:
        made.run_langchain(saver)
        (turn,), _, account = read(path)

    assert len(turn.calls) == len(made.STEPS)
    assert account.read == {"LangChain messages": 8}


def test_an_object_in_a_checkpoint_is_not_made(tmp_path):
    path = made.langgraph_checkpoints(tmp_path)
    state = ("os", "system", f"touch {tmp_path / 'made'}", "fromisoformat")
    held = {"messages": [msgpack.Ext(code, msgpack.encode(state)) for code in range(9)]}
    with closing(sqlite3.connect(path)) as db:
        blob = msgpack.encode({"ts": "2031-05-08T10:00:00+00:00", "channel_values": held})
        db.execute("UPDATE checkpoints SET checkpoint = ?", [blob])
        db.execute("UPDATE checkpoints SET type = 'msgpack+aes' WHERE rowid = 1")
        db.commit()

    turns, _, account = read(path)

    assert not turns
    assert not (tmp_path / "made").exists()
    assert account.unread["a checkpoint that is encrypted, or has no state"] == 1


def test_what_was_read_is_written_and_read_in_our_own_form(tmp_path):
    (turn,), tools, _ = read(made.otlp_json(tmp_path))
    lines = [{"mulligan": "tool", **encode(tool)} for tool in tools]
    path = made.write_lines(tmp_path / "own.jsonl", [*lines, {"mulligan": "turn", **encode(turn)}])

    again, known, account = read(path)

    assert again == [replace(turn, where="own.jsonl, line 3")]
    assert known == tools
    assert account.read == {"our own form": 3}


def test_a_compressed_file_is_read_as_it_is(tmp_path):
    plain = made.pydantic_ai_messages(tmp_path)
    packed = tmp_path / "messages.json.gz"
    packed.write_bytes(gzip.compress(plain.read_bytes()))

    (turn,), _, _ = read(packed)

    assert len(turn.calls) == 3


def as_value(result):
    """openai-agents writes a dict down as Python prints it."""
    if not isinstance(result, str):
        return result
    return ast.literal_eval(result) if "'" in result else json.loads(result)


def encode(value):
    return json.loads(encode_plain(value))
