"""What a person gets from `mulligan replay`, on the trace that ships with it."""

from __future__ import annotations

import json
import sys
from collections import Counter
from datetime import UTC, datetime
from importlib.resources import as_file, files
from pathlib import Path

import jsonschema_rs
import pytest

from mulligan.cli.main import main
from mulligan.evaluation.evaluate import read_cases
from mulligan.types.effect import Effect
from mulligan.types.errors import ConfigurationError, MulliganError
from mulligan_replay import Replayed, replay
from mulligan_replay.command import EXAMPLE
from mulligan_replay.page import render_report
from mulligan_replay.tools import TracedTools, guess_effect, read_corrections, write_corrections

NOW = "2026-11-18T09:00:00+00:00"


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """A folder to work in, where the package is installed."""
    metadata = tmp_path / "site" / "mulligan_replay-0.1.0.dist-info"
    metadata.mkdir(parents=True)
    (metadata / "METADATA").write_text("Metadata-Version: 2.1\nName: mulligan-replay\nVersion: 0\n")
    points = "[mulligan.commands]\nreplay = mulligan_replay.command\n"
    (metadata / "entry_points.txt").write_text(points)
    monkeypatch.setattr(sys, "path", [*sys.path, str(tmp_path / "site")])
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("MULLIGAN_STORE", raising=False)
    return tmp_path


@pytest.fixture(scope="module")
def example() -> Replayed:
    with as_file(files("mulligan_replay") / EXAMPLE) as path:
        return replay(path)


def write(folder: Path, *turns: dict[str, object], name: str = "runs.jsonl") -> Path:
    """A file of our own form."""
    path = folder / name
    path.write_text("".join(json.dumps({"mulligan": "turn", **each}) + "\n" for each in turns))
    return path


def test_the_example_shows_one_of_each(example):
    report = example.report

    assert (report.turns, report.calls) == (7, 15)
    assert (report.failed.figure, report.silent.n) == (4 / 15, 4)
    assert {each.kind for each in report.examples} == {
        "rejected",
        "silent failure",
        "mended",
        "loop",
    }
    assert [rule.rule for rule in report.rules] == ["date.not_as_said", "value.never_seen"]
    assert report.held == {"send_email": 1}
    assert [(each.tool, each.explains) for each in report.lessons] == [("find_order", 3)]
    assert not report.unread


async def test_in_a_notebook_it_says_what_to_write_instead():
    with pytest.raises(MulliganError, match=r"await asyncio.to_thread\(replay"):
        replay("runs.jsonl")


def test_every_estimate_has_its_n_and_an_interval(example):
    report = example.report

    for each in (report.failed, report.silent, report.rejected, report.mended, report.saved_calls):
        assert each.n > 0
        assert each.low is not None
        assert each.high is not None
        assert each.low <= (each.figure or 0) <= each.high


def test_the_same_trace_gives_the_same_bytes(example):
    with as_file(files("mulligan_replay") / EXAMPLE) as path:
        again = replay(path)

    assert render_report(again.report) == render_report(example.report)


def test_the_command_writes_a_page_and_sums_it_up(folder, capsys):
    assert main(["replay", "--example"]) == 0

    said, page = capsys.readouterr().out, (folder / "replay.html").read_text()
    assert "2 of 4 turns that changed something" in " ".join(said.split())
    assert "How this was computed" in page
    assert "Use Friday 2026-11-20 for start." in page
    assert "<script" not in page
    assert "bob@" not in page


def test_a_program_gets_the_same_as_json(folder, capsys):
    assert main(["replay", "--example", "--json"]) == 0

    found = json.loads(capsys.readouterr().out)
    assert found["turns"] == 7
    assert found["rejected"]["n"] == 4


def test_guesses_are_written_down_to_be_corrected(folder, capsys):
    path = write(
        folder,
        {
            "id": "1",
            "message": "Tell Ann at ann@site.example",
            "at": NOW,
            "calls": [{"tool": "ping", "arguments": {"email": "bob@site.example"}, "result": "ok"}],
        },
    )
    main(["replay", str(path), "--tools", "tools.toml", "--json"])
    before = json.loads(capsys.readouterr().out)
    toml = folder / "tools.toml"
    toml.write_text(toml.read_text().replace('"ping" = "unknown"', '"ping" = "write"'))
    main(["replay", str(path), "--tools", "tools.toml", "--json"])
    after = json.loads(capsys.readouterr().out)
    toml.write_text(toml.read_text().replace('"ping" = "write"', '"ping" = "read"'))

    main(["replay", str(path), "--tools", "tools.toml", "--json"])

    last = json.loads(capsys.readouterr().out)
    # What may only have looked is warned of, and what writes is rejected.
    assert (before["writes"], before["rejected"]["figure"]) == (1, 0)
    assert (after["writes"], after["rejected"]["figure"]) == (1, 1)
    assert (last["writes"], last["rejected"]["n"]) == (0, 0)
    assert after["tools"][0]["why"] == "you said so"


