"""A writer that was given up is fenced off; duties and leases are one writer's at a time."""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Iterator
from datetime import timedelta

import psycopg
import pytest
from msgspec.structs import replace

from mulligan.stores import process
from mulligan.stores.opening import open_store
from mulligan.stores.process import (
    Lease,
    Life,
    ProcessIdentity,
    find_presence_caveats,
    identify_process,
    judge_process,
    read_uptime,
)
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


def measure_silence(store: Store, other: Store) -> float:
    writer = store.journal.identify_writer()
    found = {each.id: each.silent for each in other.check_health().writers}
    return found[writer].total_seconds()


def submit(store: Store, *entries) -> BaseException | None:
    return store.journal.submit(entries).exception(60)


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


def test_a_sign_of_life_brings_nobody_back(store, other) -> None:
    writer = give_up(store, other)

    store.journal.beat()
    store.journal.beat()

    assert not store.journal.holds_lease()
    assert other.journal.find_dead_writers([writer]) == {writer}


def test_who_was_silent_and_was_not_given_up_may_act(store, other) -> None:
    fall_silent()
    began = time.monotonic()

    held = store.journal.holds_lease()
    silent = measure_silence(store, other)

    assert held
    assert silent < time.monotonic() - began + 0.1


def test_every_entry_is_a_sign_of_life(store, other) -> None:
    for number in range(2):
        fall_silent()
        began = time.monotonic()

        submit(store, make_first_entry(f"b{number}"))
        silent = measure_silence(store, other)

        assert silent < time.monotonic() - began + 0.1


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
    """Two transactions that touch the writer at once."""

    @pytest.fixture
    def url(self, postgres_url) -> str:
        return postgres_url

    def test_who_is_about_to_write_is_not_waited_for_and_not_given_up(
        self, store, other, url
    ) -> None:
        writer = store.journal.identify_writer()
        fall_silent()
        with psycopg.connect(url) as connection:
            connection.execute(
                f"update mulligan.writer set heard_us = {NOW_US} + 60000000 where id = %s",
                [writer],
            )
            # One that stands still within its transaction keeps nobody from recovering others.
            found = other.journal.find_dead_writers([writer])
            connection.commit()

        assert found == set()
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
            refused = answer.exception(60)

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


class Hand:
    """A clock that stands until it is moved."""

    at = 100.0

    def __call__(self) -> float:
        return self.at


def test_a_lease_counts_from_before_the_store_was_told_and_ends_before_others_may_act() -> None:
    clock = Hand()
    lease = Lease(timedelta(seconds=10), read_clock=clock)
    unheard = lease.is_fresh()
    begun = lease.begin()
    clock.at += 3
    lease.renew(begun)

    fresh = []
    for passed in (0, 5.9, 0.2):
        clock.at += passed
        fresh.append(lease.is_fresh())

    assert not unheard
    assert fresh == [True, True, False]


def test_the_clock_of_a_lease_counts_the_time_a_machine_sleeps() -> None:
    expected = getattr(time, "CLOCK_BOOTTIME", time.CLOCK_MONOTONIC)

    before, now, after = time.clock_gettime(expected), read_uptime(), time.clock_gettime(expected)

    assert before <= now <= after


HERE = identify_process()
ELSEWHERE = replace(HERE, machine="elsewhere")
EARLIER = replace(HERE, started="1")
ANOTHER = replace(HERE, pid=os.getppid(), started="another")


@pytest.mark.parametrize(
    ("process", "silent", "life"),
    [
        (HERE, True, Life.LIVES),
        (EARLIER, False, Life.GONE),
        (ELSEWHERE, False, Life.LIVES),
        (ELSEWHERE, True, Life.SILENT),
    ],
    ids=["here", "its number is another's now", "elsewhere", "elsewhere and silent"],
)
def test_a_process_here_is_seen_and_elsewhere_only_silence_tells(process, silent, life) -> None:
    assert judge_process(process, silent=silent, seen_from=HERE) is life


