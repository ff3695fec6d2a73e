"""Values that no tool should get: the call goes on, and the row is a stub."""

from __future__ import annotations

import json
import random
import string
import threading
import time
from collections import UserDict, defaultdict
from collections.abc import Callable
from dataclasses import dataclass
from types import MappingProxyType

import pytest

from mulligan.redaction import Capture, Redactor
from mulligan.redaction.values import Keys, Stubs
from mulligan.redaction.walk import LEAN_ITEMS, Lean, Walk

KEY = bytes(range(32))
FIELD = 65_536


def _raises(*_: object, **__: object) -> object:
    raise RuntimeError("never ask me")


class RaisingText(str):
    __slots__ = ()
    __len__ = __str__ = __repr__ = __hash__ = __eq__ = __iter__ = encode = _raises  # type: ignore[assignment]


class RaisingDict(dict):
    __len__ = __iter__ = items = keys = values = __getitem__ = get = __repr__ = _raises


class RaisingList(list):
    __len__ = __iter__ = __getitem__ = __repr__ = __eq__ = _raises


class RaisingInt(int):
    __lt__ = __gt__ = __abs__ = __int__ = __index__ = __repr__ = __neg__ = bit_length = _raises


class RaisingObject:
    __repr__ = __str__ = __eq__ = __hash__ = __bool__ = __len__ = __iter__ = _raises
    __class__ = property(_raises)
    __dict__ = property(_raises)

    def __getattribute__(self, name: str) -> object:
        raise RuntimeError(name)


class SlowRepr:
    def __repr__(self) -> str:
        time.sleep(60)
        return ""


class Meta(type):
    __name__ = property(_raises)
    __mro__ = property(_raises)

    def __getattr__(cls, name: str) -> object:
        raise RuntimeError(name)


@dataclass
class Cyclic:
    me: object = None


class Property:
    __dataclass_fields__ = ("asked",)
    asked = property(_raises)


class Unstable(dict):
    """Another size each time it is looked at."""

    def items(self):
        self[len(self)] = 1
        return super().items()


def nest(value: object, levels: int, *, name: str | None = None) -> object:
    for _ in range(levels):
        value = [value] if name is None else {name: value}
    return value


def branch(times: int) -> list[object]:
    """A list that holds itself, so many times."""
    cycle: list[object] = []
    cycle += [cycle] * times
    return cycle


def hold_itself() -> dict[str, object]:
    cycle: dict[str, object] = {}
    cycle["me"] = cycle
    return cycle


def make_cyclic() -> Cyclic:
    cycle = Cyclic()
    cycle.me = [cycle, cycle]
    return cycle


MONSTERS: dict[str, Callable[[], object]] = {
    "ten megabytes": lambda: "x" * 10_000_000,
    "ten megabytes of bytes": lambda: b"x" * 10_000_000,
    "ten megabytes of secrets": lambda: "bob@example.org " * 600_000,
    "a million items": lambda: list(range(1_000_000)),
    "many long strings": lambda: ["y" * 60_000] * 2_000,
    "quotes that double in json": lambda: ['"\\' * 8_000] * 40,
    "wide characters": lambda: ["\U0001f600" * 16_000] * 10,
    "many long keys": lambda: {f"{n:040d}": "v" for n in range(100_000)},
    "a cycle": lambda: branch(1),
    "a branching cycle": lambda: {"a": branch(10), "b": {"c": branch(10)}},
    "a dict in itself": hold_itself,
    "a cyclic dataclass": make_cyclic,
    "a hundred thousand deep": lambda: nest([], 100_000),
    "a hundred thousand dicts deep": lambda: nest({}, 100_000, name="a"),
    "not a number": lambda: [float("nan"), float("inf"), float("-inf"), complex("nan")],
    "lone surrogates": lambda: {"\ud800": "\udfff", "a": ["\ud83d"]},
    "nul and controls": lambda: {"\x00": "\x00\x1b[2J\r\n\u202e", "a": "\x00" * 40_000},
    "a huge number": lambda: [10**5000, -(10**5000), 1 << 1_000_000],
    "numbers as keys": lambda: {10**5000: 1, 4111111111111111: 2, float("nan"): 3, -1: 4},
    "text whose methods raise": lambda: [RaisingText("hunter2"), {"a": RaisingText("hunter2")}],
    "containers whose methods raise": lambda: [
        RaisingDict(a="hunter2"),
        RaisingList(["hunter2"]),
        RaisingInt(4111111111111111),
    ],
    "an object that raises at every touch": lambda: RaisingObject(),
    "a slow repr": lambda: [SlowRepr()] * 100,
    "a class with a hostile name": lambda: [
        type("</script>\x1b[2J" * 1_000, (), {})(),
        type("sk_live_abcdefghijklmnop", (), {})(),
    ],
    "a class with a hostile metaclass": lambda: Meta("Plain", (), {})(),
    "a property that raises": lambda: Property(),
    "an endless generator": lambda: iter(int, 1),
    "locks and files": lambda: [threading.Lock(), threading.current_thread(), open, threading],
    "a mapping that changes under the eye": lambda: MappingProxyType(Unstable(a=1)),
    "mappings that are no dicts": lambda: [UserDict(a="hunter2"), defaultdict(list, a=["hunter2"])],
    "exceptions and classes": lambda: [ValueError("hunter2"), ValueError, memoryview(b"hunter2")],
}


