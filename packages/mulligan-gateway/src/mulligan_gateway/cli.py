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
    option("--only", metavar="SERVER", help="serve only this server of the file"),
    option(
        "--declarations", metavar="FILE", help="what their tools do, and how it is undone: TOML"
    ),
    option(
        "--mode",
        choices=MODES,
        help="for tools whose declaration names no mode (default: observe, which only logs)",
    ),
    option(
        "--suggest",
        action="store_true",
        help="print proposed declarations for the listed tools, to review by hand, and end",
    ),
    option(
        "--wrap", metavar="CLIENT", help="put every server of a client's file behind the gateway"
    ),
    option("--unwrap", metavar="CLIENT", help="put that file back as it was"),
    option(
        "--timeout",
        type=float,
        metavar="SECONDS",
        help="to wait for a server's answer (default: 300)",
    ),
    option(
        "--max-message",
        type=int,
        metavar="MIB",
        help="the longest message taken from a client or a server (default: 64, from clients over "
        "HTTP 4)",
    ),
    option(
        "--http", metavar="[HOST:]PORT", help="serve over HTTP instead, to clients with a token"
    ),
    option(
        "--token-file",
        metavar="FILE",
        help="a name and a token on each line, or TOML with what each client may do; without it, "
        "one token is made and shown once",
    ),
    option(
        "--log",
        choices=("text", "json"),
        help="json: a line of JSON for each call and each report, on standard error",
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
        help="trust an HTTP client, by its token's name: what it reports as said by a person "
        "counts, also as an approval",
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
        help="approve everything that servers list, as last seen, and end",
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
