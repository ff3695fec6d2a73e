"""`mulligan access`: which role of the database server sees what."""

from __future__ import annotations

import argparse
from dataclasses import asdict

from mulligan.app.insights import AccessList, RoleAccess
from mulligan.app.settings import Settings
from mulligan.cli.terminal import render
from mulligan.cli.terminal.options import Commands, add_command, add_verb

_ABOUT = """\
Have Postgres keep tenants apart by itself: each role of the server sees what it is for, also
with SQL written by hand. Run it as who owns the tables. Roles and their passwords are the
server's: make them there first, with `create role NAME login`."""


def add_access(commands: Commands) -> None:
    """Add the commands."""
    parser = add_command(commands, "access", about=_ABOUT)
    verbs = parser.add_subparsers(title="commands", metavar="COMMAND", required=True)
    add_verb(verbs, "list", says="roles, and what each of them sees", run=run_list, whole=True)
    grant = add_verb(
        verbs, "grant", says="have a role see what it is for, alone", run=run_grant, whole=True
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
        verbs, "revoke", says="have a role see nothing more", run=run_revoke, whole=True
    )
    revoke.add_argument("role", help="of the server")


def run_list(options: argparse.Namespace, settings: Settings) -> int:
    """Print every role; one that nothing holds to its part needs a person."""
    found = AccessList(settings).list_roles()
    if options.json:
        render.print_json([asdict(each) for each in found])
    else:
        for each in found:
            _print_line(_describe(each))
        if not found:
            _print_line("No role was given anything: who owns the tables sees all.")
    return int(any(each.unbound for each in found))


def run_grant(options: argparse.Namespace, settings: Settings) -> int:
    """Give a role what it is for, and say what it is."""
    surface = options.surface or "tenant"
    given = AccessList(settings).grant(options.role, surface=surface, tenant=options.granted)
    if options.json:
        render.print_json(asdict(given))
    else:
        _print_line(_describe(given))
    return 0


def run_revoke(options: argparse.Namespace, settings: Settings) -> int:
    """Take back all that a role was given."""
    known = AccessList(settings).revoke(options.role)
    if options.json:
        render.print_json({"role": options.role, "revoked": known})
    else:
        said = "sees nothing more" if known else "was given nothing"
        _print_line(f"{options.role} {said}.")
    return 0


def _describe(each: RoleAccess) -> str:
    sees = {
        "worker": "sees and writes everything",
        "look": "sees everything",
        "tenant": f"sees the rows of {each.tenant}",
    }[each.surface]
    bound = f", but it {each.unbound}" if each.unbound and each.surface != "worker" else ""
    return f"{each.role} {sees}{bound}."


def _print_line(line: str) -> None:
    render.make_console().print(render.build_text(line))
