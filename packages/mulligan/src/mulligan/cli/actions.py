"""`mulligan open` and `actions`: what agents changed, and what needs attention."""

from __future__ import annotations

import argparse
from collections.abc import Iterator, Mapping, Sequence

from rich.console import Console, RenderableType
from rich.padding import Padding
from rich.text import Text

from mulligan.cli import render
from mulligan.cli.options import (
    LATELY,
    add_span,
    add_store_and_json,
    command,
    complete_id,
    limit,
    option,
    suggest_name,
)
from mulligan.insights.insights import Insights
from mulligan.insights.open_actions import BriefLine, OpenList, brief_held, drop_bookkeeping
from mulligan.settings import Settings
from mulligan.types.action import Action, ActionQuery, Opening, State


@command(
    "open",
    add_store_and_json,
    limit(100),
    about="List open actions with the request behind each. An action is open while it awaits "
    "approval or review,\nits outcome is unknown, or a review rejected it and it is not undone. "
    "The exit code is 1 if there are any.",
)
def run_open(options: argparse.Namespace, settings: Settings) -> int:
    """Show the open list."""
    with Insights.open(settings) as insights:
        listed = insights.open_list.show_people()
        found = listed.actions(limit=options.limit + 1)
        actions = found[: options.limit]
        more = len(found) > len(actions)
        if options.json:
            shown = [
                encode_action(action)
                | {"what": listed.describe(action), "request": listed.read_request(action)}
                | {
                    "arguments": listed.read_arguments(action),
                    "choices": listed.list_choices(action),
                }
                for action in actions
            ]
            render.print_json({"actions": shown, "more": more})
        elif actions:
            _print_open(render.make_console(), actions, listed=listed, more=more)
        else:
            render.make_console().print("Nothing is open.", style="green")
    return 1 if actions else 0


@command(
    "actions",
    add_store_and_json,
    option("--tool", help="only this tool"),
    option("--agent", help="only this agent"),
    option("--turn", metavar="ID", help="only this turn"),
    option("--bulk", metavar="ID", help="only the elements of this bulk"),
    option(
        "--state",
        action="append",
        choices=[state.value for state in State],
        help="only this state; may be repeated",
    ),
    option("--id", metavar="PREFIX", default="", help="only actions whose id starts with this"),
    add_span,
    limit(50),
    about="List actions with their state, newest last. Each element of a bulk is an action of "
    "its own.",
)
def run_actions(options: argparse.Namespace, settings: Settings) -> int:
    """Show actions, settled or not."""
    with Insights.open(settings) as insights:
        listed = insights.open_list.show_people()
        query = _build_query(options, listed)
        actions = [listed.with_findings(each) for each in reversed(listed.search(query))]
        told = [(action, listed.describe(action)) for action in actions]
        known = [each.tool for each in insights.tools()]
    shown = [encode_action(action) | {"what": what} for action, what in told]
    names = render.shorten_ids([action.id for action in actions])
    rows = [
        (
            _format_time(action),
            names[action.id],
            what,
            action.opening.agent,
            action.state.value,
            format_detail(action.detail),
        )
        for action, what in told
    ]
    columns = ("asked for, UTC", "id", "what", "agent", "state", "why")
    hint = suggest_name(options.tool or "", known)
    table = render.build_table(rows, columns=columns)
    said = table if actions else f"No actions match.{hint}"
    return render.answer(options, {"actions": shown}, said)


def _build_query(options: argparse.Namespace, listed: OpenList) -> ActionQuery:
    def list_lately() -> Iterator[Opening]:
        return (each.opening for each in listed.search(ActionQuery(limit=LATELY)))

    return ActionQuery(
        id_prefix=options.id.replace("-", "").lower(),
        tool=options.tool,
        agent=options.agent,
        turn=complete_id(options.turn, lambda: (each.turn for each in list_lately())),
        parent=complete_id(options.bulk, lambda: (each.parent for each in list_lately())),
        states=frozenset(map(State, options.state or ())),
        since=options.since,
        until=options.until,
        limit=options.limit,
    )


def _print_open(
    console: Console, actions: Sequence[Action], *, listed: OpenList, more: bool
) -> None:
    """A block each: a table has no room for a sentence, a request and a reason side by side."""
    names = render.shorten_ids([action.id for action in actions])
    for action in actions:
        opening, name = action.opening, names[action.id]
        console.print(render.build_text(listed.describe(action)), style="bold")
        asked = "" if action.state is State.HELD else listed.read_request(action)
        if asked:
            console.print(_format_line(f"asked: “{asked}”"))
        if action.state is State.HELD:
            # All that it takes to decide: the command below approves what is shown here.
            for line in render_brief(brief_held(listed, action)[1:]):
                console.print(Padding(line, (0, 0, 0, 4), expand=False))
        who = f"{opening.tool} by {opening.agent or 'an unnamed agent'}"
        console.print(
            _format_line(f"{describe_state(action)}; {who}, since {_format_time(action)} UTC")
        )
        for choice in listed.list_choices(action):
            note = ' --note "…"' if choice.act == "settle" else ""
            ours = " --ours" if choice.act == "undo" and action.state is State.NEEDS_HUMAN else ""
            # What is approved is what is shown here, or nothing.
            shown = f" --version {action.version}" if choice.act == "approve" else ""
            command = Text(f"    mulligan {choice.act} {name}{ours}{shown}{note}", style="cyan")
            console.print(command, Text(f"  {choice.does}", style="dim"), sep="")
        console.print()
    many = "1 action needs" if len(actions) == 1 else f"{len(actions)} actions need"
    if more:
        many = f"Those are the {len(actions)} oldest; more need"
    console.print(f"{many} attention. Details: mulligan show ID")


def render_brief(brief: Sequence[BriefLine]) -> Iterator[RenderableType]:
    """What is decided about, a line each; a text of several lines is set off."""
    for line in brief:
        if "\n" in line.text:
            yield render.build_text(f"{line.name}:")
            yield render.build_block(line.text)
        else:
            yield render.build_text(f"{line.name}: {line.text}")


def _format_line(text: str) -> Padding:
    """Indented, also where it goes on in the next line."""
    return Padding(render.build_text(text), (0, 0, 0, 4), expand=False)


def describe_state(action: Action) -> str:
    """Its state and the reason, for people."""
    detail = dict(action.detail)
    why = str(detail.get("why") or detail.get("reason") or "").rstrip(".")
    until = str(detail.get("expires_at") or "")
    waits = f", until {until[:16].replace('T', ' ')} UTC" if until else ""
    state = action.state.value.replace("_", " ")
    return f"{state}{waits}: {why}" if why else f"{state}{waits}"


def _format_time(action: Action) -> str:
    return f"{action.opened_at:%m-%d %H:%M:%S}"


def format_detail(detail: Mapping[str, object]) -> str:
    """The detail of an entry, as text."""
    return "; ".join(f"{name}: {value}" for name, value in drop_bookkeeping(detail).items())


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
        "bulk": opening.parent,
        "effect": opening.effect.value,
        "state": action.state.value,
        "settled": action.settled,
        "version": action.version,
        "opened_at": action.opened_at.isoformat(),
        "changed_at": action.changed_at.isoformat(),
        "detail": dict(action.detail),
    }
