"""What an import, a first use and a command cost in a fresh process with its bytecode written.

`python -m bench.imports` takes them in turn and shows the medians.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from collections.abc import Mapping
from functools import cache
from statistics import median
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
main([NAMED, "--store", "sqlite:///first.db"])
"""
MARK = "# in a process of its own:\n"
COMMANDS = ("stats", "log", "open", "doctor", "patterns")
ROUNDS = 15


def import_once(statement: str, _round: int = 0) -> dict[str, Any]:
    """Milliseconds that one statement takes in a new interpreter, its start not counted."""
    _write_bytecode(statement)
    return _import_in_new_process(statement)


def list_statements() -> Mapping[str, str]:
    """What is measured, by what it is called; a command finds the store that a first use made."""
    made = {name: COMMAND.replace("NAMED", repr(name)) for name in COMMANDS}
    commands = {f"mulligan {name}": f"{FIRST_USE}{MARK}{code}" for name, code in made.items()}
    return {"the floor": FLOOR, "import": OURS, "first use": FIRST_USE, **commands}


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
    *before, measured = statement.split(MARK)
    environment = build_environment()
    code = f"_began = {clocks}\n{measured}\nprint()\nprint(*_began, *{clocks})"
    with tempfile.TemporaryDirectory() as elsewhere:
        for each in (*before, code):
            done = subprocess.run(
                [sys.executable, "-c", each],
                capture_output=True,
                text=True,
                cwd=elsewhere,
                env=environment,
                check=False,
            )
    if done.returncode:
        raise MissingError(f"{statement!r} fails here: {done.stderr.strip().splitlines()[-1]}")
    began, used, ended, used_after = map(float, done.stdout.splitlines()[-1].split())
    return {"ms": (ended - began) * 1e3, "cpu_ms": (used_after - used) * 1e3}


def main() -> None:
    """Each in turn, so that what else the machine does is shared by all."""
    statements = list_statements()
    taken: dict[str, list[float]] = {name: [] for name in statements}
    for _ in range(ROUNDS):
        for name, statement in statements.items():
            taken[name].append(import_once(statement)["cpu_ms"])
    for name, figures in taken.items():
        print(f"{median(figures):6.0f} ms of processor time: {name}")


if __name__ == "__main__":
    main()
