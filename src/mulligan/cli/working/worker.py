"""`mulligan worker`: looks after what other processes leave, beside any number of its kind."""

from __future__ import annotations

import argparse
import asyncio
import os
import signal
from collections.abc import Callable
from contextlib import AsyncExitStack
from dataclasses import asdict

from mulligan.app.insights import build_worker, load_application
from mulligan.app.settings import Settings
from mulligan.app.upkeep.worker import GRACE, UpkeepWorker, WorkDone
from mulligan.cli.terminal import render
from mulligan.cli.terminal.options import Commands, add_command, add_json
from mulligan.cli.working.health import parse_address, serve_health
from mulligan.core.errors import ConfigurationError
from mulligan.core.waiting.own_loop import run_on_own_loop

STOPPING = (signal.SIGTERM, signal.SIGINT)


def add_worker(commands: Commands) -> None:
    """Add the command."""
    parser = add_command(
        commands,
        "worker",
        about="Run beside an application, on as many machines as you like: take up what crashed "
        "processes left,\ncarry out what people approve or want undone, review late, forget what "
        "is past its time, and draw\nlessons, each of it once. It ends with SIGTERM or Ctrl-C, "
        "after what it is at.",
    )
    parser.add_argument(
        "--app",
        metavar="MODULE:NAME",
        help="the application that has the tools' code; else `app` under [tool.mulligan] in "
        "pyproject.toml",
    )
    add_json(parser)
    parser.add_argument(
        "--once", action="store_true", help="do what is due now, say what that was, and end"
    )
    parser.add_argument(
        "--health",
        metavar="HOST:PORT",
        help="answer GET /health (200, or 503 while passes fail) and GET /live there",
    )
    parser.add_argument(
        "--grace",
        type=_parse_seconds,
        default=GRACE,
        metavar="SECONDS",
        help=f"how long stopping waits for what is under way (default: {GRACE:.0f})",
    )
    parser.set_defaults(run=run_worker)


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
            return _report_round(run_on_own_loop(worker.run_once()), as_json=options.json)
        say = _say_json if options.json else _say_plainly
        asyncio.run(_work(worker, say, address=address, grace=options.grace))
    finally:
        application.close()
    return 0


Say = Callable[[str, dict[str, object]], None]


async def _work(
    worker: UpkeepWorker, say: Say, *, address: tuple[str, int] | None, grace: float
) -> None:
    stop, loop = asyncio.Event(), asyncio.get_running_loop()
    for number in STOPPING:
        loop.add_signal_handler(number, stop.set)
    async with AsyncExitStack() as stack:
        about: dict[str, object] = {"pid": os.getpid(), "tools": worker.list_tools()}
        if address is not None:
            served = serve_health(address, worker.check_health)
            about["port"] = await stack.enter_async_context(served)
        say("started", about)
        await worker.run(stop, grace=grace)
        say("stopped", asdict(worker.check_health()))


def _report_round(done: WorkDone, *, as_json: bool) -> int:
    if as_json:
        render.print_json(asdict(done))
    else:
        console = render.make_console()
        swept = "swept" if done.swept else "not swept, as others have"
        learned = "others see to lessons" if done.lessons is None else f"{done.lessons} lessons"
        console.print(
            f"{done.recovered} actions taken up; {swept}; {learned}; {done.open_actions} open."
        )
    return 1 if done.open_actions else 0


def _say_json(event: str, about: dict[str, object]) -> None:
    render.print_json({"event": event} | about)


def _say_plainly(event: str, about: dict[str, object]) -> None:
    said = ", ".join(f"{name} {value}" for name, value in about.items())
    render.make_console().print(render.build_text(f"Worker {event}: {said}."))


def _parse_seconds(text: str) -> float:
    try:
        seconds = float(text)
    except ValueError:
        seconds = -1.0
    if not 0 <= seconds <= 3_600:
        raise argparse.ArgumentTypeError(f"{text!r} is no number of seconds from 0 to 3600")
    return seconds
