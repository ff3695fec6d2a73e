"""`mulligan open`, `show`, `settle` and `rate`: what needs a person, and what they say of it."""

from __future__ import annotations

import argparse
import json
from collections.abc import Mapping
from dataclasses import asdict

from mulligan.app.insights import Insights
from mulligan.app.insights.text_list import TextStory
from mulligan.app.settings import Settings
from mulligan.cli import render
from mulligan.cli.options import Commands, add_command, add_json, add_store, parse_count
from mulligan.core.action import Action, Entry

_CONTENTS: Mapping[str, str] = {
    "before": "Before us",
    "ours": "Ours, as we left it",
    "theirs": "Theirs, which stands",
}


def add_to(commands: Commands) -> None:
    """Add the commands."""
    _add_open(commands)
    _add_show(commands)
    _add_settle(commands)
    _add_rate(commands)


def _add_open(commands: Commands) -> None:
    parser = add_command(
        commands,
        "open",
        help="effects that still need somebody",
        about="List the actions that are not settled: that wait for a person or a review, are not "
        "certain, or\nstand though they were found wrong. Exit code 1 if any are.",
    )
    add_store(parser)
    add_json(parser)
    parser.add_argument("--tenant", help="only this tenant")
    parser.add_argument(
        "-n", "--limit", type=parse_count, default=100, help="how many (default: 100)"
    )
    parser.set_defaults(run=run_open)


def _add_show(commands: Commands) -> None:
    parser = add_command(
        commands,
        "show",
        help="one action, reply or draft, and all that happened to it",
        about="Show an action and every entry the journal has of it; of a conflict, also what was "
        "there before,\nwhat we wrote and what stands, as long as that is kept. Of a reply: every "
        "try, and what was\nfound in it, also of one that was sent although it was rejected.",
    )
    add_store(parser)
    add_json(parser)
    parser.add_argument("id", help="its id, or the beginning of it; of an action, of an open one")
    parser.set_defaults(run=run_show)


def _add_settle(commands: Commands) -> None:
    parser = add_command(
        commands,
        "settle",
        help="close an open action that you have seen to",
        about="Close an open action with a note of what was done about it. The note stays in the "
        "journal;\nwrite no secrets into it.",
    )
    add_store(parser)
    add_json(parser)
    parser.add_argument("id", help="the action's id, or the beginning of it")
    parser.add_argument("--note", required=True, help="what was done about it")
    parser.set_defaults(run=run_settle)


def run_open(options: argparse.Namespace, settings: Settings) -> int:
    """Show the open list."""
    with Insights.open(settings) as insights:
        listed = insights.open_list
        actions = listed.actions(tenant=options.tenant, limit=options.limit)
        told = [(action, listed.describe(action)) for action in actions]
    if options.json:
        shown = [encode_action(action) | {"what": what} for action, what in told]
        render.print_json({"actions": shown})
    elif actions:
        columns = ("since, UTC", "id", "what", "agent", "state", "why")
        cells = (_format_cells(action, what) for action, what in told)
        render.make_console().print(render.build_table(cells, columns=columns))
    else:
        render.make_console().print("Nothing is open.", style="green")
    return 1 if actions else 0


def run_show(options: argparse.Namespace, settings: Settings) -> int:
    """Show one action, or one reply or draft."""
    with Insights.open(settings) as insights:
        text = insights.text_list.find(options.id)
        if text is not None:
            return _show_text(insights.text_list.read_story(text), as_json=options.json)
        story = insights.open_list.read_story(options.id)
    if options.json:
        entries = [_encode_entry(entry) for entry in story.entries]
        recipe = list(story.recipe)
        contents = dict(story.contents)
        told = {
            "what": story.what,
            "entries": entries,
            "recipe": recipe,
            "contents": contents,
        }
        render.print_json(encode_action(story.action) | told)
        return 0
    opening = story.action.opening
    console = render.make_console()
    console.print(render.build_text(f"{opening.tool} by {opening.agent or 'nobody named'}"))
    console.print(render.build_text(story.what))
    rows = [
        (f"{e.at:%Y-%m-%d %H:%M:%S}", e.state.value, _format_detail(e.detail))
        for e in story.entries
    ]
    console.print(render.build_table(rows, columns=("when, UTC", "state", "what was said")))
    for name, content in story.contents.items():
        said = "nothing" if content is None else json.dumps(content)
        console.print(render.build_text(f"{_CONTENTS[name]}: {said}"))
    if story.recipe:
        console.print("What you can do:")
    for line in story.recipe:
        console.print(render.build_text(f"  {line}"))
    return 0


def run_settle(options: argparse.Namespace, settings: Settings) -> int:
    """Close an action."""
    with Insights.open(settings) as insights:
        action = insights.open_list.settle(options.id, note=options.note)
    if options.json:
        render.print_json(encode_action(action))
    else:
        render.make_console().print(render.build_text(f"{action.id} is {action.state.value}."))
    return 0


def _format_cells(action: Action, what: str) -> tuple[object, ...]:
    return (
        f"{action.opened_at:%m-%d %H:%M:%S}",
        action.id,
        what,
        action.opening.agent,
        action.state.value,
        _format_detail(action.detail),
    )


def _format_detail(detail: object) -> str:
    if not isinstance(detail, dict):
        return ""
    return "; ".join(f"{name}: {value}" for name, value in detail.items())


def encode_action(action: Action) -> dict[str, object]:
    """An action for programs."""
    opening = action.opening
    return {
        "id": action.id,
        "tool": opening.tool,
        "server": opening.server,
        "agent": opening.agent,
        "tenant": opening.tenant,
        "turn": opening.turn,
        "attempt": opening.attempt,
        "effect": opening.effect.value,
        "state": action.state.value,
        "settled": action.settled,
        "opened_at": action.opened_at.isoformat(),
        "changed_at": action.changed_at.isoformat(),
        "detail": dict(action.detail),
    }


def _encode_entry(entry: Entry) -> dict[str, object]:
    return {"at": entry.at.isoformat(), "state": entry.state.value, "detail": dict(entry.detail)}


def _add_rate(commands: Commands) -> None:
    parser = add_command(
        commands,
        "rate",
        help="a thumb up or down for a reply or a draft",
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
        render.print_json(asdict(rating))
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
            console.print(render.build_text(f"Try {number}:\n{text}\n"))
    for rating in story.ratings:
        thumb = "up" if rating.up else "down"
        console.print(render.build_text(f"Rated {thumb}: {rating.note}".rstrip(": ")))
    return 0


def _encode_story(story: TextStory) -> dict[str, object]:
    return {
        "text": render.encode_log_row(story.settled),
        "steps": [render.encode_log_row(row) for row in story.steps],
        "written": None if story.written is None else asdict(story.written),
        "ratings": [asdict(rating) for rating in story.ratings],
    }
