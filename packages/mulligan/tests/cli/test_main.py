"""The command line as a person meets it: real processes for what only they show, else in here."""

from __future__ import annotations

import getpass
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from mulligan.cli.commands import list_commands
from mulligan.cli.completion import SHELLS
from mulligan.cli.main import build_parser, main
from mulligan.cli.options import find_user
from mulligan.stores.opening import open_store
from mulligan.types.log import Batch
from mulligan_testing.store_contract.contract import make_log_row
from tests.cli.running import run

pytestmark = pytest.mark.full


def test_the_store_may_come_from_the_environment(store: str, capsys, monkeypatch) -> None:
    monkeypatch.setenv("MULLIGAN_STORE", store)

    code, out, _ = run(capsys, "log", "--json")

    assert code == 0
    assert len(json.loads(out)["rows"]) == 3


@pytest.mark.parametrize(
    ("arguments", "code", "says"),
    [
        (["log", "--store", "mongodb://db"], 2, "mongodb"),
        (
            ["log", "--store", "x"],
            2,
            "'x' is not the URL of a store. Did you mean 'sqlite:///x.db'",
        ),
        (["log", "--store", "x"], 2, "or postgresql://host/database."),
        (["log", "--store", "hunter2"], 2, "What was named (not shown: it may hold a password)"),
        (["mode", "of"], 2, "none of off, observe, shadow, suggest, auto. Did you mean 'off'?"),
        (["turns"], 2, "Did you mean 'view turns'?"),
        (["logs"], 2, "Did you mean 'log'?"),
        (["log", "--store", "sqlite:///nowhere/x.db"], 3, "nowhere"),
        (["log", "--since", "yesterday"], 2, "yesterday"),
        (
            ["log", "--since", "2026-11-14T09:00"],
            2,
            "'2026-11-14T09:00' has no time zone; write 2026-11-14T09:00+00:00 for UTC",
        ),
        (["log"], 2, "The store is memory:"),
        (["doctor"], 2, "--store URL"),
        (["migrate", "--store", "memory:"], 2, "memory:"),
        (["log", "-n", "0"], 2, "whole number"),
        (["log", "-n", "9" * 30], 2, "whole number"),
        (["log", "--since", "999999w"], 2, "999999w"),
        (["log", "--since", "0001-01-01T00:00+14:00"], 2, "0001"),
        (["log", "--since", "2026-11-14"], 2, "write 2026-11-14T00:00+00:00 for UTC"),
        (["log", "--store", ""], 2, "''"),
        (["log", "--store", "sqlite:////nope/\x1b]0;x\x07.db"], 3, "\\x1b"),
        (["log", "--outcome", "meh"], 2, "meh"),
        (["fly"], 2, "fly"),
        ([], 2, "COMMAND"),
    ],
)
def test_bad_input_is_named_with_the_way_out(
    tmp_path: Path, monkeypatch, capsys, arguments: list[str], code: int, says: str
) -> None:
    monkeypatch.chdir(tmp_path)

    got, out, err = run(capsys, *arguments)

    assert got == code
    assert out == ""
    assert says in err
    assert "Traceback" not in err
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("command", ["log --store {store}", "log --json --store {store}", "demo"])
def test_a_reader_that_goes_away_is_no_error(store: str, command: str) -> None:
    command = command.format(store=store)
    reader = subprocess.run(
        f"{sys.executable} -m mulligan {command} | head -c1 >/dev/null; exit ${{PIPESTATUS[0]}}",
        shell=True, executable="/bin/bash", capture_output=True, text=True,
    )  # fmt: skip

    assert reader.returncode == 0
    assert reader.stderr == ""


@pytest.mark.parametrize("encoding", ["ascii", "cp1252"])
def test_an_output_of_few_characters_has_marks_for_the_others_and_json_has_all(
    tmp_path: Path, encoding: str
) -> None:
    url = f"sqlite:///{tmp_path}/office.db"
    store = open_store(url)
    store.log.write(Batch(rows=[make_log_row(agent="日→🐢")]))
    store.close()

    def show(*more: str) -> str:
        command = [sys.executable, "-m", "mulligan", "log", "--store", url, *more]
        env = os.environ | {"PYTHONIOENCODING": encoding}
        return subprocess.run(command, env=env, capture_output=True, check=True).stdout.decode(
            encoding
        )

    assert "???" in show()
    assert json.loads(show("--json"))["rows"][0]["agent"] == "日→🐢"


