"""What an import and a first use cost in a fresh process with its bytecode written."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from functools import cache
from typing import Any

from bench.missing import MissingError

FLOOR = "import asyncio, apsw, msgspec"
"""What any library on SQLite and asyncio pays before its own first line."""
OURS = "import mulligan"
IN_USE = "from mulligan import Mulligan"
"""The class is handed on lazily; this is what its first use brings in."""
FIRST_USE = """
from mulligan import Effect, Mulligan
m = Mulligan("sqlite:///first.db")
look = m.tool(effect=Effect.READ)(lambda city: "sunny")
m.act_sync("How is it", lambda turn: look(city="Rome"))
m.close()
"""
"""A store that is made, a turn with one call that is logged, and the end of it."""
COMMAND = """
from mulligan.cli.main import main
main(["stats", "--store", "sqlite:///first.db"])
"""


def import_once(statement: str, _round: int = 0) -> dict[str, Any]:
    """Milliseconds that one statement takes in a new interpreter, its start not counted."""
    _write_bytecode(statement)
    return _import_in_new_process(statement)


@cache
def _write_bytecode(statement: str) -> None:
    """An installed package has its bytecode; a checkout may have none, or be kept from writing."""
    _import_in_new_process(statement)


@cache
def _open_bytecode_folder() -> tempfile.TemporaryDirectory[str]:
    return tempfile.TemporaryDirectory(prefix="bytecode")


def build_environment() -> dict[str, str]:
    """That of a process whose bytecode is written once and found from then on."""
    environment = {**os.environ, "PYTHONPYCACHEPREFIX": _open_bytecode_folder().name}
    environment.pop("PYTHONDONTWRITEBYTECODE", None)
    return environment


def _import_in_new_process(statement: str) -> dict[str, float]:
    """The last line that it prints: seconds on the clock and of the processor."""
    clocks = "(__import__('time').perf_counter(), __import__('time').process_time())"
    code = f"_began = {clocks}\n{statement}\nprint()\nprint(*_began, *{clocks})"
    with tempfile.TemporaryDirectory() as elsewhere:
        done = subprocess.run(
            [sys.executable, "-c", code],
            capture_output=True,
            text=True,
            cwd=elsewhere,
            env=build_environment(),
            check=False,
        )
    if done.returncode:
        raise MissingError(f"{statement!r} fails here: {done.stderr.strip().splitlines()[-1]}")
    began, used, ended, used_after = map(float, done.stdout.splitlines()[-1].split())
    return {"ms": (ended - began) * 1e3, "cpu_ms": (used_after - used) * 1e3}
