"""Processes that the story starts, and that end with it."""

from __future__ import annotations

import subprocess
import sys

TIMEOUT = 120
"""Seconds, on the slowest of machines. Nothing in the story waits that long."""


def live(life: str, *, store: str, url: str) -> int:
    """Run the family's program to its end, whichever that is. Its exit code: -9 when killed."""
    # -P: a file in the reader's folder that is called like a module must not get in between.
    program = [sys.executable, "-P", "-m", "mulligan.cli.demo.lives", life, store, url]
    return subprocess.run(program, timeout=TIMEOUT, check=False).returncode  # noqa: S603 - ours
