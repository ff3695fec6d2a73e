"""`python -m bench`, in a process of its own, and the data that it measures on."""

from __future__ import annotations

import gzip
import json
import subprocess
import sys
from collections.abc import Mapping
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


def write_cases(
    folder: Path, name: str, *cases: Mapping[str, object], half: str = "public"
) -> None:
    """A file of cases as `bench.data` reads them, such as `tau/repair_pairs`."""
    path = folder / f"{name}.{half}.jsonl.gz"
    path.parent.mkdir(parents=True, exist_ok=True)
    with gzip.open(path, "wt", encoding="utf-8") as lines:
        lines.writelines(json.dumps(case) + "\n" for case in cases)