@pytest.mark.full
@pytest.mark.parametrize("capture", list(Capture))
@pytest.mark.parametrize("name", list(MONSTERS))
def test_a_monster_becomes_valid_json_within_bounds(name, capture):
    redactor = Redactor(key=KEY, capture=capture)
    value = MONSTERS[name]()

    started = time.thread_time()
    lines = [redactor.redact_parameters({"value": value, "n": 1}), redactor.redact_result(value)]
    error = redactor.redact_error(ValueError("no"), arguments={"value": value})
    spent = time.thread_time() - started

    first, second = (json.loads(line) for line in lines)
    assert first["n"] == 1
    assert "<redaction failed>" not in (first, second)
    assert max(len(line.encode()) for line in lines) <= FIELD
    assert error.message == "no"
    assert spent < 2


@pytest.mark.full
@pytest.mark.parametrize("name", [n for n in MONSTERS if n != "ten megabytes"])
def test_a_monster_leaks_nothing_by_default(name):
    line = Redactor(key=KEY).redact_result(MONSTERS[name]())

    assert not any(leak in line for leak in ("hunter2", "example", "4111111", "sk_live", "<script"))
    assert line.isprintable()


def test_a_million_names_are_bounded():
    redactor = Redactor(key=KEY)

    line = redactor.redact_parameters({f"name_{n:x}": "v" for n in range(100_000)})

    assert len(line.encode()) <= FIELD
    assert "more>" in line


def test_names_that_are_hashed_by_hostile_code_are_read_past_it():
    class Name(str):
        __slots__ = ()

        def __hash__(self) -> int:
            return hash("title")

        def __eq__(self, other: object) -> bool:
            raise RuntimeError("no")

    redactor = Redactor(key=KEY)
    redactor.redact_parameters({"title": "seen"})

    line = redactor.redact_parameters({Name("x"): "hunter2"})

    assert json.loads(line).keys() == {"x"}
    assert "hunter2" not in line


PLAIN_NAMES = ["title", "event_id", "limit", "note", "password", "max_tokens", "x1", "a b", "id"]


def make_value(chance: random.Random, depth: int = 0) -> object:
    """Values as tools get them, and some that are not plain."""
    match chance.randrange(14 if depth < 6 else 9):
        case 0 | 1 | 2:
            return "".join(chance.choices(string.printable + "é\ud800", k=chance.randrange(50)))
        case 3:
            return str(random.Random(chance.random()).getrandbits(128))[:36].ljust(36, "-")
        case 4:
            return chance.choice([True, False, None])
        case 5:
            return chance.choice([0, -1, 7, 99_999_999, 10**8, -(10**8), 10**30])
        case 6:
            return chance.choice([0.5, -0.0, 1e-7, 99999999.9, 1e8, float("nan"), float("inf")])
        case 7:
            return chance.choice(["12345678-1234-1234-1234-123456789012", "x" * 36, "y" * 2000])
        case 8:
            return chance.choice([b"bytes", {1, 2}, 3 + 4j, ...])
        case 9 | 10 | 11:
            size = chance.randrange(4) if chance.random() < 0.98 else LEAN_ITEMS + 1
            return [make_value(chance, depth + 1) for _ in range(size)]
        case _:
            names = chance.sample(PLAIN_NAMES, k=chance.randrange(5))
            return {name: make_value(chance, depth + 1) for name in names}


def test_what_it_writes_is_what_the_walk_shows() -> None:
    stubs = Stubs(KEY)
    keys = Keys(stubs)
    for name in PLAIN_NAMES:
        keys.classify(name)
    lean = Lean(stubs=stubs, keys=keys)
    chance = random.Random(11)
    written = 0

    for _ in range(6_000):
        value = make_value(chance)
        text = lean.write(value)
        if text is not None:
            written += 1
            shown = Walk(stubs=stubs, keys=keys, full=False).redact_value(value)
            assert json.loads(text) == shown, value

    assert 1_000 < written < 5_800
