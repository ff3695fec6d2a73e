"""A folder, and tools of `packs/files` that change it."""

from __future__ import annotations

import errno
import os
import shutil
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

from bench.packs.life import THEIRS, Blow, Case, Seen, list_cases
from mulligan import Mulligan
from mulligan_packs.files import file_tools

CALLS: dict[str, Callable[[Any], Any]] = {
    "write": lambda tools: tools.write_file("a.txt", "beer"),
    "create": lambda tools: tools.write_file("new.txt", "beer"),
    "append": lambda tools: tools.append_to_file("a.txt", " and beer"),
    "move": lambda tools: tools.move_file("a.txt", "b.txt"),
    "delete": lambda tools: tools.delete_file("a.txt"),
    "make": lambda tools: tools.make_folder("more"),
}
BEFORE = {"a.txt": "milk"}
AFTER: dict[str, dict[str, str]] = {
    "write": {"a.txt": "beer"},
    "create": {"a.txt": "milk", "new.txt": "beer"},
    "append": {"a.txt": "milk and beer"},
    "move": {"b.txt": "milk"},
    "delete": {},
    "make": {"a.txt": "milk", "more": "folder"},
}


class FolderWorld:
    """A folder with a file in it."""

    promises: tuple[str, ...] = ("lost", "duplicates", "overwritten", "left", "for_a_person")

    def __init__(self, folder: Path) -> None:
        self._root = folder / "root"

    def list_cases(self) -> list[Case]:
        """Every tool that changes something."""
        return list_cases(tuple(CALLS))

    def fill(self) -> None:
        """One file, and nothing of ours."""
        shutil.rmtree(self._root, ignore_errors=True)
        self._root.mkdir()
        (self._root / "a.txt").write_text(BEFORE["a.txt"])

    def look(self) -> Seen:
        """Every file's content."""
        return {
            each.name: "folder" if each.is_dir() else each.read_text()
            for each in sorted(self._root.iterdir())
            if each.name != ".mulligan"
        }

    def edit(self) -> None:
        """A person writes into every file, and puts one into every folder."""
        for each in list(self._root.iterdir()):
            if each.name == ".mulligan":
                continue
            (each / "note.txt" if each.is_dir() else each).write_text(THEIRS)

    def has_effect(self, case: Case, seen: Seen) -> bool:
        """Whether the folder is what the call makes of it."""
        return seen == AFTER[case.kind]

    def has_doubled(self, seen: Seen) -> bool:
        """Only an addition can be seen twice."""
        return any(text.count("beer") > 1 for text in seen.values())

    def build_call(self, m: Mulligan, case: Case, blow: Blow) -> Callable[[], Any]:
        """A tool that is struck at before each thing it does to the folder."""
        tools, root = file_tools(m, self._root), os.fsencode(self._root)
        loses, heard = [case.lost], [False]

        def hear(name: str, given: tuple[Any, ...]) -> None:
            if heard[0] or not _is_about(root, name, given):
                return
            blow.strike()
            heard[0] = True  # looking is heard as well
            try:
                landed = loses[0] and self.has_effect(case, self.look())
            finally:
                heard[0] = False
            if landed:
                loses[0] = False
                raise OSError(errno.EIO, "the disk gave no answer")

        sys.addaudithook(hear)
        return lambda: CALLS[case.kind](tools)


def _is_about(root: bytes, name: str, given: tuple[Any, ...]) -> bool:
    """Whether an event is something that is done in the folder; swaps go past `os`, by ctypes."""
    if name == "ctypes.dlopen":
        return True
    paths = [os.fsencode(each) for each in given if isinstance(each, str | bytes | Path)]
    return any(path.startswith(root) for path in paths)
