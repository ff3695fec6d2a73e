"""What `mulligan gateway` runs."""

from __future__ import annotations

import argparse
import asyncio
import signal
import sys
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

from msgspec.structs import replace

from mulligan.app.mulligan import Mulligan
from mulligan.checks.custom import STANDARD
from mulligan.checks.parameters import Standard
from mulligan.codec import encode_json
from mulligan.settings import Settings
from mulligan.stores.opening import strip_credentials
from mulligan.types.effect import Effect, Mode
from mulligan.types.errors import ConfigurationError, MissingExtraError
from mulligan_gateway.access import Access, make_token, read_access
from mulligan_gateway.client_files import (
    Wrapping,
    find_file,
    find_store_file,
    unwrap_file,
    wrap_file,
)
from mulligan_gateway.declarations import (
    GatewayOptions,
    GatewayRules,
    read_declarations,
    read_rules,
)
from mulligan_gateway.gateway import Gateway
from mulligan_gateway.party import Tasks
from mulligan_gateway.protocol import MEBI, Limits
from mulligan_gateway.servers_file import Server, read_servers
from mulligan_gateway.sign_in import LOOPBACK
from mulligan_gateway.stdio_server import keep_output_clean, serve_stdio
from mulligan_gateway.suggestions import ListedServer, read_seen, suggest_declarations
from mulligan_gateway.tools import Pins, describe_item

if TYPE_CHECKING:
    from mulligan_gateway.http_server import GatewayApp

CHECKS = Standard(unasked=False)
"""A client that hands on no message leaves nothing to hold its calls against."""


def run_gateway(options: argparse.Namespace, settings: Settings) -> int:
    """Serve until the client is gone."""
    if options.wrap or options.unwrap:
        return change_client(options, settings)
    if options.file is None:
        raise ConfigurationError("Name the file of servers, such as mcp.json.")
    file = Path(options.file)
    if options.approve_tools:
        return approve_tools(file)
    rules = read_rules(_as_path(options.declarations))
    servers = read_trusted(options, rules)
    if options.suggest:
        return asyncio.run(suggest(servers, settings))
    chosen = read_options(options, rules, servers=servers)
    report_absent(rules, servers, _report)
    if rules.strict:
        settings = settings.with_values(strict=True)
    keep_output_clean()
    asyncio.run(serve(servers, options, chosen=chosen, settings=settings))
    return 0


def report_absent(
    rules: GatewayRules, servers: Sequence[Server], report: Callable[[str], None]
) -> None:
    """Tell the operator which declarations are of no server that is there."""
    served = {name for server in servers for name in (server.name, *server.beside)}
    for absent in sorted(set(rules.modes) - served):
        report(f"{absent} is declared and not served: what is said of it has no effect now.")


def read_trusted(options: argparse.Namespace, rules: GatewayRules) -> tuple[Server, ...]:
    """The servers of the file, as far as the operator trusts each."""
    servers = read_servers(Path(options.file), only=options.only or "")
    return tuple(replace(s, trusted=s.trusted or s.name in rules.trusted) for s in servers)


async def serve(
    servers: Sequence[Server],
    options: argparse.Namespace,
    *,
    chosen: GatewayOptions,
    settings: Settings,
) -> None:
    """Serve one client over standard input and output, or many over HTTP."""
    named = sorted(settings.checks - {STANDARD})
    m = Mulligan(checks=[CHECKS, *named], settings=settings)
    report = _report_json if options.log == "json" else _report
    gateway = Gateway(m, servers, options=chosen, report=report)
    gateway.log = _write_json if options.log == "json" else None
    try:
        # It ends first: an undo that goes on needs the servers.
        async with m:
            await gateway.start()
            if options.http is None:
                await serve_stdio(gateway)
            else:
                await serve_http(gateway, options)
    finally:
        await gateway.stop()


async def suggest(servers: Sequence[Server], settings: Settings) -> int:
    """Print a file of declarations for a person to read, by what the servers list."""
    async with Mulligan(settings=settings) as m:
        gateway = Gateway(m, servers, report=_report)
        listed = []
        for server in servers:
            try:
                tools = await gateway.own.list_tools(server.name)
            except Exception as error:  # noqa: BLE001 - the others are still worth a file
                _report(f"{server.name} is left out: {error}")
                continue
            about = gateway.own.names.get(server.name, {})
            listed.append(
                ListedServer(
                    name=server.name,
                    calls_itself=str(about.get("name", "")),
                    version=str(about.get("version", "")),
                    tools=tools,
                )
            )
        await gateway.stop()
        seen = await asyncio.to_thread(read_seen, m.insights)
    sys.stdout.write(suggest_declarations(listed, seen=seen))
    return 0


