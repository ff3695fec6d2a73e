"""`mulligan approve`, `deny` and `undo`: what a person decides, and who carries it out."""

from __future__ import annotations

import argparse
from collections.abc import Callable
from typing import TYPE_CHECKING

from mulligan.app.insights import describe_missing, list_later, open_insights, settle_now
from mulligan.app.insights.open_list import OpenList
from mulligan.app.settings import Settings
from mulligan.cli.effects.action_list import encode_action
from mulligan.cli.terminal import render
from mulligan.cli.terminal.options import (
    Commands,
    add_command,
    add_json,
    add_store,
    find_user,
    parse_count,
)
from mulligan.core.action import Action, State
from mulligan.core.display.recipe import render_recipe
from mulligan.core.errors import ConfigurationError

if TYPE_CHECKING:
    from mulligan.app.mulligan import Mulligan

Decide = Callable[[OpenList, "Mulligan | None"], Action]

WAITING = {
    State.APPROVED: "It is approved, and run within seconds by an application that has its tool, "
    "while that runs; or name the application with --app MODULE:NAME to run it here.",
    State.UNDOING: "It is undone by the application within seconds while that runs; "
    "or name the application with --app MODULE:NAME to undo it here.",
}


NOT_CARRIED_OUT = (
    "The application that was named could not see to it now. It waits for one that can: "
    "mulligan show {id}"
)


def add_approve(commands: Commands) -> None:
    """Add the command."""
    approve = _add_decision(
        commands,
        "approve",
        about="Let a call run that waits for a person. It is run once, by the process that has "
        "its code.",
    )
    approve.add_argument(
        "--version",
        type=parse_count,
        metavar="N",
        help="of the action as it was shown (--json has it): changed since, it is not approved",
    )
    approve.set_defaults(run=run_approve)


def add_deny(commands: Commands) -> None:
    """Add the command."""
    deny = _add_decision(
        commands,
        "deny",
        about="Refuse a call that waits for a person.",
    )
    deny.add_argument("--note", default="", help="why; it stays in the journal")
    deny.set_defaults(run=run_deny)


def add_undo(commands: Commands) -> None:
    """Add the command."""
    undo = _add_decision(
        commands,
        "undo",
        about="Have an action undone, under the version it wrote and read back. An edit that "
        "somebody made since\nis never overwritten: then it is a conflict, and stays as it is.",
    )
    undo.add_argument(
        "--ours",
        action="store_true",
        help="nobody knows whether it happened, but you have looked, and this call wrote what is "
        "there",
    )
    undo.add_argument(
        "--later",
        action="store_true",
        help="first the later calls on the same object that stand, the latest first; takes --app",
    )
    undo.set_defaults(run=run_undo)


def run_approve(options: argparse.Namespace, settings: Settings) -> int:
    """Approve a hold."""
    version = options.version
    return _decide(
        lambda listed, _: listed.approve(options.id, by=find_user(), version=version),
        options,
        settings,
    )


def run_deny(options: argparse.Namespace, settings: Settings) -> int:
    """Deny a hold."""
    note = options.note
    return _decide(
        lambda listed, _: listed.deny(options.id, by=find_user(), note=note), options, settings
    )


def run_undo(options: argparse.Namespace, settings: Settings) -> int:
    """Ask for an undo."""

    def undo(listed: OpenList, application: Mulligan | None) -> Action:
        later = _find_later(listed, application, options.id) if options.later else []
        after: list[str] = []
        for each in later:
            if each.state is not State.UNDOING:
                listed.undo(each.id, by=find_user(), after=after)
            after.append(each.id)
        return listed.undo(options.id, by=find_user(), ours=options.ours, after=after)

    return _decide(undo, options, settings)


def _find_later(listed: OpenList, application: Mulligan | None, name: str) -> list[Action]:
    if application is None:
        raise ConfigurationError(
            "Only the application knows what came later on the same object: name it with "
            "--app MODULE:NAME."
        )
    return list_later(application, listed.find(name))


def _add_decision(commands: Commands, name: str, *, about: str) -> argparse.ArgumentParser:
    parser = add_command(commands, name, about=about)
    add_store(parser)
    add_json(parser)
    parser.add_argument("id", help="the action's id, or the beginning of it")
    parser.add_argument(
        "--app",
        metavar="MODULE:NAME",
        help="the application that has the tool's code; else `app` under [tool.mulligan] in "
        "pyproject.toml, else the application that is running",
    )
    return parser


def _decide(decide: Decide, options: argparse.Namespace, settings: Settings) -> int:
    named = options.app or settings.app
    with open_insights(named, settings) as (insights, application):
        listed = insights.open_list.show_people()
        action = decide(listed, application)
        if application is not None:
            settle_now(application)
        action = listed.find(action.id)
        waits = _describe_waiting(action, application)
        what, given = listed.describe(action), listed.read_arguments(action)
    if options.json:
        render.print_json(encode_action(action) | {"what": what, "arguments": given})
    else:
        _print_decided(action, what=what, waits=waits)
    # Asked for here and now, and not done: that is no success.
    return 0 if action.settled or (action.state in WAITING and not named) else 1


def _describe_waiting(action: Action, application: Mulligan | None) -> str:
    """Why it is not done yet, and what to do about that; empty where it is."""
    if action.state not in WAITING:
        return ""
    if application is None:
        return WAITING[action.state]
    return describe_missing(application, action) or NOT_CARRIED_OUT.format(id=action.id)


def _print_decided(action: Action, *, what: str, waits: str) -> None:
    console = render.make_console()
    console.print(render.build_text(what))
    console.print(render.build_text(f"{action.id} is {action.state.value}."))
    if waits:
        console.print(render.build_text(waits))
        return
    if why := action.detail.get("why"):
        console.print(render.build_text(str(why)))
    for line in render_recipe(action):
        console.print(render.build_text(f"  {line}"))
