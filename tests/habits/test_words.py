"""Words that a stranger would type: verbs for functions, one meaning for a name, small rooms."""

from __future__ import annotations

import ast
import re
import sys
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path

import pytest

VERBS = frozenset((Path(__file__).parent / "verbs.txt").read_text().split())
FACTS = frozenset(["is", "has", "was", "are", "may", "can", "must", "should", "needs"])
IDIOMS = frozenset(["as", "for", "to", "from", "with", "on", "main", "test"])
"""Conversions, builders, callbacks; and what other programs look for by name."""
NAMED_AS_READ = ("Check", "Gather", "Critic")
"""What returns one of these is named as it reads in a list of checks: `dates_as_said()`."""
VALUES = frozenset({"property", "cached_property", "setter", "overload", "fixture"})
OF_THE_FIELD = (
    "retry",
    "timeout",
    "validate",
    "encode",
    "decode",
    "cache",
    "config",
    "lock",
    "queue",
)
MOST_MODULES = 14
MOST_NAMESAKES = 2

Function = ast.FunctionDef | ast.AsyncFunctionDef


def functions(tree: ast.Module) -> Iterator[Function]:
    """Every function that is called like one: not a dunder, not a property."""
    for node in ast.walk(tree):
        if isinstance(node, Function) and not (
            node.name.startswith("__") or decorators(node) & VALUES
        ):
            yield node


def decorators(function: Function) -> set[str]:
    parts = [getattr(each, "func", each) for each in function.decorator_list]
    return {getattr(part, "attr", getattr(part, "id", "")) for part in parts}


def is_verb(function: Function) -> bool:
    """Whether a function's name begins with a verb in its plain form, or reads as a fact."""
    word = function.name.strip("_").split("_")[0]
    returns = ast.unparse(function.returns) if function.returns else ""
    if word in VERBS | FACTS | IDIOMS or any(kind in returns for kind in NAMED_AS_READ):
        return True
    return word.endswith("s") and returns == "bool"


def hooks(path: str, tree: ast.Module) -> set[Function]:
    """Methods that a framework looks for by its own names: of an adapter's classes that are made
    of one of the framework's."""
    if not path.startswith("src/mulligan/adapters/"):
        return set()
    theirs = {
        alias.asname or alias.name
        for node in ast.walk(tree)
        if isinstance(node, ast.ImportFrom)
        and (node.module or "").partition(".")[0] not in sys.stdlib_module_names | {"mulligan"}
        for alias in node.names
    }
    made = [
        node
        for node in ast.walk(tree)
        if isinstance(node, ast.ClassDef)
        and any(ast.unparse(base).partition("[")[0] in theirs for base in node.bases)
    ]
    return {method for kind in made for method in kind.body if isinstance(method, Function)}


def no_verbs(trees: Mapping[str, ast.Module]) -> dict[str, str]:
    return {
        f"{path}:{function.name}": "begin with a verb"
        for path, tree in trees.items()
        for function in set(functions(tree)) - hooks(path, tree)
        if not is_verb(function)
    }


def namesakes(places: Iterable[tuple[str, str]], most: int) -> dict[str, list[str]]:
    """Names that stand in more places than they may."""
    found: dict[str, list[str]] = defaultdict(list)
    for name, path in places:
        found[name].append(path)
    return {name: paths for name, paths in found.items() if len(paths) > most}


def classes(trees: Mapping[str, ast.Module]) -> Iterator[tuple[str, str]]:
    for path, tree in trees.items():
        for node in ast.walk(tree):
            if isinstance(node, ast.ClassDef):
                yield node.name, path


def as_one_room(module: str) -> str:
    """Rooms that are alike on purpose: what one pack or one language has, the others have too."""
    return re.sub(r"/(packs|checks/language)/[a-z]+/", r"/\1/", module)


def full_rooms(modules: Iterable[str]) -> dict[str, int]:
    """Folders with more modules than a reader can keep in mind."""
    counts: dict[str, int] = defaultdict(int)
    for module in modules:
        folder, _, name = module.rpartition("/")
        counts[folder] += name != "__init__.py"
    return {folder: count for folder, count in counts.items() if count > MOST_MODULES}


def test_every_function_begins_with_a_verb(repo, only_exceptions):
    only_exceptions("verbs", no_verbs(repo.trees("src")))


def test_no_class_name_means_two_things(repo):
    assert namesakes(classes(repo.trees("src")), 1) == {}


def test_no_module_name_stands_more_than_twice(repo):
    modules = {(p.stem, as_one_room(repo.name(p))) for p in repo.under("src")}

    assert namesakes(sorted(m for m in modules if m[0] != "__init__"), MOST_NAMESAKES) == {}


def test_no_folder_is_a_drawer(repo):
    modules = [repo.name(p) for p in repo.under("src")]

    assert full_rooms(modules) == {}


def test_every_folder_says_in_a_sentence_what_is_in_it(repo):
    faces = {n: t for n, t in repo.trees("src").items() if n.endswith("__init__.py")}

    assert [name for name, tree in faces.items() if not ast.get_docstring(tree)] == []


@pytest.mark.parametrize("word", OF_THE_FIELD)
def test_who_types_a_word_of_the_field_lands_somewhere(repo, word):
    trees = repo.trees("src")
    named = {f.name for tree in trees.values() for f in functions(tree)}
    named |= {name.lower() for name, _ in classes(trees)} | {Path(path).stem for path in trees}

    assert any(word in name for name in named)


@pytest.mark.parametrize(
    ("source", "kept"),
    [
        ("def read_rows(): ...", True),
        ("def _told(): ...", False),
        ("async def said(self): ...", False),
        ("def version_of(x): ...", False),
        ("def fits(x) -> bool: ...", True),
        ("def fits(x) -> str: ...", False),
        ("def dates_as_said() -> Check[Subject]: ...", True),
        ("def is_open(): ...", True),
        ("@property\ndef told(self): ...", True),
        ("def outer_read():\n    def shown(): ...", False),
        ("def read_it():\n    def find_it(): ...", True),
    ],
)
def test_a_name_that_is_no_verb_would_be_seen(source, kept):
    assert (no_verbs({"x.py": ast.parse(source)}) == {}) == kept


def test_namesakes_and_drawers_would_be_seen():
    trees = {"a.py": ast.parse("class Draft: ..."), "b.py": ast.parse("class Draft: ...")}

    assert namesakes(classes(trees), 1) == {"Draft": ["a.py", "b.py"]}
    assert namesakes([("words", f"{n}/words.py") for n in "abc"], 2).keys() == {"words"}
    assert full_rooms([f"src/room/{n}.py" for n in range(15)] + ["src/room/__init__.py"]) == {
        "src/room": 15
    }


HOOKS = """
from typing import Protocol
from framework import Middleware
class Reflection(Middleware[str]):
    def before_agent(self): ...
class Ours(Protocol):
    def told(self): ...
def after(): ...
"""


def test_only_what_a_framework_looks_for_has_its_names():
    tree = ast.parse(HOOKS)

    assert set(no_verbs({"src/mulligan/adapters/x.py": tree})) == {
        "src/mulligan/adapters/x.py:told",
        "src/mulligan/adapters/x.py:after",
    }
    assert len(no_verbs({"src/mulligan/core/x.py": tree})) == 3