def change_client(options: argparse.Namespace, settings: Settings) -> int:
    """Put the servers of a client behind the gateway, or back."""
    for name in ("file", "only", "http", "token_file", "suggest", "approve_tools"):
        if getattr(options, name):
            raise ConfigurationError(
                f"{name if name == 'file' else _write_option(name)} says nothing about a client's "
                "file: --wrap and --unwrap take that file, or the client's name, and nothing else "
                "to serve."
            )
    if options.unwrap:
        done = unwrap_file(find_file(options.unwrap))
        _report(f"{done.path} is as it was." if done.changed else "Nothing there was wrapped.")
        return 0
    store = choose_store(settings, named=options.store is not None)
    handed = list_handed_on(options, store, tenant=settings.tenant)
    done = wrap_file(find_file(options.wrap), options=handed)
    names = ", ".join(done.wrapped) or "no server"
    _report(f"{done.path}: {names} behind the gateway; as it was it lies in {done.kept}.")
    for name, why in (done.left or {}).items():
        _report(f"{name} is left alone: {why}.")
    if done.wrapped:
        asyncio.run(try_servers(done, options))
        _report(f"Start the client anew. What it does is then in: mulligan log --store {store}")
    return 0


async def try_servers(done: Wrapping, options: argparse.Namespace) -> None:
    """Start each server that went behind the gateway, and report what its tools are declared to
    do: one that does not start is seen here, and not first in the client."""
    servers = [read_servers(done.kept, only=name)[0] for name in done.wrapped]
    said = read_declarations(_as_path(options.declarations), servers)
    effects = {(each.server, each.tool): each.effect for each in said}
    async with Mulligan("memory:") as m:
        gateway = Gateway(m, servers, report=_report)
        try:
            tried = (gateway.own.list_tools(server.name) for server in servers)
            found = await asyncio.gather(*tried, return_exceptions=True)
        finally:
            await gateway.stop()
    for server, tools in zip(servers, found, strict=True):
        if isinstance(tools, BaseException):
            _report(f"{server.name} is behind the gateway, and does not work: {tools}")
            continue
        counts = Counter(effects.get((server.name, t["name"]), Effect.UNDECLARED) for t in tools)
        told = ", ".join(f"{counts[effect]} {effect}" for effect in Effect if counts[effect])
        _report(f"{server.name} starts. Its tools: {told or 'none'}.")
    if not said:
        _report(f"To declare them, begin with: mulligan gateway {done.kept} --suggest")


def choose_store(settings: Settings, *, named: bool) -> str:
    """Where a client's gateways keep what they see: as is said here, else in the person's own.

    A client starts them elsewhere and with variables of its own, so what counts is what counts now.
    """
    store = settings.store
    if store == Settings().store and not named:
        file = find_store_file()
        file.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        return f"sqlite:///{file}"
    if strip_credentials(store) != store and not store.startswith("sqlite:"):
        raise ConfigurationError(
            f"The store {strip_credentials(store)} would stand with its password in the client's "
            "file. Name it without one, and leave that to PGPASSWORD or ~/.pgpass."
        )
    path = store.removeprefix("sqlite:///")
    return store if path == store else f"sqlite:///{Path(path).resolve()}"


def list_handed_on(options: argparse.Namespace, store: str, *, tenant: str = "") -> list[str]:
    """What is said beside `--wrap`, for each gateway that the client will start."""
    handed = ["--store", store, *(("--tenant", tenant) if tenant else ())]
    if options.declarations:
        # The client starts it in a folder of its own choice.
        file = Path(options.declarations).resolve()
        read_rules(file)
        handed += ["--declarations", str(file)]
    for name in ("mode", "timeout", "max_message"):
        if getattr(options, name) is not None:
            handed += [_write_option(name), str(getattr(options, name))]
    switches = ("no_tools", "pitfalls", "intent", "pin")
    return handed + [_write_option(name) for name in switches if getattr(options, name)]


def _write_option(name: str) -> str:
    return f"--{name.replace('_', '-')}"


async def serve_http(gateway: Gateway, options: argparse.Namespace) -> None:
    """Serve clients over HTTP until we are told to end; on SIGHUP, read the files again."""
    try:
        import uvicorn
    except ModuleNotFoundError as missing:
        raise MissingExtraError(need="Serving over HTTP", extra="gateway") from missing
    from mulligan.app.web_server import configure_server
    from mulligan_gateway.http_server import PATH, GatewayApp

    host, _, port = options.http.rpartition(":")
    if not port.isdigit() or not 0 < int(port) < 65_536:
        raise ConfigurationError(
            f"--http {options.http!r} has no port; say 8400 or 127.0.0.1:8400."
        )
    host = host or "127.0.0.1"  # without a host it is this machine alone
    hosts, file = LOOPBACK | {host}, _as_path(options.token_file)

    app = GatewayApp(gateway, read_clients(gateway, gateway.servers, file=file, hosts=hosts))
    await gateway.check_lists()
    begun, reloading = read_rules(_as_path(options.declarations)), asyncio.Lock()

    async def reload() -> None:
        async with reloading:
            try:
                await read_anew(app, options, hosts=hosts, begun=begun)
            except ConfigurationError as error:
                gateway.report(f"Nothing was changed: {error}")

    tasks = Tasks()
    if (hangup := getattr(signal, "SIGHUP", None)) is not None:  # there is none on Windows
        asyncio.get_running_loop().add_signal_handler(hangup, lambda: tasks.run(reload()))
    gateway.report(f"Clients are served at http://{host}:{port}{PATH}.")
    if file is None:
        _report(f"The token of this run, shown once: {next(iter(app.access.tokens))}")
    settings = configure_server(app, host=host, port=int(port), lifespan="on")
    await uvicorn.Server(settings).serve()


