"""`python -m bench`, in a process of its own."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[2]


def run_bench(*arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "bench", *arguments],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )


def read_result(*arguments: str, codes: tuple[int, ...] = (0,)) -> dict[str, Any]:
    """What a suite tells programs, in one line. A suite that misses its goal ends with 1."""
    done = run_bench(*arguments, "--json")
    assert done.returncode in codes, done.stderr
    assert done.stdout.count("\n") == 1
    return json.loads(done.stdout)