def test_output_that_cannot_be_written_is_one_sentence(store: str) -> None:
    done = subprocess.run(
        f"{sys.executable} -m mulligan doctor --json --store {store} > /dev/full",
        shell=True, capture_output=True, text=True,
    )  # fmt: skip

    assert done.returncode == 3
    assert done.stderr == "mulligan: the output could not be written: No space left on device.\n"


def test_reading_imports_nothing_from_the_current_folder(store: str, tmp_path: Path) -> None:
    planted = "from pathlib import Path; Path('ran').touch()\n"
    for name in ("rich.py", "apsw.py", "likeness.py"):
        (tmp_path / name).write_text(
            planted + "def alike(text, others): return [1.0] * len(others)"
        )
    (tmp_path / "pyproject.toml").write_text('[tool.mulligan]\nsimilarity = "likeness:alike"\n')

    for command in (["doctor"], ["patterns"], ["log"], ["open"]):
        done = subprocess.run(
            [sys.executable, "-m", "mulligan", *command, "--store", store],
            cwd=tmp_path, capture_output=True, text=True,
        )  # fmt: skip
        assert "Traceback" not in done.stderr

    assert not (tmp_path / "ran").exists()


def test_a_user_without_a_name_still_decides_as_somebody(monkeypatch: pytest.MonkeyPatch) -> None:
    def nobody() -> str:
        raise KeyError("uid not found")

    monkeypatch.setattr(getpass, "getuser", nobody)

    assert find_user() == "a user of the command line"


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ([], "Name the file of servers"),
        (["{folder}/none.json"], "none.json"),
        (["{folder}/mcp.json", "--http", "nowhere"], "has no port"),
    ],
)
def test_a_gateway_that_cannot_be_started_is_one_sentence(
    tmp_path, capsys, arguments, said, monkeypatch
):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "mcp.json").write_text(json.dumps({"mcpServers": {"a": {"command": "x"}}}))
    (tmp_path / "mcp.json").chmod(0o600)

    code = main(["gateway", *(each.format(folder=tmp_path) for each in arguments)])

    assert code == 2
    assert said in capsys.readouterr().err


def test_tools_are_approved_as_they_were_seen(tmp_path, capsys):
    from mulligan_gateway.tools import TOOLS, ListedItem, Pins

    pins = Pins(tmp_path / "mcp.json.pins")
    for digest in ("1", "2"):
        item = ListedItem(server="s", name="t", digest=digest)
        pins.note("s", TOOLS, [item], adopt=False)

    code = main(["gateway", str(tmp_path / "mcp.json"), "--approve-tools"])

    assert code == 0
    assert "s: the tool “t” is approved" in capsys.readouterr().err
    assert Pins(tmp_path / "mcp.json.pins").list_changed() == []


@pytest.mark.parametrize("shell", SHELLS)
def test_a_shell_gets_a_script_with_every_command(shell, capsys):
    code, out, _ = run(capsys, "completion", shell)

    assert code == 0
    assert "actions" in out
    assert "--ours" in out


def test_bash_completes_a_command_and_an_option(tmp_path, capsys):
    script = tmp_path / "mulligan.bash"
    script.write_text(run(capsys, "completion", "bash")[1])
    typed = "COMP_WORDS=(mulligan appr); COMP_CWORD=1"
    ask = f"source {script}; {typed}; _shtab_mulligan; echo ${{COMPREPLY[@]}}"

    said = subprocess.run(["bash", "-c", ask], capture_output=True, text=True, check=True)

    assert said.stdout.split() == ["approve"]


def test_choices_are_the_words_that_are_typed() -> None:
    commands = [command for _, command in list_commands("mulligan", build_parser())]
    offered = [
        choice
        for command in commands
        for action in command._actions
        if not isinstance(action.choices, dict)
        for choice in action.choices or ()
    ]

    assert "shadow" in offered
    assert [choice for choice in offered if type(choice) is not str] == []
