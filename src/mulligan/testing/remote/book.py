"""The remote's file while it is locked: its ledger, what is under way, and what readers see."""

from __future__ import annotations

import json
import os
import uuid
from collections.abc import Iterable, Mapping
from dataclasses import field
from datetime import timedelta
from typing import Any

from mulligan.codec.json_text import split_json_lines
from mulligan.core.runtime.dataclass import dataclass
from mulligan.stores.disk.file_lock import read_at


@dataclass(frozen=True, slots=True, kw_only=True)
class Item:
    """One object of the remote, as it is now."""

    id: str
    version: str
    data: Mapping[str, object]


@dataclass(frozen=True, slots=True, kw_only=True)
class Effected:
    """One line of the ledger: something took effect."""

    seq: int
    op: str
    """`create`, `update`, `delete`, `restore`."""
    id: str
    by: str
    """`agent`, `undo`, `person`."""
    before: str | None
    """The version it replaced."""
    after: str | None
    """The version it made; `None` for a delete."""
    key: str | None = None
    data: Mapping[str, object] = field(default_factory=dict)
    at: float = 0.0
    """When, in seconds, by the remote's own clock."""


class RemoteBook:
    """Everything that is in the file, and one line more with every write."""

    def __init__(self, handle: int) -> None:
        self._handle = handle
        self.lines: list[Effected] = []
        self.items: dict[str, Item] = {}
        self.lag: int | timedelta = 0
        """How far readers are behind, in writes or in time."""
        self.hidden: int | None = None
        """The status that readers get instead of an answer."""
        self._late: dict[str, dict[str, object]] = {}
        self._left: dict[str, int | None] = {}
        """How many requests each late one still lets pass."""
        size = os.fstat(handle).st_size
        for text in filter(None, split_json_lines(read_at(handle, size, offset=0).decode())):
            self._read(json.loads(text))

    def put_off(self, request: Mapping[str, object], late_by: int | None) -> None:
        """A request is under way, and will arrive after so many others."""
        self._log({"late": request, "number": uuid.uuid4().hex, "by": late_by})

    def list_late(self) -> list[str]:
        """Every request that is under way."""
        return list(self._late)

    def list_due(self) -> list[str]:
        """One more request comes by: the late ones that have let enough of them pass."""
        if self._late:
            self._log({"passed": 1})
        return [number for number, left in self._left.items() if left is not None and left <= 0]

    def take_late(self, number: str) -> dict[str, object]:
        """A late request arrives."""
        request = self._late[number]
        self._log({"landed": number})
        return request

    def set_lag(self, lag: int | timedelta) -> None:
        """From now on readers are so far behind, whichever process asks."""
        seconds = lag.total_seconds() if isinstance(lag, timedelta) else None
        self._log({"lag": lag if seconds is None else 0, "seconds": seconds})

    def set_hidden(self, status: int | None) -> None:
        """From now on readers get this status, whichever process asks; `None`: an answer."""
        self._log({"hidden": status})

    def list_seen(self, now: float) -> list[Effected]:
        """The lines that have come to the replica which readers ask."""
        if isinstance(self.lag, timedelta):
            until = now - self.lag.total_seconds()
            return [line for line in self.lines if line.at <= until]
        return self.lines[: max(0, len(self.lines) - self.lag)]

    def find_left(self, line: Effected) -> Item:
        """What a request left; of a delete, what it removed."""
        if line.after is not None:
            return Item(id=line.id, version=line.after, data=line.data)
        earlier = [each for each in self.lines[: line.seq - 1] if each.id == line.id]
        return Item(id=line.id, version=line.before or "", data=earlier[-1].data if earlier else {})

    def take_effect(
        self, request: Mapping[str, object], now: Item | None, *, version: str, at: float
    ) -> Item:
        """Write down that a request took effect. What it left; of a delete, what it removed."""
        deleted = request["op"] == "delete"
        self._log(
            {
                "seq": len(self.lines) + 1,
                "op": request["op"],
                "id": request["id"],
                "by": request["by"],
                "before": now.version if now else None,
                "after": None if deleted else version,
                "key": request.get("key"),
                "data": request["data"],
                "at": at,
            }
        )
        return self.find_left(self.lines[-1])

    def _log(self, line: dict[str, object]) -> None:
        # One write of one line: a kill leaves it whole or not there.
        os.write(self._handle, (json.dumps(line) + "\n").encode())
        self._read(line)

    def _read(self, line: dict[str, Any]) -> None:
        if "late" in line:
            self._late[line["number"]] = line["late"]
            self._left[line["number"]] = line["by"]
        elif "passed" in line:
            self._left = {n: None if left is None else left - 1 for n, left in self._left.items()}
        elif "landed" in line:
            del self._late[line["landed"]], self._left[line["landed"]]
        elif "lag" in line:
            seconds = line["seconds"]
            self.lag = line["lag"] if seconds is None else timedelta(seconds=seconds)
        elif "hidden" in line:
            self.hidden = line["hidden"]
        else:
            self.lines.append(Effected(**line))
            add_up(self.lines[-1:], self.items)


def add_up(lines: Iterable[Effected], items: dict[str, Item]) -> dict[str, Item]:
    """Bring objects from where they were to where these lines leave them."""
    for line in lines:
        if line.after is None:
            items.pop(line.id, None)
        else:
            items[line.id] = Item(id=line.id, version=line.after, data=line.data)
    return items
