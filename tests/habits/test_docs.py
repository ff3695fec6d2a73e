"""What the documents say is true: blocks run, links lead somewhere, names are in the code."""

from __future__ import annotations

import ast
import doctest
import os
import re
import subprocess
import sys
from collections.abc import Iterable, Iterator
from itertools import zip_longest
from pathlib import Path
from typing import NamedTuple

import pytest

import mulligan
from bench.hosts.drivers import HOSTS, list_installed
from mulligan.runtime.declaration import GROUPS
from mulligan.settings import GROUPS as SETTING_GROUPS

pytestmark = pytest.mark.full

ROOT = Path(__file__).resolve().parents[2]
PAGES = sorted(
    page
    for pattern in ("*.md", "docs/**/*.md", "packages/*/README.md", "examples/demo/README.md")
    for page in ROOT.glob(pattern)
)
README_LINES = 80
MOST_GUIDE_WORDS = 30_000
NOT_GUIDES = {
    *("cli.md", "settings.md", "tool_settings.md"),  # written from the code
    *("benchmarks.md", "campaigns.md", "compared.md", "decisions.md"),  # records
}
NOT_RUN = re.compile(r"<!-- not run: \S.* -->")
MOST_NOT_RUN = 3
MOST_WORDS = 40
BESIDE = ("tests/", "docs/", "bench/", "examples/")
HISTORY = "CHANGELOG.md"
"""It may speak of what is gone."""
OTHERS = "compared.md"
"""It speaks of other projects, in whose code its names are."""
OF_POSTGRES = {
    "idle_in_transaction_session_timeout",
    "max_wal_size",
    "pg_statistic",
    "pg_wal",
    "statement_timeout",
}
OF_OTHERS = {"create_agent", "create_proxy", "loop.run_in_executor", *OF_POSTGRES}
HOST_PAGES = ROOT / "docs" / "hosts"
"""They speak of their frameworks, in whose code their names are."""
DEFINITION = (ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)


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


def needs_host(block: Block) -> bool:
    """Whether it is of a host that is not here: it runs where that is, by `make hosts`."""
    pages = {f"{host.replace('-', '_')}.md": host for host in HOSTS}
    host = pages.get(block.where.partition(":")[0])
    return host is not None and host not in list_installed()


def ready(language: str) -> list:
    chosen = [b for b in ALL_BLOCKS if b.language == language and b.run and not needs_host(b)]
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
        timeout=600,
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


def test_the_guides_stay_short_enough_to_be_read():
    pages = [page for page in (ROOT / "docs").glob("*.md") if page.name not in NOT_GUIDES]
    pages.append(HOST_PAGES / "README.md")
    words = {page.relative_to(ROOT).as_posix(): len(page.read_text().split()) for page in pages}

    assert sum(words.values()) <= MOST_GUIDE_WORDS, words


def test_the_readme_is_read_in_one_go():
    assert len((ROOT / "README.md").read_text().splitlines()) <= README_LINES


def links() -> Iterator[tuple[str, Path]]:
    """Files that the pages link to, or name in backticks as tests."""
    for page in PAGES:
        text = page.read_text()
        targets = re.findall(r"\]\((?!https?:|#)([^)#\s]+)", text)
        yield from ((page.name, page.parent / target) for target in targets)
        yield from ((page.name, ROOT / test) for test in re.findall(r"`(tests/[\w/.]+)", text))


