"""`mulligan doctor`: how the store is, and what needs a person."""

from __future__ import annotations

import argparse
import sys
from dataclasses import asdict
from datetime import timedelta

from rich.console import RenderableType

from mulligan.app.insights import Diagnosis, Insights
from mulligan.app.settings import Settings
from mulligan.cli.terminal import render
from mulligan.cli.terminal.options import Commands, add_command, add_json, add_store
from mulligan.core.errors import StoreDamagedError
from mulligan.core.interfaces import KnownTool

READ_UNASKED = 50_000_000
"""Bytes of a store that are read from end to end within a second."""


def add_doctor(commands: Commands) -> None:
    """Add the command."""
    parser = add_command(
        commands,
        "doctor",
        about="Look at the store without changing it: engine and schema, damage, rows lost, "
        "retention,\nhow many calls say who made them and what for, and what each tool's "
        "declaration really promises.\nExit code 1 if anything needs a person.",
    )
    add_store(parser)
    add_json(parser)
    parser.add_argument(
        "--thorough",
        action="store_true",
        help="read all of a store for damage, also one that is so large that it takes a while",
    )
    parser.add_argument(
        "--accept-damage",
        metavar="NOTE",
        help="go on from what is left of a damaged journal; the note stays on record",
    )
    parser.set_defaults(run=run_doctor)


def run_doctor(options: argparse.Namespace, settings: Settings) -> int:
    """Show the diagnosis."""
    with Insights.open(settings, tolerate_damage=True) as insights:
        accepts = options.accept_damage is not None
        if accepts:
            accepted = insights.accept_damage(options.accept_damage)
            print(f"Accepted {accepted} damages.", file=sys.stderr)
        found = insights.diagnose(thorough=False)
        thorough = options.thorough or accepts or _is_due(found, settings)
        if thorough:
            found = insights.diagnose()
    if options.json:
        render.print_json({**_as_json(found), "thorough": thorough})
    else:
        _show(found, thorough=thorough)
    return 1 if found.problems else 0


def _is_due(found: Diagnosis, settings: Settings) -> bool:
    """Whether all is read unasked: of what takes no time, or what no application would open."""
    if found.health.size_bytes <= READ_UNASKED:
        return True
    try:
        with Insights.open(settings):
            return False
    except StoreDamagedError:
        return True


def _show(found: Diagnosis, *, thorough: bool) -> None:
    console = render.make_console()
    console.print(_build_overview(found))
    if found.tools:
        rows = [(_format_name(tool), tool.effect, " ".join(tool.promises)) for tool in found.tools]
        console.print(render.build_table(rows, columns=("tool", "effect", "what that promises")))
    chosen = [
        (_format_name(tool), name, what)
        for tool in found.tools
        for name, what in tool.kinds.items()
    ]
    if chosen:
        columns = ("tool", "parameter", "what it is taken for, and which checks look")
        console.print(render.build_table(chosen, columns=columns))
    for problem in found.problems:
        console.print(render.build_text(f"! {problem}"), style="yellow")
    for hint in (*found.health.caveats, *found.advice):
        console.print(render.build_text(hint))
    if not thorough:
        console.print(
            "For damage, what an application looks at was looked at: --thorough reads all."
        )
    if not found.problems:
        console.print("Nothing needs you.", style="green")


def _build_overview(found: Diagnosis) -> RenderableType:
    health = found.health
    schemas = ", ".join(f"{part} {number}" for part, number in health.schemas.items())
    return render.build_table(
        [
            ("store", health.url),
            ("engine", f"{health.kind} {health.version}"),
            ("schema", schemas),
            ("size", f"{health.size_bytes / 1e6:.1f} MB"),
            ("rows in the log", "not counted" if health.rows is None else health.rows),
            ("rows dropped", found.dropped),
            ("open actions", health.open_actions),
            ("calls, last 24 h", f"{found.calls:.0f} ({found.failures:.0f} failed)"),
            ("with agent and context", _format_share(found.with_context)),
            ("the same, derived", _format_share(found.derived_context)),
            ("outside any turn", sum(each.count for each in found.outside)),
            ("capture", found.capture.value),
            ("redaction", found.redaction),
            ("retention", _describe_retention(found)),
        ],
        columns=("what", "found"),
    )


def _format_share(share: float | None) -> str:
    return "-" if share is None else f"{share:.0%}"


def _format_name(tool: KnownTool) -> str:
    return f"{tool.server}/{tool.tool}" if tool.server else tool.tool


def _describe_retention(found: Diagnosis) -> str:
    keep = found.retention
    return (
        f"log {keep.log.days} d, settled actions {keep.settled.days} d, "
        f"vault {keep.kept.days} d after settlement, episodes and retired notes "
        f"{keep.learned.days} d, open actions for ever"
    )


def _as_json(found: Diagnosis) -> dict[str, object]:
    report = asdict(found)
    report["dropped"] = found.dropped
    report["retention"] = {
        f"{name}_days": value / timedelta(days=1) if value is not None else None
        for name, value in report["retention"].items()
    }
    return report
