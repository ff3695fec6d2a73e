"""Files with the tools, results and errors of the reference server for them, as plain functions."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path


class FileToolError(Exception):
    """What the reference server returns as an error."""


@dataclass
class FileTools:
    """The tools over one folder: nothing outside is touched."""

    root: Path

    def read_text_file(self, path: str) -> dict[str, str]:
        found = self._find(path, opened="open")
        return {"content": found.read_bytes().decode(errors="replace")}

    def write_file(self, path: str, content: str) -> dict[str, str]:
        with (self.root / "ledger").open("a") as ledger:
            ledger.write(f"write {path}\n")
        self._find(path).write_bytes(content.encode())
        return {"content": f"Successfully wrote to {path}"}

    def edit_file(
        self, path: str, edits: list[dict[str, str]], dryRun: bool = False
    ) -> dict[str, str]:
        found = self._find(path, opened="open")
        text = found.read_text()
        for edit in edits:
            if edit["oldText"] not in text:
                raise FileToolError(f"Could not find exact match for edit:\n{edit['oldText']}")
            text = text.replace(edit["oldText"], edit["newText"], 1)
        if not dryRun:
            found.write_text(text)
        return {"content": "```diff\n```"}

    def move_file(self, source: str, destination: str) -> dict[str, str]:
        old, new = self._find(source, opened="rename"), self._find(destination)
        if new.exists():
            raise FileToolError(f"Destination already exists: {new}")
        old.rename(new)
        return {"content": f"Successfully moved {source} to {destination}"}

    def get_file_info(self, path: str) -> dict[str, str]:
        seen = self._find(path, opened="stat").stat()
        always_new = f"accessed: {os.urandom(4).hex()}"
        lines = [f"size: {seen.st_size}", f"modified: {seen.st_mtime_ns}", always_new]
        return {"content": "\n".join(lines)}

    def _find(self, path: str, *, opened: str = "") -> Path:
        found = (self.root / path).resolve()
        if not found.is_relative_to(self.root.resolve()):
            raise FileToolError(f"Access denied - path outside allowed directories: {found}")
        if not found.parent.is_dir():
            raise FileToolError(f"Parent directory does not exist: {found.parent}")
        if opened and not found.exists():
            raise FileToolError(f"ENOENT: no such file or directory, {opened} '{found}'")
        return found


NAMES = ("read_text_file", "write_file", "edit_file", "move_file", "get_file_info")
