"""What the documents say is true: blocks run, links lead somewhere, words are those of core."""

from __future__ import annotations

import ast
import doctest
import importlib
import os
import pkgutil
import re
import subprocess
import sys
from collections.abc import Iterator
from enum import EnumType
from itertools import zip_longest
from pathlib import Path
from typing import NamedTuple

import pytest

from mulligan import core

ROOT = Path(__file__).resolve().parents[2]
PAGES = sorted([*ROOT.glob("*.md"), *(ROOT / "docs").glob("*.md")])
README_LINES = 120
NOT_RUN = re.compile(r"<!-- not run: \S.* -->")
MOST_NOT_RUN = 3


class Block(NamedTuple):
    """A fenced block of a page."""

    where: str
    language: str
    text: str
    prints: str | None
    """The `text` block that follows a Python block: what it prints."""
    run: bool


def blocks(text: str, name: str) -> Iterator[Block]:
    pattern = re.compile(r"^```(\w+)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
    found = list(pattern.finditer(text))
    for block, after in zip_longest(found, found[1:]):
        prints = after.group(2) if after and after.group(1) == "text" else None
        line = text.count("\n", 0, block.start())
        marked = NOT_RUN.search(text[: block.start()].rstrip().rpartition("\n")[2])
        yield Block(f"{name}:{line + 1}", block.group(1), block.group(2), prints, not marked)


ALL_BLOCKS = [b for page in PAGES for b in blocks(page.read_text(), page.relative_to(ROOT).name)]


def ready(language: str) -> list:
    chosen = [b for b in ALL_BLOCKS if b.language == language and b.run]
    return [pytest.param(b, id=b.where) for b in chosen]


def in_an_empty_folder(command: list[str], folder: Path) -> subprocess.CompletedProcess[str]:
    clean = {k: v for k, v in os.environ.items() if not k.startswith("MULLIGAN")}
    return subprocess.run(
        command,
        cwd=folder,
        env={**clean, "HOME": str(folder), "COLUMNS": "100"},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )


def printed_as_promised(printed: str, promised: str) -> bool:
    return doctest.OutputChecker().check_output(promised, printed, doctest.ELLIPSIS)


@pytest.mark.parametrize("block", ready("python"))
def test_every_python_block_runs_and_prints_what_the_page_says(block, tmp_path):
    done = in_an_empty_folder([sys.executable, "-W", "error", "-c", block.text], tmp_path)

    assert done.returncode == 0, done.stderr
    assert block.prints is None or printed_as_promised(done.stdout, block.prints), done.stdout


@pytest.mark.parametrize("block", ready("console"))
def test_every_command_of_ours_in_a_console_block_succeeds(block, tmp_path):
    commands = re.findall(r"^\$ mulligan (.*)$", block.text, re.MULTILINE)
    for command in commands:
        done = in_an_empty_folder(
            ["bash", "-c", f'"{sys.executable}" -m mulligan {command}'], tmp_path
        )

        assert done.returncode == 0, done.stdout + done.stderr


def test_few_blocks_are_left_out_and_each_says_why():
    left_out = [b.where for b in ALL_BLOCKS if not b.run and b.language in {"python", "console"}]

    assert len(left_out) <= MOST_NOT_RUN, left_out


def test_a_block_is_found_with_what_it_prints_and_whether_it_runs():
    page = "a\n\n```python\nx\n```\nb\n\n```text\ny\n```\n<!-- not run: r -->\n```python\nz\n```\n"

    first, _, last = blocks(page, "page")

    assert (first.text, first.prints, first.run) == ("x\n", "y\n", True)
    assert (last.text, last.prints, last.run) == ("z\n", None, False)
    assert printed_as_promised("took 12 ms\n", "took ... ms\n")
    assert not printed_as_promised("failed\n", "took ... ms\n")


def test_the_readme_is_read_in_one_go():
    assert len((ROOT / "README.md").read_text().splitlines()) <= README_LINES


def links() -> Iterator[tuple[str, Path]]:
    """Files that the pages link to, or name in backticks as tests."""
    for page in PAGES:
        text = page.read_text()
        targets = re.findall(r"\]\((?!https?:|#)([^)#\s]+)", text)
        yield from ((page.name, page.parent / target) for target in targets)
        yield from ((page.name, ROOT / test) for test in re.findall(r"`(tests/[\w/.]+)", text))


def test_every_file_a_page_names_is_there():
    found = list(links())

    assert len(found) > 10
    assert [(page, str(target)) for page, target in found if not target.exists()] == []


def words(table: str) -> dict[str, str]:
    """The bold words of a table of the glossary, each with its meaning."""
    text = (ROOT / "docs" / "glossary.md").read_text()
    section = re.search(rf"^## {table}$(.*?)(?=^## |\Z)", text, re.MULTILINE | re.DOTALL)
    rows = re.findall(r"^\| \*\*(.+?)\*\* \| (.+) \|$", section.group(1), re.MULTILINE)
    return dict(rows)


def words_of_core() -> set[str]:
    """Every class of core, and every alias that is named like one; the errors have a tree."""
    found: set[str] = set()
    for path in (ROOT / "src" / "mulligan" / "core").glob("*.py"):
        for node in ast.parse(path.read_text()).body:
            names = {node.name} if isinstance(node, ast.ClassDef) else set()
            if isinstance(node, ast.Assign):
                names = {target.id for target in node.targets if isinstance(target, ast.Name)}
            found |= {name for name in names if re.fullmatch(r"[A-Z]\w*[a-z]\w*", name)}
    return {name for name in found if not name.endswith("Error")}


def values_of_core() -> dict[str, set[str]]:
    """The members of every enumeration of core."""
    modules = pkgutil.iter_modules(core.__path__, "mulligan.core.")
    kinds = [kind for m in modules for kind in vars(importlib.import_module(m.name)).values()]
    ours = [k for k in kinds if isinstance(k, EnumType) and k.__module__.startswith("mulligan.")]
    return {kind.__name__: {member.name for member in kind} for kind in ours}


def test_the_words_of_the_glossary_are_the_words_of_core():
    assert sorted(words("Words")) == sorted(words_of_core())


def test_the_values_of_the_glossary_are_the_values_of_core():
    listed = {kind: set(re.findall(r"`(\w+)`", row)) for kind, row in words("Values").items()}

    assert listed == values_of_core()


def test_no_word_stands_twice_in_the_glossary():
    text = (ROOT / "docs" / "glossary.md").read_text()
    types = re.findall(r"^\| \*\*(.+?)\*\*", text.partition("## Values")[0], re.MULTILINE)

    assert len(types) == len(set(types))
    assert not words("Words that are not types").keys() & words_of_core()
