"""`mulligan prove`: what an undo at a service is worth, on your own account."""

from __future__ import annotations

import argparse
import asyncio
from collections import Counter
from collections.abc import Sequence
from datetime import UTC, datetime
from importlib.metadata import version

import httpx
from msgspec.structs import asdict, replace
from rich.table import Table
from rich.text import Text

from mulligan.cli import render
from mulligan.cli.options import add_json, command, option
from mulligan.settings import Settings
from mulligan_packs.services.prove import (
    DIFFERS,
    NOT_POSSIBLE,
    PROVEN,
    ProvingTransport,
    ServiceProving,
    StepShown,
)
from mulligan_packs.services.service import Service, build_client
from mulligan_packs.services.table import list_services, load_table

_STYLES = {PROVEN: "green", DIFFERS: "red", NOT_POSSIBLE: "yellow"}


@command(
    "prove",
    add_json,
    option("service", choices=list_services(), help="which service"),
    option("--token-env", required=True, metavar="NAME", help="the variable that holds the token"),
    option(
        "--in",
        dest="place",
        required=True,
        metavar="PLACE",
        help="where to write: a calendar, repository, channel, … with 'scratch' in its name",
    ),
    option("--to", default="", metavar="PLACE", help="a second one, for what moves"),
    option("--base-url", default="", metavar="URL", help="where the service is, if elsewhere"),
    option(
        "--lands-within",
        type=float,
        metavar="SECONDS",
        help="how late a write without an answer may land (default: as the table says)",
    ),
    examples=(
        "mulligan prove google-calendar --token-env TOKEN --in c_1@group.calendar.google.com",
        "mulligan prove slack --token-env SLACK_TOKEN --in C0123456789 --json",
    ),
    about="Make, change, delete and undo in a scratch place of your own account, edit as a second\n"
    "person, lose answers, and read back. What it made is deleted, or closed where a service\n"
    "deletes nothing; what stays is named. It exits with 1 if something stays, or differs from\n"
    "what the tools promise.",
)
def run_prove(options: argparse.Namespace, settings: Settings) -> int:
    """Prove it, and print every step."""
    del settings
    table = load_table(options.service)
    if options.lands_within is not None:
        table = replace(table, lands_within=options.lands_within)
    transport = ProvingTransport(httpx.HTTPTransport())
    base_url = options.base_url or table.base_url
    with build_client(table, options.token_env, base_url=base_url, transport=transport) as client:
        proving = ServiceProving(
            Service(table, client), transport, place=options.place, other=options.to
        )
        lines = asyncio.run(proving.prove())
    counts = Counter(line.result for line in lines)
    report = {
        "service": options.service,
        "base_url": base_url,
        "at": datetime.now(UTC).isoformat(timespec="seconds"),
        "mulligan": version("mulligan"),
        "counts": dict(counts),
        "steps": [asdict(line) for line in lines],
    }
    render.answer(options, report, build_table(lines))
    return 1 if counts[DIFFERS] else 0


def build_table(lines: Sequence[StepShown]) -> Table:
    """The steps as people read them; what a service has said is shown as text."""
    rows = [
        (each.operation, each.step, Text(each.result, _STYLES[each.result]), each.what)
        for each in lines
    ]
    return render.build_table(rows, columns=("operation", "step", "result", ""))
