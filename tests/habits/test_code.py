"""Names that say something, no debts left behind, no mistakes hidden, no mocks."""

from __future__ import annotations

import ast
import io
import re
import tokenize
from collections.abc import Iterator
from pathlib import Path, PurePosixPath

import pytest

EMPTY_NAMES = {"utils", "util", "helpers", "helper", "common", "base", "misc"}
EMPTY_SUFFIXES = ("Manager", "Service", "Handler", "Component", "Impl")
# Written in pieces, so that this file does not find itself.
PICTURES = {".png", ".svg"}
DEBT = re.compile(r"\b(TO[D]O|FIX[M]E|XX[X])\b")
IGNORED_TYPE = re.compile(r"type:\s*igno[r]e")
MOST_CONTEXT_VARIABLES = 5
"""What a call carries is one object; where a variable of its own is needed, it says why."""
MOCKS = {"mock", "MagicMock", "AsyncMock", "create_autospec", "mocker", "pytest_mock"}


def comment_lines(source: str) -> set[int]:
    tokens = tokenize.generate_tokens(io.StringIO(source).readline)
    return {token.start[0] for token in tokens if token.type == tokenize.COMMENT}


def repeats_its_path(module: str) -> bool:
    """Whether a module's name is made of several words, one of which its path says already."""
    path = PurePosixPath(module)
    words = path.stem.strip("_").split("_")
    said = {part.rstrip("s") for part in path.parts[:-1]}
    return len(words) > 1 and any(word.rstrip("s") in said for word in words)


def is_empty(statement: ast.stmt) -> bool:
    ellipsis = isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Constant)
    return isinstance(statement, ast.Pass) or ellipsis


def is_suppress(node: ast.AST) -> bool:
    called = node.func if isinstance(node, ast.Call) else None
    return "suppress" in (getattr(called, "id", ""), getattr(called, "attr", ""))


def swallowed(source: str) -> Iterator[int]:
    """Lines where an exception ends without a word of explanation beside or right above it."""
    silent = [
        node
        for node in ast.walk(ast.parse(source))
        if is_suppress(node)
        or (isinstance(node, ast.ExceptHandler) and all(map(is_empty, node.body)))
    ]
    # Most files have none, and to look for comments takes longer than all the rest.
    explained = comment_lines(source) if silent else set()
    for node in silent:
        if not explained.intersection(range(node.lineno - 1, node.end_lineno + 1)):
            yield node.lineno


def mocks(tree: ast.Module) -> Iterator[str]:
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


def test_no_module_has_a_name_that_says_nothing(repo):
    named = {repo.name(p): {*p.relative_to(repo.root).parts[:-1], p.stem} for p in code(repo)}

    assert [path for path, parts in named.items() if parts & EMPTY_NAMES] == []


def test_no_module_repeats_its_path(repo):
    modules = [repo.name(p).partition("/src/mulligan")[2] for p in repo.under("src")]

    assert [module for module in modules if repeats_its_path(module)] == []


def test_no_class_has_a_suffix_that_says_nothing(repo):
    classes = [
        f"{path}:{node.name}"
        for path, tree in repo.trees("src", "tests", "bench").items()
        for node in ast.walk(tree)
        if isinstance(node, ast.ClassDef)
    ]

    assert [name for name in classes if name.endswith(EMPTY_SUFFIXES)] == []


def test_no_class_name_means_two_things(repo):
    places: dict[str, list[str]] = {}
    for path, tree in repo.trees("src").items():
        for node in ast.walk(tree):
            if isinstance(node, ast.ClassDef):
                places.setdefault(node.name, []).append(path)

    assert {name: found for name, found in places.items() if len(found) > 1} == {}


def test_no_debt_is_left_behind(repo):
    pages = (p for p in repo.files() if p.suffix not in PICTURES)
    texts = {p: p.read_text(errors="replace") for p in pages}

    assert [repo.name(p) for p, text in texts.items() if DEBT.search(text)] == []


