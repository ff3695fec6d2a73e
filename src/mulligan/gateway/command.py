"""What `mulligan gateway` runs."""

from __future__ import annotations

import argparse
import asyncio
import sys
from dataclasses import replace
from pathlib import Path

from mulligan.app.mulligan import Mulligan
from mulligan.app.settings import Settings
from mulligan.core.effect import Mode
from mulligan.gateway.gateway import Gateway
from mulligan.gateway.options import GatewayOptions
from mulligan.gateway.protocol.limits import Limits
from mulligan.gateway.servers_file import read_servers
from mulligan.gateway.serving.stdio import keep_output_clean, serve_stdio
from mulligan.gateway.tools.pins import Pins


def run_gateway(options: argparse.Namespace, settings: Settings) -> int:
    """Serve until the client is gone."""
    file = Path(options.file)
    if options.approve_tools:
        return approve_tools(file)
    servers = read_servers(file)
    chosen = read_options(options)
    keep_output_clean()

    async def serve() -> None:
        async with Mulligan(settings=settings) as m:
            await serve_stdio(Gateway(m, servers, options=chosen, report=_report))

    asyncio.run(serve())
    return 0


def read_options(options: argparse.Namespace) -> GatewayOptions:
    """What the command line says of a gateway."""
    limits = Limits() if options.timeout is None else replace(Limits(), answer=options.timeout)
    return GatewayOptions(
        mode=Mode(options.mode),
        own_tools=not options.no_tools,
        pitfalls=options.pitfalls,
        intent=options.intent,
        pin=options.pin,
        pins=find_pins(Path(options.file)),
        limits=limits,
    )


def find_pins(file: Path) -> Path:
    """Where it is kept what tools look like: beside the file of servers."""
    return file.with_name(f"{file.name}.pins")


def approve_tools(file: Path) -> int:
    """Approve of every tool as it was seen last."""
    changed = Pins(find_pins(file)).approve()
    for server, name in changed:
        _report(f"{name} of {server} is approved as it is now.")
    if not changed:
        _report("No tool has changed since it was approved.")
    return 0


def _report(said: str) -> None:
    sys.stderr.write(f"mulligan gateway: {said}\n")
    sys.stderr.flush()
