"""Every recipe of CONTRIBUTING.md is followed in a copy: its diff applies, what it adds works."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import tomllib
from importlib.util import cache_from_source
from pathlib import Path
from typing import NamedTuple

import pytest

pytestmark = pytest.mark.full

ROOT = Path(__file__).resolve().parents[2]
NUMBERS = {"one": 1, "two": 2, "three": 3, "four": 4, "five": 5}
TOOLS = Path(sys.executable).parent


class Recipe(NamedTuple):
    """A section of the page, and all its diffs as one."""

    name: str
    text: str
    diff: str

    @property
    def touched(self) -> list[str]:
        """The files it adds or changes."""
        return re.findall(r"^\+\+\+ b/(\S+)$", self.diff, re.MULTILINE)

    @property
    def tests(self) -> list[str]:
        return [path for path in self.touched if Path(path).name.startswith("test_")]

    @property
    def promised(self) -> int | None:
        """How many files it says that it is; `None` where it does not say."""
        said = re.search(r"\bIt is\s+(\w+)\s+files\b", self.text)
        return NUMBERS[said[1]] if said else None


def recipes(page: str) -> list[Recipe]:
    """Every section whose heading begins with `Recipe:`, whether it has a diff yet or not."""
    found = []
    for section in re.split(r"^## ", page, flags=re.MULTILINE):
        if section.startswith("Recipe: "):
            name = section.partition("\n")[0].removeprefix("Recipe: ")
            diffs = re.findall(r"^```diff\n(.*?)^```$", section, re.MULTILINE | re.DOTALL)
            found.append(Recipe(name, section, "".join(diffs)))
    return found


RECIPES = [each for each in recipes((ROOT / "CONTRIBUTING.md").read_text()) if each.diff]


@pytest.fixture
def copy(repo, tmp_path) -> Path:
    """The repository as it is, to be changed."""
    folder = tmp_path / "copy"
    for file in repo.files():
        target = folder / repo.name(file)
        for source, place in ((file, target), (compiled(file), compiled(target))):
            if source.exists():
                place.parent.mkdir(parents=True, exist_ok=True)
                # With its time: what was compiled is good for a source of that time alone.
                shutil.copy2(source, place)
    return folder


def compiled(file: Path) -> Path:
    return Path(cache_from_source(str(file)))


def run(copy: Path, *command: str | Path, told: str = "") -> subprocess.CompletedProcess[str]:
    """A command in the copy, with its sources and those of the packages that recipes made."""
    found = [*copy.glob("packages/*/src"), copy / "examples/demo/src"]
    paths = [*found, *(each.parent / "src" for each in copy.glob("*/pyproject.toml"))]
    clean = {name: value for name, value in os.environ.items() if not name.startswith("MULLIGAN")}
    return subprocess.run(
        command,
        cwd=copy,
        # Git would take a repository around the copy for the one that is meant.
        env={
            **clean,
            "PYTHONPATH": os.pathsep.join(map(str, paths)),
            "GIT_CEILING_DIRECTORIES": str(copy.parent),
            # Those of everybody else take most of the time, and only one is asked for.
            "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1",
        },
        input=told,
        capture_output=True,
        text=True,
        timeout=600,
        check=False,
    )


def follow(copy: Path, recipe: Recipe) -> None:
    """Apply a recipe, and install the package that it makes, as far as an installer would."""
    done = run(copy, "git", "apply", "-", told=recipe.diff)
    assert done.returncode == 0, f"{recipe.name}: {done.stderr}"
    for path in recipe.touched:
        if Path(path).name == "pyproject.toml" and not path.startswith("packages/"):
            install(copy / path)


def install(pyproject: Path) -> None:
    project = tomllib.loads(pyproject.read_text())["project"]
    metadata = pyproject.parent / "src" / f"{project['name'].replace('-', '_')}-1.0.dist-info"
    metadata.mkdir(parents=True)
    named = f"Metadata-Version: 2.1\nName: {project['name']}\nVersion: {project['version']}\n"
    (metadata / "METADATA").write_text(named)
    groups = [
        f"[{group}]\n" + "".join(f"{name} = {value}\n" for name, value in points.items())
        for group, points in project.get("entry-points", {}).items()
    ]
    (metadata / "entry_points.txt").write_text("\n".join(groups))


def run_tests(copy: Path, *tests: str) -> subprocess.CompletedProcess[str]:
    quiet = ("-o", "addopts=", "-p", "pytest_asyncio.plugin", "-p", "no:cacheprovider")
    return run(copy, sys.executable, "-m", "pytest", "-q", *quiet, *tests)


def test_all_recipes_in_one_copy_work_and_keep_types_style_and_habits(copy, tmp_path):
    known = tmp_path / "types"
    if (ROOT / ".mypy_cache").exists():  # what `make check` has found out, with its times
        shutil.copytree(ROOT / ".mypy_cache", known)
    for recipe in RECIPES:
        follow(copy, recipe)
    touched = dict.fromkeys(path for each in RECIPES for path in each.touched)
    python = [path for path in touched if path.endswith(".py")]
    ours = [path for path in python if path.startswith(("packages/", "tests/"))]
    typed = [path for path in python if "/src/" in path]

    added = run_tests(copy, *dict.fromkeys(test for each in RECIPES for test in each.tests))
    done = [
        added,
        run(copy, TOOLS / "mypy", "--cache-dir", known, *typed),
        run(copy, TOOLS / "ruff", "check", "--no-cache", *ours),
        run(copy, TOOLS / "ruff", "format", "--no-cache", "--check", *python),
        run_tests(copy, "tests/habits/test_repository.py", "tests/habits/test_code.py"),
    ]

    assert [each.stdout + each.stderr for each in done if each.returncode] == []


@pytest.mark.parametrize("recipe", RECIPES, ids=[each.name for each in RECIPES])
def test_a_recipe_brings_tests_and_as_many_files_as_it_says(recipe):
    assert recipe.tests
    assert recipe.promised in (None, len(recipe.touched))


def test_what_most_newcomers_add_has_a_recipe():
    names = {each.name for each in RECIPES}

    wanted = {
        "a reply check", "a store", "a framework adapter", "a host adapter", "a pack", "a page",
    }  # fmt: skip
    assert wanted <= names
