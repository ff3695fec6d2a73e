"""A log that several processes write, pack and prune at once: nothing lost, nothing twice."""

from __future__ import annotations

import random
from collections.abc import Iterator
from contextlib import closing
from datetime import timedelta

import psycopg
import pytest

from mulligan.stores.opening import open_store
from mulligan.stores.relational import log
from mulligan.stores.relational.log import HOURS
from mulligan.types.action import Kept, State
from mulligan.types.failure import ErrorClass
from mulligan.types.interfaces import Store
from mulligan.types.lesson import Pattern
from mulligan.types.log import (
    HOUR_US,
    RATED,
    REPLY_SETTLED,
    Batch,
    LogQuery,
    PatternQuery,
    TextMeasure,
    add_up,
    roll_up,
)
from mulligan.types.values import to_us
from mulligan_testing.store_contract.contract import (
    DAY,
    HOUR,
    NOW,
    find_way,
    make_failed_row,
    make_log_row,
    walk,
)
from mulligan_testing.store_contract.logs import make_step, read_counts
from tests.stores.beside import SECONDS, Interruption, start_beside
from tests.stores.logs import open_log

ALL = LogQuery(oldest_first=True)

MIDNIGHT = NOW.replace(hour=0, minute=0, second=0, microsecond=0)


@pytest.fixture
def store(postgres_url: str) -> Iterator[Store]:
    opened = open_store(postgres_url)
    yield opened
    opened.close()


@pytest.fixture
def other(postgres_url: str) -> Iterator[Store]:
    opened = open_store(postgres_url)
    yield opened
    opened.close()


@pytest.fixture
def meanwhile(monkeypatch: pytest.MonkeyPatch, postgres_url: str) -> Interruption:
    return Interruption(monkeypatch, postgres_url)


def write(store: Store, *rows) -> None:
    store.log.write(Batch(rows=rows, rollups=roll_up(rows)))


def test_a_call_that_comes_while_its_day_is_cut_counts_once_in_it(store, other, meanwhile) -> None:
    write(store, *(make_log_row(n, at=MIDNIGHT + n * HOUR) for n in range(20)))
    new = make_log_row(50, at=MIDNIGHT + 20 * HOUR, tool="a tool that nobody has called that day")
    meanwhile.before(log, "_decode_all", lambda: write(other, new))

    store.log.prune(before=MIDNIGHT + 5 * HOUR)

    assert len(meanwhile.finish()) == 1
    day = {"since": MIDNIGHT, "until": MIDNIGHT + DAY - timedelta(seconds=1)}
    hours = store.log.read_rollups(**day)
    assert sum(counts.calls for counts in hours.values()) == 16
    assert store.log.sum_rollups(**day) == add_up(hours)


def test_of_two_thumbs_that_come_at_once_the_later_one_counts(store, other, meanwhile) -> None:
    reply = make_step(0, REPLY_SETTLED, rules=["r"], iterations=1)
    # Both have written such rows before, and have nothing else to wait for each other.
    write(store, reply, make_step(1, RATED, of="another", up=True))
    write(other, make_step(2, RATED, of="another", up=True))
    one, two = (make_step(n, RATED, of=reply.id, up=n == 4) for n in (3, 4))
    meanwhile.after(log, "roll_up_thumbs", lambda: write(other, two))

    write(store, one)

    assert len(meanwhile.finish()) == 1
    counts = read_counts(store).items()
    said = {slot.what: n for slot, n in counts if slot.name == "r" and n}
    assert said == {TextMeasure.LIKED: 1.0}


def test_a_call_that_two_try_again_at_once_is_retried_once(store, other, meanwhile) -> None:
    first = make_failed_row(0)
    write(store, first)
    two = make_failed_row(2, parent=first.id, try_number=2)
    three = make_failed_row(3, parent=first.id, try_number=3, agent="another")
    meanwhile.before(log, "roll_up_tries", lambda: write(other, three))

    write(store, two)

    assert len(meanwhile.finish()) == 1
    counted = store.log.read_rollups(since=NOW, until=NOW + DAY).values()
    assert sum(counts.retried for counts in counted) == 1


TABLES = ("select * from daily order by 1, 2, 3, 4, 5", "select * from pattern_day order by 1, 2")


@pytest.fixture
def counted(url):
    opened = open_store(url)
    yield opened
    opened.close()


def fill_week(counted: Store) -> None:
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
        counted.log.write(Batch(rows=some, rollups=roll_up(some), patterns=patterns))


def count_failures(counted: Store, since, until) -> int:
    found = counted.log.list_patterns(PatternQuery(since=since, until=until, limit=100))
    return sum(each.pattern.count for each in found)


def assert_days_are_those_of_hours(counted: Store) -> None:
    chance = random.Random(6)
    for _ in range(40):
        until = NOW - chance.randrange(24 * 4) * HOUR
        since = until - chance.randrange(24 * 5) * HOUR
        hours = counted.log.read_rollups(since=since, until=until)

        assert counted.log.sum_rollups(since=since, until=until) == add_up(hours)
        failed = [count_failures(counted, at, at) for at in list_hours(since, until)]
        assert count_failures(counted, since, until) == sum(failed)


def list_hours(since, until):
    return [since + n * HOUR for n in range((until - since) // timedelta(hours=1) + 1)]


def test_what_days_add_up_to_is_what_hours_add_up_to(counted) -> None:
    fill_week(counted)

    assert_days_are_those_of_hours(counted)


def test_a_day_that_is_cut_by_retention_has_what_is_left_of_its_hours(counted, url) -> None:
    fill_week(counted)

    counted.log.prune(before=NOW - 3 * DAY + 5 * HOUR)

    assert_days_are_those_of_hours(counted)
    oldest = to_us(NOW - 3 * DAY + 5 * HOUR, name="oldest") // HOUR_US // HOURS
    with open_log(url) as session:
        assert session.execute("select min(day) from daily") == [(oldest,)]
    counted.log.prune(before=NOW + 3 * DAY)
    with open_log(url) as session:
        assert [session.execute(table) for table in TABLES] == [[], []]


def test_an_action_that_is_settled_anew_while_others_are_forgotten_stays(postgres_url) -> None:
    with closing(open_store(postgres_url)) as store, psycopg.connect(postgres_url) as other:
        store.journal.submit(walk("a", find_way(State.VERIFIED))).result()
        later = to_us(NOW + 2 * DAY, name="later")
        other.execute("update mulligan.action set changed_us = %s", [later])

        pruning = start_beside(postgres_url, lambda: store.journal.prune(settled_before=NOW + DAY))
        other.commit()

        assert pruning.result(SECONDS) == 0
        assert other.execute("select id from mulligan.action").fetchall() == [("a",)]


def test_a_value_that_gets_a_later_end_while_others_are_shredded_stays(postgres_url) -> None:
    later = to_us(NOW + DAY, name="later")
    with (
        closing(open_store(postgres_url, clock=lambda: NOW + HOUR)) as store,
        psycopg.connect(postgres_url) as other,
    ):
        for owner in ("a", "b"):
            store.vault.put(Kept(owner=owner, name="before", value=b"raw", expires_at=NOW))
        other.execute("update mulligan.kept set expires_us = %s where owner = 'a'", [later])

        shredding = start_beside(postgres_url, lambda: store.vault.shred(now=NOW + HOUR))
        other.commit()

        assert shredding.result(SECONDS) == 1
        assert store.vault.get("a", "before") == b"raw"
