from __future__ import annotations

from datetime import UTC, date, datetime, time, timedelta, timezone
from decimal import Decimal
from enum import Enum
from pathlib import Path
from typing import Any
from uuid import UUID

import pytest

from mulligan.codec import decode_exact, decode_named, encode_exact, is_identical


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
