"""Counts by the day: what they add up to is what the hours add up to, whatever is asked."""

from __future__ import annotations

import random
from datetime import timedelta

import pytest

from mulligan.stores.opening import open_store
from mulligan.stores.relational.rollups import HOURS, split_hours
from mulligan.types.failure import ErrorClass
from mulligan.types.interfaces import Store
from mulligan.types.lesson import Pattern
from mulligan.types.log import HOUR_US, Batch, PatternQuery, add_up, roll_up
from mulligan.types.values import to_us
from mulligan_testing.store_contract.contract import DAY, HOUR, NOW, make_failed_row, make_log_row
from tests.stores.logs import open_log

TABLES = ("select * from daily order by 1, 2, 3, 4, 5", "select * from pattern_day order by 1, 2")


@pytest.fixture
def store(url):
    opened = open_store(url)
    yield opened
    opened.close()


def fill(store: Store) -> None:
    """Calls of a week, and failures of three patterns."""
    chance = random.Random(5)
    rows = [
        (make_failed_row if chance.random() < 0.4 else make_log_row)(
            number,
            at=NOW - chance.randrange(7 * 24) * HOUR,
            tool=chance.choice(["a", "b"]),
            duration_us=chance.randrange(1, 10**6),
        )
        for number in range(400)
    ]
    patterns = {
        row.id: Pattern(
            fingerprint=f"f{chance.randrange(3)}",
            tool=row.tool,
            error_class=ErrorClass.RULE,
            template="tripped",
        )
        for row in rows
        if row.outcome == "failure"
    }
    for start in range(0, 400, 80):
        some = rows[start : start + 80]
        store.log.write(Batch(rows=some, rollups=roll_up(some), patterns=patterns))


def count_failures(store: Store, since, until) -> int:
    found = store.log.list_patterns(PatternQuery(since=since, until=until, limit=100))
    return sum(each.pattern.count for each in found)


def assert_days_are_those_of_hours(store: Store) -> None:
    chance = random.Random(6)
    for _ in range(40):
        until = NOW - chance.randrange(24 * 4) * HOUR
        since = until - chance.randrange(24 * 5) * HOUR
        hours = store.log.read_rollups(since=since, until=until)

        assert store.log.sum_rollups(since=since, until=until) == add_up(hours)
        failed = [count_failures(store, at, at) for at in list_hours(since, until)]
        assert count_failures(store, since, until) == sum(failed)


def list_hours(since, until):
    return [since + n * HOUR for n in range((until - since) // timedelta(hours=1) + 1)]


def test_what_days_add_up_to_is_what_hours_add_up_to(store) -> None:
    fill(store)

    assert_days_are_those_of_hours(store)


def test_a_day_that_is_cut_by_retention_has_what_is_left_of_its_hours(store, url) -> None:
    fill(store)

    store.log.prune(before=NOW - 3 * DAY + 5 * HOUR)

    assert_days_are_those_of_hours(store)
    oldest = to_us(NOW - 3 * DAY + 5 * HOUR, name="oldest") // HOUR_US // HOURS
    with open_log(url) as session:
        assert session.execute("select min(day) from daily") == [(oldest,)]
    store.log.prune(before=NOW + 3 * DAY)
    with open_log(url) as session:
        assert [session.execute(table) for table in TABLES] == [[], []]


@pytest.mark.parametrize("since", range(23, 50))
@pytest.mark.parametrize("length", [0, 1, 22, 23, 24, 25, 47, 48, 71])
def test_hours_are_split_into_whole_days_and_what_is_left(since: int, length: int) -> None:
    until = since + length
    part = split_hours(since, until)
    days = range(part["first_day"], part["last_day"] + 1)

    hours = [
        *range(part["since"], part["head"] + 1),
        *(hour for day in days for hour in range(day * 24, day * 24 + 24)),
        *range(part["tail"], part["until"] + 1),
    ]

    assert hours == list(range(since, until + 1))
