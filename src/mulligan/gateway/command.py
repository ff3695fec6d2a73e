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
from mulligan.core.errors import ConfigurationError, MissingExtraError
from mulligan.gateway.gateway import Gateway
from mulligan.gateway.options import GatewayOptions
from mulligan.gateway.protocol.limits import Limits
from mulligan.gateway.servers_file import read_servers
from mulligan.gateway.serving.access import LOOPBACK, Access, make_token, read_tokens
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
            gateway = Gateway(m, servers, options=chosen, report=_report)
            if options.http is None:
                await serve_stdio(gateway)
            else:
                await serve_http(gateway, options.http, tokens=options.token_file)

    asyncio.run(serve())
    return 0


async def serve_http(gateway: Gateway, address: str, *, tokens: str | None) -> None:
    """Serve clients over HTTP until we are told to end."""
    try:
        import uvicorn
    except ModuleNotFoundError as missing:
        raise MissingExtraError(need="Serving over HTTP", extra="gateway") from missing
    from mulligan.gateway.serving.http import PATH, GatewayApp

    host, port = read_address(address)
    known = {make_token(): "client"} if tokens is None else read_tokens(Path(tokens))
    app = GatewayApp(gateway, Access(tokens=known, hosts=LOOPBACK | {host}))
    _report(f"Clients are served at http://{host}:{port}{PATH}.")
    if tokens is None:
        _report(f"The token of this run, shown once: {next(iter(known))}")
    settings = uvicorn.Config(app, host=host, port=port, log_level="warning", lifespan="on")
    await uvicorn.Server(settings).serve()


def read_address(address: str) -> tuple[str, int]:
    """`8400`, or `host:8400`; without a host it is this machine alone."""
    host, _, port = address.rpartition(":")
    if not port.isdigit() or not 0 < int(port) < 65_536:
        raise ConfigurationError(f"--http {address!r} has no port; say 8400 or 127.0.0.1:8400.")
    return host or "127.0.0.1", int(port)


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
