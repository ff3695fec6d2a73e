"""One action, reply or draft whole, what a person says of it or decides, and who carries it out.

`mulligan show`, `settle`, `rate`, `approve`, `deny` and `undo`.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING

from rich.console import Console

from mulligan.app.application import (
    describe_missing,
    list_later,
    open_insights,
    read_now,
    settle_now,
)
from mulligan.cli import render
from mulligan.cli.actions import encode_action, encode_choices, format_detail
from mulligan.cli.options import Commands, add_command, add_json, add_store, find_user, parse_count
from mulligan.insights.filters import ViewRequest
from mulligan.insights.insights import Insights
from mulligan.insights.open_actions import ActionPage, OpenList, list_choices, read_action
from mulligan.insights.texts import TextStory
from mulligan.settings import Settings
from mulligan.types.action import Action, State
from mulligan.types.display import render_recipe
from mulligan.types.errors import ConfigurationError

if TYPE_CHECKING:
    from mulligan.app.mulligan import Mulligan


_CONTENTS: Mapping[str, str] = {
    "before": "before us",
    "ours": "ours, as we left it",
    "theirs": "theirs, which stands",
    "now": "now, read just now",
}

_NEVER_MADE = (State.DENIED, State.EXPIRED)


def add_show(commands: Commands) -> None:
    """Add the command."""
    parser = add_command(
        commands,
        "show",
        about="Show an action: the call and what it was given, who asked for it and in which "
        "words, what was\nthere before, what we wrote and what stands, as long as that is kept, "
        "every entry of the journal,\nand what each decision would do. Of a reply: every try, and "
        "what was found in it, also of one\nthat was sent although it was rejected.",
    )
    add_store(parser)
    add_json(parser)
    parser.add_argument("id", help="its id, or the beginning of it")
    parser.add_argument(
        "--app",
        metavar="MODULE:NAME",
        help="the application that has the tool's code, to read what is there now",
    )
    parser.set_defaults(run=run_show)


def add_settle(commands: Commands) -> None:
    """Add the command."""
    parser = add_command(
        commands,
        "settle",
        about="Close an open action with a note of what was done about it. The note stays in the "
        "journal;\nwrite no secrets into it.",
    )
    add_store(parser)
    add_json(parser)
    parser.add_argument("id", help="the action's id, or the beginning of it")
    parser.add_argument("--note", required=True, help="what was done about it")
    parser.set_defaults(run=run_settle)


def run_show(options: argparse.Namespace, settings: Settings) -> int:
    """Show one action, or one reply or draft."""
    with open_insights(options.app or settings.app, settings) as (insights, application):
        text = insights.text_list.find(options.id)
        if text is not None:
            return _show_text(insights.text_list.read_story(text), as_json=options.json)
        listed = insights.open_list.show_people()
        page = read_action(insights, ViewRequest(id=options.id, decides=True))
        action = listed.find(page.item.id)
        contents = dict(page.contents)
        if application is not None:
            contents["now"] = read_now(application, action)
    if options.json:
        render.print_json(_encode_page(page, action=action, contents=contents))
    else:
        _print_page(render.make_console(), page, action=action, contents=contents)
    return 0


def _encode_page(
    page: ActionPage, *, action: Action, contents: Mapping[str, object]
) -> dict[str, object]:
    entries = [
        {"at": step.at.isoformat(), "state": step.state.value, "detail": dict(step.said)}
        for step in page.history
    ]
    told: dict[str, object] = {
        "what": page.item.what,
        "request": page.request,
        "arguments": dict(page.arguments),
        "entries": entries,
        "recipe": list(page.commands),
        "choices": encode_choices(action),
        "contents": dict(contents),
    }
    return encode_action(action) | told


def _print_page(
    console: Console, page: ActionPage, *, action: Action, contents: Mapping[str, object]
) -> None:
    opening = action.opening
    console.print(render.build_text(page.item.what), style="bold")
    who = f"{opening.tool} by {opening.agent or 'nobody named'}"
    turn = f", turn {opening.turn}" if opening.turn else ""
    bulk = f", part of bulk {opening.parent}" if opening.parent else ""
    console.print(render.build_text(f"{action.id}: {who}{turn}{bulk}"))
    if page.request:
        console.print(render.build_text(f"Asked for: “{page.request}”"))
    if page.arguments:
        console.print(render.build_table(_list_values(page.arguments), columns=("given", "value")))
    rows = [
        (f"{step.at:%Y-%m-%d %H:%M:%S}", step.state.value, format_detail(step.said))
        for step in page.history
    ]
    console.print(render.build_table(rows, columns=("when, UTC", "state", "what was said")))
    if contents:
        shown = [(_CONTENTS[name], _format_content(each)) for name, each in contents.items()]
        console.print(render.build_table(shown, columns=("what is there", "as it was read")))
    if action.state in _NEVER_MADE:
        console.print("The call was never made: nothing of it is there.")
    elif "now" not in contents:
        hint = f"What is there now its tool can read: mulligan show {action.id} --app MODULE:NAME"
        console.print(render.build_text(hint), style="dim")
    choices = list_choices(action)
    if choices:
        console.print("What you can do, and what that does:")
    for choice in choices:
        console.print(render.build_text(f"  {choice.act}: {choice.does}"))
    for line in page.commands:
        console.print(render.build_text(f"  {line}"))


def _list_values(arguments: Mapping[str, object]) -> list[tuple[str, str]]:
    return [(name, _format_content(value)) for name, value in arguments.items()]


def _format_content(content: object) -> str:
    if content is None:
        return "nothing"
    return content if isinstance(content, str) else json.dumps(content, ensure_ascii=False)


def run_settle(options: argparse.Namespace, settings: Settings) -> int:
    """Close an action."""
    with Insights.open(settings) as insights:
        action = insights.open_list.settle(options.id, note=options.note)
    if options.json:
        render.print_json(encode_action(action))
    else:
        render.make_console().print(render.build_text(f"{action.id} is {action.state.value}."))
    return 0


def add_rate(commands: Commands) -> None:
    """Add the command."""
    parser = add_command(
        commands,
        "rate",
        about="Say whether a reply or a draft was good. It is kept in the log as evidence; write "
        "no secrets\ninto the note.",
    )
    add_store(parser)
    add_json(parser)
    parser.add_argument("id", help="its id, or the beginning of it")
    thumb = parser.add_mutually_exclusive_group(required=True)
    thumb.add_argument("--up", action="store_true", help="it was good")
    thumb.add_argument("--down", action="store_true", help="it was not")
    parser.add_argument("--note", default="", help="why")
    parser.set_defaults(run=run_rate)


def run_rate(options: argparse.Namespace, settings: Settings) -> int:
    """Take the rating down."""
    with Insights.open(settings) as insights:
        rating = insights.text_list.rate(options.id, up=options.up, note=options.note)
    if options.json:
        render.print_json(rating)
    else:
        said = "up" if rating.up else "down"
        render.make_console().print(render.build_text(f"{rating.of} is rated {said}."))
    return 0


def _show_text(story: TextStory, *, as_json: bool) -> int:
    """Show one reply or draft: its tries, what was found, what people said."""
    if as_json:
        render.print_json(_encode_story(story))
        return 0
    console = render.make_console()
    console.print(render.format_log_line(story.settled))
    rows = [(row.tool, row.parameters) for row in story.steps]
    console.print(render.build_table(rows, columns=("step", "what was said")))
    if story.written is None:
        console.print("What was written is not kept any more.")
    else:
        for number, text in enumerate(story.written.tries, start=1):
            console.print(f"Try {number}:")
            console.print(render.build_block(text))
    for rating in story.ratings:
        thumb = "up" if rating.up else "down"
        console.print(render.build_text(f"Rated {thumb}: {rating.note}".rstrip(": ")))
    return 0


def _encode_story(story: TextStory) -> dict[str, object]:
    return {
        "text": render.encode_log_row(story.settled),
        "steps": [render.encode_log_row(row) for row in story.steps],
        "written": story.written,
        "ratings": story.ratings,
    }


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
