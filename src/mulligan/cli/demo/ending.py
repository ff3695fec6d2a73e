"""What is left of the story: the calendar's own account, the log, the open list, the disk."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass

from mulligan.cli import render
from mulligan.cli.actions import action_json
from mulligan.cli.demo.story import Facts
from mulligan.cli.demo.telling import Teller
from mulligan.core.action import Action
from mulligan.core.call import LogRow
from mulligan.testing.remote import Effected


@dataclass(frozen=True, slots=True, kw_only=True)
class Week:
    """All that the story came to."""

    facts: Facts
    ledger: Sequence[Effected]
    """Of the calendar: everything that ever took effect."""
    left: Sequence[Action]
    """What needed a person in the end."""
    still_open: Sequence[Action]
    """The same, after that person's note."""
    rows: Sequence[LogRow]
    found: Mapping[str, int]
    """How often each secret was found on the disk."""
    searched: int
    """Bytes."""


def events_of(ledger: Sequence[Effected]) -> dict[str, Mapping[str, object]]:
    """What the calendar holds after all of it, by id."""
    now = {line.id: line for line in ledger}
    return {name: line.data for name, line in now.items() if line.after is not None}


def as_json(week: Week) -> dict[str, object]:
    """The story for programs."""
    events = events_of(week.ledger)
    return {
        "day": events["dinner"]["day"],
        **asdict(week.facts),
        "events": list(events.values()),
        "ledger": [asdict(line) for line in week.ledger],
        "open": [action_json(action) for action in week.left],
        "still_open": [action_json(action) for action in week.still_open],
        "rows": [render.log_json(row) for row in week.rows],
        "found_on_disk": week.found,
    }


def tell_end(week: Week, tell: Teller) -> None:
    """The last part, for people."""
    tell.heading("What the calendar itself remembers: every effect, and who made it")
    tell.ledger(week.ledger)
    tell.heading("What `mulligan log` shows of it")
    tell.log(week.rows)
    tell.say("The row of the killed process died with it. Its entries in the journal did not.")
    tell.heading("What `mulligan open` shows: what needs a person")
    for action in week.left:
        tell.say(f"{action.opening.tool}: {action.state.value}", style="yellow")
        tell.say(f"  {action.detail.get('why', '')}")
        tell.person(f'Mum: mulligan settle {action.id[:13]}… --note "my edit stands"')
    if not week.still_open:
        tell.say("Nothing is open.", style="green")
    _tell_disk(week, tell)
    tell.heading("Next")
    tell.say("Put `@m.tool` above your own tools (docs/tools.md), and run `mulligan doctor`.")


def _tell_disk(week: Week, tell: Teller) -> None:
    tell.heading(f"Looked through {week.searched:,} bytes of the store for the secrets")
    for what, times in week.found.items():
        tell.say(f"{what}: found {times} times", style="red" if times else "green")
