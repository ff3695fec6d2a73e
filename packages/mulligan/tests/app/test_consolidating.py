from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest
from msgspec.structs import replace

from mulligan.learning.consolidation import (
    consolidate,
    hash_schemas,
    list_episodes,
    name_batch,
    renew_episodes,
    renew_lessons,
    take_back,
)
from mulligan.learning.fingerprint import compute_fingerprint
from mulligan.stores.opening import open_store
from mulligan.types.errors import ConfigurationError
from mulligan.types.interfaces import KnownTool, Store
from mulligan.types.lesson import Benefit, LessonQuery, LessonState, Use
from tests.learning.cases import HASHED, NOW, episode, lesson


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
    monkeypatch.setattr("mulligan.learning.consolidation.PAGE", 2)

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


TODAY = compute_fingerprint("get_order", "order <value> not found")


@pytest.fixture
def bare() -> Store:
    return open_store("memory:")


def use(number: int) -> Use:
    benefit = next(iter(Benefit))
    return Use(lesson="lesson-1", version=1, call=f"call-{number}", at=NOW, benefit=benefit)


def test_episodes_of_older_masks_are_read_under_the_name_of_today() -> None:
    kept = episode(1, HASHED, fingerprint=TODAY)

    assert [each.fingerprint for each in renew_episodes([episode(0, HASHED), kept])] == [TODAY] * 2
    assert next(renew_episodes([kept])) is kept


@pytest.mark.parametrize("state", [LessonState.ACTIVE, LessonState.QUARANTINED])
def test_a_lesson_moves_with_its_state_and_its_uses(bare: Store, state: LessonState) -> None:
    casebook, old = bare.casebook, lesson(state=state)
    casebook.append([old])
    casebook.use([use(0), use(1)])

    (new,) = renew_lessons(casebook, [old], now=NOW)

    living = casebook.list_lessons(LessonQuery(fingerprint=TODAY))
    assert [each.id for each in living] == [new.id] != [old.id]
    assert (new.state, new.remedy, new.when) == (state, old.remedy, old.when)
    assert {each.call for each in casebook.list_uses(new.id)} == {"call-0", "call-1"}
    retired = casebook.list_lesson_versions(old.id)[-1]
    assert (retired.state, new.id in retired.why) == (LessonState.RETIRED, True)


def test_what_is_of_today_or_over_is_left_alone(bare: Store) -> None:
    today, over = lesson(fingerprint=TODAY), lesson(id="lesson-2", state=LessonState.RETIRED)
    words = lesson(id="lesson-3", tool="", fingerprint="words:a b")
    bare.casebook.append([today, over, words])

    assert renew_lessons(bare.casebook, [today, over, words], now=NOW) == []
    assert len(bare.casebook.list_lesson_versions(over.id)) == 1


def test_two_that_come_to_one_pattern_are_one_afterwards(bare: Store) -> None:
    one, other = lesson(), lesson(id="lesson-2", fingerprint="1:g")
    bare.casebook.append([one, other])

    moved = renew_lessons(bare.casebook, [one, other], now=NOW)

    assert len(moved) == 1
    states = {each.id: each.state for each in bare.casebook.list_lessons(LessonQuery())}
    assert states[one.id] is states[other.id] is LessonState.RETIRED


def test_a_consolidation_learns_nothing_twice_after_the_masks_have_changed(bare: Store) -> None:
    casebook = bare.casebook
    casebook.record([episode(n, HASHED) for n in range(3)])
    casebook.append([replace(lesson(), state=LessonState.QUARANTINED)])

    consolidate(bare, now=NOW)
    consolidate(bare, now=NOW)

    found = casebook.list_lessons(LessonQuery(fingerprint=TODAY))
    assert [(each.remedy, each.state) for each in found] == [(HASHED, LessonState.QUARANTINED)]
