"""The tree of commands: loaded one by one, explained, with examples, and also of other packages."""

from __future__ import annotations

import argparse
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

from bench.reference import PAGES
from mulligan.cli.commands import COMMANDS, EXAMPLES, EXTRAS, list_commands
from mulligan.cli.main import build_parser
from mulligan.runtime.declaration import Declared
from mulligan.settings import SETTINGS


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


def test_the_help_is_the_same_whichever_commands_were_loaded() -> None:
    whole = build_parser()
    helps = {title: parser.format_help() for title, parser in list_commands("mulligan", whole)}

    for named in ("", *COMMANDS, *EXTRAS):
        lean = dict(list_commands("mulligan", build_parser(named)))
        assert lean["mulligan"].format_help() == helps["mulligan"]
        title = f"mulligan {named}".strip()
        assert lean[title].format_help() == helps[title]


@pytest.mark.full
@pytest.mark.parametrize("command", ["log", "doctor"])
def test_who_only_looks_at_a_store_loads_no_application(store: str, command: str) -> None:
    loaded = list_loaded(command, "--store", store)

    assert "mulligan.insights.insights" in loaded
    assert not {"mulligan.app.mulligan", "mulligan.app.wiring", "mulligan.loops.replies"} & loaded
    assert not {name for name in loaded if name.startswith(LANGUAGES)}
    assert len(list_ours(loaded)) < 230


LANGUAGES = ("mulligan_dates.english", "mulligan_dates.german")

PARSERS = dict(list_commands("mulligan", build_parser()))

WITHOUT_JSON = {
    "mulligan dashboard": "serves pages, which have their JSON beside them",
    "mulligan gateway": "its output is a protocol, or a file of declarations",
    "mulligan view": "prints nothing but JSON, unless it is asked for CSV",
    "mulligan completion": "prints a script",
}


def is_group(parser: argparse.ArgumentParser) -> bool:
    return any(isinstance(each, argparse._SubParsersAction) for each in parser._actions)


def test_every_command_has_an_example_that_the_program_takes() -> None:
    without = [title for title, parser in PARSERS.items() if "example" not in parser.format_help()]

    assert without == [], "add one, in `cli/commands.py` or where the command is added"
    for title, lines in EXAMPLES.items():
        for line in lines:
            typed, _, _ = line.partition(" > ")
            assert f"  {line}" in PARSERS[title].format_help()
            assert title == "mulligan" or typed.startswith(title)
            build_parser(typed.split()[1]).parse_args(shlex.split(typed)[1:])


def test_every_command_answers_in_json_or_says_why_not() -> None:
    leaves = {title: parser for title, parser in PARSERS.items() if not is_group(parser)}

    for title, parser in leaves.items():
        options = {name for each in parser._actions for name in each.option_strings}
        assert ("--json" in options) is (title not in WITHOUT_JSON), title


def test_every_command_and_all_that_it_takes_is_explained() -> None:
    for title, parser in PARSERS.items():
        taken = [a for a in parser._actions if not isinstance(a, argparse._SubParsersAction)]
        assert parser.description, title
        assert [each.dest for each in taken if not each.help] == [], title


DOCS = Path(__file__).parents[4] / "docs"


@pytest.mark.parametrize("name", sorted(PAGES))
def test_the_page_is_what_the_code_says_today(name: str) -> None:
    page = (DOCS / f"{name}.md").read_text(encoding="utf-8")

    assert page.strip() == PAGES[name]().strip(), "run `make docs`"


@pytest.mark.parametrize(
    ("page", "names"), [("settings", SETTINGS), ("tool_settings", Declared.__annotations__)]
)
def test_everything_that_can_be_set_has_a_row_that_says_what_it_is(page, names) -> None:
    lines = [line for line in PAGES[page]().splitlines() if line.startswith("| `")]
    rows = [line.strip("| ").split(" | ") for line in lines]
    told = {row[0].strip("`"): row[-1] for row in rows}

    assert [name for name in names if not told[name].endswith(".")] == []
