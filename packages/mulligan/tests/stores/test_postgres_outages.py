"""A Postgres server that restarts, drops connections or falls behind loses nothing in silence."""

from __future__ import annotations

import signal
import threading
import time
from datetime import timedelta

import psycopg
import pytest
from msgspec.structs import replace

from mulligan.stores.database import ConnectionLostError
from mulligan.stores.opening import open_store
from mulligan.stores.postgres.session import PostgresSession
from mulligan.stores.relational.committer import JournalCommitter
from mulligan.stores.relational.transaction import Transaction
from mulligan.types.action import Kept, State
from mulligan.types.errors import StaleEntryError, StoreDamagedError, StoreUnavailableError
from mulligan.types.log import Batch, LogQuery, roll_up
from mulligan_testing.postgres import start_again, start_server
from mulligan_testing.store_contract.contract import (
    NOW,
    make_first_entry,
    make_log_row,
    make_next_entry,
)
from tests.stores.ways import count_ways

pytestmark = pytest.mark.full

TIMEOUT = timedelta(seconds=5)
CUT = """
select pg_terminate_backend(pid) from pg_stat_activity
where datname = current_database() and pid <> pg_backend_pid()
"""


@pytest.fixture
def store(postgres_url):
    store = open_store(postgres_url)
    yield store
    store.close()


@pytest.fixture
def server():
    """A server of the test's own, to be killed."""
    server = start_server()
    yield server
    server.stop()


def cut_connections(url: str) -> None:
    with psycopg.connect(url, autocommit=True) as connection:
        connection.execute(CUT)


def test_connections_cut_again_and_again_lose_and_double_nothing(store, postgres_url) -> None:
    stop = threading.Event()

    def cut() -> None:
        while not stop.wait(0.1):
            cut_connections(postgres_url)

    rows = [make_log_row(number) for number in range(300)]
    cutter = threading.Thread(target=cut)
    cutter.start()
    try:
        for number, row in enumerate(rows):
            store.journal.submit([make_first_entry(f"a{number:03}")]).result()
            _write_patiently(store, row)
    finally:
        stop.set()
        cutter.join()

    opened = [action.id for action in store.journal.list_open_actions(limit=1000)]
    assert opened == [f"a{number:03}" for number in range(300)]
    assert store.journal.verify() == []
    assert store.log.list_rows(LogQuery(limit=1000, oldest_first=True)) == rows
    assert store.log.read_rollups(since=NOW, until=NOW) == roll_up(rows)


def _write_patiently(store, row) -> None:
    """As the log's own writer does: a batch that failed is written again."""
    while True:
        try:
            store.log.write(Batch(rows=[row], rollups=roll_up([row])))
        except ConnectionLostError:
            continue
        return


def test_a_server_that_crashes_and_restarts_is_waited_for(server) -> None:
    store = open_store(server.build_url("postgres"), timeout=timedelta(seconds=20))
    for crash in range(2):
        store.journal.submit([make_first_entry(f"before{crash}")]).result()
        kill(server)
        answers = [
            store.journal.submit([make_first_entry(f"during{crash}-{n}")]) for n in range(20)
        ]
        start_again(server)
        assert all(answer.exception(30) is None for answer in answers)

    opened = {action.id for action in store.journal.list_open_actions(limit=1000)}
    assert len(opened) == 42
    assert store.journal.verify() == []
    store.close()


@pytest.mark.parametrize("others", [3])
def test_what_a_dying_server_had_not_synced_is_written_again(server, others) -> None:
    store = open_store(server.build_url("postgres"), timeout=timedelta(seconds=20))
    for crash in range(2):
        names = [f"{crash}-{number}" for number in range(others + 1)]
        for name in names:
            store.journal.submit([make_first_entry(name)]).result()
        for name in names:
            store.journal.submit([make_next_entry(name, State.EXECUTED, version=2)]).result()
        kill(server)
        start_again(server)
        damages = store.journal.verify()
        next_entry = make_next_entry(names[0], State.PENDING_REVIEW, version=3)

        assert store.journal.submit([next_entry]).exception(30) is None
        assert damages == []
        assert {store.journal.find_action(name).version for name in names[1:]} <= {2}
    assert store.journal.verify() == []
    store.close()


