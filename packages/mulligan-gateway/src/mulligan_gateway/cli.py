"""`mulligan gateway`: MCP clients and their servers, with Mulligan between them."""

from __future__ import annotations

import argparse
from importlib import import_module

from mulligan.cli.options import add_store, command, option
from mulligan.settings import Settings

MODES = ("observe", "suggest", "auto")


@command(
    "gateway",
    add_store,
    option("file", nargs="?", help="the servers, as MCP clients name them: mcp.json"),
    option("--only", metavar="SERVER", help="this server of the file alone"),
    option(
        "--declarations", metavar="FILE", help="what their tools do, and how it is undone: TOML"
    ),
    option(
        "--mode",
        choices=MODES,
        help="how far to go with tools for which no declaration says it; observe, unless said: "
        "only watch",
    ),
    option(
        "--suggest",
        action="store_true",
        help="print a file of declarations by what the servers list, for a person to read, and end",
    ),
    option(
        "--wrap", metavar="CLIENT", help="put every server of a client's file behind the gateway"
    ),
    option("--unwrap", metavar="CLIENT", help="put that file back as it was"),
    option("--timeout", type=float, metavar="SECONDS", help="for an answer of a server; 300"),
    option(
        "--http", metavar="[HOST:]PORT", help="serve over HTTP instead, to clients with a token"
    ),
    option(
        "--token-file",
        metavar="FILE",
        help="tokens by line, each after the name of who has it; else one is made and shown once",
    ),
    option(
        "--no-tools", action="store_true", help="do not offer mulligan_why and its like to clients"
    ),
    option(
        "--pitfalls",
        action="store_true",
        help="put what is known to go wrong with a tool into its description",
    ),
    option(
        "--trust",
        action="append",
        metavar="NAME",
        help="a client over HTTP, by the name of its token: what it reports a person said counts, "
        "also as an approval",
    ),
    option(
        "--intent",
        action="store_true",
        help="let agents say why they make a call, in an argument that no server sees",
    ),
    option(
        "--pin",
        action="store_true",
        help="offer nothing that a server has changed or added, until it is approved",
    ),
    option(
        "--approve-tools",
        action="store_true",
        help="approve of all that servers say as it was seen last, and end",
    ),
    examples=(
        "mulligan gateway mcp.json",
        "mulligan gateway mcp.json --suggest",
        "mulligan gateway --wrap claude-desktop",
    ),
    about="Start or reach the servers of a usual `mcpServers` file, and serve them to a client "
    "over standard\ninput and output. Results pass unchanged; what is added is the log, and by "
    "mode and declaration\nadvice, repair, holds and undo.",
)
def run_gateway(options: argparse.Namespace, settings: Settings) -> int:
    """Serve. The gateway is another surface, which most commands never load."""
    return int(import_module("mulligan_gateway.command").run_gateway(options, settings))
