"""Lessons by the store's clock and count: whichever process comes next has learned."""

from __future__ import annotations

import math
import sqlite3
from collections.abc import Callable
from contextlib import closing
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from msgspec.structs import replace

from mulligan import Effect, Memory, Mulligan
from mulligan.learning.consolidation import MOST_OF_POOL, consolidate, draw_lessons
from mulligan.learning.mining import find_pool
from mulligan.stores.opening import open_store
from mulligan.types.interfaces import Store
from mulligan.types.lesson import EpisodeQuery, LessonQuery, LessonState, Origin

STARTED = datetime(2026, 11, 17, 9, 0, tzinfo=UTC)


class Shop:
    """An application with one tool, whose agent leaves the sign out each time."""

    def __init__(self, store: str | Store, *, clock: Callable[[], datetime] | None = None) -> None:
        self.m = Mulligan(
            store,
            memory=Memory(control=0, seeds=False),
            recover=False,
            clock=clock or (lambda: STARTED),
        )

        @self.m.tool(effect=Effect.READ)
        def find_order(order_id: str) -> str:
            if not order_id.startswith("#"):
                raise LookupError(f"Order {order_id} does not exist")
            return order_id

        self.find_order = find_order

    def fail_once(self, number: int) -> list[str]:
        """What its agent reads of what memory knows."""
        with self.m.turn(f"Find W{number}"):
            with pytest.raises(LookupError) as caught:
                self.find_order(f"W{number}")
            self.find_order(f"#W{number}")
        self.m.flush()
        advised = caught.value.mulligan  # type: ignore[attr-defined]
        told = any(each.source is Origin.MEMORY for each in advised.suggestions)
        return [line for line in str(advised).splitlines() if told and "(memory" in line]


def test_the_second_failure_of_a_kind_is_told_what_repaired_the_first_and_that_it_is_unproven() -> (
    None
):
    shop = Shop("memory:")

    told = [shop.fail_once(number) for number in range(4)]

    assert told[0] == []
    assert "order_id='#W1'" in told[1][0]
    assert "not proven yet" in told[1][0]
    assert "not proven yet" not in told[3][0]


def test_a_process_that_ends_after_its_first_failure_has_taught_the_next(tmp_path: Path) -> None:
    url = f"sqlite:///{tmp_path}/shop.db"
    first = Shop(url)
    first.fail_once(1)
    first.m.close()
    next_ = Shop(url)

    told = next_.fail_once(2)

    next_.m.close()
    assert "order_id='#W2'" in told[0]


@pytest.mark.full
def test_lessons_have_far_fewer_versions_than_failures() -> None:
    store = open_store("memory:")
    shop = Shop(store)

    for number in range(40):
        shop.fail_once(number)

    [lesson] = store.failures.list_lessons(LessonQuery(tool="find_order"))
    assert lesson.state is LessonState.ACTIVE
    assert lesson.seen >= 30
    assert lesson.version <= 15


@pytest.mark.full
def test_who_draws_the_same_a_second_time_writes_nothing() -> None:
    store = keep_failures(3)
    [one, *_] = store.failures.list_episodes(EpisodeQuery())

    first, second = (draw_lessons(store, find_pool(one), now=STARTED) for _ in range(2))

    assert [each.state for each in first.lessons] == [LessonState.CANDIDATE, LessonState.ACTIVE]
    assert second.lessons == ()


def test_what_is_drawn_at_once_is_what_going_through_everything_would_find() -> None:
    store = keep_failures(3)
    [one, *_] = store.failures.list_episodes(EpisodeQuery())
    draw_lessons(store, find_pool(one), now=STARTED)

    done = consolidate(store, now=STARTED)

    assert done.lessons == ()


def test_of_very_many_failures_of_a_kind_the_newest_are_read_and_no_count_is_written() -> None:
    store = keep_failures(MOST_OF_POOL + 50)
    [one, *_] = store.failures.list_episodes(EpisodeQuery())
    consolidate(store, now=STARTED)
    [before] = store.failures.list_lessons(LessonQuery())

    drawn = draw_lessons(store, find_pool(one), now=STARTED)

    [after] = store.failures.list_lessons(LessonQuery())
    assert drawn.episodes == MOST_OF_POOL
    assert after == before


def keep_failures(count: int) -> Store:
    """A store with failures of one kind, and no lesson."""
    learned = open_store("memory:")
    Shop(learned).fail_once(0)
    [one] = learned.failures.list_episodes(EpisodeQuery())
    store = open_store("memory:")
    store.failures.record(
        [replace(one, id=f"{number:032x}", turn=f"turn {number}") for number in range(count)]
    )
    return store


def test_everything_is_gone_through_once_a_day_of_the_store_whatever_the_process(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    batches: list[int] = []
    # Who closes waits for a moment and no longer, and on a slow machine the next goes on with it.
    monkeypatch.setattr("mulligan.app.memory.PATIENCE", math.inf)

    def count(store: Store, *, now: datetime, go_on: Callable[[], None]) -> object:
        batches.append(number)
        return consolidate(store, now=now, go_on=go_on)

    monkeypatch.setattr("mulligan.learning.consolidation.consolidate", count)
    url = f"sqlite:///{tmp_path}/shop.db"

    for number in range(5):
        shop = Shop(url)
        shop.fail_once(number)
        shop.m.close()
        if number == 2:
            a_day_passes(tmp_path / "shop.db")

    assert batches == [0, 3]


def a_day_passes(file: Path) -> None:
    """As the store sees it, whose clock is the database's."""
    with closing(sqlite3.connect(file)) as store, store:
        store.execute("update duty set done_us = done_us - 24 * 3600 * 1000000")


def test_a_process_at_its_end_leaves_the_rest_of_a_batch_to_the_next(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("mulligan.app.memory.PATIENCE", 0.0)
    monkeypatch.setattr("mulligan.learning.consolidation.PAGE", 1)
    url = f"sqlite:///{tmp_path}/shop.db"
    shop = Shop(url)

    shop.fail_once(1)

    shop.m.close()
    store = open_store(url)
    assert len(store.failures.list_episodes(EpisodeQuery())) == 1
    assert len(store.failures.list_lessons(LessonQuery())) == 1
    assert store.leader_locks.claim("consolidate", every=timedelta(hours=23))
    store.close()
