"""A writer that was given up is fenced off, also when it comes back at the worst moment."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator
from datetime import timedelta

import psycopg
import pytest
from msgspec.structs import replace

from mulligan.stores.opening import open_store
from mulligan.stores.process import identify_process
from mulligan.types.action import State
from mulligan.types.errors import StaleEntryError
from mulligan.types.interfaces import Store
from mulligan_testing.store_contract.contract import NOW, make_first_entry, make_next_entry

IDENTIFY = "mulligan.stores.relational.committer.identify_process"
LEASE = timedelta(milliseconds=300)
HOUR = timedelta(hours=1)
NOW_US = "(extract(epoch from clock_timestamp()) * 1000000)::bigint"


@pytest.fixture
def other(url: str) -> Iterator[Store]:
    store = open_store(url)
    yield store
    store.close()


@pytest.fixture
def store(url: str, other: Store, monkeypatch) -> Iterator[Store]:
    """Its writer is on another machine, where only silence tells."""
    assert other.journal.identify_writer()
    here = replace(identify_process(), machine="elsewhere")
    monkeypatch.setattr(IDENTIFY, lambda: here)
    store = open_store(url, lease=LEASE)
    store.journal.submit([make_first_entry("a")]).result()
    yield store
    store.close()


def fall_silent() -> None:
    time.sleep(2 * LEASE.total_seconds())


def give_up(store: Store, other: Store) -> str:
    writer = store.journal.identify_writer()
    fall_silent()
    assert other.journal.find_dead_writers([writer]) == {writer}
    return writer


def submit(store: Store, *entries) -> BaseException | None:
    return store.journal.submit(entries).exception(10)


def test_who_was_given_up_is_told_and_goes_on_as_another(store, other) -> None:
    before = give_up(store, other)
    held = [store.journal.holds_lease(), store.journal.holds_lease("a")]

    refused = submit(store, make_next_entry("a", State.EXECUTED, version=2))
    begun = submit(store, make_first_entry("b"))

    assert held == [False, False]
    assert isinstance(refused, StaleEntryError)
    assert begun is None
    assert store.journal.identify_writer() != before
    assert store.journal.find_action("b").writer == store.journal.identify_writer()
    assert store.journal.holds_lease()
    assert store.journal.holds_lease("b")
    assert not store.journal.holds_lease("a")
    assert other.journal.verify() == []
    assert other.check_health().problems == ()


def test_a_batch_with_one_entry_of_who_was_given_up_is_refused_whole(store, other) -> None:
    give_up(store, other)

    refused = submit(store, make_first_entry("b"), make_next_entry("a", State.EXECUTED, version=2))

    assert isinstance(refused, StaleEntryError)
    assert store.journal.find_action("b") is None
    assert store.journal.find_action("a").version == 1


def test_what_it_left_is_anybodys_its_own_too_once_it_knows(store, other) -> None:
    give_up(store, other)
    submit(other, make_next_entry("a", State.UNKNOWN, version=2))

    late = submit(store, make_next_entry("a", State.EXECUTED, version=2))
    again = submit(store, make_next_entry("a", State.EXECUTED, version=3))

    assert isinstance(late, StaleEntryError)
    assert again is None


def test_after_one_refusal_it_may_take_up_its_own(store, other) -> None:
    give_up(store, other)

    entry = make_next_entry("a", State.UNKNOWN, version=2)
    answers = [submit(store, entry), submit(store, entry)]

    assert [type(answer) for answer in answers] == [StaleEntryError, type(None)]


def test_a_sign_of_life_brings_nobody_back(store, other) -> None:
    writer = give_up(store, other)

    store.journal.beat()
    store.journal.beat()

    assert not store.journal.holds_lease()
    assert other.journal.find_dead_writers([writer]) == {writer}


def test_who_was_silent_and_was_not_given_up_may_act(store, other) -> None:
    fall_silent()

    held = store.journal.holds_lease()

    assert held
    assert other.journal.find_dead_writers([store.journal.identify_writer()]) == set()


def test_every_entry_is_a_sign_of_life(store, other) -> None:
    for number in range(8):
        time.sleep(LEASE.total_seconds() / 4)
        submit(store, make_first_entry(f"b{number}"))

    gone = other.journal.find_dead_writers([store.journal.identify_writer()])

    assert gone == set()


def test_how_long_to_wait_is_the_word_of_the_one_that_is_waited_for(url, other, monkeypatch):
    here = replace(identify_process(), machine="elsewhere")
    monkeypatch.setattr(IDENTIFY, lambda: here)
    patient, hasty = open_store(url, lease=HOUR), open_store(url, lease=LEASE)
    writers = [store.journal.identify_writer() for store in (patient, hasty)]
    fall_silent()

    gone = hasty.journal.find_dead_writers(writers) | other.journal.find_dead_writers(writers)

    assert gone == {writers[1]}
    patient.close()
    hasty.close()


def test_a_store_that_is_closed_holds_nothing(store) -> None:
    fall_silent()
    store.close()

    assert not store.journal.holds_lease()


@pytest.mark.parametrize("ahead", [HOUR, -HOUR])
def test_the_clocks_of_hosts_do_not_matter(postgres_url, monkeypatch, ahead) -> None:
    now = time.time
    other = open_store(postgres_url)
    other.journal.identify_writer()
    monkeypatch.setattr(time, "time", lambda: now() + ahead.total_seconds())
    store = open_store(postgres_url, lease=timedelta(seconds=2), clock=lambda: NOW + ahead)
    submit(store, make_first_entry("a"))
    writer = store.journal.identify_writer()

    alive = other.journal.find_dead_writers([writer])
    time.sleep(2.2)
    gone = other.journal.find_dead_writers([writer])

    assert (alive, gone) == (set(), {writer})
    assert not store.journal.holds_lease()
    store.close()
    other.close()


class TestAtTheSameMoment:
    """Two transactions that touch the writer at once: one waits, and then sees the other."""

    @pytest.fixture
    def url(self, postgres_url) -> str:
        return postgres_url

    def test_a_sign_of_life_that_is_first_wins(self, store, other, url) -> None:
        writer = store.journal.identify_writer()
        fall_silent()
        with psycopg.connect(url) as connection:
            connection.execute(
                f"update mulligan.writer set heard_us = {NOW_US} where id = %s", [writer]
            )
            found: list[set[str]] = []
            looking = threading.Thread(
                target=lambda: found.append(other.journal.find_dead_writers([writer]))
            )
            looking.start()
            looking.join(0.2)
            waited = looking.is_alive()
            connection.commit()
            looking.join()

        assert waited
        assert found == [set()]
        assert store.journal.holds_lease("a")

    def test_an_entry_that_comes_second_is_refused(self, store, url) -> None:
        writer = store.journal.identify_writer()
        with psycopg.connect(url) as connection:
            connection.execute(
                f"update mulligan.writer set revoked_us = {NOW_US} where id = %s", [writer]
            )
            answer = store.journal.submit([make_next_entry("a", State.EXECUTED, version=2)])
            time.sleep(0.2)
            waited = not answer.done()
            connection.commit()
            refused = answer.exception(10)

        assert waited
        assert isinstance(refused, StaleEntryError)
        assert store.journal.find_action("a").version == 1
        assert store.journal.verify() == []


def test_who_writes_is_listed_and_a_look_gives_nobody_up(store: Store, other: Store) -> None:
    writer = store.journal.identify_writer()
    fall_silent()

    found = {each.id: each for each in other.check_health().writers}

    assert (found[writer].life, found[writer].lease) == ("silent", LEASE)
    assert found[writer].silent > LEASE
    assert found[other.journal.identify_writer()].life == "lives"
    assert store.journal.holds_lease()
