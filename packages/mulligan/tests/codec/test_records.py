"""Words as JSON and back: exact, and strict about what is none."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta

import pytest

from mulligan.codec import UndecodableError, decode_record, encode_record
from mulligan.types.effect import Effect
from mulligan.types.lesson import Episode, Lesson, Use
from mulligan_testing.store_contract.contract import TEXT, make_episode, make_lesson, make_use


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
    "word", [make_episode(template=TEXT), make_lesson(when=TEXT), make_use(note=TEXT)], ids=repr
)
def test_a_word_comes_back_as_it_was(word: Episode | Lesson | Use) -> None:
    text = encode_record(word)

    assert decode_record(type(word), text) == word
    assert text.isascii()


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
