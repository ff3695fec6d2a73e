"""Processes that the story starts, and ends again by their own ids."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from mulligan.cli.demo.calendar import Calendar
from mulligan.core.errors import MulliganError

PATIENCE = 120
"""Seconds, on the slowest of machines. Nothing in the story waits that long."""


@contextmanager
def running_calendar(ledger: Path) -> Iterator[Calendar]:
    """A calendar in a process of its own, as long as somebody needs it."""
    # A session of its own: Ctrl-C is for the story, which then closes the calendar in order.
    server = subprocess.Popen(  # noqa: S603 - our own interpreter and module
        [*_python("server"), str(ledger)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )
    try:
        yield Calendar(port=_port(server))
    finally:
        _end(server)


def live(life: str, *, store: str, port: int) -> int:
    """Run the family's program to its end, whichever that is. Its exit code: -9 when killed."""
    program = [*_python("lives"), life, store, str(port)]
    return subprocess.run(program, timeout=PATIENCE, check=False).returncode  # noqa: S603 - ours


def _python(module: str) -> list[str]:
    # -P: a file in the reader's folder that is called like a module must not get in between.
    return [sys.executable, "-P", "-m", f"mulligan.cli.demo.{module}"]


def _port(server: subprocess.Popen[str]) -> int:
    said = server.stdout.readline() if server.stdout else ""
    if not said:
        raise MulliganError("The demo's calendar did not start; what it said stands above.")
    return int(said)


def _end(server: subprocess.Popen[str]) -> None:
    """Let it go, by closing what it reads from; it may still be on its way up."""
    try:
        server.communicate(timeout=PATIENCE)
    except subprocess.TimeoutExpired:
        server.kill()
        server.communicate()
