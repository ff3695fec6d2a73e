"""The store itself: `mulligan doctor`, `migrate`, `access`, `backup` and `forget`."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path
from typing import TYPE_CHECKING

from msgspec.structs import asdict
from rich.console import RenderableType

from mulligan.app.housekeeping import forget_now
from mulligan.cli import render
from mulligan.cli.options import (
    add_json,
    add_store_and_json,
    add_whole_store,
    command,
    define_group,
    one_of,
    option,
    verb,
)
from mulligan.insights.access import AccessList
from mulligan.insights.figures import name_tool
from mulligan.insights.insights import Diagnosis, Insights, copy_store, migrate_store
from mulligan.settings import Settings
from mulligan.types.errors import StoreDamagedError
from mulligan.types.interfaces import Health

if TYPE_CHECKING:
    from mulligan.insights.access import RoleGrant

READ_UNASKED = 50_000_000
"""Bytes of a store that are read from end to end within a second."""


@command(
    "doctor",
    add_store_and_json,
    option(
        "--thorough",
        action="store_true",
        help="read all of a store for damage, also one that is so large that it takes a while",
    ),
    option(
        "--accept-damage",
        metavar="NOTE",
        help="go on from what is left of a damaged journal; the note stays on record",
    ),
    about="Look at the store without changing it: engine and schema, damage, rows lost, "
    "retention,\nhow many calls say who made them and what for, and what each tool's "
    "declaration really promises.\nExit code 1 if anything needs a person.",
)
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
    facts = {
        **asdict(found),
        "dropped": found.dropped,
        "retention": {
            f"{name}_days": value / timedelta(days=1) if value is not None else None
            for name, value in asdict(found.retention).items()
        },
        "thorough": thorough,
    }
    render.answer(options, facts, *_describe_diagnosis(found, thorough=thorough))
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


def _describe_diagnosis(found: Diagnosis, *, thorough: bool) -> Iterator[RenderableType]:
    yield _build_overview(found)
    if found.tools:
        rows = [(name_tool(tool), tool.effect, " ".join(tool.promises)) for tool in found.tools]
        yield render.build_table(rows, columns=("tool", "effect", "what that promises"))
    chosen = [
        (name_tool(tool), name, what) for tool in found.tools for name, what in tool.kinds.items()
    ]
    if chosen:
        columns = ("tool", "parameter", "what it is taken for, and which checks look")
        yield render.build_table(chosen, columns=columns)
    yield from (render.build_text(f"! {problem}", style="yellow") for problem in found.problems)
    yield from (*found.health.caveats, *found.advice)
    if not thorough:
        yield "For damage, what an application looks at was looked at: --thorough reads all."
    if not found.problems:
        yield render.build_text("Nothing needs you.", style="green")


def _build_overview(found: Diagnosis) -> RenderableType:
    health, keep = found.health, found.retention
    retention = (
        f"log {keep.log.days} d, settled actions {keep.settled.days} d, "
        f"vault {keep.kept.days} d after settlement, episodes and retired notes "
        f"{keep.learned.days} d, open actions for ever"
    )
    return render.build_table(
        [
            ("store", health.url),
            ("engine", f"{health.kind} {health.version}"),
            ("schema", _list_schemas(health)),
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
            ("retention", retention),
        ],
        columns=("what", "found"),
    )


def _list_schemas(health: Health) -> str:
    return ", ".join(f"{part} {number}" for part, number in health.schemas.items())


def _format_share(share: float | None) -> str:
    return "-" if share is None else f"{share:.0%}"


@command(
    "migrate",
    add_whole_store,
    add_json,
    about="Bring the store to this Mulligan's schema, each step in one transaction; "
    "make it if it is not there.\nAn application does this by itself when it opens its "
    "store, unless `migrate = false`.",
)
def run_migrate(options: argparse.Namespace, settings: Settings) -> int:
    """Migrate, and say where it stands."""
    health = migrate_store(settings)
    said = f"{health.url} is up to date: {_list_schemas(health)}."
    return render.answer(options, {"url": health.url, "schemas": dict(health.schemas)}, said)


_ABOUT_ACCESS = """\
Have Postgres keep tenants apart by itself: each role of the server sees what it is for, also
with SQL written by hand. Run it as who owns the tables. Roles and their passwords are the
server's: make them there first, with `create role NAME login`."""