def test_what_was_acknowledged_is_on_the_disk_once_the_store_is_closed(server) -> None:
    url = server.build_url("postgres")
    store = open_store(url, timeout=timedelta(seconds=20))
    store.journal.submit([make_first_entry("a")]).result()
    store.journal.submit([make_next_entry("a", State.EXECUTED, version=2)]).result()
    store.close()
    kill(server)
    start_again(server)

    store = open_store(url, timeout=timedelta(seconds=20))
    assert store.journal.find_action("a").state is State.EXECUTED
    store.close()


def test_a_server_that_dies_does_not_let_two_have_what_is_one_writers(server) -> None:
    url, lease = server.build_url("postgres"), timedelta(seconds=3)
    store = open_store(url, lease=lease)
    other = open_store(url, lease=lease)
    other.journal.submit([make_first_entry("other's")]).result()
    store.journal.submit([make_first_entry("a")]).result()
    heard = time.monotonic()
    time.sleep(1.5)
    store.journal.submit([make_next_entry("a", State.EXECUTED, version=2)]).result()
    kill(server)
    start_again(server)
    time.sleep(max(0, heard + 3.1 - time.monotonic()))
    writer = store.journal.identify_writer()

    given_up = other.journal.find_dead_writers({writer})
    acts = store.journal._committer._lease.is_fresh()

    assert not (given_up and acts)
    assert not store.journal.holds_lease() or not given_up
    store.close()
    other.close()


def kill(server) -> None:
    """Hard: what was acknowledged and not synced is lost."""
    server.process.send_signal(signal.SIGQUIT)
    server.process.wait(120)


class Losing(PostgresSession):
    """Loses its connection at a commit, before or after the server has done it."""

    lose: str | None = None

    def begin_bundle(self, *, synced):
        return _Losing(self, super().begin_bundle(synced=synced))


class _Losing:
    def __init__(self, session, transaction) -> None:
        self.session, self.transaction = session, transaction

    def __enter__(self):
        return self.transaction.__enter__()

    def __exit__(self, *error):
        lose, Losing.lose = Losing.lose, None
        if lose == "before":
            self.session.close()
            lost = ConnectionLostError("lost before the commit")
            self.transaction.__exit__(type(lost), lost, None)
            raise lost
        self.transaction.__exit__(*error)
        if lose == "after":
            self.session.close()
            raise ConnectionLostError("lost after the commit")


@pytest.mark.parametrize("when", ["before", "after"])
def test_a_commit_whose_answer_is_lost_is_done_exactly_once(store, postgres_url, when) -> None:
    committer = JournalCommitter(lambda: Losing(postgres_url, timeout=TIMEOUT), timeout=TIMEOUT)
    store.journal._committer = committer
    store.journal.submit([make_first_entry("first")]).result()

    Losing.lose = when
    store.journal.submit([make_first_entry("ambiguous")]).result()
    store.journal.submit([make_next_entry("ambiguous", State.EXECUTED, version=2)]).result()

    assert Losing.lose is None
    assert len(store.journal.list_entries("ambiguous")) == 2
    assert committer.head.seq == 3
    assert store.journal.verify() == []
    committer.close()


@pytest.mark.parametrize("then", ["before", "after", None])
def test_after_a_commit_of_which_nobody_heard_the_next_is_told_only_what_is_so(
    store, postgres_url, then
) -> None:
    away = False

    def connect() -> Losing:
        if away:
            raise StoreUnavailableError("The server is away.")
        return Losing(postgres_url, timeout=TIMEOUT)

    committer = JournalCommitter(connect, timeout=TIMEOUT)
    store.journal._committer = committer
    store.journal.submit([make_first_entry("first")]).result()

    Losing.lose, away = "after", True
    unheard = store.journal.submit([make_first_entry("unheard")]).exception()
    away, Losing.lose = False, then
    store.journal.submit([make_first_entry("next")]).result()
    store.journal.submit([make_first_entry("last")]).result()

    assert isinstance(unheard, StoreUnavailableError)
    assert len(store.journal.list_entries("unheard")) == 1
    assert len(store.journal.list_entries("next")) == 1
    assert committer.head.seq == 4
    assert store.journal.verify() == []
    committer.close()


@pytest.mark.parametrize("fails_first", [False, True])
def test_a_commit_that_is_broken_off_leaves_a_journal_that_goes_on(store, fails_first) -> None:
    tries = 0

    def break_off(transaction: Transaction) -> None:
        nonlocal tries
        tries += 1
        if fails_first and tries == 1:
            raise ValueError("so that it is done apart")
        transaction.session.run_later("beat", writer=transaction.head.writer)
        # As if in the middle of a statement: its answer is never taken.
        transaction.session.connection.pgconn.send_query_params(b"select 1", [])
        raise KeyboardInterrupt

    store.journal.submit([make_first_entry("before")]).result()

    broken_off = store.journal._committer.submit(break_off).exception()

    assert isinstance(broken_off, KeyboardInterrupt)
    assert store.journal.submit([make_first_entry("after")]).exception() is None
    assert store.journal.verify() == []


