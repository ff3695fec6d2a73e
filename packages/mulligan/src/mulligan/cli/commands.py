"""The commands by name, with their module, their line of help and examples.

One is run, and help is shown, without loading all the others.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from importlib import import_module
from typing import Any

from mulligan.extensions import Extension, find_extensions
from mulligan.types.errors import ConfigurationError, MissingExtraError

AddTo = Callable[[Any], None]
"""Adds a command to what `add_subparsers` returned."""

COMMANDS: Mapping[str, tuple[str, str]] = {
    "export": ("export", "calls and actions as files, for analysis elsewhere"),
    "worker": (
        "worker",
        "run recovery, approvals, retention and lessons in the background",
    ),
    "log": ("calls", "all tool calls, redacted"),
    "open": ("actions", "actions that need attention"),
    "actions": ("actions", "all actions of agents, open or settled"),
    "show": ("decisions", "one action, reply or draft with its history"),
    "settle": ("decisions", "close an open action that you handled yourself"),
    "rate": ("decisions", "rate a reply or a draft up or down"),
    "approve": ("decisions", "let a held call run"),
    "deny": ("decisions", "never run a held call"),
    "undo": ("decisions", "undo an action"),
    "stats": ("calls", "success, repairs, latency and the most frequent failures"),
    "patterns": ("calls", "recurring failures"),
    "suggest": ("calls", "suggest a repair for a failed call"),
    "lessons": ("lessons", "list, approve and revoke lessons learned from failures"),
    "pitfalls": ("lessons", "known pitfalls of a tool, as Markdown for a prompt"),
    "calibration": (
        "lessons",
        "how well probabilities are calibrated, and how much memory helps",
    ),
    "tasks": ("tasks", "the learned notes of tasks, by version"),
    "evaluate": (
        "evaluate",
        "measure how often replies are rewritten, or compare two sets of checks",
    ),
    "doctor": ("store", "check the store, and list what needs attention"),
    "mode": ("store", "limit how far applications go, while they run"),
    "migrate": ("store", "create a store or upgrade its schema"),
    "access": ("store", "which Postgres role may see which rows"),
    "backup": ("store", "copy a SQLite store while it is in use"),
    "copy": ("store", "copy a store to another kind, verified, while it is in use"),
    "forget": ("store", "delete expired data now, and erase it from the disk"),
    "completion": ("completion", "shell completion for commands and options"),
}
"""Each command with its module in this folder and its line of help, in the order of the help."""

EXTRAS: Mapping[str, tuple[str, str]] = {
    "demo": ("demo", "a demo in your terminal: no key, no Docker, no network"),
    "dashboard": ("dashboard", "the dashboard, in a browser"),
    "report": ("dashboard", "every view of the dashboard in one HTML file"),
    "view": ("dashboard", "a page of the dashboard as JSON or CSV"),
    "replay": ("replay", "what would have been caught in runs that were recorded"),
    "init": ("replay", "the lines that add Mulligan to an agent"),
    "prove": ("http", "prove the undo of a service on your own account"),
    "gateway": ("gateway", "a proxy between an MCP client and its servers, without code"),
}
"""Commands that other packages of ours bring, each with the extra that brings the package."""

VIEWS = (
    "overview",
    "turns",
    "tools",
    "repairs",
    "worth",
    "cost",
    "rules",
    "shadow",
    "texts",
    "search",
    "health",
)
"""Pages that are no commands of their own, for who types one: `mulligan view turns`."""

GROUP = "mulligan.commands"
"""The entry points of other packages, ours and third parties': a command's name, and its module."""

ADDERS: dict[str, AddTo] = {}
"""What adds each command whose module is loaded."""


def find_line(command: str) -> str:
    """The one line that the help has for a command of ours."""
    return (EXTRAS.get(command) or COMMANDS[command])[1]


def list_adders(named: str | None) -> Iterator[AddTo]:
    """What adds each command: all of `named`, and of the others no more than their names.

    `None`: all of all of them.
    """
    for command, (module, line) in COMMANDS.items():
        if named is None or named == command:
            import_module(f"mulligan.cli.{module}")
            yield ADDERS[command]
        else:
            yield partial(_add_name, command, line)
    found = {} if named in COMMANDS else find_extensions(GROUP)
    for command, (extra, line) in EXTRAS.items():
        if command in found and (named is None or named == command):
            yield _load_adder(found[command])
        elif named == command:
            raise MissingExtraError(need=f"`mulligan {command}`", extra=extra)
        else:
            yield partial(_add_name, command, line)
    for command in sorted(found.keys() - COMMANDS.keys() - EXTRAS.keys()):
        if named in found and named != command:
            continue
        try:
            yield _load_adder(found[command])
        except ConfigurationError as error:
            if named == command:
                raise
            # The others are there all the same.
            print(f"mulligan: {error}", file=sys.stderr)


def _load_adder(extension: Extension) -> AddTo:
    extension.load()
    if extension.name not in ADDERS:
        raise ConfigurationError(
            f"{extension.describe_packages()} registers a command {extension.name!r} and defines "
            "none of that name. Update that package, or uninstall it."
        )
    return ADDERS[extension.name]


def _add_name(command: str, line: str, parsers: Any) -> None:
    parsers.add_parser(command, help=line)


EXAMPLES: Mapping[str, tuple[str, ...]] = {
    "mulligan": ("mulligan demo", "mulligan open", "mulligan log --since 2h --outcome failure"),
    "mulligan export": ("mulligan export --parquet --since 30d analysis",),
    "mulligan worker": (
        "mulligan worker --app shop.agent:m --health 127.0.0.1:8391",
        "mulligan worker --app shop.agent:m --once --json",
    ),
    "mulligan log": (
        "mulligan log --tool send_mail --since 2h",
        "mulligan log --outcome failure --json",
        "mulligan log --follow",
    ),
    "mulligan open": ("mulligan open", "mulligan open --json"),
    "mulligan actions": (
        "mulligan actions --since 7d --state undone --state conflict",
        "mulligan actions --turn 01a1e463",
        "mulligan actions --bulk 01a1e463 --json",
    ),
    "mulligan show": ("mulligan show 01a1e463", "mulligan show 01a1e463 --app shop.agent:m"),
    "mulligan settle": ('mulligan settle 01a1e463 --note "Called them; it was sent once."',),
    "mulligan rate": ('mulligan rate 01a1e463 --down --note "It never says the price."',),
    "mulligan approve": (
        "mulligan approve 01a1e463",
        "mulligan approve 01a1e463 --version 1 --app shop.agent:m",
        "mulligan approve 01a1e463 --set amount=20",
    ),
    "mulligan deny": ('mulligan deny 01a1e463 --note "Wrong customer."',),
    "mulligan undo": (
        "mulligan undo 01a1e463",
        "mulligan undo 01a1e463 --later --app shop.agent:m",
        "mulligan undo 01a1e463 --ours",
        "mulligan undo --turn 01a1e463 --plan --app shop.agent:m",
        "mulligan undo --agent planner --since 2h --app shop.agent:m",
    ),
    "mulligan stats": ("mulligan stats --window 7d", "mulligan stats --series day --window 30d"),
    "mulligan patterns": ("mulligan patterns --window 7d -n 5",),
    "mulligan suggest": (
        """mulligan suggest --tool find --args '{"limit": "ten"}' --error 'limit: no integer'""",
    ),
    "mulligan lessons": ("mulligan lessons list --state active",),
    "mulligan lessons list": ("mulligan lessons list --tool find --state candidate",),
    "mulligan lessons show": ("mulligan lessons show 83a43cab",),
    "mulligan lessons approve": ('mulligan lessons approve 83a43cab --note "Seen it often."',),
    "mulligan lessons quarantine": ("mulligan lessons quarantine 83a43cab",),
    "mulligan lessons revoke": ('mulligan lessons revoke 83a43cab --note "It was a bad day."',),
    "mulligan lessons consolidate": ("mulligan lessons consolidate",),
    "mulligan lessons export": ("mulligan lessons export --tool find > lessons.jsonl",),
    "mulligan lessons import": ("mulligan lessons import lessons.jsonl",),
    "mulligan pitfalls": (
        "mulligan pitfalls find --tokens 200",
        "mulligan pitfalls --agent planner",
    ),
    "mulligan calibration": ("mulligan calibration",),
    "mulligan tasks": ("mulligan tasks list",),
    "mulligan tasks list": ("mulligan tasks list --json",),
    "mulligan tasks show": ("mulligan tasks show weekly-report",),
    "mulligan tasks history": ("mulligan tasks history weekly-report",),
    "mulligan tasks diff": ("mulligan tasks diff weekly-report 0 3",),
    "mulligan tasks pin": (
        "mulligan tasks pin weekly-report 3",
        "mulligan tasks pin weekly-report",
    ),
    "mulligan tasks rollback": ("mulligan tasks rollback weekly-report",),
    "mulligan tasks optimize": ("mulligan tasks optimize weekly-report --judge openai:gpt-5-mini",),
    "mulligan tasks clear": ("mulligan tasks clear weekly-report",),
    "mulligan tasks reflectors": ("mulligan tasks reflectors",),
    "mulligan tasks export": ("mulligan tasks export weekly-report > weekly-report.json",),
    "mulligan evaluate": ("mulligan evaluate", "mulligan evaluate --recorded --limit 50"),
    "mulligan doctor": ("mulligan doctor --store sqlite:///office.db", "mulligan doctor --json"),
    "mulligan migrate": ("mulligan migrate --store postgresql://localhost/office",),
    "mulligan access": ("mulligan access list",),
    "mulligan access list": ("mulligan access list --json",),
    "mulligan access grant": (
        "mulligan access grant office_app --worker",
        "mulligan access grant office_pages --look",
        "mulligan access grant acme_pages --tenant acme",
    ),
    "mulligan access revoke": ("mulligan access revoke acme_pages",),
    "mulligan backup": ("mulligan backup --store sqlite:///office.db backups/monday",),
    "mulligan copy": ("mulligan copy sqlite:///office.db postgresql://localhost/office",),
    "mulligan forget": ("mulligan forget --store sqlite:///office.db", "mulligan forget --json"),
    "mulligan completion": (
        "mulligan completion bash > ~/.local/share/bash-completion/completions/mulligan",
    ),
}


def list_commands(
    title: str, parser: argparse.ArgumentParser
) -> Iterator[tuple[str, argparse.ArgumentParser]]:
    """A command, then those below it."""
    yield title, parser
    for action in parser._actions:  # noqa: SLF001 - argparse has no public way to list commands
        if isinstance(action, argparse._SubParsersAction):  # noqa: SLF001
            for name, command in action.choices.items():
                yield from list_commands(f"{title} {name}", command)


def add_examples(parser: argparse.ArgumentParser) -> None:
    """Put them under the help of a program and of all its commands."""
    for title, command in list_commands(parser.prog, parser):
        if title in EXAMPLES:
            shown = render_examples(EXAMPLES[title])
            command.epilog = f"{shown}\n\n{command.epilog}" if command.epilog else shown


def render_examples(lines: Sequence[str]) -> str:
    """As they stand under a command's help."""
    word = "example" if len(lines) == 1 else "examples"
    return "\n".join([f"{word}:", *(f"  {line}" for line in lines)])
