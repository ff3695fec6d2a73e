"""How often SQLite has waited for the disk: counted where it asks for that, by the file's name."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import apsw


class _CountingFile(apsw.VFSFile):
    def __init__(self, name: Any, flags: Any, syncs: list[str]) -> None:
        self.name = str(name.filename() if hasattr(name, "filename") else name)
        self._syncs = syncs
        super().__init__("unix", name, flags)

    def xSync(self, flags: int) -> None:  # noqa: N802 - SQLite's name
        self._syncs.append(self.name)
        super().xSync(flags)


class _CountingVFS(apsw.VFS):
    def __init__(self, syncs: list[str]) -> None:
        self._syncs = syncs
        super().__init__("counting", "unix", makedefault=True)

    def xOpen(self, name: Any, flags: Any) -> _CountingFile:  # noqa: N802 - SQLite's name
        return _CountingFile(name, flags, self._syncs)


@contextmanager
def counting_syncs() -> Iterator[list[str]]:
    """The names of files in the order of their syncs, of stores that are opened in here."""
    syncs: list[str] = []
    vfs = _CountingVFS(syncs)
    try:
        yield syncs
    finally:
        vfs.unregister()