def read_anchors(text: str) -> set[str]:
    """What a link may lead to in a page: its headings, as sites and repositories write them."""
    prose = re.sub(r"^```.*?^```$", "", text, flags=re.MULTILINE | re.DOTALL)
    headings = re.findall(r"^#+ (.+)$", prose, re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", each.strip().lower()).replace(" ", "-") for each in headings}


def find_lost_anchors(page: Path) -> Iterator[str]:
    found = re.findall(r"\]\((?!https?:)([^)#\s]*\.md|)#([^)\s]+)\)", page.read_text())
    for target, anchor in found:
        text = (page.parent / target if target else page).read_text()
        if anchor not in read_anchors(text):
            yield f"{page.name}: {target}#{anchor}"


def test_every_heading_that_a_page_links_to_is_there():
    assert [lost for page in PAGES for lost in find_lost_anchors(page)] == []


NOT_PLAIN = {
    r"ta(?:ken?|kes|king|ook) back": "undo",
    r"read back to be sure": "verified",
    r"(?:person's|your) word\b(?!s)": "awaiting approval",
    r"effects? that still needs?": "actions that need attention",
    r"what (?:came|became) of": "result",
    r"twice is as once": "idempotent",
    r"more of one:": "Details:",
    r"for who\b": "who is meant",
    r"nobody (?:looked|has looked|has spoken)": "not reviewed, not mentioned",
    r"needs? somebody": "needs attention",
    r"put before a person": "needs attention",
    r"word on errors": "rules for errors",
    r"falls silent": "stops its heartbeat",
    r"stands? in it twice": "duplicate",
    r"as it was told": "as it was shown",
    r"would mend it": "would repair it",
}
"""Phrases of ours that readers had to translate, and what to say instead."""
NOT_OURS = {"CHANGELOG.md", "decisions.md"}
"""They are records of what was decided, and are not read to do something."""


def find_not_plain(text: str) -> list[str]:
    lines = " ".join(text.split())
    return [said for said in NOT_PLAIN if re.search(rf"\b{said}", lines, re.IGNORECASE)]


def list_said(tree: ast.Module) -> Iterator[str]:
    """What a module says to people: its texts, but for docstrings and notes."""
    notes = {id(each.value) for each in ast.walk(tree) if isinstance(each, ast.Expr)}
    for each in ast.walk(tree):
        if isinstance(each, ast.Constant) and isinstance(each.value, str) and id(each) not in notes:
            yield each.value


def test_no_page_says_what_must_be_read_twice():
    pages = [page for page in PAGES if page.name not in NOT_OURS]

    assert {p.name: said for p in pages if (said := find_not_plain(p.read_text()))} == {}


def test_no_message_says_what_must_be_read_twice(repo):
    trees = {path: tree for path, tree in repo.trees("src").items() if "mulligan_dates" not in path}
    said = {path: find_not_plain("\n".join(list_said(tree))) for path, tree in trees.items()}

    assert {path: found for path, found in said.items() if found} == {}


def test_every_file_a_page_names_is_there():
    found = list(links())

    assert len(found) > 10
    assert [(page, str(target)) for page, target in found if not target.exists()] == []


def test_whatever_we_say_that_others_lack_leads_to_its_test():
    page = (ROOT / "docs" / "compared.md").read_text()
    table = page.partition("## What Mulligan does\n")[2].partition("\n## ")[0]
    rows = [line for line in table.splitlines() if line.startswith("| ")][1:]

    leads = re.compile(r"\| \[yes\]\([^)]*/test_\w+\.py\)")
    assert len(rows) >= 20
    assert [row for row in rows if not leads.search(row)] == []


def names(tree: ast.Module) -> set[str]:
    """Every class, function and alias that is defined at the top of a module."""
    found = {node.name for node in tree.body if isinstance(node, DEFINITION)}
    targets = [t for node in tree.body if isinstance(node, ast.Assign) for t in node.targets]
    return found | {target.id for target in targets if isinstance(target, ast.Name)}


def test_every_public_noun_is_in_the_glossary_which_is_short():
    page = (ROOT / "docs" / "glossary.md").read_text()
    words = re.findall(r"^\| \*\*(.+?)\*\* \| .+ \|$", page, re.MULTILINE)
    # Groups of options are on the pages of what can be set.
    groups = {kind.__name__ for kind in (*GROUPS.values(), *SETTING_GROUPS.values())}
    nouns = {name for name in mulligan.__all__ if not name.endswith("Error")} - groups

    # What only tasks need is on the page of texts.
    tasks = (ROOT / "docs" / "texts.md").read_text()
    told = set(re.findall(r"^\| `(\w+)` \| .+ \|$", tasks, re.MULTILINE))

    assert len(nouns) > 10
    assert nouns - set(words) - told == set()
    assert len(set(map(str.casefold, words))) == len(words) <= MOST_WORDS


def test_every_page_is_in_the_list_of_the_site_once():
    listed = re.findall(r": (\S+\.md)$", (ROOT / "site" / "mkdocs.yml").read_text(), re.MULTILINE)
    pages = [each.relative_to(ROOT / "docs").as_posix() for each in (ROOT / "docs").rglob("*.md")]

    assert sorted(listed) == sorted(pages)


def paths(text: str) -> list[str]:
    """What a page names in backticks as a path below a package; `NAME` is the reader's to fill."""
    found = re.findall(r"`(\w+(?:/\w+)+(?:\.\w+)?)/?`", text)
    return [path for path in found if not path.startswith(BESIDE) and "NAME" not in path]


def is_there(path: str, repo) -> bool:
    """Whether there is such a folder or module, or such a name in a module: `types/engine.Loop`.

    Of another package than the base, the name stands before it: `mulligan_dates/reader`.
    """
    module, _, name = path.removesuffix(".py").partition(".")
    beside = [
        each / "src" for each in repo.packages if (each / "src" / module.split("/")[0]).is_dir()
    ]
    package = beside[0] if beside else repo.src
    source = package / f"{module}.py"
    if name:
        return source.is_file() and name in names(ast.parse(source.read_text()))
    return source.is_file() or (package / module).is_dir()


def drawn(text: str) -> list[str]:
    """The folders of the tree on a page, as paths."""
    above: list[str] = []
    found = []
    for indent, name in re.findall(r"^([│ ]*)[├└]── (\w+)/", text, re.MULTILINE):
        above[len(indent) // 4 :] = [name]
        found.append("/".join(above))
    return found


@pytest.mark.parametrize(
    ("page", "least"), [("architecture.md", 40), ("journal.md", 15), ("dates.md", 5)]
)
def test_every_path_on_a_page_leads_somewhere(repo, page, least):
    found = paths((ROOT / "docs" / page).read_text())

    assert len(found) > least
    assert [path for path in found if not is_there(path, repo)] == []


def test_the_tree_has_every_folder_once_and_no_other(repo):
    architecture = (ROOT / "docs" / "architecture.md").read_text()
    folders = [p.parent.relative_to(repo.src).as_posix() for p in repo.src.rglob("__init__.py")]

    assert sorted(drawn(architecture)) == sorted(set(folders) - {"."})


def spoken_of(text: str) -> set[str]:
    """Names that a page puts in backticks outside its blocks: `a_b`, `a_b(…)` or `A.b`."""
    prose = re.sub(r"^```.*?^```$", "", text, flags=re.MULTILINE | re.DOTALL)
    found = re.findall(r"`(?:await )?(\w+(?:\.\w+)*)(?:\(.*?\))?`", prose)
    ours = [name for name in found if name.split(".")[0] not in sys.stdlib_module_names]
    return {name for name in ours if re.search(r"[a-z]_[a-z]|[a-z]\.(?!txt|toml)[a-z]", name)}


def sayable(trees: Iterable[ast.Module]) -> set[str]:
    """What the code has that a page may name: definitions, parameters, fields, short texts."""
    found: set[str] = set()
    for node in (node for tree in trees for node in ast.walk(tree)):
        match node:
            case ast.ClassDef(name=n) | ast.FunctionDef(name=n) | ast.AsyncFunctionDef(name=n):
                found.add(n)
            case ast.arg(arg=n) | ast.AnnAssign(target=ast.Name(id=n) | ast.Attribute(attr=n)):
                found.add(n)
            case ast.Attribute(attr=n, ctx=ast.Store()) | ast.Constant(value=str(n)):
                found.add(n)
    return found


def unknown(text: str, known: set[str]) -> set[str]:
    """Names on a page that the code does not have, whole or by their last part."""
    return {name for name in spoken_of(text) if not {name, name.rpartition(".")[2]} & known}


def test_every_name_on_a_page_is_in_the_code(repo):
    known = sayable(repo.trees("src").values()) | OF_OTHERS
    known |= {part for path in repo.trees("src") for part in re.split(r"/|\.py$", path)}
    # Settings are put together out of their parts, and their page is written from the code.
    known |= set(re.findall(r"\w+", (ROOT / "docs" / "settings.md").read_text()))
    # Tools of services are rows of their tables.
    tables = (ROOT / "packages" / "mulligan-packs" / "src").rglob("services/*.toml")
    known |= {word for table in tables for word in re.findall(r"\w+", table.read_text())}

    pages = [p for p in PAGES if p.name not in {HISTORY, OTHERS} and p.parent != HOST_PAGES]
    assert {p.name: gone for p in pages if (gone := unknown(p.read_text(), known))} == {}
