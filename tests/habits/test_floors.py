"""Imports point down; nothing imports in a circle."""

from __future__ import annotations

import graphlib
import os
import subprocess
import sys
from collections.abc import Iterable, Mapping
from pathlib import Path

import grimp

from bench.growth.patterns import PACKAGES


def test_the_floors_hold(repo):
    sources = os.pathsep.join(str(each) for each in repo.root.glob("packages/*/src"))

    done = subprocess.run(
        [Path(sys.executable).with_name("lint-imports"), "--no-cache"],
        cwd=repo.root,
        env={**os.environ, "PYTHONPATH": sources, "COLUMNS": "200"},
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )

    assert done.returncode == 0, done.stdout + done.stderr


def circle(imports: Mapping[str, Iterable[str]]) -> list[str]:
    """Modules that import each other in a circle, or nothing."""
    try:
        graphlib.TopologicalSorter(imports).prepare()
    except graphlib.CycleError as found:
        return list(found.args[1])
    return []


def folders_both_ways(imports: Mapping[str, Iterable[str]], packages: set[str]) -> set[str]:
    """Pairs of folders that import each other. A folder and one inside it are no pair."""

    def folder(module: str) -> str:
        return module if module in packages else module.rpartition(".")[0]

    edges = {(folder(a), folder(b)) for a, found in imports.items() for b in found}
    both_ways = {(a, b) for a, b in edges if a < b and (b, a) in edges}
    return {f"{a} <-> {b}" for a, b in both_ways if not b.startswith(f"{a}.")}


def test_no_modules_and_no_two_folders_import_each_other():
    graph = grimp.build_graph(*PACKAGES, cache_dir=None)
    imports = {m: graph.find_modules_directly_imported_by(m) for m in graph.modules}
    packages = {m for m in graph.modules if graph.find_children(m)}

    assert circle(imports) == []
    assert folders_both_ways(imports, packages) == set()
