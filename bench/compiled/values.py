"""Random values: mostly as tools get them, and every kind of stranger among them."""

from __future__ import annotations

import enum
import random
import string
from collections import OrderedDict, deque, namedtuple
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta
from decimal import Decimal
from pathlib import PurePosixPath
from types import MappingProxyType
from typing import Any
from uuid import UUID

PLAIN_NAMES = ("title", "note", "limit", "id", "event_id", "ids", "tags", "place", "city", "seats")
NAMES = (
    *PLAIN_NAMES, "password", "api_key", "max_tokens", "phone", "mobile_number", "name", "Name",
    "key", "Key", "value", "Value", "a b", "x1", "1234", "12345", "", "é", "\ud800", "n" * 41,
    "n" * 90, "token_count", "Authorization", "headers", "attendee_ids", "someId", "x\n", "PIN",
)  # fmt: skip
_WORDS = (
    "dinner lunch review the and with for Ana Chloé budget garden basic Bearer identified password"
    " token secret pwd code key apikey contraseña contrasena senha haslo pass -u -p -- --flag ( )"
    " 'x' , ; : = % < > & ~ \\ / ? @ 7 42 2026 123456 1234567890 zebra alpha model wheel train"
    " ocean river stone cloud table İ \u017f \u212a \u200b \x1b \x00 ٣٤ ﬁ"
)
WORDS = tuple(_WORDS.split(" "))
_PLAIN_WORDS = ("dinner", "garden", "zebra", "ocean", "river", "stone", "the", "to", "Ana", "é")
NEAR = (5, 6, 7, 8, 11, 12, 15, 16, 17, 35, 36, 37, 46, 47, 63, 64, 65)
EDGES = (127, 128, 129, 1023, 1024, 1025)
_RUNS = string.ascii_letters + string.digits + "+/_=-"
_ANY = string.printable + "é\ud800\u200b\x7fß漢字🙂"
_NUMBERS = (0, 1, -1, 7, 10**8 - 1, 10**8, -(10**8), 1 - 10**8, 10**12, 4111111111111111, 2**63)
_HUGE = (10**30, -(10**30), 1 << 600, -(1 << 5000), 2**63 - 1, -(2**63), 1_700_000_000)
_FLOATS = (0.5, -0.0, 0.1, 1e-7, 1e8, -1e8, 99999999.9, 1e16, 1e300, 5e-324)
_NO_NUMBERS = (float("nan"), float("inf"), float("-inf"))


class Text(str):
    __slots__ = ()

    def __len__(self) -> int:
        raise RuntimeError("no length")

    def __str__(self) -> str:
        raise RuntimeError("no text")

    __hash__ = str.__hash__

    def __eq__(self, other: object) -> bool:
        raise RuntimeError("not alike")


class Rows(list[Any]):
    def __iter__(self) -> Iterator[Any]:
        raise RuntimeError("no items")

    def __len__(self) -> int:
        raise RuntimeError("no length")


class Table(dict[Any, Any]):
    def items(self) -> Any:
        raise RuntimeError("no items")

    def __len__(self) -> int:
        return -1


class Number(int):
    def __lt__(self, other: object) -> bool:
        raise RuntimeError("not less")


class Share(float):
    def __lt__(self, other: object) -> bool:
        raise RuntimeError("not less")


class Pair(tuple[Any, ...]):
    __slots__ = ()


class Level(enum.IntEnum):
    LOW = 1
    HIGH = 10**9


class Colour(enum.StrEnum):
    RED = "red"
    SECRET = "hunter2 password: hunter2"


Point = namedtuple("Point", ["title", "password", "x"])  # noqa: PYI024 - as tools have them


@dataclass
class Person:
    name: object
    phone: object
    note: object


class Opaque:
    """Nothing is known of it."""


class Failing(Mapping[str, Any]):
    """A mapping that raises once it is gone through."""

    def __getitem__(self, name: str) -> Any:
        raise KeyError(name)

    def __iter__(self) -> Iterator[str]:
        raise ValueError("no names")

    def __len__(self) -> int:
        return 3


class Meddler(Mapping[str, Any]):
    """A mapping that empties what it stands in, while it is gone through."""

    def __init__(self, around: Any) -> None:
        self._around = around

    def __getitem__(self, name: str) -> Any:
        self._around.clear()
        return name

    def __iter__(self) -> Iterator[str]:
        return iter(("title", "note"))

    def __len__(self) -> int:
        return 2


def draw_value(chance: random.Random, depth: int = 0) -> Any:
    """A value of any shape; the same for the same state of `chance`."""
    kind = chance.random()
    if kind < (0.85, 0.45, 0.35, 0.25, 0.15, 0.05)[min(depth, 5)]:
        return _draw_container(chance, depth)
    if kind < 0.7:
        return draw_text(chance)
    if kind < 0.97:
        return _draw_scalar(chance)
    return _draw_stranger(chance, depth)


def draw_arguments(chance: random.Random) -> dict[str, Any]:
    """What a call may be given."""
    names = PLAIN_NAMES if chance.random() < 0.6 else NAMES
    return {name: draw_value(chance, 1) for name in chance.sample(names, k=chance.randrange(8))}


