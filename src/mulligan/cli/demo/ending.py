"""What is left of the story: the server's own account, the log, the open list, the disk."""

from __future__ import annotations

from dataclasses import asdict

from mulligan.cli import render
from mulligan.cli.actions import action_json
from mulligan.cli.demo.event_text import in_words, sent, short
from mulligan.cli.demo.story import both_versions
from mulligan.cli.demo.telling import Teller
from mulligan.cli.demo.week import Week


def as_json(week: Week) -> dict[str, object]:
    """The story for programs."""
    events = {event.id: asdict(event) for event in week.events}
    return {
        "day": str(events["dinner"]["start"])[:10],
        **asdict(week.facts),
        "events": list(events.values()),
        "written": [{**asdict(each), "what": sent(each)} for each in week.written],
        "open": [action_json(action) for action in week.left],
        "still_open": [action_json(action) for action in week.still_open],
        "rows": [render.log_json(row) for row in week.rows],
        "found_on_disk": week.found,
    }


def tell_end(week: Week, tell: Teller) -> None:
    """The last part, for people."""
    tell.heading("What reached the calendar server: over which version, and what it said")
    for each in week.written:
        versions = f"{short(each.over):7} -> {each.status} {short(each.etag, none='-'):6}"
        tell.say(f"{each.method} over {versions}  {sent(each)}")
    tell.say("An undo leads back to the ETag that was there before: the same text, to the byte.")
    tell.heading("What the server has now")
    for event in week.events:
        tell.say(f"{short(event.etag)}  {in_words(event)}")
    tell.heading("What `mulligan log` shows of it")
    tell.log(week.rows)
    tell.say("The row of the killed process died with it. Its entries in the journal did not.")
    _tell_open(week, tell)
    _tell_disk(week, tell)
    tell.heading("Next")
    tell.say("Put `@m.tool` above your own tools (docs/tools.md), and run `mulligan doctor`.")


def _tell_open(week: Week, tell: Teller) -> None:
    tell.heading("What `mulligan open` shows: what needs a person")
    for action in week.left:
        tell.say(f"{action.opening.tool}: {action.state.value}", style="yellow")
        tell.say(f"  {both_versions(action)}")
        tell.person(f'Mum: mulligan settle {action.id[:13]}… --note "my edit stands"')
    if not week.still_open:
        tell.say("Nothing is open.", style="green")


def _tell_disk(week: Week, tell: Teller) -> None:
    tell.heading(f"Looked through {week.searched:,} bytes of the store for the secrets")
    for what, times in week.found.items():
        tell.say(f"{what}: found {times} times", style="red" if times else "green")
