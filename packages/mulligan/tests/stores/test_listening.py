"""What one process writes for another is heard at once, also after the server was away."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from pathlib import Path

import psycopg
import pytest
from msgspec.structs import replace

from mulligan.stores.opening import open_store
from mulligan.types.action import Opening, State
from mulligan.types.effect import Effect
from mulligan.types.interfaces import Store
from mulligan_testing.store_contract.contract import make_first_entry, make_next_entry

IN_TIME = 20.0
A_MOMENT = 0.3


class Ear:
    """Counts what was heard."""

    def __init__(self) -> None:
        self.heard = threading.Semaphore(0)

    def __call__(self) -> None:
        self.heard.release()

    def hears(self, *, within: float = IN_TIME) -> bool:
        return self.heard.acquire(timeout=within)


@pytest.fixture
def store(postgres_url: str) -> Iterator[Store]:
    store = open_store(postgres_url)
    yield store
    store.close()


@pytest.fixture
def ear(store: Store) -> Iterator[Ear]:
    ear = Ear()
    end = store.listen(ear)
    # What was said while nobody listened: once, when the connection is up.
    assert ear.hears()
    yield ear
    end()
    end()


def hold(store: Store, name: str) -> None:
    opening = Opening(tool="send", effect=Effect.IRREVERSIBLE)
    store.journal.submit([make_first_entry(name, state=State.HELD, opening=opening)]).result()


def approve(store: Store, name: str) -> None:
    entry = make_next_entry(name, State.APPROVED, version=2)
    store.journal.submit([replace(entry, detail={"by": "Ann"})]).result()


def count_files() -> int:
    return len(list(Path("/proc/self/fd").iterdir()))


def test_a_decision_is_heard_and_everyday_entries_are_not(postgres_url, store, ear) -> None:
    other = open_store(postgres_url)

    hold(other, "a")
    quiet = not ear.hears(within=A_MOMENT)
    approve(other, "a")
    heard = ear.hears()
    other.close()

    assert quiet
    assert heard
    # Who leaves says so, as what it was at is anybody's now.
    assert ear.hears()


def test_after_its_connection_broke_it_hears_again(postgres_url, store, ear) -> None:
    with psycopg.connect(postgres_url, autocommit=True) as server:
        server.execute(
            "select pg_terminate_backend(pid) from pg_stat_activity "
            "where datname = current_database() and query = 'listen mulligan'"
        )

    # Once for what was said meanwhile, and then for what is said.
    assert ear.hears()
    hold(store, "a")
    approve(store, "a")
    assert ear.hears()


def test_it_leaves_no_thread_and_no_file_open(store) -> None:
    before = count_files()
    ear = Ear()

    end = store.listen(ear)
    assert ear.hears()
    end()

    assert "mulligan-listen" not in {thread.name for thread in threading.enumerate()}
    assert count_files() == before


def test_a_process_with_many_files_hears_it_too(many_files, ear: Ear, store: Store) -> None:
    hold(store, "a")
    approve(store, "a")

    assert ear.hears()
