"""Values of every kind, and an application whose tools take, return and find them.

Run as a program, it makes one call for each value and place, and dies without a word; then, with
`lives`, it recovers what the first has left, and prints what its undos were given that is wrong.
"""

from __future__ import annotations

import io
import json
import os
import re
import signal
import sys
import threading
from collections import Counter, OrderedDict, deque
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta, timezone
from decimal import Decimal
from enum import Enum
from fractions import Fraction
from ipaddress import ip_address, ip_network
from pathlib import Path, PureWindowsPath
from types import MappingProxyType
from typing import Any, NamedTuple
from uuid import UUID
from zoneinfo import ZoneInfo

from pydantic import BaseModel

from mulligan import Effect, Finding, Mulligan, Record, Severity
from mulligan.codec import LostValue, is_identical
from mulligan.loops.actions import Attempted

PLACES = ("argument", "result", "before")


class Colour(Enum):
    RED = "red"


@dataclass
class Parcel:
    label: bytes
    path: Path
    lines: dict[int, Decimal]


class Place(BaseModel):
    name: str
    picture: bytes


class Point(NamedTuple):
    x: int
    y: int


class Named(dict[str, int]):
    pass


class Own:
    pass


class Incomparable:
    def __eq__(self, other: object) -> bool:
        raise RuntimeError("no comparison")

    __hash__ = object.__hash__


class Single:
    def __deepcopy__(self, memo: object) -> Any:
        raise RuntimeError("no copy")


def nest(depth: int) -> list[object]:
    inner: list[object] = []
    for _ in range(depth):
        inner = [inner]
    return inner


def close_circle() -> list[object]:
    circle: list[object] = []
    circle.append(circle)
    return circle


ROME = ZoneInfo("Europe/Rome")
KEPT: dict[str, object] = {
    "bytes": b"\x00\xff", "text in bytes": b"plain", "nested bytes": {"a": [b"x"]},
    "bytearray": bytearray(b"ab"), "memoryview": memoryview(b"ab"),
    "set": {1, (2, "b")}, "frozenset": frozenset("ab"), "tuple": (1, ("a",)),
    "Decimal": Decimal("1.10"), "datetime": datetime(2026, 11, 20, 9, tzinfo=UTC),
    "datetime of a zone": datetime(2026, 10, 25, 2, 30, fold=1, tzinfo=ROME),
    "date": date(2026, 11, 20), "time": time(9, 30, tzinfo=timezone(timedelta(hours=2))),
    "timedelta": timedelta(days=-1, microseconds=3), "zone": UTC, "UUID": UUID(int=7),
    "Path": Path("/srv/a b"), "Windows path": PureWindowsPath("c:/a"), "NaN": float("nan"),
    "nested NaN": {"a": float("nan")}, "inf": float("-inf"), "minus zero": -0.0,
    "huge int": 10**5000, "surrogate": "\ud800", "NUL": "a\x00b", "int keys": {1: "a", "1": "b"},
    "tuple keys": {(1, 2): 3, b"k": None}, "range": range(1, 9, 2), "complex": 1 + 2j,
    "ip": ip_address("10.0.0.1"), "network": ip_network("fe80::/64"), "fraction": Fraction(1, 3),
    "regex": re.compile(r"a+", re.IGNORECASE), "MappingProxy": MappingProxyType({"a": b"1"}),
    "deque": deque([1, (2,)], maxlen=5), "OrderedDict": OrderedDict(b=1, a=b"2"),
    "Counter": Counter("aab"), "long text": "x" * 100_000, "Ellipsis": ..., "None": [None],
    "like a tag": {"type": "bytes", "value": "YQ=="},
}  # fmt: skip
"""What comes back by itself."""

ANNOTATED: dict[str, object] = {
    "Enum": Colour.RED, "namedtuple": Point(1, 2), "dict subclass": Named(a=1),
    "dataclass": Parcel(b"\xff", Path("/x"), {7: Decimal("1.10")}),
    "pydantic": Place(name="Pier 7", picture=b"\xff"),
}  # fmt: skip
"""What comes back where the tool's annotations name its class."""

REFUSED: dict[str, Callable[[], object]] = {
    "own object": Own, "eq raises": Incomparable, "deepcopy raises": Single,
    "lock": threading.Lock, "file": lambda: sys.__stderr__, "BytesIO": io.BytesIO,
    "generator": lambda: (each for each in "a"), "lambda": lambda: close_circle,
    "circular": close_circle, "3000 deep": lambda: nest(3000), "module": lambda: json,
    "type": lambda: Own, "exception": lambda: ValueError("x"),
}  # fmt: skip
"""What cannot be kept."""


def reject(attempted: Attempted) -> Iterator[Finding]:
    if attempted.executions:
        yield Finding(rule="story.wrong", severity=Severity.ERROR, issue="It is wrong.")


class Application:
    """For each value a tool that is given it, one that returns it, and one that finds it there."""

    def __init__(self, store: str, values: dict[str, Any]) -> None:
        self.m = Mulligan(store, checks=[reject], recover=False)
        self.values = values
        self.standing: set[str] = set()
        self.got: dict[str, object] = {}
        """What undos were given."""
        self.tools = {f"{p} {n}": self._declare(p, n) for n in values for p in PLACES}

    def _declare(self, place: str, name: str) -> Callable[..., object]:
        what, value = f"{place} {name}", self.values[name]
        hint = type(value) if name in ANNOTATED else None

        def read(record: Record):  # type: ignore[no-untyped-def]
            if place == "before":
                return "taken" if what in self.standing else value
            return what in self.standing

        def undo(record: Record) -> None:
            given = {"argument": record.arguments.get("value"), "result": record.result}
            self.got[what] = given.get(place, record.before)
            self.standing.discard(what)

        def take(value=None):  # type: ignore[no-untyped-def]
            self.standing.add(what)
            return self.values[name] if place == "result" else "done"

        if hint is not None:
            read.__annotations__["return"] = take.__annotations__["value"] = hint
            take.__annotations__["return"] = hint if place == "result" else str
        declared = self.m.tool(
            effect=Effect.REVERSIBLE, before=read, undo=undo, name=what, server="kinds"
        )
        return declared(take)  # type: ignore[no-any-return]

    def call(self, what: str) -> object:
        place, _, name = what.partition(" ")
        return self.tools[what](self.values[name]) if place == "argument" else self.tools[what]()

    def find_wrong(self) -> dict[str, str]:
        """What came back otherwise than it was, or not at all."""
        return {
            what: repr(self.got.get(what, "no undo"))[:200]
            for what in self.tools
            if not is_identical(self.got.get(what), self.values[what.partition(" ")[2]])
        }


def main(store: str, mode: str) -> None:
    lost = {"partly": {"id": 7, "raw": threading.Lock()}}
    app = Application(store, {**KEPT, **ANNOTATED} | (lost if mode == "lives" else {}))

    def act(turn: object) -> str:
        for what in app.tools:
            app.call(what)
        app.values.update(lost)
        app.tools["result partly"] = app._declare("result", "partly")
        app.call("result partly")
        os.kill(os.getpid(), signal.SIGKILL)
        return "never"

    with app.m as m:
        if mode == "dies":
            m.act_sync("Do it", act)
        app.standing.update(app.tools)
        m.recover_sync()
    part: Any = app.got.pop("result partly")
    assert part["id"] == 7
    assert isinstance(part["raw"], LostValue)
    wrong = {k: v for k, v in app.find_wrong().items() if not k.endswith("partly")}
    print(json.dumps(wrong))


if __name__ == "__main__":
    main(*sys.argv[1:])
