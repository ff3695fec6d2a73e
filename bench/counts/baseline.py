"""What was counted last, as it was accepted, and what is more than that now."""

from __future__ import annotations

import json
import os
import platform
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

from bench.missing import MissingError
from bench.peers import ROOT

FILE = Path(__file__).with_name("baseline.json")
ALLOWED = 1.2
"""How much more is noticed."""
ACCEPT = "python -m bench counts --accept"


def count_anew() -> dict[str, int]:
    """Every count, of a new process in which chance decides nothing."""
    done = subprocess.run(
        [sys.executable, "-m", "bench.counts"],
        cwd=ROOT,
        env={**os.environ, "PYTHONHASHSEED": "0"},
        capture_output=True,
        text=True,
        check=False,
    )
    if done.returncode:
        raise MissingError(f"Nothing was counted: {done.stderr.strip().splitlines()[-1]}")
    counts: dict[str, int] = json.loads(done.stdout)
    return counts


def name_python() -> str:
    """The release whose lines are counted alike."""
    return ".".join(platform.python_version_tuple()[:2])


def read_baseline(path: Path = FILE) -> dict[str, int]:
    """What was accepted for this release of Python; empty where nobody has counted on it."""
    known: dict[str, dict[str, int]] = json.loads(path.read_text())
    return known.get(name_python(), {})


def accept(counts: Mapping[str, int], path: Path = FILE) -> None:
    """Write down what is counted now, beside what other releases of Python count."""
    known = json.loads(path.read_text()) if path.exists() else {}
    known[name_python()] = dict(sorted(counts.items()))
    path.write_text(json.dumps(known, indent=2, sort_keys=True) + "\n")


def describe_growth(counts: Mapping[str, int], baseline: Mapping[str, int]) -> list[str]:
    """A sentence for each that is more than a fifth above its baseline, or gone."""
    gone = [f"{name} is not counted any more" for name in sorted(baseline.keys() - counts.keys())]
    more = [
        f"{name} is {counts[name]:,}, {counts[name] / before - 1:.0%} above {before:,}"
        for name, before in sorted(baseline.items())
        if name in counts and counts[name] > ALLOWED * before
    ]
    return gone + more
