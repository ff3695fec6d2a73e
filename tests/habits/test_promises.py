"""The page of promises and the tests that hold them name each other."""

from __future__ import annotations

import ast
import re

SECTION = re.compile(r"^## (\d+)\. ([^\n]+)\n(.*?)(?=^## |\Z)", re.MULTILINE | re.DOTALL)
ROW = re.compile(r"^\| (\d+) \| ([^|]+) \|", re.MULTILINE)


def read_page(page: str) -> dict[int, set[str]]:
    """The tests of each promise."""
    found = {}
    for number, _, body in SECTION.findall(page):
        [line] = re.findall(r"^- \*\*Tests\*\*: (.+)$", body, re.MULTILINE)
        found[int(number)] = set(re.findall(r"`((?:packages/[\w-]+/)?tests/[\w/]+\.py)`", line))
    return found


def list_promises(tree: ast.Module) -> set[int]:
    """The promises that a module says it holds, in its `pytestmark`."""
    marks = [
        node.value
        for node in tree.body
        if isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == "pytestmark"
    ]
    calls = [each for mark in marks for each in ast.walk(mark) if isinstance(each, ast.Call)]
    held = [call for call in calls if ast.unparse(call.func) == "pytest.mark.promise"]
    return {ast.literal_eval(number) for call in held for number in call.args}


def test_every_promise_names_the_tests_that_hold_it_and_they_name_it(repo):
    page = read_page((repo.root / "docs" / "promises.md").read_text())
    marked: dict[int, set[str]] = {}
    for path, tree in repo.trees("tests", holding="promise").items():
        for number in list_promises(tree):
            marked.setdefault(number, set()).add(path)

    assert page == marked
    assert set(page) == set(range(1, 11))
    assert all(page.values())


def test_every_promise_says_what_it_rests_on_and_what_was_counted(repo):
    sections = SECTION.findall((repo.root / "docs" / "promises.md").read_text())

    for number, _, body in sections:
        said = re.findall(r"^- \*\*(\w+(?: \w+)*)\*\*", body, re.MULTILINE)
        assert said == ["Rests on", "Tests", "Counted"], number


def test_the_readme_makes_the_same_promises(repo):
    page = SECTION.findall((repo.root / "docs" / "promises.md").read_text())
    readme = (repo.root / "README.md").read_text().partition("## Ten promises")[2]

    assert [(n, title.strip()) for n, title in ROW.findall(readme)] == [
        (number, title) for number, title, _ in page
    ]
