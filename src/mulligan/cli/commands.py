"""The commands by name, so that one is run, and help is shown, without loading all the others."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from functools import partial
from importlib import import_module
from typing import Any

AddTo = Callable[[Any], None]
"""Adds a command to what `add_subparsers` returned."""

COMMANDS: Mapping[str, tuple[str, str]] = {
    "demo": (
        "mulligan.cli.demo.command",
        "the story in your terminal: no key, no Docker, no network",
    ),
    "dashboard": ("mulligan.cli.viewing.dashboard", "see it all in a browser"),
    "top": ("mulligan.cli.viewing.top", "the overview and the open list, live"),
    "report": ("mulligan.cli.viewing.report", "every view of the dashboard in one HTML file"),
    "view": ("mulligan.cli.viewing.view", "what a page of the dashboard shows, as JSON or CSV"),
    "export": ("mulligan.cli.viewing.export", "calls and actions as files, for analysis elsewhere"),
    "gateway": (
        "mulligan.cli.gateway",
        "stand between an MCP client and its servers, with no code",
    ),
    "worker": (
        "mulligan.cli.working.worker",
        "look after what other processes leave: recovery, approvals, retention, lessons",
    ),
    "log": ("mulligan.cli.memory.call_log", "every call of every tool, redacted"),
    "open": ("mulligan.cli.effects.action_list", "effects that still need somebody"),
    "actions": (
        "mulligan.cli.effects.action_list",
        "everything that agents did to the world, settled or not",
    ),
    "show": (
        "mulligan.cli.effects.actions",
        "one action, reply or draft, and all that happened to it",
    ),
    "settle": ("mulligan.cli.effects.actions", "close an open action that you have seen to"),
    "rate": ("mulligan.cli.effects.actions", "a thumb up or down for a reply or a draft"),
    "approve": ("mulligan.cli.effects.decisions", "let a held call run"),
    "deny": ("mulligan.cli.effects.decisions", "never run a held call"),
    "undo": ("mulligan.cli.effects.decisions", "take an action back"),
    "stats": (
        "mulligan.cli.memory.figures",
        "how calls go: success, repairs, latency, what fails most",
    ),
    "patterns": ("mulligan.cli.memory.figures", "failures that are one and the same"),
    "suggest": ("mulligan.cli.memory.figures", "what would mend a call that failed"),
    "lessons": (
        "mulligan.cli.memory.lessons",
        "what was learned from failures, and your word on it",
    ),
    "pitfalls": (
        "mulligan.cli.memory.lessons",
        "what an agent should know about a tool, as Markdown",
    ),
    "calibration": (
        "mulligan.cli.memory.lessons",
        "whether probabilities mean what they say, and what memory is worth",
    ),
    "tasks": ("mulligan.cli.texts.tasks", "what was learned about tasks, version by version"),
    "evaluate": (
        "mulligan.cli.texts.evaluate",
        "how often replies are written again, and whether a change of checks is safe",
    ),
    "doctor": ("mulligan.cli.store.doctor", "how the store is, and what needs a person"),
    "migrate": ("mulligan.cli.store.migrate", "bring a store up to date, or make it"),
    "access": ("mulligan.cli.store.access", "which role of Postgres sees whose rows"),
    "backup": ("mulligan.cli.working.backup", "copy a SQLite store while it is used"),
    "forget": (
        "mulligan.cli.working.forget",
        "remove what is past its time now, from the disk too",
    ),
    "completion": ("mulligan.cli.help.completion", "let a shell complete commands and options"),
}
"""Each command with its module and its line of help, in the order of the help.

A module has `add_COMMAND` for each of its commands."""


def find_line(command: str) -> str:
    """The one line that the help has for a command."""
    return COMMANDS[command][1]


def list_adders(named: str | None) -> Iterator[AddTo]:
    """What adds each command: all of `named`, and of the others no more than their names.

    `None`: all of all of them.
    """
    for command, (module, line) in COMMANDS.items():
        if named is None or named == command:
            yield getattr(import_module(module), f"add_{command}")
        else:
            yield partial(_name_only, command, line)


def _name_only(command: str, line: str, parsers: Any) -> None:
    parsers.add_parser(command, help=line)
