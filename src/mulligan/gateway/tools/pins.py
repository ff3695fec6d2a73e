"""What tools looked like when somebody last approved of them: a changed description is noticed.

A server may change what its tools say of themselves at any time, and an agent reads it as advice.
"""

from __future__ import annotations

import json
import os
import tempfile
from pathlib import Path
from typing import Any

from mulligan.core.errors import ConfigurationError
from mulligan.gateway.tools.shown_list import ListedTool

APPROVED, SEEN = "approved", "seen"


class Pins:
    """The digests of tools by their server and name, kept in a file of the operator's."""

    def __init__(self, file: Path | None = None) -> None:
        self._file = file
        self._known: dict[str, dict[str, dict[str, str]]] = {} if file is None else _load(file)

    def note(self, tool: ListedTool) -> bool:
        """Whether a tool is as it was approved. One that was never seen is taken as it is."""
        known = self._known.setdefault(tool.server, {}).get(tool.name)
        if known is None:
            known = {APPROVED: tool.digest, SEEN: tool.digest}
            self._known[tool.server][tool.name] = known
            self._save()
        elif known[SEEN] != tool.digest:
            known[SEEN] = tool.digest
            self._save()
        return known[APPROVED] == tool.digest

    def is_changed(self, server: str, name: str) -> bool:
        """Whether a tool is no longer what was approved."""
        known = self._known.get(server, {}).get(name)
        return known is not None and known[APPROVED] != known[SEEN]

    def list_changed(self) -> list[tuple[str, str]]:
        """Every tool that is no longer what was approved."""
        return [
            (server, name)
            for server, tools in sorted(self._known.items())
            for name in sorted(tools)
            if self.is_changed(server, name)
        ]

    def approve(self) -> list[tuple[str, str]]:
        """Take every tool as it was seen last; which ones that changed."""
        changed = self.list_changed()
        for server, name in changed:
            known = self._known[server][name]
            known[APPROVED] = known[SEEN]
        if changed:
            self._save()
        return changed

    def _save(self) -> None:
        if self._file is None:
            return
        text = json.dumps(self._known, indent=1, sort_keys=True)
        handle, beside = tempfile.mkstemp(dir=self._file.parent, prefix=self._file.name)
        with os.fdopen(handle, "w", encoding="utf-8") as file:
            file.write(text + "\n")
        Path(beside).replace(self._file)


def _load(file: Path) -> dict[str, dict[str, dict[str, str]]]:
    if not file.exists():
        return {}
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
