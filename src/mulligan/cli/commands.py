"""The commands by name, so that one is run, and help is shown, without loading all the others."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from importlib import import_module
from typing import Any

AddTo = Callable[[Any], None]
"""Adds the commands of a module to what `add_subparsers` returned."""

COMMANDS: Mapping[str, Mapping[str, str]] = {
    "demo.command": {"demo": "the story in your terminal: no key, no Docker, no network"},
    "viewing.dashboard": {"dashboard": "see it all in a browser"},
    "viewing.top": {"top": "the overview and the open list, live"},
    "viewing.report": {"report": "every view of the dashboard in one HTML file"},
    "viewing.view": {"view": "what a page of the dashboard shows, as JSON or CSV"},
    "viewing.export": {"export": "calls and actions as files, for analysis elsewhere"},
    "gateway": {"gateway": "stand between an MCP client and its servers, with no code"},
    "working.worker": {
        "worker": "look after what other processes leave: recovery, approvals, retention, lessons"
    },
    "memory.call_log": {"log": "every call of every tool, redacted"},
    "effects.action_list": {
        "open": "effects that still need somebody",
        "actions": "everything that agents did to the world, settled or not",
    },
    "effects.actions": {
        "show": "one action, reply or draft, and all that happened to it",
        "settle": "close an open action that you have seen to",
        "rate": "a thumb up or down for a reply or a draft",
    },
    "effects.decisions": {
        "approve": "let a held call run",
        "deny": "never run a held call",
        "undo": "take an action back",
    },
    "memory.figures": {
        "stats": "how calls go: success, repairs, latency, what fails most",
        "patterns": "failures that are one and the same",
        "suggest": "what would mend a call that failed",
    },
    "memory.lessons": {
        "lessons": "what was learned from failures, and your word on it",
        "pitfalls": "what an agent should know about a tool, as Markdown",
        "calibration": "whether probabilities mean what they say, and what memory is worth",
    },
    "texts.tasks": {"tasks": "what was learned about tasks, version by version"},
    "texts.evaluate": {
        "evaluate": "how often replies are written again, and whether a change of checks is safe"
    },
    "store.doctor": {"doctor": "how the store is, and what needs a person"},
    "store.migrate": {"migrate": "bring a store up to date, or make it"},
    "store.access": {"access": "which role of Postgres sees whose rows"},
    "working.backup": {"backup": "copy a SQLite store while it is used"},
    "working.forget": {"forget": "remove what is past its time now, from the disk too"},
    "help.completion": {"completion": "let a shell complete commands and options"},
}
"""Each module in here, with its commands and their line of help, in the order of the help."""


def find_line(command: str) -> str:
    """The one line that the help has for a command."""
    return next(lines[command] for lines in COMMANDS.values() if command in lines)


def list_adders(named: str | None) -> Iterator[AddTo]:
    """What adds each module's commands: all of `named`'s, and of the others no more than that.

    `None`: all of everybody's.
    """
    for module, commands in COMMANDS.items():
        if named is None or named in commands:
            yield import_module(f"mulligan.cli.{module}").add_to
        else:
            yield _name_only(commands)


def _name_only(commands: Mapping[str, str]) -> AddTo:
    def add_to(parsers: Any) -> None:
        for name, line in commands.items():
            parsers.add_parser(name, help=line)

    return add_to
