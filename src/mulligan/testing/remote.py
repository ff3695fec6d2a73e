"""A remote that can be proven against: versions, keys, lost answers, late arrivals, and people.

It lives in one file, an append-only ledger of everything that ever took effect, so that it
survives any death of the program under test and another process can count what really happened.
"""

from __future__ import annotations

import json
import os
import uuid
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from enum import StrEnum
from pathlib import Path
from typing import Any

from mulligan.core.errors import MulliganError
from mulligan.stores.file_lock import BINARY, hold_lock, read_at

ANYBODY = ""
READS = "read"
"""Whose requests a plan of faults is for, beside `agent`, `undo` and `person`."""


class Fault(StrEnum):
    """What can happen to one request on its way there and back."""

    NONE = "none"
    LOST_BEFORE = "lost_before"
    """It never arrives; the caller sees a timeout."""
    LOST_AFTER = "lost_after"
    """It takes effect; the answer is lost; the caller sees a timeout."""
    LATE = "late"
    """The caller sees a timeout; it takes effect some requests later: see `late_by`."""
    DOUBLED = "doubled"
    """It arrives twice, as a network that repeats makes it."""
    ERROR_AFTER = "error_after"
    """It takes effect; the caller sees a 500."""
    BUSY = "busy"
    """429, and nothing happens."""
    REFUSED = "refused"
    """The connection is refused; nothing happens."""
    FORBIDDEN = "forbidden"
    """403, and nothing happens."""
    GONE = "gone"
    """404, whatever is asked for."""


class RemoteError(MulliganError):
    """An answer that is an error, with its status."""

    def __init__(self, status: int, message: str) -> None:
        super().__init__(f"{status} {message}")
        self.status = status


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


class FakeRemote:
    """Objects with versions behind one file. Safe to use from several processes."""

    def __init__(
        self,
        path: str | Path,
        *,
        faults: Sequence[Fault] = (),
        versioned: bool = True,
        late_by: int | None = 1,
    ) -> None:
        self._path = Path(path)
        self._faults = {ANYBODY: list(faults)}
        self._versioned = versioned
        """Without versions, conditions are ignored, as plain APIs do."""
        self._late_by = late_by
        """A late request lands with the n-th request after it; `None`: when told to `arrive`."""

    def plan(self, *faults: Fault, by: str = ANYBODY) -> None:
        """The faults of the next requests that change something, in order.

        `by` narrows it to requests of `agent`, `undo` or `person`, or names `READS`.
        """
        self._faults[by] = list(faults)

    def arrive(self) -> None:
        """Let every late request take effect now."""
        with self._lock_book() as book:
            self._land(book, book.list_late())

    def create(
        self, data: Mapping[str, object], *, id: str | None = None, key: str | None = None,  # noqa: A002
        by: str = "agent",
    ) -> Item:  # fmt: skip
        """Make an object. The same key, or an id that is there, makes no second one."""
        return self._change({"op": "create", "id": id, "by": by, "key": key, "data": dict(data)})

    def update(
        self, id: str, data: Mapping[str, object], *, if_version: str | None = None,  # noqa: A002
        key: str | None = None, by: str = "agent",
    ) -> Item:  # fmt: skip
        """Replace an object's data, only at the given version if one is given."""
        return self._change(
            {"op": "update", "id": id, "by": by, "key": key, "data": dict(data), "if": if_version}
        )

    def delete(
        self, id: str, *, if_version: str | None = None, key: str | None = None,  # noqa: A002
        by: str = "agent",
    ) -> None:  # fmt: skip
        """Remove an object, only at the given version if one is given."""
        self._change({"op": "delete", "id": id, "by": by, "key": key, "data": {}, "if": if_version})

    def get(self, id: str) -> Item | None:  # noqa: A002
        """An object as it is now. Reading also brings late requests nearer."""
        with self._read_book() as book:
            return book.items.get(id)

    def answer_to(self, key: str) -> Item | None:
        """What the request with the given key left, or `None` if it never took effect.

        Of a delete, that is what it removed.
        """
        with self._read_book() as book:
            made = [line for line in book.lines if line.key == key]
            return book.find_left(made[-1]) if made else None

    def ledger(self) -> list[Effected]:
        """Everything that ever took effect, in order."""
        with self._lock_book() as book:
            return list(book.lines)

    def list_items(self) -> dict[str, Item]:
        """Every object that is there now."""
        with self._lock_book() as book:
            return dict(book.items)

    def _change(self, request: dict[str, object]) -> Item:
        fault = self._take_fault(str(request["by"])) or self._take_fault(ANYBODY) or Fault.NONE
        with self._lock_book() as book:
            self._land(book, book.list_due())
            _fail_before_effect(fault)
            if fault is Fault.LATE:
                book.put_off(request, self._late_by)
                raise TimeoutError("no answer")
            answer = self._apply(book, request)
            if fault is Fault.DOUBLED:
                self._apply_quietly(book, request)
        _fail_after_effect(fault)
        return answer

    def _take_fault(self, by: str) -> Fault | None:
        planned = self._faults.get(by)
        return planned.pop(0) if planned else None

    @contextmanager
    def _read_book(self) -> Iterator[_Book]:
        fault = self._take_fault(READS) or Fault.NONE
        _fail_before_effect(fault)
        with self._lock_book() as book:
            self._land(book, book.list_due())
            yield book
        _fail_after_effect(fault)

    def _land(self, book: _Book, late: Iterable[str]) -> None:
        for number in late:
            self._apply_quietly(book, book.take_late(number))

    def _apply_quietly(self, book: _Book, request: Mapping[str, object]) -> None:
        try:
            self._apply(book, request)
        except RemoteError:
            # Nobody is there to read the answer any more.
            return

    def _apply(self, book: _Book, request: Mapping[str, object]) -> Item:
        op, key = str(request["op"]), request.get("key")
        # The remote chooses an id when the request arrives: one that arrives twice gets two.
        made = str(request["id"] or uuid.uuid4().hex)
        known = [line for line in book.lines if key is not None and line.key == key]
        if known:
            return book.find_left(known[-1])
        now = book.items.get(made)
        if op == "create" and now is not None:
            raise RemoteError(409, f"{made} is there already")
        if op != "create" and now is None:
            raise RemoteError(404, f"there is no {made}")
        wanted = request.get("if")
        if self._versioned and wanted is not None and now is not None and now.version != wanted:
            raise RemoteError(412, f"{made} is at {now.version}, not {wanted}")
        return book.take_effect({**request, "id": made}, now)

    @contextmanager
    def _lock_book(self) -> Iterator[_Book]:
        handle = os.open(self._path, os.O_RDWR | os.O_CREAT | os.O_APPEND | BINARY, 0o600)
        try:
            with hold_lock(handle):
                yield _Book(handle)
        finally:
            os.close(handle)


