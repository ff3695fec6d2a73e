"""Held against the tree of commands itself, so that no command can come without them."""

from __future__ import annotations

import argparse
import shlex

import pytest

from mulligan.cli.commands import EXAMPLES, add_examples, list_commands
from mulligan.cli.main import build_parser

COMMANDS = dict(list_commands("mulligan", build_parser()))
WITHOUT_JSON = {
    "mulligan dashboard": "serves pages, which have their JSON beside them",
    "mulligan gateway": "its output is a protocol, or a file of declarations",
    "mulligan view": "prints nothing but JSON, unless it is asked for CSV",
    "mulligan completion": "prints a script",
}


def is_group(parser: argparse.ArgumentParser) -> bool:
    return any(isinstance(each, argparse._SubParsersAction) for each in parser._actions)


LEAVES = [title for title, parser in COMMANDS.items() if not is_group(parser)]


@pytest.mark.parametrize("title", COMMANDS)
def test_every_command_has_an_example_in_its_help(title: str) -> None:
    shown = COMMANDS[title].format_help()

    assert "example" in shown, "add one, in `cli/commands.py` or where the command is added"
    assert all(f"  {line}" in shown for line in EXAMPLES.get(title, ()))


@pytest.mark.parametrize(
    ("title", "line"), [(title, line) for title, lines in EXAMPLES.items() for line in lines]
)
def test_every_example_is_what_the_program_takes(title: str, line: str) -> None:
    typed, _, _ = line.partition(" > ")

    assert title in COMMANDS
    assert title == "mulligan" or typed.startswith(title)
    build_parser().parse_args(shlex.split(typed)[1:])


@pytest.mark.parametrize("title", LEAVES)
def test_every_command_answers_in_json_or_says_why_not(title: str) -> None:
    options = {name for each in COMMANDS[title]._actions for name in each.option_strings}

    assert ("--json" in options) is (title not in WITHOUT_JSON)


@pytest.mark.parametrize("title", COMMANDS)
def test_every_command_and_all_that_it_takes_is_explained(title: str) -> None:
    parser = COMMANDS[title]
    taken = [each for each in parser._actions if not isinstance(each, argparse._SubParsersAction)]

    assert parser.description
    assert [each.dest for each in taken if not each.help] == []


def test_what_stood_under_the_help_before_stays_there() -> None:
    parser = argparse.ArgumentParser(prog="mulligan open", epilog="exit codes: 0")

    add_examples(parser)

    assert parser.epilog == "examples:\n  mulligan open\n  mulligan open --json\n\nexit codes: 0"