def draw_text(chance: random.Random) -> str:
    """A text: words that rules look for among others, runs, links, ids, and any characters."""
    match chance.randrange(12):
        case 0 | 1 | 2:
            return " ".join(chance.choices(_PLAIN_WORDS, k=chance.randrange(9)))
        case 3 | 4:
            return chance.choice((" ", " ", "", "-", "_")).join(
                chance.choices(WORDS, k=chance.randrange(9))
            )
        case 5:
            return "".join(chance.choices(_ANY, k=chance.randrange(40)))
        case 6:
            run = "".join(chance.choices(_RUNS, k=chance.randrange(8, 20)))
            return chance.choice((run, run.lower(), f"rec_{run}", f"a {run} b"))
        case 7:
            return _draw_link(chance)
        case 8:
            return _draw_id(chance)
        case 9:
            words = chance.choices(_PLAIN_WORDS[: chance.randrange(5, 11)], k=chance.randrange(30))
            return chance.choice((" ", " ", "  ", "\n")).join(words)
        case 10:
            return chance.choice(WORDS) + chance.choice(WORDS)
        case _:
            sizes = (
                EDGES if chance.random() < 0.2 else (17_000,) if chance.random() < 0.005 else NEAR
            )
            size = chance.choice(sizes)
            return chance.choice(("x", "é", "ab ", "\ud800", "7", "🙂")) * size


def _draw_link(chance: random.Random) -> str:
    place = "".join(chance.choices("abz/._~+-09:@ ", k=chance.randrange(14)))
    query = "".join(chance.choices('a=&?#b1!< "é', k=chance.randrange(5)))
    scheme = chance.choice(("https:", "http:", "https", "ftp:", "HTTP:"))
    return f"{scheme}//{place}{chance.choice(('', '?', '#'))}{query}"


def _draw_id(chance: random.Random) -> str:
    made = str(UUID(int=chance.getrandbits(128)))
    return chance.choice((made, made.upper(), made[:-1] + "é", made.replace("-", "x"), made[:35]))


def _draw_scalar(chance: random.Random) -> Any:
    match chance.randrange(8):
        case 0 | 1:
            return chance.choice((True, False, None))
        case 2 | 3:
            return chance.randrange(-1000, 100_000)
        case 4:
            return chance.choice(_NUMBERS + _HUGE)
        case 5 | 6:
            return round(chance.uniform(-1000, 1000), 2)
        case _:
            return chance.choice(_FLOATS + _NO_NUMBERS)


def _draw_container(chance: random.Random, depth: int) -> Any:
    size = chance.randrange(5) if chance.random() < 0.99 else chance.choice((33, 40))
    match chance.randrange(8):
        case 0 | 1 | 2 | 3:
            names = PLAIN_NAMES if chance.random() < 0.6 else NAMES
            drawn = chance.sample(names, k=min(size, 8))
            entries = {name: draw_value(chance, depth + 1) for name in drawn}
            return entries | {f"f{n}": n for n in range(size - 8)}
        case 4 | 5:
            return [draw_value(chance, depth + 1) for _ in range(size)]
        case 6:
            return tuple(draw_value(chance, depth + 1) for _ in range(size))
        case _:
            strings = [draw_text(chance) for _ in range(size)]
            return chance.choice((list, tuple))(strings)


def _draw_stranger(chance: random.Random, depth: int) -> Any:
    inner = draw_value(chance, depth + 3)
    if chance.random() < 0.02:
        return chance.choice(LARGE)(inner)
    return chance.choice(STRANGERS)(inner)


def _make_cycle(inner: Any) -> Any:
    cycle: list[Any] = [inner]
    cycle.append({"title": cycle})
    return cycle


def _make_deep(inner: Any) -> Any:
    for number in range(40):
        inner = {"place": inner} if number % 2 else [inner, "leaf"]
    return inner


def _make_meddled(inner: Any) -> Any:
    outer: dict[str, Any] = {"title": inner}
    outer |= {"a": MappingProxyType(Meddler(outer)), "note": "after", "tags": [inner]}
    return outer


def _make_meddled_list(inner: Any) -> Any:
    outer: list[Any] = [inner]
    outer += [MappingProxyType(Meddler(outer)), "after", inner]
    return outer


LARGE: tuple[Callable[[Any], Any], ...] = (
    lambda inner: [inner] * 2_100,
    lambda inner: {f"k{n}": n for n in range(2_100)} | {"title": inner},
    lambda inner: [{"title": "x", "tags": ["a", "b"]}] * 1_000 + [inner],
)
STRANGERS: tuple[Callable[[Any], Any], ...] = (
    lambda inner: Text(inner) if type(inner) is str else Text("text"),
    lambda inner: {Text("title"): inner, "note": 1},
    lambda inner: Rows([inner, 1, "two"]),
    lambda inner: Table(title=inner, note="x", password="y"),
    lambda inner: OrderedDict(title=inner, note=[inner]),
    lambda inner: Pair((inner, "two")),
    lambda inner: Point(inner, "hunter2", 7),
    lambda inner: Person(inner, 491701234567, "note"),
    lambda inner: deque([inner, 1]),
    lambda inner: MappingProxyType({"title": inner}),
    lambda inner: {1: inner, None: inner, 10**9: 1, False: 2, 2.5: 3, ("a",): 4},
    lambda inner: ["-p", inner, "--password", "hunter2", inner],
    lambda inner: ["password", inner],
    lambda inner: {"name": "PIN", "value": inner},
    lambda inner: {"a": MappingProxyType(Failing()), "title": inner},
    lambda _: [Number(5), Share(0.5), Level.LOW, Level.HIGH, Colour.RED, Colour.SECRET],
    lambda _: [UUID(int=7), b"bytes", bytearray(b"x"), memoryview(b"xyz"), 3 + 4j, ...],
    lambda _: [Decimal("1.5"), datetime(2026, 1, 2, tzinfo=UTC), date(2026, 1, 2)],
    lambda _: [timedelta(1), PurePosixPath("/etc/passwd"), Opaque(), Opaque, range(3), iter("a")],
    lambda _: {"x", 1, None},
    _make_cycle,
    _make_deep,
    _make_meddled,
    _make_meddled_list,
)