class _Book:
    """The ledger while it is locked, and the objects it adds up to."""

    def __init__(self, handle: int) -> None:
        self._handle = handle
        self.lines: list[Effected] = []
        self.items: dict[str, Item] = {}
        self.seen: dict[str, Item] = {}
        """Every version there ever was."""
        self._late: dict[str, dict[str, object]] = {}
        self._left: dict[str, int | None] = {}
        """How many requests each late one still lets pass."""
        size = os.fstat(handle).st_size
        for text in read_at(handle, size, offset=0).decode().splitlines():
            self._read(json.loads(text))

    def put_off(self, request: Mapping[str, object], late_by: int | None) -> None:
        self.write({"late": request, "number": uuid.uuid4().hex, "by": late_by})

    def list_late(self) -> list[str]:
        return list(self._late)

    def list_due(self) -> list[str]:
        """One more request comes by: the late ones that have let enough of them pass."""
        if self._late:
            self._log({"passed": 1})
        return [number for number, left in self._left.items() if left is not None and left <= 0]

    def take_late(self, number: str) -> dict[str, object]:
        request = self._late[number]
        self._log({"landed": number})
        return request

    def find_left(self, line: Effected) -> Item:
        return self.seen[line.after or line.before or ""]

    def take_effect(self, request: Mapping[str, object], now: Item | None) -> Item:
        deleted = request["op"] == "delete"
        line = {
            "seq": len(self.lines) + 1,
            "op": request["op"],
            "id": request["id"],
            "by": request["by"],
            "before": now.version if now else None,
            "after": None if deleted else f"v{len(self.lines) + 1}",
            "key": request.get("key"),
            "data": request["data"],
        }
        self._log(line)
        if deleted and now is not None:
            return now
        return self.items[str(request["id"])]

    def _log(self, line: dict[str, object]) -> None:
        self.write(line)
        self._read(line)

    def write(self, line: Mapping[str, object]) -> None:
        # One write of one line: a kill leaves it whole or not there.
        os.write(self._handle, (json.dumps(line) + "\n").encode())

    def _read(self, line: dict[str, Any]) -> None:
        if "late" in line:
            self._late[line["number"]] = line["late"]
            self._left[line["number"]] = line["by"]
        elif "passed" in line:
            self._left = {n: None if left is None else left - 1 for n, left in self._left.items()}
        elif "landed" in line:
            del self._late[line["landed"]], self._left[line["landed"]]
        else:
            self._add(Effected(**line))

    def _add(self, effected: Effected) -> None:
        self.lines.append(effected)
        if effected.after is None:
            self.items.pop(effected.id, None)
            return
        item = Item(id=effected.id, version=effected.after, data=effected.data)
        self.items[effected.id] = item
        self.seen[effected.after] = item


def _fail_before_effect(fault: Fault) -> None:
    match fault:
        case Fault.LOST_BEFORE:
            raise TimeoutError("no answer")
        case Fault.REFUSED:
            raise ConnectionRefusedError("connection refused")
        case Fault.BUSY:
            raise RemoteError(429, "too many requests")
        case Fault.FORBIDDEN:
            raise RemoteError(403, "forbidden")
        case Fault.GONE:
            raise RemoteError(404, "not found")
        case _:
            return


def _fail_after_effect(fault: Fault) -> None:
    match fault:
        case Fault.LOST_AFTER:
            raise TimeoutError("no answer")
        case Fault.ERROR_AFTER:
            raise RemoteError(500, "internal error")
        case _:
            return
