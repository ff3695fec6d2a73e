"""Imports point down; nothing imports in a circle."""

from __future__ import annotations

import graphlib
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterable, Mapping
from itertools import combinations, pairwise
from pathlib import Path

import grimp
import pytest

from bench.growth.patterns import PACKAGES


def lint_imports(folder: Path) -> subprocess.CompletedProcess[str]:
    """Run the contracts of a checkout on the sources of that same checkout."""
    command = Path(sys.executable).with_name("lint-imports")
    return subprocess.run(
        [command, "--no-cache"],
        cwd=folder,
        env={
            **os.environ,
            "PYTHONPATH": os.pathsep.join(
                str(each) for each in (folder / "src", *folder.glob("packages/*/src"))
            ),
            "COLUMNS": "200",
        },
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )


def stacks(repo) -> dict[str, list[list[str]]]:
    """Each contract of layers by the package it is about: its members, highest first.

    The one of the packages themselves is about none.
    """
    contracts = repo.pyproject["tool"]["importlinter"]["contracts"]
    return {
        c.get("containers", [""])[0]: [re.findall(r"\w+", layer) for layer in c["layers"]]
        for c in contracts
        if c["type"] == "layers"
    }


def forbidden(repo) -> list[tuple[str, str]]:
    """Every upward and every sideways import that a contract of layers rules out."""
    pairs = []
    for package, layers in stacks(repo).items():
        upward = [(low[0], high[0]) for high, low in pairwise(layers)]
        sideways = [pair for layer in layers for pair in combinations(layer, 2)]
        inside = f"{package}." if package else ""
        pairs += [(inside + a, inside + b) for a, b in upward + sideways]
    return pairs


@pytest.fixture
def house(repo, tmp_path) -> Path:
    """An empty house: the contracts, and every member of every floor as an empty package."""
    shutil.copy(repo.root / "pyproject.toml", tmp_path)
    for package, layers in stacks(repo).items():
        folder = tmp_path / "src" / package.replace(".", "/")
        for member in (name for layer in layers for name in layer):
            (folder / member).mkdir(parents=True, exist_ok=True)
            (folder / member / "__init__.py").touch()
        if package:
            (folder / "__init__.py").touch()
    return tmp_path


def plant(house: Path, *, importer: str, imported: str) -> None:
    folder = house / "src" / importer.replace(".", "/")
    source = folder / f"planted_{imported.replace('.', '_')}.py"
    source.write_text(f"import {imported}\n")


def test_the_floors_hold(repo):
    done = lint_imports(repo.root)

    assert done.returncode == 0, done.stdout + done.stderr


def test_every_upward_and_every_sideways_import_is_noticed(repo, house):
    empty = lint_imports(house)
    assert empty.returncode == 0, empty.stdout + empty.stderr
    for importer, imported in forbidden(repo):
        plant(house, importer=importer, imported=imported)

    done = lint_imports(house)

    said = re.sub(r"\s+", " ", done.stdout)
    assert done.returncode == 1
    assert [
        (importer, imported)
        for importer, imported in forbidden(repo)
        if f"{importer} is not allowed to import {imported}" not in said
    ] == []


@pytest.mark.parametrize(
    ("importer", "imported"),
    [("types", "apsw"), ("types", "rich"), ("cli", "mulligan.stores")],
)
def test_what_a_contract_forbids_is_noticed(house, importer, imported):
    plant(house, importer=f"mulligan.{importer}", imported=imported)

    done = lint_imports(house)

    assert done.returncode == 1
    assert f"mulligan.{importer} is not allowed to import {imported}" in done.stdout


@pytest.mark.parametrize(("place", "noticed"), [("stores/planted", True), ("codec", False)])
def test_only_the_codec_encodes_and_decodes(repo, place, noticed):
    source = "import msgspec\n\nmsgspec.json.encode(1)\nmsgspec.convert(1, int)\n"

    done = subprocess.run(
        [
            sys.executable,
            "-m",
            "ruff",
            "check",
            "-",
            "--select=TID251",
            f"--stdin-filename=packages/mulligan/src/mulligan/{place}.py",
        ],
        cwd=repo.root,
        input=source,
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )

    assert (done.stdout.count("take mulligan.codec") == 2) is noticed
    assert done.returncode == noticed


def test_a_folder_that_nobody_gave_a_floor_is_noticed(house):
    (house / "src" / "mulligan" / "attic").mkdir()
    (house / "src" / "mulligan" / "attic" / "__init__.py").touch()

    done = lint_imports(house)

    assert done.returncode == 1
    assert "attic" in done.stdout


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


def test_circles_would_be_seen():
    assert circle({"m.a": ["m.b"], "m.b": ["m.c"], "m.c": ["m.a"]})
    assert not circle({"m.a": ["m.b", "m.c"], "m.b": ["m.c"]})
    across = {"m.a.x": ["m.b.y"], "m.b.z": ["m.a.w"]}
    assert folders_both_ways(across, {"m", "m.a", "m.b"}) == {"m.a <-> m.b"}
    assert folders_both_ways({"m.a.x": ["m.b.y", "m.a.z"]}, {"m", "m.a", "m.b"}) == set()
    inside = {"m.a": ["m.a.b.x"], "m.a.b.x": ["m.a.y"]}
    assert folders_both_ways(inside, {"m", "m.a", "m.a.b"}) == set()