async def read_anew(
    app: GatewayApp, options: argparse.Namespace, *, hosts: frozenset[str], begun: GatewayRules
) -> None:
    """Read the operator's files again; where one cannot be read, nothing changes."""
    gateway, file = app.gateway, _as_path(options.token_file)
    rules = read_rules(_as_path(options.declarations))
    if rules.strict != begun.strict:
        raise ConfigurationError("strict of the declarations takes a restart.")
    servers = read_trusted(options, rules)
    chosen = read_options(options, rules, servers=servers)
    access = app.access
    if file is not None:
        access = read_clients(gateway, servers, file=file, hosts=hosts)
    gateway.change_options(chosen)
    app.change_access(access)
    app.change_servers(servers)
    await gateway.settle_all()
    report_absent(rules, servers, gateway.report)
    names = ", ".join(server.name for server in servers)
    gateway.report(f"The files were read again. Servers: {names}.")


def read_clients(
    gateway: Gateway, servers: Sequence[Server], *, file: Path | None, hosts: frozenset[str]
) -> Access:
    """Whom the operator's file lets in; without one, who has a token that is made here."""
    access = Access(tokens={make_token(): "client"}, hosts=hosts)
    if file is not None:
        served = [server.name for server in servers]
        access = read_access(file, servers=served, hosts=hosts, keeps=gateway.keeps_label)
    names = enumerate(access.grants or access.tokens.values(), start=1)
    if masked := [at for at, name in names if not gateway.keeps_label(name)]:
        raise ConfigurationError(
            f"The name of client {masked[0]} in {file} looks like personal data or a secret. "
            "The store masks it, and no row would say whose it is: give it another name."
        )
    if strangers := sorted(gateway.options.trusted - access.clients):
        known = ", ".join(sorted(access.clients))
        raise ConfigurationError(f"--trust {strangers[0]}: no client has that name, only {known}.")
    return access


def _as_path(named: str | None) -> Path | None:
    return None if named is None else Path(named)


def read_options(
    options: argparse.Namespace, rules: GatewayRules, *, servers: Sequence[Server]
) -> GatewayOptions:
    """What the command line and the operator's file say of a gateway."""
    limits = Limits() if options.timeout is None else replace(Limits(), answer=options.timeout)
    if options.max_message is not None:
        longest = options.max_message * MEBI
        limits = replace(limits, frame=longest, server_frame=longest)
    elif options.http is None:
        # The one client is the operator's own, and may send whatever a server would take.
        limits = replace(limits, frame=limits.server_frame)
    mode = rules.mode if options.mode is None else Mode(options.mode)
    return GatewayOptions(
        mode=mode,
        modes={} if options.mode is not None else rules.modes,
        declarations=read_declarations(_as_path(options.declarations), servers, mode=mode),
        own_tools=not options.no_tools,
        pitfalls=options.pitfalls,
        trusted=frozenset(options.trust or ()),
        intent=options.intent,
        pin=options.pin,
        pins=find_pins(Path(options.file)),
        limits=limits,
    )


def find_pins(file: Path) -> Path:
    """Where it is kept what servers say of themselves: beside the file of servers."""
    return file.with_name(f"{file.name}.pins")


def approve_tools(file: Path) -> int:
    """Approve of everything that servers say as it was seen last."""
    changed = Pins(find_pins(file)).approve()
    for item in changed:
        _report(f"{item.server}: {describe_item(item)} is approved as it is now.")
    if not changed:
        _report("Nothing has changed since it was approved.")
    return 0


def _report_json(said: str) -> None:
    _write_json({"event": "report", "said": said})


def _write_json(event: Mapping[str, object]) -> None:
    line = {"at": datetime.now(UTC).isoformat(), **event}
    sys.stderr.write(f"{encode_json(line).decode()}\n")
    sys.stderr.flush()


def _report(said: str) -> None:
    sys.stderr.write(f"mulligan gateway: {said}\n")
    sys.stderr.flush()
