"""Words as JSON and back: exact, and strict about what is none."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta

import pytest

from mulligan.codec import UndecodableError, decode_record
from mulligan.types.effect import Effect


@dataclass(frozen=True, slots=True, kw_only=True)
class Part:
    name: str
    effect: Effect = Effect.READ


@dataclass(frozen=True, slots=True, kw_only=True)
class Whole:
    count: int
    share: float = 0.0
    sure: bool = False
    pair: tuple[str, str] = ("", "")
    parts: tuple[Part, ...] = ()
    part: Part | None = None
    at: datetime = datetime(2026, 11, 15, tzinfo=UTC)
    took: timedelta = field(default_factory=timedelta)


@pytest.mark.parametrize(
    "change",
    [
        {"count": "1"},
        {"count": True},
        {"count": 1.5},
        {"count": None},
        {"share": "0.5"},
        {"share": False},
        {"sure": 1},
        {"pair": ["one"]},
        {"pair": "ab"},
        {"parts": {"name": "x"}},
        {"parts": [{"effect": "read"}]},
        {"part": {"name": "x", "effect": "harmless"}},
        {"part": []},
        {"at": "2026-11-15"},
        {"at": 10**30},
        {"took": 1.5},
    ],
    ids=str,
)
def test_what_is_no_such_word_is_not_read(change: dict[str, object]) -> None:
    text = json.dumps({"count": 1} | change)

    with pytest.raises((ValueError, LookupError, TypeError, AttributeError, OverflowError)):
        decode_record(Whole, text)


def test_fields_that_came_later_are_left_aside_and_missing_ones_have_their_default() -> None:
    text = json.dumps({"count": 1, "share": 1, "colour": "red"})

    found = decode_record(Whole, text)

    assert found == Whole(count=1, share=1.0)
    assert isinstance(found.share, float)


@pytest.mark.parametrize(
    ("content", "said"),
    [
        ({}, "missing required field `count`"),
        ({"count": "1"}, "Expected `int`, got `str` - at `$.count`"),
        ({"count": 1, "parts": [{}]}, "missing required field `name` - at `$.parts[0]`"),
        ({"count": 1, "took": "long"}, "Expected microseconds, got `str` - at `$.took`"),
    ],
    ids=str,
)
def test_what_is_wrong_is_named_with_its_place(content: dict[str, object], said: str) -> None:
    with pytest.raises(UndecodableError, match=re.escape(said)):
        decode_record(Whole, json.dumps(content))


FIRST_READ_TWICE = """
import enum, sys, threading
import msgspec
from mulligan.codec import to_record

sys.setswitchinterval(1e-6)
for number in range(300):
    kinds = [enum.StrEnum(f"Kind{n}", {f"A{i}": f"a{i}" for i in range(5)}) for n in range(8)]
    record = msgspec.defstruct("Record", [(f"f{n}", kind | None) for n, kind in enumerate(kinds)])
    plain, gate = {f"f{n}": "a1" for n in range(8)}, threading.Barrier(4)

    def read():
        gate.wait()
        to_record(record, plain)

    threads = [threading.Thread(target=read) for _ in range(4)]
    for each in threads:
        each.start()
    for each in threads:
        each.join()
"""


def test_threads_that_read_a_record_for_the_first_time_at_once_do_not_end_the_process() -> None:
    done = subprocess.run([sys.executable, "-c", FIRST_READ_TWICE], check=False)

    assert done.returncode == 0