@pytest.mark.parametrize(
    "text", ['[effects]\nping = "write it"\n', "effects = [", "timezone = 3\n"]
)
def test_a_file_of_corrections_that_is_wrong_says_what(tmp_path, text):
    path = tmp_path / "tools.toml"
    path.write_text(text)

    with pytest.raises(ConfigurationError):
        read_corrections(path)


def test_what_is_written_down_of_tools_can_be_read(tmp_path):
    names = ["plain", 'quo"ted', "back\\slash", "new\nline", "ünïcode", "a.b"]
    calls = [{"tool": name} for name in names]
    done = replay(write(tmp_path, {"id": "1", "calls": calls}))
    path = tmp_path / "tools.toml"
    path.write_text("\n".join(write_corrections(done.tools, timezone="Europe/Berlin")))

    read = read_corrections(path)

    assert {*read.effects} == {*names}
    assert read.timezone == "Europe/Berlin"


@pytest.mark.parametrize(
    ("tool", "effect"),
    [
        ("get_user", Effect.READ),
        ("listOrders", Effect.READ),
        ("update_user", Effect.REVERSIBLE),
        ("delete_file", Effect.REVERSIBLE),
        ("send_email", Effect.IRREVERSIBLE),
        ("place_order", Effect.IRREVERSIBLE),
        ("frobnicate", Effect.UNDECLARED),
        ("mail_search", Effect.READ),
        ("order_cancel", Effect.REVERSIBLE),
        ("mail_folder", Effect.IRREVERSIBLE),
    ],
)
def test_what_a_tool_does_is_guessed_from_its_name(tool, effect):
    assert guess_effect(tool).effect is effect


@pytest.mark.parametrize(
    ("tool", "result", "effect"),
    [
        ("timesheet.entries", [{"hours": 3.5}, {"hours": 4}], Effect.READ),
        ("tables.availability", {"slots": [{"time": "19:00"}]}, Effect.READ),
        ("gate", {"ok": True, "id": "g1"}, Effect.UNDECLARED),
        ("remove_entries", [{"id": 1}, {"id": 2}], Effect.REVERSIBLE),
    ],
)
def test_a_tool_of_unknown_effect_that_lists_things_reads_them(tool, result, effect):
    tools = TracedTools()

    tools.see_result(tool, result)

    assert tools.find_guess(tool).effect is effect


def test_what_a_person_said_of_a_tool_outranks_what_it_returned():
    tools = TracedTools({"entries": Effect.UNDECLARED})

    tools.see_result("entries", [{"hours": 3.5}])

    assert tools.find_guess("entries").effect is Effect.UNDECLARED


def test_a_turn_without_a_time_is_held_against_no_rule_about_days(tmp_path):
    turn = {
        "id": "1",
        "message": "Move it to Friday",
        "calls": [{"tool": "move_event", "arguments": {"start": "2026-11-21T19:00"}, "result": {}}],
    }

    untimed = replay(write(tmp_path, turn)).report
    timed = replay(write(tmp_path, turn | {"at": NOW})).report

    assert [rule.rule for rule in timed.rules] == ["date.not_as_said"]
    assert untimed.rules == ()
    assert untimed.turns_without_a_time == 1


def test_an_error_that_quotes_what_a_call_was_given_is_shown_without_it(tmp_path):
    call = {"tool": "find", "arguments": {"name": "Clementine"}, "result": "Error: no Clementine"}

    hidden = replay(write(tmp_path, {"id": "1", "calls": [call]})).report
    shown = replay(write(tmp_path, {"id": "1", "calls": [call]}), show_values=True).report

    assert "Clementine" not in render_report(hidden)
    assert "Clementine" in render_report(shown)


def test_turns_whose_ids_repeat_are_learned_from_each(tmp_path):
    turn = {
        "id": "same",
        "calls": [
            {"tool": "find", "arguments": {"n": "7"}, "error": "n must begin with #"},
            {"tool": "find", "arguments": {"n": "#7"}, "result": {"n": "#7"}},
        ],
    }

    report = replay(write(tmp_path, turn, turn, turn)).report

    assert [lesson.explains for lesson in report.lessons] == [3]


def test_outcomes_in_a_trace_judge_the_findings(tmp_path):
    call = {"tool": "send_email", "arguments": {"to": "bob@site.example"}, "result": "ok"}
    turns = [
        {"id": "1", "message": "Mail bob@site.example", "correct": True, "calls": [call]},
        {"id": "2", "message": "Mail ann@site.example", "correct": False, "calls": [call]},
        {"id": "3", "message": "Mail bob@site.example", "correct": False, "calls": [call]},
    ]

    judged = replay(write(tmp_path, *turns)).report.judged

    assert judged is not None
    assert (judged.precision.figure, judged.precision.n) == (1.0, 1)
    assert (judged.recall.figure, judged.recall.n) == (0.5, 2)
    assert judged.false_alarms.figure == 0.0


