"""The repository as the habits see it: its files, its code as trees."""

from __future__ import annotations

import ast
import fnmatch
import gc
import os
import tomllib
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
NOT_OURS = {".git", *(ROOT / ".gitignore").read_text().replace("/\n", "\n").split()}


@cache
def parse(path: Path) -> ast.Module:
    """A Python file as a tree, which nobody changes."""
    # A finalizer of another test that parses meanwhile, as one that prints a traceback does,
    # would end this with CPython's own SystemError.
    gc.disable()
    try:
        return ast.parse(path.read_text())
    finally:
        gc.enable()


class Repo:
    """What is in the repository, read once."""

    root = ROOT
    src = ROOT / "packages" / "mulligan" / "src" / "mulligan"
    """The base."""
    packages = (*sorted((ROOT / "packages").iterdir()), ROOT / "examples" / "demo")
    """The base, and what builds on it; a package's `src` and `tests` are below it."""

    @cache  # noqa: B019 - one object for the whole session
    def files(self) -> list[Path]:
        """Every file that is ours: not ignored, not generated."""
        return sorted(self._walk(self.root))

    def _walk(self, folder: Path) -> Iterator[Path]:
        for entry in os.scandir(folder):
            if any(fnmatch.fnmatch(entry.name, pattern) for pattern in NOT_OURS):
                continue
            if entry.is_dir():
                yield from self._walk(Path(entry.path))
            else:
                yield Path(entry.path)

    def name(self, path: Path) -> str:
        """A file's path from the root of the repository."""
        return path.relative_to(self.root).as_posix()

    def under(self, *folders: str, suffixes: tuple[str, ...] = (".py",)) -> list[Path]:
        """Files below the given folders; `src` and `tests` are those of all packages."""
        spread = [self.name(each / folder) for folder in folders for each in self.packages]
        tops = tuple(f"{folder}/" for folder in (*folders, *spread))
        return [p for p in self.files() if self.name(p).startswith(tops) and p.suffix in suffixes]

    def trees(self, *folders: str, holding: str = "") -> dict[str, ast.Module]:
        """The Python files below the given folders with a text in them, parsed, by path."""
        found = (path for path in self.under(*folders) if holding in path.read_text().casefold())
        return {self.name(path): parse(path) for path in found}

    @property
    def pyproject(self) -> dict:
        """The settings of the tools."""
        return tomllib.loads((self.root / "pyproject.toml").read_text())

    @property
    def project(self) -> dict:
        """What the base says of itself."""
        base = self.src.parents[1] / "pyproject.toml"
        return tomllib.loads(base.read_text())["project"]


@pytest.fixture(scope="session")
def repo() -> Repo:
    return Repo()