def test_a_fail_over_that_lost_our_tail_is_noticed_and_can_be_accepted(store, postgres_url) -> None:
    store.journal.submit([make_first_entry("kept")]).result()
    with psycopg.connect(postgres_url) as connection:
        before = connection.execute("select id, commits, seq, hash from mulligan.writer").fetchone()
    store.journal.submit([make_first_entry("lost")]).result()
    with psycopg.connect(postgres_url) as connection:
        connection.execute("delete from mulligan.entry where action = 'lost'")
        connection.execute("delete from mulligan.action where id = 'lost'")
        connection.execute(
            "update mulligan.writer set commits = %s, seq = %s, hash = %s where id = %s",
            (*before[1:], before[0]),
        )

    error = store.journal.submit([make_first_entry("next")]).exception()
    damages = store.journal.verify()
    accepted = store.journal.accept_damage("the replica was behind")

    assert isinstance(error, StoreDamagedError)
    assert "accept-damage" in str(error)
    assert [damage.seq for damage in damages] == [2]
    assert "1 entry is lost" in damages[0].what
    assert accepted == 1
    assert store.journal.submit([make_first_entry("next")]).exception() is None
    assert store.journal.verify() == []


def test_two_workers_that_lock_in_opposite_order_both_finish(postgres_url) -> None:
    stores = [open_store(postgres_url) for _ in range(2)]
    for name in ("x", "y"):
        stores[0].journal.submit([make_first_entry(name)]).result()
    answers = []
    for version in range(2, 42):
        forth = [make_next_entry(name, State.UNKNOWN, version=version) for name in ("x", "y")]
        answers += [stores[0].journal.submit(forth), stores[1].journal.submit(forth[::-1])]

    won = [answer.exception() is None for answer in answers]

    assert len(stores[0].journal.list_entries("x")) == sum(won) + 1
    assert len(stores[0].journal.list_entries("y")) == sum(won) + 1
    assert stores[0].journal.verify() == []
    for store in stores:
        store.close()


def test_a_connection_that_is_lost_in_a_commit_is_nobody_elses_news(
    store, postgres_url, caplog
) -> None:
    def lose(transaction: Transaction) -> None:
        if not lost:
            lost.append(True)
            cut_connections(postgres_url)
        transaction.session.run("beat", writer="nobody")

    lost: list[bool] = []
    store.journal.submit([make_first_entry("a")]).result()
    store.journal._committer.submit(lose).result()

    assert lost == [True]
    assert [each for each in caplog.records if each.name == "psycopg"] == []


@pytest.mark.usefixtures("many_files")
@pytest.mark.parametrize("fails", [False, True])
def test_what_a_slow_server_has_no_room_for_at_once_is_sent_later(
    postgres_url, tmp_path, fails
) -> None:
    large = replace(make_first_entry("a"), detail={"x": "." * 3_000_000})
    stale = make_next_entry("nobody", State.EXECUTED, version=2)

    with count_ways(postgres_url, tmp_path, lag=0.01) as (url, _):
        store = open_store(url)
        store.journal.submit([make_first_entry("first")]).result()
        written = store.journal.submit([*([stale] if fails else []), large])
        failure = written.exception(timeout=60)
        found = store.journal.list_entries("a")
        store.close()

    assert isinstance(failure, StaleEntryError) if fails else failure is None
    assert found == ([] if fails else [large])


def test_an_intent_and_its_snapshot_are_on_two_ways_to_the_server(postgres_url, tmp_path) -> None:
    with count_ways(postgres_url, tmp_path) as (url, ways):
        store = open_store(url)
        store.journal.submit([make_first_entry("a0")]).result()
        before = ways.copy()
        for number in range(1, 6):
            kept = Kept(owner=f"a{number}", name="before", value=b"{}")
            store.journal.submit([make_first_entry(f"a{number}")], keep=[kept]).result()
        for number in range(1, 6):
            executed = make_next_entry(f"a{number}", State.EXECUTED, version=2)
            store.journal.submit([executed]).result()
        after = ways.copy()
        store.close()

    # All that is written, then that it counts: of each of ten commits.
    assert (after - before).total() == 20