def test_lessons_go_into_a_store_as_candidates_and_once(folder, capsys):
    store = f"sqlite:///{folder}/app.db"
    command = ["replay", "--example", "--learn", store]
    assert main(command) == 0
    assert main(command) == 0
    capsys.readouterr()

    assert main(["lessons", "list", "--store", store, "--json"]) == 0

    found = json.loads(capsys.readouterr().out)["lessons"]
    (lesson,) = [each for each in found if each["tool"] == "find_order"]
    assert (lesson["state"], lesson["seen"]) == ("candidate", 3)


def test_replies_of_a_trace_are_cases_of_an_evaluation(folder, capsys):
    assert main(["replay", "--example", "--replies", "cases.jsonl"]) == 0

    cases = read_cases(folder / "cases.jsonl")
    assert [case.recorded for case in cases][-1] == ("Bob knows.",)
    assert any("Dinner with Ann" in text for text in cases[0].context)
    assert main(["evaluate", "--recorded", "--cases", "cases.jsonl"]) == 0


def test_nothing_to_replay_is_said(folder, capsys):
    assert main(["replay"]) == 2
    assert "--example" in capsys.readouterr().err


@pytest.mark.parametrize("text", ['{"weather": "sun"}', "{", "sunny", ""])
@pytest.mark.parametrize("json", [[], ["--json"]])
def test_a_file_without_runs_is_no_success(folder, capsys, text, json):
    (folder / "weather.json").write_text(text)

    assert main(["replay", "weather.json", *json]) == 1


def test_a_file_without_runs_says_what_could_be_read(folder, capsys):
    (folder / "weather.json").write_text('{"weather": "sun"}')

    assert main(["replay", "weather.json"]) == 1

    said = " ".join(capsys.readouterr().out.split())
    assert "1 of 1 values could not be read." in said
    assert "No run was found." in said
    assert "mulligan replay --schema" in said


def test_the_schema_of_our_own_form_fits_what_is_read(folder, capsys):
    assert main(["replay", "--schema", "--json"]) == 0

    schema = jsonschema_rs.validator_for(json.loads(capsys.readouterr().out))
    turn = {"mulligan": "turn", "id": "1", "at": NOW, "calls": [{"tool": "find", "result": [1]}]}
    assert schema.is_valid(turn)
    assert not schema.is_valid(turn | {"calls": [{}]})
    assert not schema.is_valid(turn | {"mulligan": "other"})


def test_a_file_that_is_not_there_is_said(folder, capsys):
    assert main(["replay", "gone.jsonl"]) == 2
    assert "gone.jsonl" in capsys.readouterr().err


def test_a_folder_is_read_with_all_that_is_in_it_but_hidden_files_and_reports(folder, capsys):
    for name in ("traces/one", "traces/later/two", "traces/.cache/three"):
        (folder / name).mkdir(parents=True)
        write(folder / name, {"id": name, "message": "Hi", "reply": "Hello."})
    (folder / "traces" / "replay.html").write_text("an earlier report")

    assert main(["replay", "traces", "--json"]) == 0

    found = json.loads(capsys.readouterr().out)
    assert (found["turns"], found["unread"]) == (2, {})


def test_the_dashboard_has_the_replayed_runs_without_their_secrets(tmp_path, capsys):
    secret = "sk-proj-Zq7Lw2Xc9VbN4mK8pJ3hG6fD1sA5tY0uR"
    day = datetime.now(UTC).isoformat()
    calls = [
        {"tool": "find_order", "arguments": {"id": "77", "key": secret}, "error": f"no {secret}"},
        {"tool": "find_order", "arguments": {"id": "#77"}, "result": {"state": "open"}},
        {"tool": "get_rate", "arguments": {}, "result": {"status": "error", "message": "down"}},
    ]
    path = tmp_path / "own.jsonl"
    turn = {"mulligan": "turn", "message": "Where is order 77?", "at": day, "calls": calls}
    path.write_text("".join(f"{json.dumps(turn)}\n" for _ in range(3)))
    runs = tmp_path / "runs.db"
    options = ["-o", str(tmp_path / "r.html"), "--dashboard", str(runs)]

    assert main(["replay", str(path), *options]) == 0
    capsys.readouterr()
    assert main(["log", "--store", f"sqlite:///{runs}", "--json"]) == 0

    rows = json.loads(capsys.readouterr().out)["rows"]
    assert Counter(row["tool"] for row in rows) == {"find_order": 6, "get_rate": 3}
    assert Counter(row["outcome"] for row in rows) == {"failure": 6, "success": 3}
    kept = b"".join(each.read_bytes() for each in tmp_path.glob("runs.db*"))
    assert secret.encode() not in kept
    assert main(["replay", str(path), *options]) == 2
