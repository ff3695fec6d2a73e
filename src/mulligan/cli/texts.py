"""`mulligan rate`: a thumb for a reply or a draft; and how `mulligan show` tells of one."""

from __future__ import annotations

import argparse
from dataclasses import asdict

from mulligan.app.insights import Insights
from mulligan.app.insights.text_list import TextStory
from mulligan.app.settings import Settings
from mulligan.cli import render
from mulligan.cli.options import Commands, add_command, add_json, add_store


def add_to(commands: Commands) -> None:
    """Add the command."""
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


def show_story(story: TextStory, *, as_json: bool) -> int:
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
