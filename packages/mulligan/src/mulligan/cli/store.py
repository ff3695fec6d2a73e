"""The store itself: `mulligan doctor`, `migrate`, `access`, `backup`, `copy` and `forget`."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator, Mapping, Sequence
from datetime import timedelta
from pathlib import Path
from typing import TYPE_CHECKING

from msgspec.structs import asdict, replace
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
from mulligan.cli.terminal import make_progress
from mulligan.extensions import GROUPS, Installed, list_installed
from mulligan.insights.access import AccessList
from mulligan.insights.figures import name_tool
from mulligan.insights.insights import Diagnosis, Insights, back_up_store, copy_store, migrate_store
from mulligan.settings import Settings
from mulligan.types.effect import Mode
from mulligan.types.errors import ConfigurationError, StoreDamagedError
from mulligan.types.interfaces import CopyRound, Health

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
        help="check the whole store for damage, however large it is; load every extension",
    ),
    option(
        "--accept-damage",
        metavar="NOTE",
        help="continue with what is left of a damaged journal; the note is kept",
    ),
    about="Check the store without changing it: engine and schema, damage, rows lost, "
    "retention,\nhow many calls name their agent and context, and what each tool's declaration "
    "guarantees;\nand what other packages bring: stores, checks, hosts, packs, commands.\nThe exit "
    "code is 1 if anything needs attention.",
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
    installed = list_installed(load_ours=options.thorough)
    facts = {
        **asdict(found),
        "extensions": {
            group: [each.to_json() for each in installed if each.group == group] for group in GROUPS
        },
        "dropped": found.dropped,
        "retention": {
            f"{name}_days": value / timedelta(days=1)
            for name, value in asdict(found.retention).items()
        },
        "thorough": thorough,
    }
    shown = _describe_diagnosis(found, installed, thorough=thorough)
    render.answer(options, facts, *shown)
    return 1 if found.problems or any(each.broken for each in installed) else 0


def _is_due(found: Diagnosis, settings: Settings) -> bool:
    """Whether everything is checked by default: in a small store, or a damaged one."""
    if found.health.size_bytes <= READ_UNASKED:
        return True
    try:
        with Insights.open(settings):
            return False
    except StoreDamagedError:
        return True


def _describe_diagnosis(
    found: Diagnosis, installed: Sequence[Installed], *, thorough: bool
) -> Iterator[RenderableType]:
    yield _build_overview(found)
    yield _build_installed(installed)
    if found.tools:
        rows = [(name_tool(tool), tool.effect, " ".join(tool.promises)) for tool in found.tools]
        yield render.build_table(rows, columns=("tool", "effect", "guarantees"))
    if found.waivers:
        waived = [
            (each.rule, each.tool or "all", each.severity or "muted", str(each.until), each.reason)
            for each in found.waivers
        ]
        titles = ("waived rule", "tool", "findings", "until", "reason")
        yield render.build_table(waived, columns=titles)
    chosen = [
        (name_tool(tool), name, what) for tool in found.tools for name, what in tool.kinds.items()
    ]
    if chosen:
        columns = ("tool", "parameter", "inferred meaning, and the checks that use it")
        yield render.build_table(chosen, columns=columns)
    problems = [*found.problems, *dict.fromkeys(each.problem for each in installed if each.broken)]
    yield from (render.build_text(f"! {problem}", style="yellow") for problem in problems)
    yield from (*found.health.caveats, *found.advice)
    if not thorough:
        yield "Only recent data was checked for damage, as at start-up: --thorough checks all."
    if not problems:
        yield render.build_text("Nothing needs attention.", style="green")


def _build_overview(found: Diagnosis) -> RenderableType:
    health, keep = found.health, found.retention
    retention = (
        f"log {keep.log.days} d, settled actions {keep.settled.days} d, "
        f"vault {keep.kept.days} d after settlement, episodes and retired notes "
        f"{keep.learned.days} d, open actions forever"
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
            ("with agent and context", render.format_figure(found.with_context, ".0%")),
            ("with derived agent and context", render.format_figure(found.derived_context, ".0%")),
            ("outside any turn", sum(each.count for each in found.outside)),
            ("mode, by an operator", _list_modes(found.modes)),
            ("capture", found.capture.value),
            ("redaction", found.redaction),
            ("retention", retention),
        ],
        columns=("what", "found"),
    )


def _build_installed(installed: Sequence[Installed]) -> RenderableType:
    """What each package brings, a line for each kind; what cannot be used is marked."""
    rows: dict[tuple[str, str], list[str]] = {}
    for each in installed:
        whose = f"{each.package} {each.version}".strip()
        name = f"{each.name} (not usable: {each.problem})" if each.problem else each.name
        rows.setdefault((f"{GROUPS[each.group]}s", whose), []).append(name)
    return render.build_table(
        [(kind, whose, ", ".join(names)) for (kind, whose), names in rows.items()],
        columns=("extensions", "package", "names"),
    )


def _list_modes(modes: Mapping[str, Mode]) -> str:
    said = [f"{tool or 'all tools'}: {mode}" for tool, mode in modes.items() if mode != Mode.AUTO]
    return ", ".join(said) or "no limit"


@command(
    "mode",
    add_whole_store,
    add_json,
    option("mode", nargs="?", choices=list(Mode), help="without it, the present limits are shown"),
    option("--tool", metavar="NAME", help="only for this tool"),
    examples=(
        "mulligan mode observe",
        "mulligan mode shadow --tool send_mail",
        "mulligan mode auto",
    ),
    about="Limit how far every application of the store goes, while it runs: `off`, `observe` "
    "(only the log),\n`shadow` (report what would have been done), `suggest` or `auto` (no limit). "
    "A stricter setting\nof an application or a tool still holds. Running processes follow within "
    "seconds.",
)
def run_mode(options: argparse.Namespace, settings: Settings) -> int:
    """Show or set the limits."""
    if options.tool == "":
        raise ConfigurationError("--tool names no tool. Leave it out to limit all of them.")
    with Insights.open(settings) as insights:
        if options.mode is not None:
            insights.set_mode(Mode(options.mode), tool=options.tool or "")
        modes = insights.list_modes()
    return render.answer(options, {"modes": modes}, _list_modes(modes))


def _list_schemas(health: Health) -> str:
    return ", ".join(f"{part} {number}" for part, number in health.schemas.items())


@command(
    "migrate",
    add_whole_store,
    add_json,
    about="Create the store, or upgrade it to this version's schema, each step in one "
    "transaction.\nAn application does this when it opens its store, unless "
    "`migrate = false`.",
)
def run_migrate(options: argparse.Namespace, settings: Settings) -> int:
    """Migrate, and print the schema."""
    health = migrate_store(settings)
    said = f"{health.url} is up to date: {_list_schemas(health)}."
    return render.answer(options, {"url": health.url, "schemas": dict(health.schemas)}, said)


_ABOUT_ACCESS = """\
Separate tenants with Postgres row-level security: each role sees only the rows granted to it,
also with hand-written SQL. Run this as the owner of the tables. Create the roles first, with
`create role NAME login`."""


define_group("access", about=_ABOUT_ACCESS)


@verb("access", "list", says="list the roles and what each may see", whole=True)
def run_access_list(options: argparse.Namespace, settings: Settings) -> int:
    """Print every role; the exit code is 1 if one can bypass its grant."""
    found = AccessList(settings).list_roles()
    said = [_describe_access(each) for each in found]
    nothing = "No role was granted anything: only the owner of the tables sees the rows."
    render.answer(options, found, *(said or [nothing]))
    return int(any(each.unbound for each in found))


@verb(
    "access",
    "grant",
    option("role", help="a role of the server; this replaces its earlier grant"),
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
            help="everything, to read: dashboard and commands of the operator",
        ),
        option("--tenant", dest="granted", metavar="NAME", help="one tenant's rows, to read"),
        required=True,
    ),
    says="grant a role what it may see, replacing its earlier grant",
    whole=True,
)
def run_access_grant(options: argparse.Namespace, settings: Settings) -> int:
    """Grant, and print the grant."""
    surface = options.surface or "tenant"
    given = AccessList(settings).grant(options.role, surface=surface, tenant=options.granted)
    return render.answer(options, given, _describe_access(given))


@verb(
    "access",
    "revoke",
    option("role", help="a role of the server"),
    says="revoke all that a role may see",
    whole=True,
)
def run_access_revoke(options: argparse.Namespace, settings: Settings) -> int:
    """Revoke all that a role was granted."""
    known = AccessList(settings).revoke(options.role)
    said = "sees nothing any more" if known else "had no grant"
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
    option("folder", type=Path, help="target folder; created if missing"),
    about="Copy the files of a SQLite store into a folder, each as a consistent snapshot, while "
    "applications\nkeep writing. The folder holds a complete store: open it there, or copy its "
    "files back to restore it.",
)
def run_backup(options: argparse.Namespace, settings: Settings) -> int:
    """Copy, and say what."""
    made = back_up_store(settings, options.folder)
    size = sum(path.stat().st_size for path in made)
    said = f"{options.folder}: {len(made)} files, {size / 1e6:,.1f} MB."
    return render.answer(options, {"files": [str(path) for path in made], "bytes": size}, said)


@command(
    "copy",
    add_json,
    option("source", metavar="FROM_URL", help="sqlite:///path.db or postgresql://…"),
    option("target", metavar="TO_URL", help="the same: an empty database, or a file to be made"),
    about="Copy a store into another kind of store, while applications keep writing to it. Rounds "
    "of comparing\nand writing go on until one finds every row equal, so it ends once the "
    "applications have stopped:\nstop them, wait for its end, and start them with TO_URL. No "
    "application may use TO_URL before.\nInterrupted or killed, the same command continues. The "
    "exit code is 1 if the copy has problems.",
)
def run_copy(options: argparse.Namespace, settings: Settings) -> int:
    """Copy, say what each round did, and what was found to be equal."""
    with make_progress() as progress:
        bar = progress.add_task("rows", total=None)

        def report(done: CopyRound) -> None:
            did = f"{done.written:,} rows written, {done.deleted:,} deleted"
            said = "every row is equal" if done.equal else did
            progress.console.print(f"Round {done.number}: {said}.", highlight=False)

        copied = copy_store(
            replace(settings, store=options.source),
            options.target,
            watch=lambda compared, rows: progress.update(bar, completed=compared, total=rows),
            on_round=report,
        )
    rows = sum(table.rows for table in copied.tables.values())
    render.answer(
        options,
        copied,
        f"{copied.target} is equal to {copied.source}: {rows:,} rows of {len(copied.tables)} "
        "tables, compared row by row.",
        *(render.build_text(f"! {problem}", style="yellow") for problem in copied.problems),
    )
    return 1 if copied.problems else 0


@command(
    "forget",
    add_whole_store,
    add_json,
    about="Delete expired data, as applications do every hour, and rewrite files or tables so "
    "that no trace\nis left in them. Applications rewrite up to 32 MB; this command rewrites "
    "any size, and writers wait\nmeanwhile. The settings under `retention` say how long data is "
    "kept.",
)
def run_forget(options: argparse.Namespace, settings: Settings) -> int:
    """Delete, and say what. 1: something could not be rewritten."""
    swept = forget_now(settings)
    vacuumed = swept.vacuumed
    if vacuumed is None:
        said = ["Not rewritten: another process is doing it, or the store does not need it."]
    else:
        said = [f"{len(vacuumed.parts)} files or tables rewritten."]
        said += [f"Not rewritten: {why}" for why in vacuumed.left]
    render.answer(
        options,
        swept,
        f"{swept.rows:,} rows of the log, {swept.actions:,} actions, {swept.kept:,} kept "
        f"values, {swept.episodes:,} episodes and {swept.versions:,} notes removed.",
        *said,
    )
    return 1 if vacuumed is None or vacuumed.left else 0
