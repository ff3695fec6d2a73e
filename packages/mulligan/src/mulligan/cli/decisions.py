"""One action, reply or draft whole, what a person says of it or decides, and who carries it out.

`mulligan show`, `settle`, `rate`, `approve`, `deny` and `undo`.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Callable, Iterator, Mapping
from typing import TYPE_CHECKING

from rich.console import RenderableType

from mulligan.app.application import (
    describe_missing,
    list_later,
    open_insights,
    read_now,
    settle_now,
)
from mulligan.cli import render
from mulligan.cli.actions import encode_action, encode_choices, format_detail
from mulligan.cli.options import add_store_and_json, command, find_user, one_of, option, parse_count
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


@command(
    "show",
    add_store_and_json,
    option("id", help="its id, or the beginning of it"),
    option(
        "--app",
        metavar="MODULE:NAME",
        help="the application that has the tool's code, to read what is there now",
    ),
    about="Show an action: the call and what it was given, who asked for it and in which "
    "words, what was\nthere before, what we wrote and what stands, as long as that is kept, "
    "every entry of the journal,\nand what each decision would do. Of a reply: every try, and "
    "what was found in it, also of one\nthat was sent although it was rejected.",
)
def run_show(options: argparse.Namespace, settings: Settings) -> int:
    """Show one action, or one reply or draft."""
    with open_insights(options.app or settings.app, settings) as (insights, application):
        text = insights.text_list.find(options.id)
        if text is not None:
            return _show_text(options, insights.text_list.read_story(text))
        listed = insights.open_list.show_people()
        page = read_action(insights, ViewRequest(id=options.id, decides=True))
        action = listed.find(page.item.id)
        contents = dict(page.contents)
        if application is not None:
            contents["now"] = read_now(application, action)
    facts: dict[str, object] = {
        "what": page.item.what,
        "request": page.request,
        "arguments": dict(page.arguments),
        "entries": [
            {"at": step.at.isoformat(), "state": step.state.value, "detail": dict(step.said)}
            for step in page.history
        ],
        "recipe": list(page.commands),
        "choices": encode_choices(action),
        "contents": contents,
    }
    said = _describe_page(page, action=action, contents=contents)
    return render.answer(options, encode_action(action) | facts, *said)


def _describe_page(
    page: ActionPage, *, action: Action, contents: Mapping[str, object]
) -> Iterator[RenderableType]:
    opening = action.opening
    yield render.build_text(page.item.what, style="bold")
    who = f"{opening.tool} by {opening.agent or 'nobody named'}"
    turn = f", turn {opening.turn}" if opening.turn else ""
    bulk = f", part of bulk {opening.parent}" if opening.parent else ""
    yield f"{action.id}: {who}{turn}{bulk}"
    if page.request:
        yield f"Asked for: “{page.request}”"
    if page.arguments:
        given = [(name, _format_content(value)) for name, value in page.arguments.items()]
        yield render.build_table(given, columns=("given", "value"))
    rows = [
        (f"{step.at:%Y-%m-%d %H:%M:%S}", step.state.value, format_detail(step.said))
        for step in page.history
    ]
    yield render.build_table(rows, columns=("when, UTC", "state", "what was said"))
    if contents:
        shown = [(_CONTENTS[name], _format_content(each)) for name, each in contents.items()]
        yield render.build_table(shown, columns=("what is there", "as it was read"))
    if action.state in _NEVER_MADE:
        yield "The call was never made: nothing of it is there."
    elif "now" not in contents:
        hint = f"What is there now its tool can read: mulligan show {action.id} --app MODULE:NAME"
        yield render.build_text(hint, style="dim")
    choices = list_choices(action)
    if choices:
        yield "What you can do, and what that does:"
    yield from (f"  {choice.act}: {choice.does}" for choice in choices)
    yield from (f"  {line}" for line in page.commands)


def _format_content(content: object) -> str:
    if content is None:
        return "nothing"
    return content if isinstance(content, str) else json.dumps(content, ensure_ascii=False)


@command(
    "settle",
    add_store_and_json,
    option("id", help="the action's id, or the beginning of it"),
    option("--note", required=True, help="what was done about it"),
    about="Close an open action with a note of what was done about it. The note stays in the "
    "journal;\nwrite no secrets into it.",
)
def run_settle(options: argparse.Namespace, settings: Settings) -> int:
    """Close an action."""
    with Insights.open(settings) as insights:
        action = insights.open_list.settle(options.id, note=options.note)
    return render.answer(options, encode_action(action), f"{action.id} is {action.state.value}.")


@command(
    "rate",
    add_store_and_json,
    option("id", help="its id, or the beginning of it"),
    one_of(
        option("--up", action="store_true", help="it was good"),
        option("--down", action="store_true", help="it was not"),
        required=True,
    ),
    option("--note", default="", help="why"),
    about="Say whether a reply or a draft was good. It is kept in the log as evidence; write "
    "no secrets\ninto the note.",
)
def run_rate(options: argparse.Namespace, settings: Settings) -> int:
    """Take the rating down."""
    with Insights.open(settings) as insights:
        rating = insights.text_list.rate(options.id, up=options.up, note=options.note)
    return render.answer(options, rating, f"{rating.of} is rated {'up' if rating.up else 'down'}.")


def _show_text(options: argparse.Namespace, story: TextStory) -> int:
    """Show one reply or draft: its tries, what was found, what people said."""
    steps = [(row.tool, row.parameters) for row in story.steps]
    said: list[RenderableType] = [
        render.format_log_line(story.settled),
        render.build_table(steps, columns=("step", "what was said")),
    ]
    if story.written is None:
        said.append("What was written is not kept any more.")
    else:
        for number, text in enumerate(story.written.tries, start=1):
            said += [f"Try {number}:", render.build_block(text)]
    for rating in story.ratings:
        thumb = "up" if rating.up else "down"
        said.append(f"Rated {thumb}: {rating.note}".rstrip(": "))
    facts = {
        "text": render.encode_log_row(story.settled),
        "steps": [render.encode_log_row(row) for row in story.steps],
        "written": story.written,
        "ratings": story.ratings,
    }
    return render.answer(options, facts, *said)


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


_ACTION = option("id", help="the action's id, or the beginning of it")
_APP = option(
    "--app",
    metavar="MODULE:NAME",
    help="the application that has the tool's code; else `app` under [tool.mulligan] in "
    "pyproject.toml, else the application that is running",
)


@command(
    "approve",
    add_store_and_json,
    _ACTION,
    _APP,
    option(
        "--version",
        type=parse_count,
        metavar="N",
        help="of the action as it was shown (--json has it): changed since, it is not approved",
    ),
    about="Let a call run that waits for a person. It is run once, by the process that has "
    "its code.",
)
def run_approve(options: argparse.Namespace, settings: Settings) -> int:
    """Approve a hold."""
    by, version = find_user(), options.version
    return _decide(
        lambda listed, _: listed.approve(options.id, by=by, version=version), options, settings
    )


@command(
    "deny",
    add_store_and_json,
    _ACTION,
    _APP,
    option("--note", default="", help="why; it stays in the journal"),
    about="Refuse a call that waits for a person.",
)
def run_deny(options: argparse.Namespace, settings: Settings) -> int:
    """Deny a hold."""
    by, note = find_user(), options.note
    return _decide(lambda listed, _: listed.deny(options.id, by=by, note=note), options, settings)


@command(
    "undo",
    add_store_and_json,
    _ACTION,
    _APP,
    option(
        "--ours",
        action="store_true",
        help="nobody knows whether it happened, but you have looked, and this call wrote what is "
        "there",
    ),
    option(
        "--later",
        action="store_true",
        help="first the later calls on the same object that stand, the latest first; takes --app",
    ),
    about="Have an action undone, under the version it wrote and read back. An edit that "
    "somebody made since\nis never overwritten: then it is a conflict, and stays as it is.",
)
def run_undo(options: argparse.Namespace, settings: Settings) -> int:
    """Ask for an undo."""

    def undo(listed: OpenList, application: Mulligan | None) -> Action:
        if options.later and application is None:
            raise ConfigurationError(
                "Only the application knows what came later on the same object: name it with "
                "--app MODULE:NAME."
            )
        named, after = listed.find(options.id) if options.later else None, list[str]()
        for each in list_later(application, named) if application and named else []:
            if each.state is not State.UNDOING:
                listed.undo(each.id, by=find_user(), after=after)
            after.append(each.id)
        return listed.undo(options.id, by=find_user(), ours=options.ours, after=after)

    return _decide(undo, options, settings)


def _decide(decide: Decide, options: argparse.Namespace, settings: Settings) -> int:
    named = options.app or settings.app
    with open_insights(named, settings) as (insights, application):
        listed = insights.open_list.show_people()
        action = decide(listed, application)
        if application is not None:
            settle_now(application)
        action = listed.find(action.id)
        waits = WAITING.get(action.state, "")
        if waits and application is not None:
            waits = describe_missing(application, action) or NOT_CARRIED_OUT.format(id=action.id)
        what, given = listed.describe(action), listed.read_arguments(action)
    said = [what, f"{action.id} is {action.state.value}."]
    if waits:
        said.append(waits)
    else:
        said += [str(why)] if (why := action.detail.get("why")) else []
        said += [f"  {line}" for line in render_recipe(action)]
    render.answer(options, encode_action(action) | {"what": what, "arguments": given}, *said)
    # Asked for here and now, and not done: that is no success.
    return 0 if action.settled or (action.state in WAITING and not named) else 1
