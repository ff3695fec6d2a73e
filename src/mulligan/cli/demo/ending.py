"""What is left of the story: the server's own account, the log, the open list, the disk."""

from __future__ import annotations

from dataclasses import asdict

from mulligan.cli.demo.event_text import describe_request, format_event, format_version
from mulligan.cli.demo.story import describe_versions
from mulligan.cli.demo.telling import Teller
from mulligan.cli.demo.week import Week
from mulligan.cli.effects.action_list import encode_action
from mulligan.cli.terminal import render


def as_json(week: Week) -> dict[str, object]:
    """The story for programs."""
    events = {event.id: asdict(event) for event in week.events}
    return {
        "day": str(events["dinner"]["start"])[:10],
        **asdict(week.facts),
        "events": list(events.values()),
        "written": [{**asdict(each), "what": describe_request(each)} for each in week.written],
        "open": [encode_action(action) for action in week.left],
        "still_open": [encode_action(action) for action in week.still_open],
        "rows": [render.encode_log_row(row) for row in week.rows],
        "found_on_disk": week.found,
    }


def tell_end(week: Week, tell: Teller) -> None:
    """The last part, for people."""
    tell.show_heading("What reached the calendar server: over which version, and what it said")
    for each in week.written:
        left = format_version(each.etag, none="-")
        versions = f"{format_version(each.over):7} -> {each.status} {left:6}"
        tell.say(f"{each.method} over {versions}  {describe_request(each)}")
    tell.say("An undo leads back to the ETag that was there before: the same text, to the byte.")
    tell.show_heading("What the server has now")
    for event in week.events:
        tell.say(f"{format_version(event.etag)}  {format_event(event)}")
    tell.show_heading("What `mulligan log` shows of it")
    tell.show_log(week.rows)
    tell.say("The row of the killed process died with it. Its entries in the journal did not.")
    _tell_open(week, tell)
    _tell_disk(week, tell)
    tell.show_heading("Next")
    tell.say("Put `@m.tool` above your own tools (docs/tools.md), and run `mulligan doctor`.")


def _tell_open(week: Week, tell: Teller) -> None:
    tell.show_heading("What `mulligan open` shows: what needs a person")
    for action in week.left:
        tell.say(f"{action.opening.tool}: {action.state.value}", style="yellow")
        tell.say(f"  {describe_versions(action)}")
        tell.show_person(f'Mum: mulligan settle {action.id[:13]}… --note "my edit stands"')
    if not week.still_open:
        tell.say("Nothing is open.", style="green")


def _tell_disk(week: Week, tell: Teller) -> None:
    tell.show_heading(f"Looked through {week.searched:,} bytes of the store for the secrets")
    for what, times in week.found.items():
        tell.say(f"{what}: found {times} times", style="red" if times else "green")
