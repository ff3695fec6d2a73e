from __future__ import annotations

from dataclasses import replace

import pytest

from mulligan.app.consolidating import consolidate
from mulligan.app.renewing import renew_episodes, renew_lessons
from mulligan.core.interfaces import Store
from mulligan.core.lesson import Benefit, LessonQuery, LessonState, Use
from mulligan.learning.errors.fingerprint import compute_fingerprint
from mulligan.stores.opening import open_store
from tests.learning.lessons.cases import HASHED, NOW, episode, lesson

TODAY = compute_fingerprint("get_order", "order <value> not found")


@pytest.fixture
def store() -> Store:
    return open_store("memory:")


def use(number: int) -> Use:
    benefit = next(iter(Benefit))
    return Use(lesson="lesson-1", version=1, call=f"call-{number}", at=NOW, benefit=benefit)


def test_episodes_of_older_masks_are_read_under_the_name_of_today() -> None:
    kept = episode(1, HASHED, fingerprint=TODAY)

    assert [each.fingerprint for each in renew_episodes([episode(0, HASHED), kept])] == [TODAY] * 2
    assert next(renew_episodes([kept])) is kept


@pytest.mark.parametrize("state", [LessonState.ACTIVE, LessonState.QUARANTINED])
def test_a_lesson_moves_with_its_state_and_its_uses(store: Store, state: LessonState) -> None:
    casebook, old = store.casebook, lesson(state=state)
    casebook.append([old])
    casebook.use([use(0), use(1)])

    (new,) = renew_lessons(casebook, [old], now=NOW)

    living = casebook.list_lessons(LessonQuery(fingerprint=TODAY))
    assert [each.id for each in living] == [new.id] != [old.id]
    assert (new.state, new.remedy, new.when) == (state, old.remedy, old.when)
    assert {each.call for each in casebook.list_uses(new.id)} == {"call-0", "call-1"}
    retired = casebook.list_lesson_versions(old.id)[-1]
    assert (retired.state, new.id in retired.why) == (LessonState.RETIRED, True)


def test_what_is_of_today_or_over_is_left_alone(store: Store) -> None:
    today, over = lesson(fingerprint=TODAY), lesson(id="lesson-2", state=LessonState.RETIRED)
    words = lesson(id="lesson-3", tool="", fingerprint="words:a b")
    store.casebook.append([today, over, words])

    assert renew_lessons(store.casebook, [today, over, words], now=NOW) == []
    assert len(store.casebook.list_lesson_versions(over.id)) == 1


def test_two_that_come_to_one_pattern_are_one_afterwards(store: Store) -> None:
    one, other = lesson(), lesson(id="lesson-2", fingerprint="1:g")
    store.casebook.append([one, other])

    moved = renew_lessons(store.casebook, [one, other], now=NOW)

    assert len(moved) == 1
    states = {each.id: each.state for each in store.casebook.list_lessons(LessonQuery())}
    assert states[one.id] is states[other.id] is LessonState.RETIRED


def test_a_consolidation_learns_nothing_twice_after_the_masks_have_changed(store: Store) -> None:
    casebook = store.casebook
    casebook.record([episode(n, HASHED) for n in range(3)])
    casebook.append([replace(lesson(), state=LessonState.QUARANTINED)])

    consolidate(store, now=NOW)
    consolidate(store, now=NOW)

    found = casebook.list_lessons(LessonQuery(fingerprint=TODAY))
    assert [(each.remedy, each.state) for each in found] == [(HASHED, LessonState.QUARANTINED)]
