"""The framework of a trace, and the lines that `mulligan init` writes for it."""

from __future__ import annotations

import asyncio
import inspect
import json

import pytest

from mulligan.cli.main import main
from mulligan_replay import hosts
from mulligan_replay.hosts import HOSTS
from tests.replay import made

BY_HOST = {
    made.pydantic_ai_messages: "pydantic-ai",
    made.otlp_json: "pydantic-ai",
    made.sdk_spans: "pydantic-ai",
    made.langchain_dicts: "langchain",
    made.langgraph_state: "langchain",
    made.langgraph_checkpoints: "langchain",
    made.openai_agents_session: "openai-agents",
    made.openai_agents_trace: "openai-agents",
    made.mcp_log: "fastmcp",
}


@pytest.mark.full
@pytest.mark.filterwarnings("default")
@pytest.mark.parametrize("write", BY_HOST, ids=lambda write: write.__name__)
def test_the_framework_is_recognised_in_its_own_files(write, tmp_path, capfd):
    path = write(tmp_path)
    path = asyncio.run(path) if inspect.iscoroutine(path) else path
    capfd.readouterr()

    assert main(["init", str(path), "--json"]) == 0

    assert json.loads(capfd.readouterr().out)["host"] == BY_HOST[write]


@pytest.mark.parametrize("host", HOSTS)
def test_the_lines_run_as_they_are(host, tmp_path, capfd):
    call = {"tool": "send_email", "arguments": {"to": "x"}, "result": "sent"}
    odd = {"tool": 'send_"); import os; ("', "arguments": {}, "result": "sent"}
    trace = tmp_path / "own.jsonl"
    trace.write_text(json.dumps({"mulligan": "turn", "message": "x", "calls": [call, odd]}))
    written = tmp_path / "with_mulligan.py"
    store = f"sqlite:///{tmp_path / 'app.db'}"
    options = ["--host", host, "--store", store, "-o", str(written)]

    assert main(["init", str(trace), *options]) == 0

    lines = written.read_text()
    assert "m.declare('send_email', effect=\"irreversible\")" in lines
    assert "import os" not in lines
    held: dict[str, object] = {}
    exec(compile(lines, str(written), "exec"), held)
    assert hasattr(held["m"], HOSTS[host][1].partition("m.")[2].partition("(")[0])
    held["m"].close()
    capfd.readouterr()


def test_a_file_that_is_there_is_not_written_over(tmp_path, capfd):
    written = tmp_path / "mine.py"
    written.write_text("print('mine')")

    assert main(["init", "--host", "langchain", "-o", str(written)]) == 2

    assert written.read_text() == "print('mine')"
    assert "is there already" in capfd.readouterr().err


def test_a_guess_by_what_is_installed_says_so_and_asks_for_nothing_that_is_there(
    monkeypatch, capsys
) -> None:
    monkeypatch.setattr(hosts, "find_spec", lambda name: name if name == "pydantic_ai" else None)

    assert main(["init"]) == 0
    guessed = capsys.readouterr().out
    assert main(["init", "--host", "langchain"]) == 0
    named = capsys.readouterr().out

    assert "# For pydantic-ai, the only framework installed here; --host names another." in guessed
    assert "pip install" not in guessed
    assert 'pip install "mulligan[langchain]"' in named
    assert "# For" not in named
