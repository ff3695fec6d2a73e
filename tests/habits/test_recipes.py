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

ROOT = Path(__file__).resolve().parents[2]
NUMBERS = {"one": 1, "two": 2, "three": 3, "four": 4, "five": 5}
TOOLS = Path(sys.executable).parent
HABITS = ("tests/habits/test_code.py",)


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


def run(
    copy: Path, *command: str | Path, told: str = "", sources: Path | None = None
) -> subprocess.CompletedProcess[str]:
    """A command in the copy, with its sources, or another's, and those of the packages there."""
    whole = sources or copy
    found = [*whole.glob("packages/*/src"), whole / "examples/demo/src"]
    paths = [*found, *(each.parent / "src" for each in whole.glob("*/pyproject.toml"))]
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
        timeout=120,
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


def run_tests(
    copy: Path, *tests: str, sources: Path | None = None
) -> subprocess.CompletedProcess[str]:
    quiet = ("-o", "addopts=", "-p", "pytest_asyncio.plugin", "-p", "no:cacheprovider")
    return run(copy, sys.executable, "-m", "pytest", "-q", *quiet, *tests, sources=sources)


@pytest.mark.parametrize("recipe", RECIPES, ids=[each.name for each in RECIPES])
def test_what_a_recipe_adds_passes_its_own_tests(recipe, copy):
    follow(copy, recipe)
    done = run_tests(copy, *recipe.tests)

    assert recipe.tests
    assert done.returncode == 0, done.stdout + done.stderr
    assert recipe.promised in (None, len(recipe.touched))


def leave_only(copy: Path, files: list[str]) -> Path:
    """A repository of these files, the types and the habits, which look at every file there is."""
    thin = copy.with_name("thin")
    folders = (
        "tests/habits",
        "packages/mulligan/src/mulligan/types",
        "packages/mulligan/src/mulligan/loops",
    )
    always = [f"{folder}/{each.name}" for folder in folders for each in (copy / folder).glob("*.*")]
    for file in (*files, *always, "pyproject.toml", ".gitignore"):
        (thin / file).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(copy / file, thin / file)
    listed = thin / "tests/habits/exceptions.toml"
    # What is left alone elsewhere is not here, and an exception that nobody needs fails.
    listed.write_text("".join(re.findall(r"^\[\w+\]\n", listed.read_text(), re.MULTILINE)))
    return thin


def test_all_recipes_together_keep_types_style_and_habits(copy):
    for recipe in RECIPES:
        follow(copy, recipe)
    touched = dict.fromkeys(path for each in RECIPES for path in each.touched)
    python = [path for path in touched if path.endswith(".py")]
    ours = [path for path in python if path.startswith(("packages/", "tests/"))]
    typed = [path for path in python if "/src/" in path]

    done = [
        run(copy, TOOLS / "mypy", "--no-incremental", *typed),
        run(copy, TOOLS / "ruff", "check", "--no-cache", *ours),
        run(copy, TOOLS / "ruff", "format", "--no-cache", "--check", *python),
        run_tests(copy, "tests/habits/test_repository.py"),
        run_tests(leave_only(copy, ours), *HABITS, sources=copy),
    ]

    assert [each.stdout + each.stderr for each in done if each.returncode] == []


def test_what_most_newcomers_add_has_a_recipe():
    names = {each.name for each in RECIPES}

    wanted = {
        "a reply check",
        "a store",
        "a framework adapter",
        "a host adapter",
        "a pack",
        "a page",
    }
    assert wanted <= names


PLANTED = """
## Recipe: a planted thing

It is two files.

```diff
--- a/notes.txt
+++ b/notes.txt
@@ -1,2 +1,2 @@
 milk
-beer
+tea
```

```diff
--- /dev/null
+++ b/tests/test_notes.py
@@ -0,0 +1,2 @@
+def test_there_is_tea():
+    assert "tea" in open("notes.txt").read()
```

## Something else

```diff
+not this
```
"""


def test_a_recipe_is_found_with_all_its_diffs():
    [planted] = recipes(PLANTED)

    assert planted.touched == ["notes.txt", "tests/test_notes.py"]
    assert planted.tests == ["tests/test_notes.py"]
    assert planted.promised == 2
    assert "not this" not in planted.diff


def test_a_recipe_that_names_a_line_that_is_gone_would_be_seen(tmp_path):
    [planted] = recipes(PLANTED)
    (tmp_path / "notes.txt").write_text("milk\nwine\n")

    with pytest.raises(AssertionError, match=r"notes\.txt"):
        follow(tmp_path, planted)


@pytest.mark.parametrize(("wanted", "code"), [("tea", 0), ("coffee", 1)])
def test_a_recipe_whose_test_fails_would_be_seen(tmp_path, wanted, code):
    [planted] = recipes(PLANTED.replace('assert "tea"', f'assert "{wanted}"'))
    (tmp_path / "notes.txt").write_text("milk\nbeer\n")

    follow(tmp_path, planted)

    assert run_tests(tmp_path, *planted.tests).returncode == code
