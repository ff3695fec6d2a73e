"""What an import costs, each time in a fresh process."""

from __future__ import annotations

import subprocess
import sys
import tempfile
from typing import Any

from bench.missing import MissingError

FLOOR = "import asyncio, apsw, msgspec"
"""What any library on SQLite and asyncio pays before its own first line."""
OURS = "import mulligan"
IN_USE = "from mulligan import Mulligan"
"""The class is handed on lazily; this is what its first use brings in."""


def import_once(statement: str, _round: int = 0) -> dict[str, Any]:
    """Milliseconds that one statement takes in a new interpreter, its start not counted."""
    code = f"import time; t = time.perf_counter()\n{statement}\nprint(time.perf_counter() - t)"
    with tempfile.TemporaryDirectory() as elsewhere:
        done = subprocess.run(
            [sys.executable, "-c", code],
            capture_output=True,
            text=True,
            cwd=elsewhere,
            check=False,
        )
    if done.returncode:
        raise MissingError(f"{statement!r} fails here: {done.stderr.strip().splitlines()[-1]}")
    return {"ms": float(done.stdout) * 1e3}
