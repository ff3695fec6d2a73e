"""A remote that can be proven against, and that is no better behaved than real ones.

Versions, keys and conditions; answers that are lost, late, doubled, or sound like a refusal of
what took effect; readers that lag behind or may not see; and people who edit meanwhile.

It lives in one file, an append-only ledger of everything that ever took effect, so that it
survives any death of the program under test and another process can count what really happened.
"""

from __future__ import annotations

import json
import os
import time
import uuid
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import timedelta
from enum import StrEnum
from pathlib import Path
from typing import Any

from msgspec import Struct, field

from mulligan.codec import split_json_lines
from mulligan.types.errors import MulliganError
from mulligan.types.private_files import BINARY, hold_lock, read_at


@dataclass(frozen=True, slots=True, kw_only=True)
class Item:
    """One object of the remote, as it is now: a dataclass, which frameworks can write down."""

    id: str
    version: str
    data: Mapping[str, object]


class Effected(Struct, frozen=True, kw_only=True):
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


RETRY_AFTER = 0.01
"""Seconds that a busy remote asks for: long enough to be read, short enough for a test."""


class Fault(StrEnum):
    """What can happen to one request and its answer."""

    NONE = "none"
    LOST_BEFORE = "lost_before"
    """It never arrives; the caller sees a timeout."""
    LOST_AFTER = "lost_after"
    """It takes effect; the answer is lost; the caller sees a timeout."""
    LATE = "late"
    """The caller sees a timeout; it takes effect some requests later: see `late_by`."""
    DOUBLED = "doubled"
    """It arrives twice, as a network that repeats makes it."""
    DOUBLED_LATE = "doubled_late"
    """It takes effect and is answered, and arrives once more some requests later."""
    REPEATED = "repeated"
    """It takes effect and arrives once more, as a proxy or a client repeats it by itself. The
    caller sees the answer to the second: refused by its own condition (412), as made already (409),
    or as gone (404)."""
    BUSY = "busy"
    """429, and nothing happens."""
    REFUSED = "refused"
    """The connection is refused; nothing happens."""
    FORBIDDEN = "forbidden"
    """403, and nothing happens."""
    GONE = "gone"
    """404, whatever is asked for."""
    ERROR_AFTER = "error_after"
    """It takes effect; the caller sees a 500."""
    BAD_REQUEST_AFTER = "bad_request_after"
    """It takes effect; the caller sees a 400."""
    FORBIDDEN_AFTER = "forbidden_after"
    """It takes effect; the caller sees a 403."""
    CONFLICT_AFTER = "conflict_after"
    """It takes effect; the caller sees a 409."""
    MISSING_AFTER = "missing_after"
    """It takes effect; the caller sees a 404, as of a delete that was repeated."""
    UNMET_AFTER = "unmet_after"
    """It takes effect; the caller sees a 412, as of a conditional write that was repeated."""
    INVALID_AFTER = "invalid_after"
    """It takes effect; the caller sees a 422."""
    BUSY_AFTER = "busy_after"
    """It takes effect; the caller sees a 429 with Retry-After, as from a proxy in between."""
    DOWN_AFTER = "down_after"
    """It takes effect; the caller sees a 503 with Retry-After."""
    REDIRECTED = "redirected"
    """It takes effect, and a 303 leads to a host that is dead: its connection is refused."""
    RESET_AFTER = "reset_after"
    """It takes effect; the connection breaks before the answer."""


class RemoteError(MulliganError):
    """An answer that is an error, with its status."""

    def __init__(self, status: int, message: str, *, retry_after: float | None = None) -> None:
        super().__init__(f"{status} {message}")
        self.status = status
        self.retry_after = retry_after
        """Seconds, as the header of that name has them."""


_LIES = {
    Fault.ERROR_AFTER: (500, "internal error", None),
    Fault.BAD_REQUEST_AFTER: (400, "bad request", None),
    Fault.FORBIDDEN_AFTER: (403, "forbidden", None),
    Fault.CONFLICT_AFTER: (409, "conflict", None),
    Fault.MISSING_AFTER: (404, "not found", None),
    Fault.UNMET_AFTER: (412, "precondition failed", None),
    Fault.INVALID_AFTER: (422, "invalid", None),
    Fault.BUSY_AFTER: (429, "too many requests", RETRY_AFTER),
    Fault.DOWN_AFTER: (503, "service unavailable", RETRY_AFTER),
}
"""Answers that sound like a refusal, to a request that took effect."""

AFTER_EFFECT = (*_LIES, Fault.LOST_AFTER, Fault.REDIRECTED, Fault.RESET_AFTER)
"""Faults whose caller sees an error although the request took effect."""


def fail_before_effect(fault: Fault) -> None:
    """What keeps a request from taking effect, raised as its caller sees it."""
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


def fail_after_effect(fault: Fault) -> None:
    """What hides from its caller that a request took effect."""
    if fault in _LIES:
        status, message, retry_after = _LIES[fault]
        raise RemoteError(status, message, retry_after=retry_after)
    match fault:
        case Fault.LOST_AFTER:
            raise TimeoutError("no answer")
        case Fault.REDIRECTED:
            raise ConnectionRefusedError("connection refused by the host that a 303 led to")
        case Fault.RESET_AFTER:
            raise ConnectionResetError("connection reset by peer")
        case _:
            return


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
        """Everything that ever took effect, in order, without lag: for counting."""
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
            # The reader of the answer is gone.
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