def test_the_type_checker_is_never_silenced_in_types_and_loops(repo):
    files = repo.under(
        "packages/mulligan/src/mulligan/types",
        "packages/mulligan/src/mulligan/process",
        "packages/mulligan/src/mulligan/loops",
    )

    assert files
    assert [repo.name(p) for p in files if IGNORED_TYPE.search(p.read_text())] == []


def test_no_exception_is_swallowed_without_saying_why(repo, only_exceptions):
    found = {
        f"{repo.name(p)}:{line}": "say why" for p in code(repo) for line in swallowed(p.read_text())
    }

    only_exceptions("swallowed", found)


def test_files_with_what_people_did_are_written_by_the_one_helper_that_keeps_them_private(repo):
    direct = re.compile(r"\.write_(?:text|bytes)\(|\bopen\((?:[^)]*, )?[\"'][wax]b?[\"']")
    sources = {repo.name(path): path.read_text() for path in repo.under("src")}

    found = [name for name, source in sources.items() if direct.search(source)]
    found = [name for name in found if "mulligan_testing/" not in name]

    # Inside a folder that is its owner's alone.
    assert [name for name in found if name != "packages/mulligan/src/mulligan/cli/export.py"] == []


def test_context_variables_are_few_and_the_reason_for_each_stands_under_it(repo):
    declared = re.compile(r"^\w+: ContextVar\[.*\] = ContextVar\(.*\)\n(\"\"\")?", re.MULTILINE)
    sources = [path.read_text() for path in repo.under("src")]

    found = [each for source in sources for each in declared.finditer(source)]

    assert len(found) <= MOST_CONTEXT_VARIABLES
    assert all(each[1] for each in found)
    assert len(found) == sum(source.count("ContextVar(") for source in sources)


def test_fakes_are_written_by_hand(repo):
    trees = repo.trees("src", "tests", "bench")

    assert {path: set(found) for path, tree in trees.items() if (found := list(mocks(tree)))} == {}


def code(repo) -> list[Path]:
    return repo.under("src", "tests", "bench")


@pytest.mark.parametrize(
    ("module", "repeated"),
    [
        ("stores/sqlite_store.py", True),
        ("checks/check_dates.py", True),
        ("stores/sqlite/journal.py", False),
        ("turns/turn/turn.py", False),
        ("types/time_ordered.py", False),
    ],
)
def test_a_repeated_path_would_be_seen(module, repeated):
    assert repeats_its_path(module) == repeated


@pytest.mark.parametrize(
    ("source", "lines"),
    [
        ("try: f()\nexcept OSError:\n    pass\n", [2]),
        ("try: f()\nexcept OSError:\n    ...\n", [2]),
        ("with suppress(OSError):\n    f()\n", [1]),
        ("with contextlib.suppress(OSError):\n    f()\n", [1]),
        ("try: f()\nexcept OSError:\n    pass  # it was gone already\n", []),
        ("# it may be gone already\nwith suppress(OSError):\n    f()\n", []),
        ("try: f()\nexcept OSError:\n    g()\n", []),
    ],
)
def test_a_swallowed_exception_would_be_seen(source, lines):
    assert list(swallowed(source)) == lines


@pytest.mark.parametrize(
    ("source", "found"),
    [
        ("from unittest import mock", {"mock"}),
        ("from unittest.mock import MagicMock", {"mock", "MagicMock"}),
        ("import unittest.mock", {"mock"}),
        ("def test_x(mocker): ...", {"mocker"}),
        ("from mulligan_testing import FixedClock", set()),
    ],
)
def test_a_mock_would_be_seen(source, found):
    assert set(mocks(ast.parse(source))) == found


def test_a_debt_would_be_seen():
    assert DEBT.search("# TO" + "DO: later")
    assert IGNORED_TYPE.search("x = y  # type: " + "ignore[arg-type]")
