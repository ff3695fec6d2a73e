"""What servers said of themselves when somebody last approved of it: a change is noticed.

A server may change what its instructions, tools, prompts and resources say at any time, and an
agent reads it as advice.
"""

from __future__ import annotations

import json
import os
import tempfile
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any

from mulligan.core.errors import ConfigurationError
from mulligan.gateway.tools.shown_list import ListedItem
from mulligan.stores.disk.file_lock import hold_lock

APPROVED, SEEN = "approved", "seen"
Digests = dict[str, dict[str, str]]
"""By name: the digest that was approved, and the last that was seen."""
Known = dict[str, dict[str, Digests]]
"""By server and kind. A kind that is there was once seen whole."""
Stamp = tuple[int, int, int] | None


class Pins:
    """The digests of what servers list, kept in a file of the operator's.

    Of one file there may be several gateways, one for each server of a client, and an operator who
    approves while they run: whoever writes adds to what the others have written, and whoever asks
    hears of it.
    """

    def __init__(self, file: Path | None = None) -> None:
        self._file = file
        self._known: Known = {}
        self._seen_at: Stamp = None
        self._read_anew()

    def note(self, server: str, kind: str, items: Sequence[ListedItem], *, adopt: bool) -> None:
        """A whole list was seen. The first of its kind is taken as it is.

        `adopt`: so is whatever comes to it later, and what has gone from it is forgotten.
        """
        self._read_anew()
        noted = self._merge(server, kind, items, adopt=adopt)
        if noted != self._known.get(server, {}).get(kind):
            self._change(partial(self._note_seen, server, kind, items, adopt=adopt))

    def list_unapproved(self, items: Iterable[ListedItem]) -> list[ListedItem]:
        """Those that are not what was approved, as they are now."""
        self._read_anew()
        return [item for item in items if not self._is_approved(item)]

    def list_changed(self) -> list[ListedItem]:
        """Everything that is no longer what was approved, as it was seen last."""
        self._read_anew()
        return [
            ListedItem(server=server, kind=kind, name=name, digest=known[SEEN])
            for server, kinds in sorted(self._known.items())
            for kind, digests in sorted(kinds.items())
            for name, known in sorted(digests.items())
            if known.get(APPROVED) != known[SEEN]
        ]

    def approve(self) -> list[ListedItem]:
        """Take everything as it was seen last; what of it had changed."""
        changed = self.list_changed()
        if changed:
            self._change(partial(self._note_approved, changed))
        return changed

    def _is_approved(self, item: ListedItem) -> bool:
        known = self._known.get(item.server, {}).get(item.kind, {}).get(item.name, {})
        return bool(item.digest) and known.get(APPROVED) == item.digest

    def _merge(
        self, server: str, kind: str, items: Sequence[ListedItem], *, adopt: bool
    ) -> Digests:
        kinds = self._known.get(server, {})
        before = kinds.get(kind, {})
        after = {i.name: {**before.get(i.name, {}), SEEN: i.digest} for i in items if i.digest}
        if adopt or kind not in kinds:
            return {name: {APPROVED: known[SEEN]} | known for name, known in after.items()}
        return {name: known for name, known in before.items() if APPROVED in known} | after

    def _note_seen(
        self, server: str, kind: str, items: Sequence[ListedItem], *, adopt: bool
    ) -> None:
        noted = self._merge(server, kind, items, adopt=adopt)
        self._known.setdefault(server, {})[kind] = noted

    def _note_approved(self, changed: Iterable[ListedItem]) -> None:
        for item in changed:
            known = self._known.get(item.server, {}).get(item.kind, {}).get(item.name)
            if known is not None:  # else another gateway has seen it go
                known[APPROVED] = known[SEEN]

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
                str(kind): {str(name): _read_digests(known) for name, known in digests.items()}
                for kind, digests in kinds.items()
            }
            for server, kinds in read.items()
        }
    except (OSError, ValueError, KeyError, AttributeError, TypeError) as error:
        raise ConfigurationError(
            f"{file} says what servers listed, and cannot be read: {error!r}. Put it right, or "
            "delete it: then everything is taken as it is."
        ) from error


def _read_digests(known: Mapping[str, object]) -> dict[str, str]:
    approved = {APPROVED: str(known[APPROVED])} if APPROVED in known else {}
    return {**approved, SEEN: str(known[SEEN])}
