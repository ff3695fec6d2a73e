"""What a fresh process loads and compiles before it has done its first work, as counts."""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile

from bench.imports import COMMAND, FIRST_USE

COUNTED = """
import json, re, sys

sources, patterns = [], []

def note(event, given):
    if event == "compile" and not str(given[1]).endswith(".py"):
        sources.append(given)

def compile_pattern(*given):
    patterns.append(given)
    return compile_really(*given)

sys.addaudithook(note)
compile_really, re._compiler.compile = re._compiler.compile, compile_pattern
BODY
modules = [name for name in sys.modules if name.startswith("mulligan")]
print()
print(json.dumps([len(modules), len(sources), len(patterns)]))
"""
"""Modules of ours, texts of Python that were compiled (by dataclasses, say), and patterns.

A module's own file is not counted: whether it is compiled turns on what ran here before.
"""

NAMES = ("modules", "sources", "patterns")


def count_first_use() -> dict[str, int]:
    """A store that is made, and a turn with one call; then a command about it."""
    with tempfile.TemporaryDirectory() as folder:
        first, asked = (_count(code, folder) for code in (FIRST_USE, COMMAND))
    return {f"first_use_{name}": n for name, n in zip(NAMES, first, strict=True)} | {
        f"command_{name}": n for name, n in zip(NAMES, asked, strict=True)
    }


def _count(code: str, folder: str) -> list[int]:
    done = subprocess.run(
        [sys.executable, "-c", COUNTED.replace("BODY", code)],
        cwd=folder,
        capture_output=True,
        text=True,
        check=True,
    )
    counted: list[int] = json.loads(done.stdout.splitlines()[-1])
    return counted
