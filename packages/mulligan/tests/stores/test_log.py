"""A log that several processes write, pack and prune at once: nothing lost, nothing twice."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import timedelta

import pytest

from mulligan.stores.opening import open_store
from mulligan.stores.relational import log, rollups
from mulligan.stores.relational import rollups as text_hours
from mulligan.types.interfaces import Store
from mulligan.types.log import RATED, REPLY_SETTLED, Batch, LogQuery, TextMeasure, add_up, roll_up
from mulligan_testing.store_contract.contract import DAY, HOUR, NOW, make_failed_row, make_log_row
from mulligan_testing.store_contract.logs import make_step, read_counts
from tests.stores.beside import Interruption

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


def test_rows_that_two_prune_out_of_one_batch_are_there_once(store, other, meanwhile) -> None:
    rows = [make_log_row(n, at=NOW + n * HOUR) for n in range(5)]
    write(store, *rows)
    store.log.compress(before=NOW + DAY)
    later = rows[3].at_us
    meanwhile.before(log, "unpack", lambda: other.log.prune(before=NOW + 3 * HOUR))

    store.log.prune(before=NOW + 1 * HOUR)

    assert len(meanwhile.finish()) == 1
    assert store.log.list_rows(ALL) == [row for row in rows if row.at_us >= later]
    assert store.log.count() == 2


def test_a_call_that_comes_while_its_day_is_cut_counts_once_in_it(store, other, meanwhile) -> None:
    write(store, *(make_log_row(n, at=MIDNIGHT + n * HOUR) for n in range(20)))
    new = make_log_row(50, at=MIDNIGHT + 20 * HOUR, tool="a tool that nobody has called that day")
    meanwhile.before(rollups, "_decode_all", lambda: write(other, new))

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
    meanwhile.after(text_hours, "roll_up_thumbs", lambda: write(other, two))

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
