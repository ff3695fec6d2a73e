from __future__ import annotations

import json
import urllib.request
from pathlib import Path
from typing import Any

from mulligan_testing.scripted_claude import ROUNDABOUT, ScriptedClaude


def ask(claude: ScriptedClaude, path: str = "/v1/messages", **request: Any) -> str:
    url = claude.build_environment("/home")["ANTHROPIC_BASE_URL"] + path
    body = json.dumps({"model": "m", "messages": [], **request}).encode()
    with urllib.request.urlopen(urllib.request.Request(url, data=body)) as answer:
        return answer.read().decode()


def test_every_request_takes_the_next_step_of_the_script() -> None:
    with ScriptedClaude([("move", {"day": "Friday"}), "Moved."]) as claude:
        first, second, third = (json.loads(ask(claude)) for _ in range(3))

    assert (first["content"][0]["name"], first["stop_reason"]) == ("move", "tool_use")
    assert second["content"] == [{"type": "text", "text": "Moved."}]
    assert third["content"][0]["text"] == "The script has ended."


def test_calls_at_once_have_ids_of_their_own() -> None:
    with ScriptedClaude([[("a", {}), ("b", {})], ("c", {})]) as claude:
        blocks = [b for _ in range(2) for b in json.loads(ask(claude))["content"]]

    assert [block["name"] for block in blocks] == ["a", "b", "c"]
    assert len({block["id"] for block in blocks}) == 3


def test_a_stream_tells_the_same_in_events() -> None:
    with ScriptedClaude([("move", {"day": "Friday"})]) as claude:
        lines = ask(claude, stream=True).splitlines()

    events = [json.loads(line[6:]) for line in lines if line.startswith("data: ")]
    assert [each["type"] for each in events][:2] == ["message_start", "content_block_start"]
    assert json.loads(events[2]["delta"]["partial_json"]) == {"day": "Friday"}
    assert events[-2]["delta"]["stop_reason"] == "tool_use"


def test_counting_tokens_takes_no_step() -> None:
    with ScriptedClaude(["Moved."]) as claude:
        ask(claude, "/v1/messages/count_tokens")
        said = json.loads(ask(claude))

    assert said["content"][0]["text"] == "Moved."


def test_what_the_model_was_shown_is_kept() -> None:
    told = [{"role": "user", "content": [{"type": "tool_result", "content": "no such day"}]}]

    with ScriptedClaude(["Sorry."]) as claude:
        ask(claude, messages=told)

    assert "no such day" in claude.list_shown()[0]


def test_no_key_and_no_other_way_of_this_machine_is_used(tmp_path: Path) -> None:
    with ScriptedClaude([]) as claude:
        environment = claude.build_environment(tmp_path)

    assert {environment[name] for name in ROUNDABOUT} == {""}
    assert environment["ANTHROPIC_API_KEY"] == "none"
    assert environment["CLAUDE_CONFIG_DIR"] == environment["HOME"] == str(tmp_path)
