"""Small mistakes in the modules that carry the promises, and whether the tests notice them."""

from __future__ import annotations

import argparse
import ast
import os
import random
import resource
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from rich.console import Group, RenderableType
from rich.text import Text

from bench import versions
from bench.report import progress, table

Result = dict[str, Any]

ROOT = Path(__file__).parents[2]
SOURCE = "packages/mulligan/src/mulligan"
UNDOING = (
    "packages/mulligan/tests/runtime tests/stories/effects tests/stories/test_attacks.py "
    "tests/stories/test_failing_undo.py packages/mulligan-testing/tests"
)
MODULES = {
    "types/engine": "packages/mulligan/tests/types packages/mulligan/tests/runtime/test_act.py",
    "types/policy": "packages/mulligan/tests/types packages/mulligan/tests/loops",
    "runtime/undo": UNDOING,
    "runtime/probe": UNDOING,
    "checks/provenance": "packages/mulligan/tests/checks tests/stories/test_standard_checks.py",
}
"""Each with the tests that answer for it; those named after it are run first."""
MOST_WORK = 150
"""Seconds of processor time that no tests take: a mistake that keeps them busy is noticed."""
PATIENCE = 900
"""Seconds after which tests hang: by the mistake, or on a busy machine, which cannot be told."""

OPPOSITES: dict[type[ast.AST], type[ast.AST]] = {
    ast.Eq: ast.NotEq, ast.NotEq: ast.Eq, ast.Is: ast.IsNot, ast.IsNot: ast.Is,
    ast.In: ast.NotIn, ast.NotIn: ast.In, ast.Lt: ast.LtE, ast.LtE: ast.Lt,
    ast.Gt: ast.GtE, ast.GtE: ast.Gt, ast.And: ast.Or, ast.Or: ast.And,
    ast.Add: ast.Sub, ast.Sub: ast.Add, ast.Break: ast.Continue, ast.Continue: ast.Break,
}  # fmt: skip


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--each", type=int, default=25, metavar="N", help="of each module; 25")
    parser.add_argument("--only", choices=MODULES, help="one module")
    parser.add_argument("--seed", type=int, default=1, help="of what is drawn")


def run(options: argparse.Namespace) -> Result:
    """In a copy of the tree, one mistake at a time."""
    noticed, missed, hung = dict[str, int](), list[str](), list[str]()
    drawn = [
        (name, at, what)
        for name in ([options.only] if options.only else MODULES)
        for at, what in _draw(name, options)
    ]
    with tempfile.TemporaryDirectory() as folder, progress(len(drawn)) as step:
        copy = Path(folder, "tree")
        shutil.copytree(ROOT, copy, ignore=shutil.ignore_patterns(".venv*", ".git", ".*_cache"))
        for name, at, what in drawn:
            ended = _run_tests(copy, name, at)
            if ended:
                noticed[name] = noticed.get(name, 0) + 1
            else:
                (hung if ended is None else missed).append(f"{name}.py {what}")
            step(f"{name}: {what}"[:32])
    counts = {name: [each for each, _, _ in drawn].count(name) for name in MODULES}
    return {
        "n": len(drawn),
        "noticed": {name: (noticed.get(name, 0), n) for name, n in counts.items() if n},
        "missed": missed,
        "hung": hung,
        "versions": versions.ours(),
    }


def show(result: Result) -> RenderableType:
    rows = [(name, *figures) for name, figures in result["noticed"].items()]
    said = table("Mistakes noticed by the tests", ("module", "noticed", "planted"), rows)
    missed = [f"not noticed: {each}" for each in result["missed"]]
    return Group(said, *map(Text, [*missed, *(f"hung: {each}" for each in result["hung"])]))


def _draw(name: str, options: argparse.Namespace) -> list[tuple[int, str]]:
    every = [(at, what) for at, (_, what) in enumerate(_mutate(_read(ROOT, name)))]
    return sorted(random.Random(options.seed).sample(every, min(options.each, len(every))))


def _read(root: Path, name: str) -> str:
    return Path(root, SOURCE, f"{name}.py").read_text(encoding="utf-8")


def _mutate(source: str) -> Iterator[tuple[str, str]]:
    """The source with one thing changed, and what was changed, for each thing that can be."""
    tree = ast.parse(source)
    # Who may change or place a field is for the type checker: no test is about it.
    typed = {id(k.value) for n in ast.walk(tree) if isinstance(n, ast.ClassDef) for k in n.keywords}
    for node in ast.walk(tree):
        if id(node) in typed:
            continue
        for owner, field, changed in _list_changes(node):
            there = getattr(owner, field)
            setattr(owner, field, changed)
            line = getattr(node, "lineno", 0)
            yield ast.unparse(ast.fix_missing_locations(tree)), f"line {line}: {_say(node)}"
            setattr(owner, field, there)


def _say(node: ast.AST) -> str:
    return ast.unparse(node).splitlines()[0][:100]


def _list_changes(node: ast.AST) -> Iterator[tuple[Any, str, Any]]:
    if isinstance(node, ast.Compare) and type(node.ops[0]) in OPPOSITES:
        yield node, "ops", [OPPOSITES[type(node.ops[0])](), *node.ops[1:]]
    if isinstance(node, ast.BoolOp | ast.BinOp) and type(node.op) in OPPOSITES:
        yield node, "op", OPPOSITES[type(node.op)]()
    if isinstance(node, ast.If | ast.IfExp):
        yield node, "test", ast.UnaryOp(ast.Not(), node.test)
    if isinstance(node, ast.Constant) and type(node.value) in (bool, int):
        yield node, "value", not node.value if isinstance(node.value, bool) else node.value + 1
    if isinstance(node, ast.Return) and node.value is not None and _say(node) != "return None":
        yield node, "value", ast.Constant(None)
    if isinstance(node, ast.Expr) and isinstance(node.value, ast.Call | ast.Await):
        yield node, "value", ast.Constant(None)


def _run_tests(copy: Path, name: str, at: int) -> bool | None:
    """Whether a test fails on the source with that mistake; `None`: they did not end."""
    there = _read(copy, name)
    path = Path(copy, SOURCE, f"{name}.py")
    path.write_text([source for source, _ in _mutate(there)][at], encoding="utf-8")
    last = name.rpartition("/")[2]
    places = MODULES[name].split()
    first = sorted(
        str(each.relative_to(copy))
        for place in places
        for each in Path(copy, place).rglob(f"test_*{last}*.py")
    )
    sources = [str(each) for each in copy.glob("packages/*/src")]
    paths = os.pathsep.join([*sources, str(copy / "examples/demo/src"), str(copy)])
    asked = ["-x", "-q", "-n", "0", "-p", "no:cacheprovider"]
    ran = subprocess.Popen(
        [sys.executable, "-m", "pytest", *asked, "-m", "not full", *first, *places],
        cwd=copy,
        env={**os.environ, "PYTHONPATH": paths},
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    resource.prlimit(ran.pid, resource.RLIMIT_CPU, (MOST_WORK, MOST_WORK))
    try:
        return ran.wait(PATIENCE) != 0
    except subprocess.TimeoutExpired:
        ran.kill()
        return None
    finally:
        path.write_text(there, encoding="utf-8")
