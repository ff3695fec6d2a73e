"""The remote itself: objects with versions, and requests that meet with what was planned."""

from __future__ import annotations

import os
import time
import uuid
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from datetime import timedelta
from pathlib import Path

from mulligan.stores.disk.file_lock import BINARY, hold_lock
from mulligan.testing.remote.book import Effected, Item, RemoteBook, add_up
from mulligan.testing.remote.fault import Fault, RemoteError, fail_after_effect, fail_before_effect

ANYBODY = ""
READS = "read"
"""Whose requests a plan of faults is for, beside `agent`, `undo` and `person`."""


class FakeRemote:
    """Objects with versions behind one file. Safe to use from several processes."""

    def __init__(
        self,
        path: str | Path,
        *,
        faults: Sequence[Fault] = (),
        versioned: bool = True,
        numbered: bool = False,
        late_by: int | None = 1,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._path = path if isinstance(path, Path) else Path(path)
        self._faults = {ANYBODY: list(faults)}
        self._versioned = versioned
        """Without versions, conditions are ignored, as plain APIs do."""
        self._numbered = numbered
        """Versions count each object's writes, so that two objects share them: 1, 2, 3. By default
        every write makes one that there never was, also a write that puts something back."""
        self._late_by = late_by
        """A late request lands with the n-th request after it; `None`: when told to `arrive`."""
        self._clock = clock
        """Seconds, the same for all processes: what a lag in time is measured by."""

    def plan(self, *faults: Fault, by: str = ANYBODY) -> None:
        """The faults of the next requests that change something, in order.

        `by` narrows it to requests of `agent`, `undo` or `person`, or names `READS`.
        """
        self._faults[by] = list(faults)

    def arrive(self) -> None:
        """Let every late request take effect now."""
        with self._lock_book() as book:
            self._land(book, book.list_late())

    def set_lag(self, lag: int | timedelta) -> None:
        """Have readers ask a replica that is behind by so many writes, or by a time; 0: not.

        Who has just written reads what was there before. Writes and conditions are not behind.
        """
        with self._lock_book() as book:
            book.set_lag(lag)

    def hide(self, status: int = 404) -> None:
        """Have readers be without permission: 403, or 404 from a remote that says no more."""
        with self._lock_book() as book:
            book.set_hidden(status)

    def show(self) -> None:
        """Have readers see again what is there."""
        with self._lock_book() as book:
            book.set_hidden(None)

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

    def put(
        self, id: str, data: Mapping[str, object], *, if_version: str | None = None,  # noqa: A002
        if_absent: bool = False, key: str | None = None, by: str = "agent",
    ) -> Item:  # fmt: skip
        """Make an object or replace it: only at a version, or only where there is none, if told."""
        return self._change(
            {"op": "put", "id": id, "by": by, "key": key, "data": dict(data),
             "if": if_version, "if_absent": if_absent}
        )  # fmt: skip

    def delete(
        self, id: str, *, if_version: str | None = None, key: str | None = None,  # noqa: A002
        by: str = "agent",
    ) -> None:  # fmt: skip
        """Remove an object, only at the given version if one is given."""
        self._change({"op": "delete", "id": id, "by": by, "key": key, "data": {}, "if": if_version})

    def get(self, id: str) -> Item | None:  # noqa: A002
        """An object as readers see it, whoever left it so. Brings late requests nearer."""
        with self._read_lines() as (_, lines):
            return add_up(lines, {}).get(id)

    def find(self, **fields: object) -> Item | None:
        """The object with these data as readers see it: by a mark that a call left on it."""
        with self._read_lines() as (_, lines):
            found = add_up(lines, {}).values()
            return next((i for i in found if fields.items() <= dict(i.data).items()), None)

    def answer_to(self, key: str) -> Item | None:
        """What the request with the given key left, or `None` if it never took effect.

        Of a delete, that is what it removed.
        """
        with self._read_lines() as (book, lines):
            made = [line for line in lines if line.key == key]
            return book.find_left(made[-1]) if made else None

    def ledger(self) -> list[Effected]:
        """Everything that ever took effect, in order: for who counts, and never behind."""
        with self._lock_book() as book:
            return list(book.lines)

    def list_items(self) -> dict[str, Item]:
        """Every object that is really there now."""
        with self._lock_book() as book:
            return dict(book.items)

    def _change(self, request: dict[str, object]) -> Item:
        fault = self._take_fault(str(request["by"])) or self._take_fault(ANYBODY) or Fault.NONE
        with self._lock_book() as book:
            self._land(book, book.list_due())
            fail_before_effect(fault)
            if fault is Fault.LATE:
                book.put_off(request, self._late_by)
                raise TimeoutError("no answer")
            answer = self._apply(book, request)
            if fault is Fault.REPEATED:
                answer = self._apply(book, request)
            if fault is Fault.DOUBLED:
                self._apply_quietly(book, request)
            if fault is Fault.DOUBLED_LATE:
                book.put_off(request, self._late_by)
        fail_after_effect(fault)
        return answer

    def _take_fault(self, by: str) -> Fault | None:
        planned = self._faults.get(by)
        return planned.pop(0) if planned else None

    @contextmanager
    def _read_lines(self) -> Iterator[tuple[RemoteBook, list[Effected]]]:
        """The book, and the lines of it that a reader gets to see."""
        fault = self._take_fault(READS) or Fault.NONE
        fail_before_effect(fault)
        with self._lock_book() as book:
            self._land(book, book.list_due())
            if book.hidden is not None:
                raise RemoteError(book.hidden, "not for this reader")
            yield book, book.list_seen(self._clock())
        fail_after_effect(fault)

    def _land(self, book: RemoteBook, late: Iterable[str]) -> None:
        for number in late:
            self._apply_quietly(book, book.take_late(number))

    def _apply_quietly(self, book: RemoteBook, request: Mapping[str, object]) -> None:
        try:
            self._apply(book, request)
        except RemoteError:
            # Nobody is there to read the answer any more.
            return

    def _apply(self, book: RemoteBook, request: Mapping[str, object]) -> Item:
        op, key = str(request["op"]), request.get("key")
        # The remote chooses an id when the request arrives: one that arrives twice gets two.
        made = str(request["id"] or uuid.uuid4().hex)
        known = [line for line in book.lines if key is not None and line.key == key]
        if known:
            return book.find_left(known[-1])
        now = book.items.get(made)
        if op == "put":
            op = "create" if now is None else "update"
        elif op == "create" and now is not None:
            raise RemoteError(409, f"{made} is there already")
        if op != "create" and now is None:
            raise RemoteError(404, f"there is no {made}")
        if self._versioned:
            _refuse_unmet(request, made, now)
        version = self._make_version(book, made)
        done = {**request, "id": made, "op": op}
        return book.take_effect(done, now, version=version, at=self._clock())

    def _make_version(self, book: RemoteBook, made: str) -> str:
        if self._numbered:
            return str(1 + sum(line.id == made for line in book.lines))
        return f"v{len(book.lines) + 1}"

    @contextmanager
    def _lock_book(self) -> Iterator[RemoteBook]:
        handle = os.open(self._path, os.O_RDWR | os.O_CREAT | os.O_APPEND | BINARY, 0o600)
        try:
            with hold_lock(handle):
                yield RemoteBook(handle)
        finally:
            os.close(handle)


def _refuse_unmet(request: Mapping[str, object], made: str, now: Item | None) -> None:
    """Hold a request against what is there, which the condition it carries may not allow."""
    wanted, at = request.get("if"), now.version if now else "no version"
    if request.get("if_absent") and now is not None:
        raise RemoteError(412, f"{made} is there, at {now.version}")
    if wanted is not None and request["op"] != "create" and at != wanted:
        raise RemoteError(412, f"{made} is at {at}, not {wanted}")
