"""`mulligan log`: what the tools were called with, and what came of it."""

from __future__ import annotations

import argparse

from mulligan.app.insights import Insights
from mulligan.app.settings import Settings
from mulligan.cli.terminal import render
from mulligan.cli.terminal.options import (
    LATELY,
    Commands,
    add_command,
    add_json,
    add_limit,
    add_span,
    add_store,
    complete_id,
    suggest_name,
)
from mulligan.core.call import Outcome
from mulligan.core.failures.error_class import ErrorClass
from mulligan.core.storage.log_query import LogQuery
from mulligan.redaction import Capture


def add_log(commands: Commands) -> None:
    """Add the command."""
    parser = add_command(
        commands,
        "log",
        about="Show calls, newest last. Values are redacted: a string is its type, its length and "
        "a keyed hash,\nso that equal values can be seen to be equal and nothing can be read.",
    )
    add_store(parser)
    add_json(parser)
    parser.add_argument("--tool", help="only this tool")
    parser.add_argument("--agent", help="only this agent")
    parser.add_argument("--server", help="only this server")
    parser.add_argument("--turn", metavar="ID", help="only this turn")
    parser.add_argument("--id", metavar="PREFIX", default="", help="calls whose id starts so")
    parser.add_argument("--outcome", choices=[o.value for o in Outcome], help="only this outcome")
    parser.add_argument(
        "--error-class", choices=[c.value for c in ErrorClass], help="only this class of error"
    )
    add_span(parser)
    add_limit(parser, default=50)
    parser.add_argument("-f", "--follow", action="store_true", help="go on as calls are made")
    parser.set_defaults(run=run_log)


def run_log(options: argparse.Namespace, settings: Settings) -> int:
    """Show the rows that fit."""
    with Insights.open(settings) as insights:
        turn = complete_id(
            options.turn, lambda: (row.turn for row in insights.log(LogQuery(limit=LATELY)))
        )
        return _show(insights, _build_query(options, turn), options=options, settings=settings)


def _build_query(options: argparse.Namespace, turn: str | None) -> LogQuery:
    return LogQuery(
        id_prefix=options.id.replace("-", "").lower(),
        agent=options.agent,
        server=options.server,
        tool=options.tool,
        outcome=options.outcome,
        error_class=options.error_class,
        turn=turn,
        since=options.since,
        until=options.until,
        limit=options.limit,
    )


def _show(
    insights: Insights, query: LogQuery, *, options: argparse.Namespace, settings: Settings
) -> int:
    if options.follow:
        return _follow(insights, query, as_json=options.json)
    rows = list(reversed(insights.log(query)))
    became = insights.open_list.read_states(row.id for row in rows)
    known = [each.tool for each in insights.tools()]
    if options.json:
        shown = [{**render.encode_log_row(row), "action": became.get(row.id)} for row in rows]
        render.print_json({"rows": shown})
        return 0
    console = render.make_console()
    if settings.capture is Capture.FULL:
        console.print("capture is 'full': raw values are being logged", style="bold red")
    if rows:
        render.print_log(console, rows, became=became)
    else:
        hint = suggest_name(options.tool or "", known)
        console.print(render.build_text(f"No calls fit.{hint}"))
    return 0


def _follow(insights: Insights, query: LogQuery, *, as_json: bool) -> int:
    console = render.make_console()
    for row in insights.follow(query):
        if as_json:
            render.print_json(render.encode_log_row(row))
        else:
            console.print(render.format_log_line(row))
        console.file.flush()
    return 0
