"""Words as JSON and back: exact, and strict about what is none."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta

import pytest

from mulligan.core.effect import Effect
from mulligan.core.lesson import Episode, Lesson, Use
from mulligan.stores.words import read_word, write_word
from mulligan.testing.store_contract.cases import TEXT, make_episode, make_lesson, make_use


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
    text = write_word(word)

    assert read_word(type(word), text) == word
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
        read_word(Whole, text)


def test_fields_that_came_later_are_left_aside_and_missing_ones_have_their_default() -> None:
    text = json.dumps({"count": 1, "share": 1, "colour": "red"})

    found = read_word(Whole, text)

    assert found == Whole(count=1, share=1.0)
    assert isinstance(found.share, float)
