"""`mulligan worker`: runs recovery and upkeep, and reports its health over HTTP."""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import signal
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import AsyncExitStack, asynccontextmanager, contextmanager, suppress

from msgspec.structs import asdict

from mulligan.app.application import (
    GRACE,
    UpkeepWorker,
    WorkDone,
    WorkerHealth,
    build_worker,
    load_application,
)
from mulligan.cli import render
from mulligan.cli.options import add_json, app_option, command, option
from mulligan.process.event_loop import run_on_own_loop
from mulligan.settings import Settings
from mulligan.types.errors import ConfigurationError

HEALTH_TIMEOUT = 5.0
MOST_BYTES = 8_192

CheckHealth = Callable[[], WorkerHealth]

_REASONS = {200: "OK", 404: "Not Found", 405: "Method Not Allowed", 503: "Service Unavailable"}


def parse_address(text: str) -> tuple[str, int]:
    """`127.0.0.1:8391`, `[::1]:8391`, or a port of this machine alone."""
    host, _, port = text.rpartition(":")
    if not port.isdigit() or int(port) > 65_535:
        raise ConfigurationError(
            f"--health {text!r} is no address: write HOST:PORT, such as 127.0.0.1:8391."
        )
    return host.strip("[]") or "127.0.0.1", int(port)


@asynccontextmanager
async def serve_health(address: tuple[str, int], check: CheckHealth) -> AsyncIterator[int]:
    """Answer `GET /health` and `GET /live` as long as this lasts. Gives the port."""

    async def answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            # A client that is slow, or sends too long a line, gets no answer.
            with suppress(TimeoutError, OSError, ValueError, asyncio.IncompleteReadError):
                async with asyncio.timeout(HEALTH_TIMEOUT):
                    line = await reader.readuntil(b"\n")
                    writer.write(build_response(line.decode("latin-1"), check))
                    await writer.drain()
        finally:
            writer.close()

    host, port = address
    try:
        server = await asyncio.start_server(answer, host, port, limit=MOST_BYTES)
    except OSError as error:
        raise ConfigurationError(
            f"--health {host}:{port} cannot be listened on ({error.strerror}): name another port."
        ) from error
    async with server:
        yield int(server.sockets[0].getsockname()[1])


def build_response(request: str, check: CheckHealth) -> bytes:
    """The answer to the first line of a request."""
    method, _, rest = request.partition(" ")
    path = rest.partition(" ")[0].partition("?")[0]
    if method not in ("GET", "HEAD"):
        return _encode_response(405, {"error": "Only GET is answered."}, body=True)
    if path == "/live":
        return _encode_response(200, {"live": True}, body=method == "GET")
    if path != "/health":
        return _encode_response(404, {"error": "Use /health or /live."}, body=method == "GET")
    found = check()
    return _encode_response(200 if found.healthy else 503, asdict(found), body=method == "GET")


def _encode_response(status: int, said: dict[str, object], *, body: bool) -> bytes:
    content = json.dumps(said).encode()
    head = (
        f"HTTP/1.1 {status} {_REASONS[status]}\r\nContent-Type: application/json\r\n"
        f"Content-Length: {len(content)}\r\nConnection: close\r\n\r\n"
    )
    return head.encode() + (content if body else b"")


STOPPING = (signal.SIGTERM, signal.SIGINT)


def _parse_seconds(text: str) -> float:
    try:
        seconds = float(text)
    except ValueError:
        seconds = -1.0
    if not 0 <= seconds <= 3_600:
        raise argparse.ArgumentTypeError(f"{text!r} is no number of seconds from 0 to 3600")
    return seconds


@command(
    "worker",
    app_option(
        "the application that has the tools' code; else `app` under [tool.mulligan] in "
        "pyproject.toml"
    ),
    add_json,
    option("--once", action="store_true", help="do what is due now, report it, and exit"),
    option(
        "--health",
        metavar="HOST:PORT",
        help="answer GET /health (200, or 503 while passes fail) and GET /live there",
    ),
    option(
        "--grace",
        type=_parse_seconds,
        default=GRACE,
        metavar="SECONDS",
        help=f"how long stopping waits for work in progress (default: {GRACE:.0f})",
    ),
    about="Run beside an application, on as many machines as you like. Workers recover actions "
    "of crashed\nprocesses, carry out approvals and undos, do late reviews, delete expired data "
    "and draw lessons;\neach piece of work is done once. SIGTERM or Ctrl-C stops a worker after "
    "its current work.",
)
def run_worker(options: argparse.Namespace, settings: Settings) -> int:
    """Work until stopped, or once."""
    named = options.app or settings.app
    if not named:
        raise ConfigurationError(
            "A worker needs the code of the tools: name the application with --app MODULE:NAME."
        )
    address = parse_address(options.health) if options.health else None
    application = load_application(named)
    worker = build_worker(application)
    try:
        if options.once:
            return _report_round(options, run_on_own_loop(worker.run_once()))
        asyncio.run(_work(worker, options, address=address))
    finally:
        application.close()
    return 0


async def _work(
    worker: UpkeepWorker, options: argparse.Namespace, *, address: tuple[str, int] | None
) -> None:
    stop = asyncio.Event()
    async with AsyncExitStack() as stack:
        stack.enter_context(_stop_on_signals(stop))
        about: dict[str, object] = {"pid": os.getpid(), "tools": worker.list_tools()}
        if address is not None:
            served = serve_health(address, worker.check_health)
            about["port"] = await stack.enter_async_context(served)
        _say(options, "started", about)
        await worker.run(stop, grace=options.grace)
        _say(options, "stopped", asdict(worker.check_health()))


@contextmanager
def _stop_on_signals(stop: asyncio.Event) -> Iterator[None]:
    """Not by handlers of the loop, which that of Windows has none of."""
    loop = asyncio.get_running_loop()

    def ask(number: int, frame: object) -> None:  # noqa: ARG001 - as signals call it
        loop.call_soon_threadsafe(stop.set)

    before = {number: signal.signal(number, ask) for number in STOPPING}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


def _report_round(options: argparse.Namespace, done: WorkDone) -> int:
    swept = "retention done" if done.swept else "retention done by another process"
    learned = (
        "lessons drawn by another process" if done.lessons is None else f"{done.lessons} lessons"
    )
    said = f"{done.recovered} actions recovered; {swept}; {learned}; {done.open_actions} open."
    render.answer(options, done, said)
    return 1 if done.open_actions else 0


def _say(options: argparse.Namespace, event: str, about: dict[str, object]) -> None:
    said = ", ".join(f"{name} {value}" for name, value in about.items())
    render.answer(options, {"event": event} | about, f"Worker {event}: {said}.")
