"""Values of tools: kept as JSON or exactly, and given back as what they were."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta, timezone
from decimal import Decimal
from enum import Enum
from hashlib import sha256
from pathlib import Path
from types import MappingProxyType
from typing import Any, NamedTuple, TypedDict
from uuid import UUID

import pytest
from pydantic import BaseModel

from mulligan.codec import (
    decode_exact,
    decode_named,
    decode_value,
    encode_exact,
    encode_value,
    from_plain,
    is_identical,
)

AT = datetime(2026, 11, 20, 18, 30, tzinfo=UTC)
BINARY = b"\xff"


class Colour(Enum):
    RED = "red"


class Place(BaseModel):
    name: str
    since: date


class Point(NamedTuple):
    x: int
    y: float


class Options(TypedDict):
    until: date


class Loud(str):
    pass


@dataclass(frozen=True, slots=True, kw_only=True)
class Event:
    at: datetime
    took: timedelta = timedelta()
    place: Place | None = None
    colours: tuple[Colour, ...] = ()


@pytest.mark.parametrize(
    ("value", "hint"),
    [
        (AT, datetime),
        (AT.replace(tzinfo=None), datetime | None),
        (AT.date(), date),
        (timedelta(days=1, microseconds=1), timedelta),
        ([timedelta(hours=2)], list[timedelta]),
        (Decimal("1.50"), Decimal),
        (UUID(int=7), UUID),
        (Colour.RED, Colour),
        ({Colour.RED}, set[Colour]),
        (("a", 1), tuple[str, int]),
        ({"a": AT}, dict[str, datetime]),
        (Point(1, 2.5), Point),
        ({"until": AT.date()}, Options),
        (Place(name="Pier 7", since=AT.date()), Place),
        ([Place(name="Pier 7", since=AT.date())], list[Place]),
        (
            Event(
                at=AT,
                took=timedelta(seconds=90),
                place=Place(name="Pier 7", since=AT.date()),
                colours=(Colour.RED,),
            ),
            Event,
        ),
        (7, int | str | None),
        ({"at": AT}, dict[str, datetime | int]),
        ("\ud800", str),
        (2**70, int),
    ],
    ids=str,
)
def test_a_value_comes_back_as_it_was(value: object, hint: Any) -> None:
    found = decode_value(encode_value(value), hint)

    assert found == value
    assert type(found) is type(value)


@pytest.mark.parametrize(
    ("plain", "hint"),
    [
        ("five", int),
        ("5", int),
        ("2026-11-20T18:30", datetime),
        ("blue", Colour),
        ({"name": "Pier 7"}, Place),
        ({"at": "soon"}, Event),
        ({"took": 90.0, "at": "soon"}, Event),
        ("2026-11-20", date | datetime),
        ({"a": 1}, Place | Event),
        (1, object),
        (1, Any),
        (None, int),
        (1, "NoSuchType"),
        ("x", type),
    ],
    ids=str,
)
def test_what_does_not_fit_its_annotation_stays_plain(plain: object, hint: Any) -> None:
    assert from_plain(plain, hint) == plain


@pytest.mark.parametrize(
    ("value", "plain"),
    [
        ({1: "one", None: 0, AT.date(): 1}, {"1": "one", "null": 0, "2026-11-20": 1}),
        ({AT: timedelta(seconds=1)}, {"2026-11-20T18:30:00Z": 1.0}),
        (MappingProxyType({"a": Loud("b")}), {"a": "b"}),
        (timedelta(seconds=90), 90.0),
        (AT, "2026-11-20T18:30:00+00:00"),
        ({"a": [(1, {2: float("nan")})]}, {"a": [[1, {"2": None}]]}),
    ],
    ids=str,
)
def test_without_an_annotation_a_value_is_the_json_it_was_kept_as(
    value: object, plain: object
) -> None:
    assert decode_value(encode_value(value)) == plain


class Refusing:
    def model_dump(self, **_: object) -> object:
        raise LookupError("no dump")

    def __str__(self) -> str:
        raise LookupError("no text")


def close_circle() -> object:
    circle: list[object] = []
    circle.append(circle)
    return circle


@pytest.mark.parametrize(
    ("value", "shown"),
    [
        (b"raw", "raw"),
        (BINARY, f"<1 bytes, sha256 {sha256(BINARY).hexdigest()}>"),
        ({("a", 1): {2: b"x"}}, {"('a', 1)": {"2": "x"}}),
        (range(2), [0, 1]),
        (Path("/x"), "/x"),
        ([Refusing()], ["<Refusing that cannot be shown>"]),
        (close_circle(), "[[...]]"),
    ],
    ids=lambda value: type(value).__name__,
)
def test_what_json_has_no_word_for_is_text(value: object, shown: object) -> None:
    assert decode_value(encode_value({"deep": value})) == {"deep": shown}


class Size(Enum):
    SMALL = "small"


class Named(dict[str, int]):
    pass


@pytest.mark.parametrize(
    "value",
    [
        {7: 2, "7": 3, None: 1, (1, 2): 4}, float("inf"), float("nan"), -0.0, 10**40, 5, 5.0, True,
        Decimal("1.10"), date(2026, 11, 20), datetime(2026, 11, 20, 9, tzinfo=UTC),
        datetime(2026, 11, 20, 9), time(9, 30), timedelta(days=-1, microseconds=3), {3, 4},
        frozenset({"a"}), (1, [2, (3,)]), b"\x00\xff", UUID(int=5), Path("/x"), "\ud800", "a\x00b",
        {"type": "tuple", "value": []}, None, [], {},
    ],
)  # fmt: skip
def test_a_value_comes_back_with_its_types(value: Any) -> None:
    text = encode_exact({"it": [value]})

    assert text is not None
    assert is_identical(decode_exact(text), {"it": [value]})


@pytest.mark.parametrize(
    "value",
    [Size.SMALL, Named(a=1), object(), datetime(2026, 11, 20, tzinfo=timezone(timedelta(), "GMT"))],
)
def test_what_cannot_come_back_as_it_was_is_not_written(value: object) -> None:
    assert encode_exact([value]) is None


@pytest.mark.parametrize(
    ("one", "other"),
    [(1, 1.0), (1, True), ("small", Size.SMALL), ({1: 2}, {"1": 2}), ({1}, {1.0}), ([1], (1,)),
     (Decimal("1.1"), Decimal("1.1") + 1), ({"a": 1}, {"a": 1, "b": 2}), ([1], [1, 2])],
)  # fmt: skip
def test_equal_is_not_the_same(one: object, other: object) -> None:
    assert is_identical(one, one)
    assert not is_identical(one, other)


def test_what_earlier_versions_have_written_is_read() -> None:
    written = (
        b'{"type":"dict","value":[["day",{"type":"date","value":"2026-11-20"}],'
        b'["at",{"type":"datetime","value":"2026-11-20T09:00:00+00:00"}],'
        b'["lines",{"type":"dict","value":[[7,{"type":"tuple","value":[1,"a"]}]]}],'
        b'["raw",{"type":"bytes","value":"AP8="}],["long",{"type":"int","value":"0x7"}]]}'
    )

    found = decode_named(written, lambda name, plain: plain)

    assert found == {
        "day": date(2026, 11, 20), "at": datetime(2026, 11, 20, 9, tzinfo=UTC),
        "lines": {7: (1, "a")}, "raw": b"\x00\xff", "long": 7,
    }  # fmt: skip