def test_where_processes_are_not_trusted_one_that_hangs_here_is_silent_too() -> None:
    life = judge_process(HERE, silent=True, seen_from=HERE, trust_processes=False)

    assert life is Life.SILENT


@pytest.mark.parametrize(
    ("writer", "silent", "life"),
    [
        (ANOTHER, False, Life.LIVES),
        (ANOTHER, True, Life.SILENT),
        (EARLIER, True, Life.SILENT),
        (HERE, True, Life.LIVES),
    ],
)
def test_where_the_system_does_not_list_processes_only_silence_tells(
    monkeypatch, writer, silent, life
) -> None:
    monkeypatch.setattr(process, "_SEES_PROCESSES", False)
    monkeypatch.setattr(os, "kill", lambda *_: pytest.fail("a signal may end a process there"))

    assert judge_process(writer, silent=silent, seen_from=HERE) is life


def test_a_process_that_ended_is_gone_even_before_its_parent_has_noticed() -> None:
    reading, writing = os.pipe()
    child = os.fork()
    if not child:
        os.write(writing, identify_process().started.encode())
        os._exit(0)
    started = os.read(reading, 100).decode()
    os.waitid(os.P_PID, child, os.WEXITED | os.WNOWAIT)
    process = ProcessIdentity(machine=identify_process().machine, pid=child, started=started)

    life = judge_process(process, silent=False, seen_from=identify_process())

    os.waitpid(child, 0)
    assert life is Life.GONE


def test_what_the_system_does_not_say_is_one_sentence(monkeypatch, tmp_path) -> None:
    monkeypatch.setattr(process, "_STAT", tmp_path / "nothing")
    [began] = find_presence_caveats()
    monkeypatch.setattr(process, "_SEES_PROCESSES", False)
    [runs] = find_presence_caveats()
    [sooner] = find_presence_caveats(timedelta(seconds=5))

    assert "when a process began" in began
    assert "30 seconds without a sign of life" in runs
    assert "5 seconds without" in sooner


AT_ONCE = timedelta()


@pytest.fixture
def stores(url: str) -> Iterator[tuple[Store, Store]]:
    pair = open_store(url), open_store(url)
    yield pair
    for store in pair:
        store.close()


def test_one_at_a_time_and_again_only_after_its_time(stores) -> None:
    one, other = stores

    assert one.leader_locks.claim("sweep", every=HOUR)
    assert not other.leader_locks.claim("sweep", every=AT_ONCE)
    assert other.leader_locks.claim("consolidate", every=HOUR)
    one.leader_locks.finish("sweep", done=True)
    assert not other.leader_locks.claim("sweep", every=HOUR)
    assert other.leader_locks.claim("sweep", every=AT_ONCE)


def test_what_was_not_done_is_anybodys_at_once(stores) -> None:
    one, other = stores
    assert one.leader_locks.claim("sweep", every=HOUR)

    one.leader_locks.finish("sweep", done=False)

    assert other.leader_locks.claim("sweep", every=HOUR)


def test_who_is_gone_has_no_duties_any_more(stores) -> None:
    one, other = stores
    assert one.leader_locks.claim("sweep", every=HOUR)

    one.close()

    assert other.leader_locks.claim("sweep", every=HOUR)


def test_who_lost_a_duty_does_not_end_it_for_another(stores) -> None:
    one, other = stores
    assert one.leader_locks.claim("sweep", every=HOUR)

    other.leader_locks.finish("sweep", done=True)

    assert not other.leader_locks.claim("sweep", every=AT_ONCE)


def test_of_many_that_ask_at_once_one_has_it(url) -> None:
    stores = [open_store(url) for _ in range(4)]
    for store in stores:
        store.journal.identify_writer()
    together, had = threading.Barrier(4), []

    def ask(store: Store) -> None:
        together.wait(60)
        had.append(store.leader_locks.claim("sweep", every=HOUR))

    threads = [threading.Thread(target=ask, args=(store,)) for store in stores]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    for store in stores:
        store.close()

    assert sorted(had) == [False, False, False, True]
