"""What is loaded for a command: counted in modules, which is the same on a busy machine."""

from __future__ import annotations

import subprocess
import sys

import pytest

from mulligan.cli.commands import COMMANDS, EXTRAS, list_commands
from mulligan.cli.main import build_parser


def list_loaded(*arguments: str) -> set[str]:
    """Every module that is there after a command has run, in a process of its own."""
    said = (
        "import sys\n"
        "from mulligan.cli.main import main\n"
        "try: main(sys.argv[1:])\n"
        "except SystemExit: pass\n"
        "print('\\0', *sys.modules)\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", said, *arguments],
        capture_output=True, text=True, check=True, timeout=60,
    )  # fmt: skip
    return set(done.stdout.split("\0")[1].split())


def list_ours(loaded: set[str]) -> set[str]:
    return {name for name in loaded if name.startswith("mulligan")}


@pytest.mark.parametrize("arguments", [["--help"], ["--version"], ["fly"], []])
def test_what_runs_no_command_loads_none(arguments: list[str]) -> None:
    loaded = list_loaded(*arguments)

    assert len(list_ours(loaded)) < 15
    assert not {"rich", "asyncio", "apsw", "msgspec"} & loaded


def test_the_help_of_one_command_loads_no_other() -> None:
    loaded = list_loaded("migrate", "--help")

    others = {module for module, _ in COMMANDS.values()} - {COMMANDS["migrate"][0]}
    assert not {f"mulligan.cli.{module}" for module in others} & loaded


@pytest.mark.parametrize("named", ["", *COMMANDS, *EXTRAS])
def test_the_help_is_the_same_whichever_commands_were_loaded(named: str) -> None:
    whole, lean = build_parser(), build_parser(named)

    assert lean.format_help() == whole.format_help()
    if named:
        title = f"mulligan {named}"
        shown = dict(list_commands("mulligan", lean))
        assert (
            shown[title].format_help()
            == dict(list_commands("mulligan", whole))[title].format_help()
        )


@pytest.mark.parametrize("command", ["log", "stats", "open", "doctor", "patterns"])
def test_who_only_looks_at_a_store_loads_no_application(store: str, command: str) -> None:
    loaded = list_loaded(command, "--store", store)

    assert "mulligan.insights.insights" in loaded
    assert not {"mulligan.app.mulligan", "mulligan.app.wiring", "mulligan.loops.replies"} & loaded
    assert not {name for name in loaded if name.startswith(LANGUAGES)}
    assert len(list_ours(loaded)) < 230


LANGUAGES = ("mulligan_dates.english", "mulligan_dates.german")
