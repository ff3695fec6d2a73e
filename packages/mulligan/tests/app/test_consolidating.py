"""Failures become patterns, and patterns lessons, batch by batch."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest
from msgspec.structs import replace

from mulligan.learning.consolidation import (
    consolidate,
    list_episodes,
    name_batch,
    renew_episodes,
    renew_lessons,
)
from mulligan.learning.fingerprint import compute_fingerprint, recognize
from mulligan.stores.opening import open_store
from mulligan.types.call import Outcome
from mulligan.types.interfaces import Store
from mulligan.types.lesson import Benefit, LessonQuery, LessonState, Use
from tests.learning.cases import HASHED, NOW, episode, lesson
from tests.telemetry.rows import a_row


def test_two_batches_of_one_second_are_taken_back_one_by_one() -> None:
    second = datetime(2026, 11, 15, 9, 0, tzinfo=UTC)

    one, other = name_batch(second), name_batch(second.replace(microsecond=1))

    assert one != other


@pytest.fixture
def store() -> Store:
    store = open_store("memory:")
    store.failures.record([episode(n, HASHED) for n in range(3)])
    return store


def test_episodes_are_read_to_the_last_page(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("mulligan.learning.consolidation.PAGE", 2)

    assert len(list(list_episodes(store.failures))) == 3


def test_a_batch_lets_time_and_uses_say_where_a_lesson_stands(store: Store) -> None:
    consolidate(store, now=NOW)
    [before] = store.failures.list_lessons(LessonQuery())

    done = consolidate(store, now=NOW + timedelta(days=1_000))

    [after] = store.failures.list_lessons(LessonQuery())
    assert before.state.living
    assert after.state is LessonState.RETIRED
    assert (after.batch, after.version) == (done.batch, before.version + 1)


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
    failures, old = bare.failures, lesson(state=state)
    failures.append([old])
    failures.use([use(0), use(1)])

    (new,) = renew_lessons(failures, [old], now=NOW)

    living = failures.list_lessons(LessonQuery(fingerprint=TODAY))
    assert [each.id for each in living] == [new.id] != [old.id]
    assert (new.state, new.remedy, new.when) == (state, old.remedy, old.when)
    assert {each.call for each in failures.list_uses(new.id)} == {"call-0", "call-1"}
    retired = failures.list_lesson_versions(old.id)[-1]
    assert (retired.state, new.id in retired.why) == (LessonState.RETIRED, True)


def test_what_is_of_today_or_over_is_left_alone(bare: Store) -> None:
    today, over = lesson(fingerprint=TODAY), lesson(id="lesson-2", state=LessonState.RETIRED)
    words = lesson(id="lesson-3", tool="", fingerprint="words:a b")
    bare.failures.append([today, over, words])

    assert renew_lessons(bare.failures, [today, over, words], now=NOW) == []
    assert len(bare.failures.list_lesson_versions(over.id)) == 1


def test_two_that_come_to_one_pattern_are_one_afterwards(bare: Store) -> None:
    one, other = lesson(), lesson(id="lesson-2", fingerprint="1:g")
    bare.failures.append([one, other])

    moved = renew_lessons(bare.failures, [one, other], now=NOW)

    assert len(moved) == 1
    states = {each.id: each.state for each in bare.failures.list_lessons(LessonQuery())}
    assert states[one.id] is states[other.id] is LessonState.RETIRED


def test_a_consolidation_learns_nothing_twice_after_the_masks_have_changed(bare: Store) -> None:
    failures = bare.failures
    failures.record([episode(n, HASHED) for n in range(3)])
    failures.append([replace(lesson(), state=LessonState.QUARANTINED)])

    consolidate(bare, now=NOW)
    consolidate(bare, now=NOW)

    found = failures.list_lessons(LessonQuery(fingerprint=TODAY))
    assert [(each.remedy, each.state) for each in found] == [(HASHED, LessonState.QUARANTINED)]


def test_values_that_the_log_shows_make_no_patterns_of_their_own() -> None:
    cities = ("Oslo", "Lima")
    rows = [
        a_row(
            outcome=Outcome.FAILURE,
            parameters=f'{{"city":"{city}","mode":"fast"}}',
            error_message=f"No station in {city} that is fast",
        )
        for city in cities
    ]

    apart = [recognize(row).template for row in rows]
    together = [recognize(row, shown=frozenset({"city"})).template for row in rows]

    assert apart == ["no station in oslo that is fast", "no station in lima that is fast"]
    assert {recognize(row, shown=None).template for row in rows} == {
        "no station in <value> that is <value>"
    }
    assert together == ["no station in <value> that is fast"] * 2


def test_arguments_that_were_cut_short_are_no_arguments() -> None:
    row = a_row(outcome=Outcome.FAILURE, parameters='{"city":"Os', error_message="No Oslo")

    assert recognize(row, shown=frozenset({"city"})).template == "no oslo"
