"""What tools looked like when somebody last approved of them: a changed description is noticed.

A server may change what its tools say of themselves at any time, and an agent reads it as advice.
"""

from __future__ import annotations

import json
import os
import tempfile
from collections.abc import Callable, Iterable, Mapping
from functools import partial
from pathlib import Path
from typing import Any

from mulligan.core.errors import ConfigurationError
from mulligan.gateway.tools.shown_list import ListedTool
from mulligan.stores.disk.file_lock import hold_lock

APPROVED, SEEN = "approved", "seen"
Known = dict[str, dict[str, dict[str, str]]]
"""By server and tool: the digest that was approved, and the last that was seen."""
Stamp = tuple[int, int, int] | None


class Pins:
    """The digests of tools by their server and name, kept in a file of the operator's.

    Of one file there may be several gateways, one for each server of a client, and an operator who
    approves while they run: whoever writes adds to what the others have written, and whoever asks
    hears of it.
    """

    def __init__(self, file: Path | None = None) -> None:
        self._file = file
        self._known: Known = {}
        self._seen_at: Stamp = None
        self._read_anew()

    def note(self, tool: ListedTool) -> bool:
        """Whether a tool is as it was approved. One that was never seen is taken as it is."""
        self._read_anew()
        known = self._find(tool.server, tool.name)
        if known is None or known[SEEN] != tool.digest:
            self._change(partial(self._note_seen, tool))
        return not _is_changed(self._find(tool.server, tool.name))

    def is_changed(self, server: str, name: str) -> bool:
        """Whether a tool is no longer what was approved."""
        self._read_anew()
        return _is_changed(self._find(server, name))

    def list_changed(self) -> list[tuple[str, str]]:
        """Every tool that is no longer what was approved."""
        self._read_anew()
        return [
            (server, name)
            for server, tools in sorted(self._known.items())
            for name, known in sorted(tools.items())
            if _is_changed(known)
        ]

    def approve(self) -> list[tuple[str, str]]:
        """Take every tool as it was seen last; which ones that changed."""
        changed = self.list_changed()
        if changed:
            self._change(partial(self._note_approved, changed))
        return changed

    def _note_seen(self, tool: ListedTool) -> None:
        tools = self._known.setdefault(tool.server, {})
        tools.setdefault(tool.name, {APPROVED: tool.digest})[SEEN] = tool.digest

    def _note_approved(self, changed: Iterable[tuple[str, str]]) -> None:
        for server, name in changed:
            known = self._known[server][name]
            known[APPROVED] = known[SEEN]

    def _find(self, server: str, name: str) -> dict[str, str] | None:
        return self._known.get(server, {}).get(name)

    def _read_anew(self) -> None:
        """Read the file where somebody has written it since."""
        stamp = None if self._file is None else _find_stamp(self._file)
        if self._file is not None and stamp is not None and stamp != self._seen_at:
            self._known, self._seen_at = _load(self._file), stamp

    def _change(self, change: Callable[[], None]) -> None:
        """Change what is known, and the file where there is one: writers take turns there."""
        change()
        if self._file is None:
            return
        lock = self._file.with_name(f"{self._file.name}.lock")
        opened = os.open(lock, os.O_RDWR | os.O_CREAT, 0o600)
        try:
            with hold_lock(opened):
                self._read_anew()
                change()
                self._save(self._file)
        finally:
            os.close(opened)

    def _save(self, file: Path) -> None:
        text = json.dumps(self._known, indent=1, sort_keys=True)
        handle, beside = tempfile.mkstemp(dir=file.parent, prefix=file.name)
        with os.fdopen(handle, "w", encoding="utf-8") as written:
            written.write(text + "\n")
        Path(beside).replace(file)
        self._seen_at = _find_stamp(file)


def _is_changed(known: Mapping[str, str] | None) -> bool:
    return known is not None and known[APPROVED] != known[SEEN]


def _find_stamp(file: Path) -> Stamp:
    """By what it is seen that a file is another one; `None` where there is none."""
    try:
        found = file.stat()
    except FileNotFoundError:
        return None
    return found.st_mtime_ns, found.st_ino, found.st_size


def _load(file: Path) -> Known:
    try:
        read: Any = json.loads(file.read_text(encoding="utf-8"))
        return {
            str(server): {
                str(name): {part: str(digests[part]) for part in (APPROVED, SEEN)}
                for name, digests in tools.items()
            }
            for server, tools in read.items()
        }
    except (OSError, ValueError, KeyError, AttributeError, TypeError) as error:
        raise ConfigurationError(
            f"{file} says what tools looked like, and cannot be read: {error!r}. Put it right, or "
            "delete it: then every tool is taken as it is."
        ) from error
