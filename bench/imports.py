"""What an import costs, each time in a fresh process, its bytecode written as an install does."""

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


def import_once(statement: str, _round: int = 0) -> dict[str, Any]:
    """Milliseconds that one statement takes in a new interpreter, its start not counted."""
    _write_bytecode(statement)
    return {"ms": _import_in_new_process(statement)}


@cache
def _write_bytecode(statement: str) -> None:
    """An installed package has its bytecode; a checkout may have none, or be kept from writing."""
    _import_in_new_process(statement)


@cache
def _open_bytecode_folder() -> tempfile.TemporaryDirectory[str]:
    return tempfile.TemporaryDirectory(prefix="bytecode")


def _import_in_new_process(statement: str) -> float:
    code = f"import time; t = time.perf_counter()\n{statement}\nprint(time.perf_counter() - t)"
    environment = {**os.environ, "PYTHONPYCACHEPREFIX": _open_bytecode_folder().name}
    environment.pop("PYTHONDONTWRITEBYTECODE", None)
    with tempfile.TemporaryDirectory() as elsewhere:
        done = subprocess.run(
            [sys.executable, "-c", code],
            capture_output=True,
            text=True,
            cwd=elsewhere,
            env=environment,
            check=False,
        )
    if done.returncode:
        raise MissingError(f"{statement!r} fails here: {done.stderr.strip().splitlines()[-1]}")
    return float(done.stdout) * 1e3
