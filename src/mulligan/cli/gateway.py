"""`mulligan gateway`: MCP clients and their servers, with Mulligan between them."""

from __future__ import annotations

import argparse
from importlib import import_module

from mulligan.cli.options import Commands, add_command, add_store
from mulligan.settings import Settings

MODES = ("observe", "suggest", "auto")


def add_gateway(commands: Commands) -> None:
    """Add the command."""
    parser = add_command(
        commands,
        "gateway",
        about="Start or reach the servers of a usual `mcpServers` file, and serve them to a client "
        "over standard\ninput and output. Results pass unchanged; what is added is the log, and by "
        "mode and declaration\nadvice, repair, holds and undo.",
    )
    add_store(parser)
    parser.add_argument("file", nargs="?", help="the servers, as MCP clients name them: mcp.json")
    parser.add_argument("--only", metavar="SERVER", help="this server of the file alone")
    parser.add_argument(
        "--declarations", metavar="FILE", help="what their tools do, and how it is undone: TOML"
    )
    parser.add_argument(
        "--mode",
        choices=MODES,
        help="how far to go with tools for which no declaration says it; observe, unless said: "
        "only watch",
    )
    parser.add_argument(
        "--suggest",
        action="store_true",
        help="print a file of declarations by what the servers list, for a person to read, and end",
    )
    parser.add_argument(
        "--wrap", metavar="CLIENT", help="put every server of a client's file behind the gateway"
    )
    parser.add_argument("--unwrap", metavar="CLIENT", help="put that file back as it was")
    _add_serving(parser)
    _add_tools(parser)
    parser.set_defaults(run=run_gateway)


def _add_serving(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--timeout", type=float, metavar="SECONDS", help="for an answer of a server; 300"
    )
    parser.add_argument(
        "--http", metavar="[HOST:]PORT", help="serve over HTTP instead, to clients with a token"
    )
    parser.add_argument(
        "--token-file",
        metavar="FILE",
        help="tokens by line, each after the name of who has it; else one is made and shown once",
    )


def _add_tools(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--no-tools", action="store_true", help="do not offer mulligan_why and its like to clients"
    )
    parser.add_argument(
        "--pitfalls",
        action="store_true",
        help="put what is known to go wrong with a tool into its description",
    )
    parser.add_argument(
        "--trust",
        action="append",
        metavar="NAME",
        help="a client over HTTP, by the name of its token: what it reports a person said counts, "
        "also as an approval",
    )
    parser.add_argument(
        "--intent",
        action="store_true",
        help="let agents say why they make a call, in an argument that no server sees",
    )
    parser.add_argument(
        "--pin",
        action="store_true",
        help="offer nothing that a server has changed or added, until it is approved",
    )
    parser.add_argument(
        "--approve-tools",
        action="store_true",
        help="approve of all that servers say as it was seen last, and end",
    )


def run_gateway(options: argparse.Namespace, settings: Settings) -> int:
    """Serve. The gateway is another surface, which most commands never load."""
    return int(import_module("mulligan.gateway.command").run_gateway(options, settings))
