"""What is tried in environments of its own, one after the other, with nothing of this one's."""

from __future__ import annotations

import os
import subprocess
import time
from collections.abc import Callable, Iterable
from pathlib import Path

from bench.missing import MissingError

APART = ("PYTHON", "MULLIGAN", "VIRTUAL_ENV")
LONGEST = 3_600
"""Seconds for one command."""


def clean_environment() -> dict[str, str]:
    """Of this process, less what would lead another interpreter to what is installed here."""
    return {name: value for name, value in os.environ.items() if not name.startswith(APART)}


def run_apart(*command: object, at: Path | str | None = None) -> str:
    """What a command says; `MissingError` has the end of its words where it fails."""
    done = subprocess.run(
        [str(part) for part in command],
        cwd=at,
        env=clean_environment() | ({} if at is None else {"HOME": str(at)}),
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=LONGEST,
        check=False,
    )
    if done.returncode:
        said = (done.stderr or done.stdout).strip()[-600:] or "no reason given"
        raise MissingError(f"{' '.join(map(str, command))[-80:]}: {said}")
    return done.stdout


def try_each(steps: Iterable[tuple[str, Callable[[], object]]]) -> list[str]:
    """Each by its name, with what it came to; those that failed."""
    bad = []
    for name, step in steps:
        begun = time.monotonic()
        try:
            came = str(step() or "good").strip().splitlines()[-1]
        except (MissingError, subprocess.TimeoutExpired) as error:
            came = f"FAILED: {error}"
            bad.append(name)
        print(f"{name}: {came} ({time.monotonic() - begun:.0f} s)", flush=True)
    print(f"Not as they should be: {', '.join(bad)}" if bad else "All is as it should be.")
    return bad
