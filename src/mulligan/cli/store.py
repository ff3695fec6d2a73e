"""The store itself: `mulligan doctor`, `migrate`, `access`, `backup` and `forget`."""

from __future__ import annotations

import argparse
import sys
from datetime import timedelta
from pathlib import Path

from msgspec.structs import asdict
from rich.console import RenderableType

from mulligan.app.housekeeping import forget_now
from mulligan.cli import render
from mulligan.cli.options import Commands, add_command, add_json, add_store, add_verb
from mulligan.insights.access import AccessList, RoleAccess
from mulligan.insights.insights import Diagnosis, Insights, copy_store, migrate_store
from mulligan.settings import Settings
from mulligan.types.errors import StoreDamagedError
from mulligan.types.interfaces import KnownTool

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
        render.print_json({**_encode_diagnosis(found), "thorough": thorough})
    else:
        _show_diagnosis(found, thorough=thorough)
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


def _show_diagnosis(found: Diagnosis, *, thorough: bool) -> None:
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


def _encode_diagnosis(found: Diagnosis) -> dict[str, object]:
    report = asdict(found)
    report["dropped"] = found.dropped
    report["retention"] = {
        f"{name}_days": value / timedelta(days=1) if value is not None else None
        for name, value in asdict(found.retention).items()
    }
    return report


def add_migrate(commands: Commands) -> None:
    """Add the command."""
    parser = add_command(
        commands,
        "migrate",
        about="Bring the store to this Mulligan's schema, each step in one transaction; "
        "make it if it is not there.\nAn application does this by itself when it opens its "
        "store, unless `migrate = false`.",
    )
    add_store(parser, whole=True)
    add_json(parser)
    parser.set_defaults(run=run_migrate)


def run_migrate(options: argparse.Namespace, settings: Settings) -> int:
    """Migrate, and say where it stands."""
    health = migrate_store(settings)
    if options.json:
        render.print_json({"url": health.url, "schemas": dict(health.schemas)})
    else:
        schemas = ", ".join(f"{part} {number}" for part, number in health.schemas.items())
        render.make_console().print(render.build_text(f"{health.url} is up to date: {schemas}."))
    return 0


_ABOUT_ACCESS = """\
Have Postgres keep tenants apart by itself: each role of the server sees what it is for, also
with SQL written by hand. Run it as who owns the tables. Roles and their passwords are the
server's: make them there first, with `create role NAME login`."""


def add_access(commands: Commands) -> None:
    """Add the commands."""
    parser = add_command(commands, "access", about=_ABOUT_ACCESS)
    verbs = parser.add_subparsers(title="commands", metavar="COMMAND", required=True)
    add_verb(
        verbs, "list", says="roles, and what each of them sees", run=run_access_list, whole=True
    )
    grant = add_verb(
        verbs,
        "grant",
        says="have a role see what it is for, alone",
        run=run_access_grant,
        whole=True,
    )
    grant.add_argument("role", help="of the server; what it was given before is taken back")
    what = grant.add_mutually_exclusive_group(required=True)
    what.add_argument(
        "--worker", action="store_const", const="worker", dest="surface",
        help="everything, to read and write: applications and workers",
    )  # fmt: skip
    what.add_argument(
        "--look", action="store_const", const="look", dest="surface",
        help="everything, to read: the dashboard and the commands of who runs it",
    )  # fmt: skip
    what.add_argument("--tenant", dest="granted", metavar="NAME", help="one tenant's rows, to read")
    revoke = add_verb(
        verbs, "revoke", says="have a role see nothing more", run=run_access_revoke, whole=True
    )
    revoke.add_argument("role", help="of the server")


def run_access_list(options: argparse.Namespace, settings: Settings) -> int:
    """Print every role; one that nothing holds to its part needs a person."""
    found = AccessList(settings).list_roles()
    if options.json:
        render.print_json(found)
    else:
        for each in found:
            _print_line(_describe_access(each))
        if not found:
            _print_line("No role was given anything: who owns the tables sees all.")
    return int(any(each.unbound for each in found))


def run_access_grant(options: argparse.Namespace, settings: Settings) -> int:
    """Give a role what it is for, and say what it is."""
    surface = options.surface or "tenant"
    given = AccessList(settings).grant(options.role, surface=surface, tenant=options.granted)
    if options.json:
        render.print_json(given)
    else:
        _print_line(_describe_access(given))
    return 0


def run_access_revoke(options: argparse.Namespace, settings: Settings) -> int:
    """Take back all that a role was given."""
    known = AccessList(settings).revoke(options.role)
    if options.json:
        render.print_json({"role": options.role, "revoked": known})
    else:
        said = "sees nothing more" if known else "was given nothing"
        _print_line(f"{options.role} {said}.")
    return 0


def _describe_access(each: RoleAccess) -> str:
    sees = {
        "worker": "sees and writes everything",
        "look": "sees everything",
        "tenant": f"sees the rows of {each.tenant}",
    }[each.surface]
    bound = f", but it {each.unbound}" if each.unbound and each.surface != "worker" else ""
    return f"{each.role} {sees}{bound}."


def _print_line(line: str) -> None:
    render.make_console().print(render.build_text(line))


def add_backup(commands: Commands) -> None:
    """Add the command."""
    parser = add_command(
        commands,
        "backup",
        about="Copy a SQLite store's files into a folder, each as it is at one moment, while "
        "applications go on writing.\nWhat is in the folder is a store: open it there, or put its "
        "files back where they came from.",
    )
    add_store(parser, whole=True)
    add_json(parser)
    parser.add_argument("folder", type=Path, help="where to; made if it is not there")
    parser.set_defaults(run=run_backup)


def run_backup(options: argparse.Namespace, settings: Settings) -> int:
    """Copy, and say what."""
    made = copy_store(settings, options.folder)
    size = sum(path.stat().st_size for path in made)
    if options.json:
        render.print_json({"files": [str(path) for path in made], "bytes": size})
    else:
        said = f"{options.folder}: {len(made)} files, {size / 1e6:,.1f} MB."
        render.make_console().print(render.build_text(said))
    return 0


def add_forget(commands: Commands) -> None:
    """Add the command."""
    parser = add_command(
        commands,
        "forget",
        about="Remove what is past its time, as applications do every hour, and write files or "
        "tables anew, so that\nno piece of it is left in them. They do that by themselves up to "
        "32 MB; this does it at any size,\nwhile everybody who writes waits. How long things are "
        "kept: the settings of `retention`.",
    )
    add_store(parser, whole=True)
    add_json(parser)
    parser.set_defaults(run=run_forget)


def run_forget(options: argparse.Namespace, settings: Settings) -> int:
    """Forget, and say what. 1: something could not be written anew."""
    swept = forget_now(settings)
    vacuumed = swept.vacuumed
    if options.json:
        render.print_json(swept)
    else:
        console = render.make_console()
        console.print(
            f"{swept.rows:,} rows of the log, {swept.actions:,} actions, {swept.kept:,} kept "
            f"values, {swept.episodes:,} episodes and {swept.versions:,} notes removed."
        )
        if vacuumed is None:
            console.print("Not written anew: another process does so now, or the store need not.")
        else:
            console.print(f"{len(vacuumed.parts)} files or tables written anew.")
            for why in vacuumed.left:
                console.print(render.build_text(f"Not written anew: {why}"))
    return 1 if vacuumed is None or vacuumed.left else 0