define_group("access", about=_ABOUT_ACCESS)


@verb("access", "list", says="roles, and what each of them sees", whole=True)
def run_access_list(options: argparse.Namespace, settings: Settings) -> int:
    """Print every role; one that nothing holds to its part needs a person."""
    found = AccessList(settings).list_roles()
    said = [_describe_access(each) for each in found]
    nothing = "No role was given anything: who owns the tables sees all."
    render.answer(options, found, *(said or [nothing]))
    return int(any(each.unbound for each in found))


@verb(
    "access",
    "grant",
    option("role", help="of the server; what it was given before is taken back"),
    one_of(
        option(
            "--worker",
            action="store_const",
            const="worker",
            dest="surface",
            help="everything, to read and write: applications and workers",
        ),
        option(
            "--look",
            action="store_const",
            const="look",
            dest="surface",
            help="everything, to read: the dashboard and the commands of who runs it",
        ),
        option("--tenant", dest="granted", metavar="NAME", help="one tenant's rows, to read"),
        required=True,
    ),
    says="have a role see what it is for, alone",
    whole=True,
)
def run_access_grant(options: argparse.Namespace, settings: Settings) -> int:
    """Give a role what it is for, and say what it is."""
    surface = options.surface or "tenant"
    given = AccessList(settings).grant(options.role, surface=surface, tenant=options.granted)
    return render.answer(options, given, _describe_access(given))


@verb(
    "access",
    "revoke",
    option("role", help="of the server"),
    says="have a role see nothing more",
    whole=True,
)
def run_access_revoke(options: argparse.Namespace, settings: Settings) -> int:
    """Take back all that a role was given."""
    known = AccessList(settings).revoke(options.role)
    said = "sees nothing more" if known else "was given nothing"
    return render.answer(
        options, {"role": options.role, "revoked": known}, f"{options.role} {said}."
    )


def _describe_access(each: RoleGrant) -> str:
    sees = {
        "worker": "sees and writes everything",
        "look": "sees everything",
        "tenant": f"sees the rows of {each.tenant}",
    }[each.surface]
    bound = f", but it {each.unbound}" if each.unbound and each.surface != "worker" else ""
    return f"{each.role} {sees}{bound}."


@command(
    "backup",
    add_whole_store,
    add_json,
    option("folder", type=Path, help="where to; made if it is not there"),
    about="Copy a SQLite store's files into a folder, each as it is at one moment, while "
    "applications go on writing.\nWhat is in the folder is a store: open it there, or put its "
    "files back where they came from.",
)
def run_backup(options: argparse.Namespace, settings: Settings) -> int:
    """Copy, and say what."""
    made = copy_store(settings, options.folder)
    size = sum(path.stat().st_size for path in made)
    said = f"{options.folder}: {len(made)} files, {size / 1e6:,.1f} MB."
    return render.answer(options, {"files": [str(path) for path in made], "bytes": size}, said)


@command(
    "forget",
    add_whole_store,
    add_json,
    about="Remove what is past its time, as applications do every hour, and write files or "
    "tables anew, so that\nno piece of it is left in them. They do that by themselves up to "
    "32 MB; this does it at any size,\nwhile everybody who writes waits. How long things are "
    "kept: the settings of `retention`.",
)
def run_forget(options: argparse.Namespace, settings: Settings) -> int:
    """Forget, and say what. 1: something could not be written anew."""
    swept = forget_now(settings)
    vacuumed = swept.vacuumed
    if vacuumed is None:
        said = ["Not written anew: another process does so now, or the store need not."]
    else:
        said = [f"{len(vacuumed.parts)} files or tables written anew."]
        said += [f"Not written anew: {why}" for why in vacuumed.left]
    render.answer(
        options,
        swept,
        f"{swept.rows:,} rows of the log, {swept.actions:,} actions, {swept.kept:,} kept "
        f"values, {swept.episodes:,} episodes and {swept.versions:,} notes removed.",
        *said,
    )
    return 1 if vacuumed is None or vacuumed.left else 0
