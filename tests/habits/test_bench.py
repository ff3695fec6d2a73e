"""What the benches measure is what users get: no figure of a function that nobody can reach."""

from __future__ import annotations

import ast
import re
from collections import defaultdict
from collections.abc import Collection, Iterator, Mapping

import mulligan

ROOTS = ("main",)
"""Where the command line begins."""
SHIPPED_FOR_TESTS = "packages/mulligan-testing/src/mulligan_testing/"
"""Users call these themselves, and a function that one of them uses is no part of any program."""

Trees = Mapping[str, ast.Module]


def list_names(node: ast.AST) -> set[str]:
    """Every name that stands in some code, whatever it is the name of."""
    plain = {each.id for each in ast.walk(node) if isinstance(each, ast.Name)}
    return plain | {each.attr for each in ast.walk(node) if isinstance(each, ast.Attribute)}


def find_users(src: Trees) -> dict[str, set[str | None]]:
    """Which functions and classes a name stands in; `None` is a module's own code."""
    users: dict[str, set[str | None]] = defaultdict(set)
    for path, tree in src.items():
        for node in () if path.startswith(SHIPPED_FOR_TESTS) else tree.body:
            owner = getattr(node, "name", None)
            for name in list_names(node) - {owner}:
                users[name].add(owner)
    return users


def list_measured(bench: Trees, src: Trees) -> Iterator[tuple[str, str]]:
    """The functions of ours that benches import, and where each bench is."""
    defined = {
        path.rpartition("src/")[2].removesuffix(".py").replace("/", "."): {
            node.name
            for node in tree.body
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
        }
        for path, tree in src.items()
        if not path.startswith(SHIPPED_FOR_TESTS)
    }
    for path, tree in bench.items():
        for node in ast.walk(tree):
            if isinstance(node, ast.ImportFrom) and node.module in defined:
                for each in node.names:
                    if each.name in defined[node.module]:
                        yield each.name, path


def find_unreachable(bench: Trees, src: Trees, *, public: Collection[str]) -> dict[str, str]:
    """What benches measure and no program, command or page of ours leads to."""
    users = find_users(src)
    reached = {None, *ROOTS, *public}
    grown = True
    while grown:
        more = {name for name, owners in users.items() if owners & reached} - reached
        grown = bool(more)
        reached |= more
    return {name: path for name, path in list_measured(bench, src) if name not in reached}


def is_command(node: ast.FunctionDef) -> bool:
    """Whether a person can have it run by its name."""
    made = [each.func for each in node.decorator_list if isinstance(each, ast.Call)]
    return any(isinstance(each, ast.Name) and each.id in ("command", "verb") for each in made)


def test_every_function_that_a_bench_measures_is_part_of_what_users_call(repo):
    pages = [repo.root / "README.md", *(repo.root / "docs").glob("*.md")]
    told = {name for page in pages for name in _split_names(page.read_text())}
    src = repo.trees("src")

    commands = {
        node.name
        for tree in src.values()
        for node in ast.walk(tree)
        if isinstance(node, ast.FunctionDef) and is_command(node)
    }

    found = find_unreachable(repo.trees("bench"), src, public={*mulligan.__all__, *told, *commands})

    assert found == {}
    assert len(set(list_measured(repo.trees("bench"), src))) > 50


def test_a_function_that_only_a_bench_calls_is_noticed():
    alone = "def read(): ...\ndef lonely(): read()\n"
    called = "class App:\n    def go(self): used()\ndef used(): ..."
    src = {"packages/mulligan/src/mulligan/part.py": ast.parse(alone + called)}
    suite = "from mulligan.part import lonely, read, used"

    found = find_unreachable({"bench/a.py": ast.parse(suite)}, src, public={"App"})

    assert found == {"lonely": "bench/a.py", "read": "bench/a.py"}


def test_what_the_kit_for_tests_uses_is_not_reached_by_that():
    src = {
        "packages/mulligan/src/mulligan/part.py": ast.parse("def lonely(): ..."),
        "packages/mulligan-testing/src/mulligan_testing/kit.py": ast.parse("def check(): lonely()"),
    }
    suite = {"bench/a.py": ast.parse("from mulligan.part import lonely")}

    assert find_unreachable(suite, src, public={"check"}) == {"lonely": "bench/a.py"}


def _split_names(page: str) -> set[str]:
    return set(re.findall(r"[A-Za-z_]\w*", page))
