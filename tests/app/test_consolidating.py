from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest

from mulligan.app.consolidating import (
    consolidate,
    hash_schemas,
    list_episodes,
    name_batch,
    take_back,
)
from mulligan.core.errors import ConfigurationError
from mulligan.core.interfaces import KnownTool, Store
from mulligan.core.lesson import LessonQuery, LessonState
from mulligan.stores.opening import open_store
from tests.learning.lessons.cases import HASHED, NOW, episode


def test_two_batches_of_one_second_are_taken_back_one_by_one() -> None:
    second = datetime(2026, 11, 15, 9, 0, tzinfo=UTC)

    one, other = name_batch(second), name_batch(second.replace(microsecond=1))

    assert one != other


@pytest.fixture
def store() -> Store:
    store = open_store("memory:")
    store.casebook.record([episode(n, HASHED) for n in range(3)])
    return store


def test_a_batch_mines_what_is_kept_and_can_be_taken_back(store: Store) -> None:
    done = consolidate(store, now=NOW)
    learned = store.casebook.list_lessons(LessonQuery())

    back = take_back(store.casebook, done.batch, now=NOW, by="Ann")

    assert done.episodes == 3
    assert [each.batch for each in learned] == [done.batch] * len(learned) != []
    assert {each.state for each in back} == {LessonState.QUARANTINED}
    assert {each.by for each in store.casebook.list_lessons(LessonQuery())} == {"Ann"}


def test_a_batch_that_left_nothing_cannot_be_taken_back(store: Store) -> None:
    with pytest.raises(ConfigurationError, match="'no such batch'"):
        take_back(store.casebook, "no such batch", now=NOW, by="Ann")


def test_episodes_are_read_to_the_last_page(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("mulligan.app.consolidating.PAGE", 2)

    assert len(list(list_episodes(store.casebook))) == 3


def test_a_batch_lets_time_and_uses_say_where_a_lesson_stands(store: Store) -> None:
    consolidate(store, now=NOW)
    [before] = store.casebook.list_lessons(LessonQuery())

    done = consolidate(store, now=NOW + timedelta(days=1_000))

    [after] = store.casebook.list_lessons(LessonQuery())
    assert before.state.living
    assert after.state is LessonState.RETIRED
    assert (after.batch, after.version) == (done.batch, before.version + 1)


def test_a_lesson_goes_with_the_schema_that_it_was_learned_on() -> None:
    tool = KnownTool(tool="find", effect="read", repeat="once", mode="suggest", schema={"a": 1})
    changed = replace(tool, schema={"a": 2})

    assert hash_schemas([tool]).keys() == {("", "find")}
    assert hash_schemas([tool]) != hash_schemas([changed])
