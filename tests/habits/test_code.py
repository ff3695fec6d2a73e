"""No debts left behind, no silenced types, no mocks, no file that others can read."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

# Written in pieces, so that this file does not find itself.
DEBT = re.compile(r"\b(TO[D]O|FIX[M]E|XX[X])\b")
IGNORED_TYPE = re.compile(r"type:\s*igno[r]e")
PICTURES = {".png", ".svg"}
MOCKS = {"mock", "MagicMock", "AsyncMock", "mocker", "pytest_mock"}


def list_mocks(tree: ast.Module) -> Iterator[str]:
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom):
            names = {*(node.module or "").split("."), *(alias.name for alias in node.names)}
        elif isinstance(node, ast.Import):
            names = {part for alias in node.names for part in alias.name.split(".")}
        elif isinstance(node, ast.arg):
            names = {node.arg}
        else:
            continue
        yield from names & MOCKS


def test_no_debt_is_left_behind(repo):
    pages = (p for p in repo.files() if p.suffix not in PICTURES)
    texts = {p: p.read_text(errors="replace") for p in pages}

    assert DEBT.search("# TO" + "DO: later")
    assert [repo.name(p) for p, text in texts.items() if DEBT.search(text)] == []


def test_the_type_checker_is_never_silenced_in_types_and_loops(repo):
    base = "packages/mulligan/src/mulligan"
    files = repo.under(f"{base}/types", f"{base}/process", f"{base}/loops")

    assert files
    assert [repo.name(p) for p in files if IGNORED_TYPE.search(p.read_text())] == []


def test_files_with_what_people_did_are_written_by_the_one_helper_that_keeps_them_private(repo):
    direct = re.compile(r"\.write_(?:text|bytes)\(|\bopen\((?:[^)]*, )?[\"'][wax]b?[\"']")
    sources = {repo.name(path): path.read_text() for path in repo.under("src")}

    found = [name for name, source in sources.items() if direct.search(source)]
    found = [name for name in found if "mulligan_testing/" not in name]

    # Inside a folder that is its owner's alone.
    assert [name for name in found if name != "packages/mulligan/src/mulligan/cli/export.py"] == []


def test_fakes_are_written_by_hand(repo):
    trees = repo.trees("src", "tests", "bench", holding="mock")

    found = {path: set(list_mocks(tree)) for path, tree in trees.items()}

    assert {path: names for path, names in found.items() if names} == {}
