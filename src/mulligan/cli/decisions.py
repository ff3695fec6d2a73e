"""`mulligan approve`, `deny` and `undo`: what a person decides, and who carries it out."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from mulligan.app.insights import Insights, load_application, settle_now
from mulligan.app.insights.open_list import OpenList
from mulligan.app.settings import Settings
from mulligan.cli import render
from mulligan.cli.actions import encode_action
from mulligan.cli.options import Commands, add_command, add_json, add_store, find_user
from mulligan.core.action import Action, State

Decide = Callable[[OpenList], Action]

WAITING = {
    State.APPROVED: "It is approved, and run within seconds by an application that has its tool, "
    "while that runs;\nor name the application with --app MODULE:NAME to run it here.",
    State.UNDOING: "It is undone by the application within seconds while that runs; "
    "or name the application with --app MODULE:NAME to undo it here.",
}


NOT_CARRIED_OUT = (
    "The application that was named could not see to it now. It waits for one that can: "
    "mulligan show {id}"
)


def add_to(commands: Commands) -> None:
    """Add the commands."""
    approve = _add(
        commands,
        "approve",
        help="let a held call run",
        about="Let a call run that waits for a person. It is run once, by the process that has "
        "its code.",
    )
    approve.set_defaults(run=run_approve)
    deny = _add(
        commands,
        "deny",
        help="never run a held call",
        about="Refuse a call that waits for a person.",
    )
    deny.add_argument("--note", default="", help="why; it stays in the journal")
    deny.set_defaults(run=run_deny)
    undo = _add(
        commands,
        "undo",
        help="take an action back",
        about="Have an action undone, under the version it wrote and read back. An edit that "
        "somebody made since\nis never overwritten: then it is a conflict, and stays as it is.",
    )
    undo.set_defaults(run=run_undo)


def run_approve(options: argparse.Namespace, settings: Settings) -> int:
    """Approve a hold."""
    return _decide(lambda listed: listed.approve(options.id, by=find_user()), options, settings)


def run_deny(options: argparse.Namespace, settings: Settings) -> int:
    """Deny a hold."""
    note = options.note
    return _decide(
        lambda listed: listed.deny(options.id, by=find_user(), note=note), options, settings
    )


def run_undo(options: argparse.Namespace, settings: Settings) -> int:
    """Ask for an undo."""
    return _decide(lambda listed: listed.undo(options.id, by=find_user()), options, settings)


def _add(commands: Commands, name: str, *, help: str, about: str) -> argparse.ArgumentParser:  # noqa: A002
    parser = add_command(commands, name, help=help, about=about)
    add_store(parser)
    add_json(parser)
    parser.add_argument("id", help="the action's id, or the beginning of an open one's")
    parser.add_argument(
        "--app",
        metavar="MODULE:NAME",
        help="the application that has the tool's code; else `app` under [tool.mulligan] in "
        "pyproject.toml, else the application that is running",
    )
    return parser


def _decide(decide: Decide, options: argparse.Namespace, settings: Settings) -> int:
    named = options.app or settings.app
    with _open_insights(named, settings) as (insights, carry_out):
        action = decide(insights.open_list)
        carry_out()
        action = insights.open_list.find(action.id)
        what = insights.open_list.describe(action)
    if options.json:
        render.print_json(encode_action(action) | {"what": what})
    else:
        console = render.make_console()
        console.print(render.build_text(what))
        console.print(render.build_text(f"{action.id} is {action.state.value}."))
        if action.state in WAITING:
            said = NOT_CARRIED_OUT.format(id=action.id) if named else WAITING[action.state]
            console.print(render.build_text(said))
        elif why := action.detail.get("why"):
            console.print(render.build_text(str(why)))
    # Asked for here and now, and not done: that is no success.
    return 0 if action.settled or (action.state in WAITING and not named) else 1


@contextmanager
def _open_insights(app: str, settings: Settings) -> Iterator[tuple[Insights, Callable[[], object]]]:
    """The store, and how what was decided is carried out: here, or by whoever has the code."""
    if not app:
        with Insights.open(settings) as insights:
            yield insights, lambda: None
        return
    application = load_application(app)
    try:
        yield application.insights, lambda: settle_now(application)
    finally:
        application.close()
