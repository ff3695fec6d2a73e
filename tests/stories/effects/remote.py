"""A remote of these stories' own: what it was told to do, in order, and what stands there now."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from mulligan import ConflictError
from mulligan.types.call import Record

State = dict[str, Any]
"""What is there: its id, its version and its data."""


class Answer(Exception):
    """The remote's own word, with a status as HTTP clients give it."""

    def __init__(self, status: int, *, retry_after: float | None = None) -> None:
        super().__init__(f"the remote answered {status}")
        self.status = status
        self.retry_after = retry_after


class ConnectError(Exception):
    """What a transport says when nobody was there to connect to."""


@dataclass(frozen=True, kw_only=True)
class Line:
    """One write that took effect."""

    by: str
    op: str
    id: str
    version: int
    data: dict[str, Any] | None = None
    key: str = ""


class StoryRemote:
    """Objects with versions of their own, kept as the ledger of every write."""

    def __init__(self, path: Path | None = None) -> None:
        self._path = path
        self._lines: list[Line] = []
        self.before_write: Callable[[], None] = lambda: None
        """What happens to come between a request and its effect, once."""

    @property
    def ledger(self) -> list[Line]:
        if self._path is None:
            return self._lines
        text = self._path.read_text() if self._path.exists() else ""
        return [Line(**json.loads(line)) for line in text.splitlines()]

    def get(self, name: str) -> State | None:
        return self._replay(self.ledger).get(name)

    def get_before(self, name: str, lines: int) -> State | None:
        """What a replica shows that is so many writes behind."""
        ledger = self.ledger
        return self._replay(ledger[: max(len(ledger) - lines, 0)]).get(name)

    def find(self, key: str) -> State | None:
        """What the call under this key left."""
        for line in self.ledger:
            if line.key == key and key:
                return {"id": line.id, "version": line.version, **(line.data or {})}
        return None

    def list_writes(self, *, by: str = "agent", op: str = "") -> list[Line]:
        return [line for line in self.ledger if line.by == by and op in ("", line.op)]

    def create(
        self, data: dict[str, Any], *, name: str = "", by: str = "agent", key: str = ""
    ) -> State:
        chosen = name or f"o{len(self.ledger) + 1}"
        return self._write("create", chosen, data, by=by, key=key)

    def update(
        self,
        name: str,
        data: dict[str, Any],
        *,
        if_version: object = None,
        by: str = "agent",
        key: str = "",
    ) -> State:
        return self._write("update", name, data, if_version=if_version, by=by, key=key)

    def delete(self, name: str, *, if_version: object = None, by: str = "agent") -> None:
        self._write("delete", name, None, if_version=if_version, by=by)

    def _write(
        self,
        op: str,
        name: str,
        data: dict[str, Any] | None,
        *,
        by: str,
        if_version: object = None,
        key: str = "",
    ) -> State:
        if by == "agent":
            between, self.before_write = self.before_write, lambda: None
            between()
        now = self.get(name)
        at = None if now is None else str(now["version"])
        if if_version is not None and at != str(if_version):
            raise Answer(412)
        version = sum(line.id == name for line in self.ledger) + 1
        self._append(Line(by=by, op=op, id=name, version=version, data=data, key=key))
        return {"id": name, "version": version, **(data or {})}

    def _append(self, line: Line) -> None:
        if self._path is None:
            self._lines.append(line)
            return
        with self._path.open("a") as file:
            file.write(json.dumps(asdict(line)) + "\n")

    @staticmethod
    def _replay(lines: list[Line]) -> dict[str, State]:
        standing: dict[str, State] = {}
        for line in lines:
            standing.pop(line.id, None)
            if line.data is not None:
                standing[line.id] = {"id": line.id, "version": line.version, **line.data}
        return standing


def read_data(state: Any) -> dict[str, Any]:
    """What a state holds beside its id and version."""
    return {name: value for name, value in state.items() if name not in ("id", "version")}


def read_version(record: Record) -> object:
    result: Any = record.result
    return result["version"]


@contextmanager
def name_conflicts() -> Iterator[None]:
    """A remote's 412, as an undo is to say it."""
    try:
        yield
    except Answer as answer:
        if answer.status == 412:
            raise ConflictError(str(answer)) from answer
        raise
