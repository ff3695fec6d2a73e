from __future__ import annotations

import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor

import pytest

from mulligan.stores.opening import open_store
from mulligan.types.action import ActionQuery, Kept
from mulligan.types.log import Batch, LogQuery
from mulligan_testing.store_contract import (
    ArchiveContract,
    EpisodeContract,
    JournalContract,
    LessonContract,
    LifeContract,
    LogContract,
    TextContract,
    VaultContract,
)
from mulligan_testing.store_contract.contract import make_first_entry, make_log_row


class InMemory:
    @pytest.fixture
    def url(self):
        return "memory:"


class TestJournal(InMemory, JournalContract):
    pass


class TestVault(InMemory, VaultContract):
    pass


class TestLog(InMemory, LogContract):
    pass


class TestTexts(InMemory, TextContract):
    pass


class TestArchive(InMemory, ArchiveContract):
    pass


class TestEpisodes(InMemory, EpisodeContract):
    pass


class TestLessons(InMemory, LessonContract):
    pass


class TestLife(InMemory, LifeContract):
    def count_connections(self, url):
        return 0


def test_two_stores_know_nothing_of_each_other():
    one, other = open_store("memory:"), open_store("memory:")

    one.journal.submit([make_first_entry("a")]).result()

    assert one.journal.find_action("a")
    assert other.journal.find_action("a") is None


def test_what_a_closed_store_held_can_still_be_read():
    store = open_store("memory:")
    store.journal.submit([make_first_entry("a")]).result()

    store.close()

    assert store.journal.find_action("a")
    assert store.check_health().open_actions == 1


def test_threads_write_and_read_at_once():
    store = open_store("memory:")

    def work(thread: int) -> None:
        for number in range(40):
            name = f"{thread}-{number}"
            kept = Kept(owner=name, name="x", value=name.encode())
            store.journal.submit([make_first_entry(name)], keep=[kept]).result()
            store.log.write(Batch(rows=[make_log_row(thread * 40 + number)]))
            assert store.vault.get(name, "x") == name.encode()
            store.journal.verify()
            store.journal.list_actions(ActionQuery(limit=5))

    with ThreadPoolExecutor(8) as threads:
        list(threads.map(work, range(8)))

    assert len(store.journal.list_open_actions(limit=1_000)) == 320
    assert len(store.log.list_rows(LogQuery(limit=1_000))) == 320
    assert store.journal.verify() == []


FORKING = """
import os, threading
from mulligan.stores.opening import open_store
from mulligan_testing.store_contract.contract import make_first_entry, make_log_row
from mulligan.types.log import Batch

store, going_on = open_store("memory:"), True

def write():
    number = 0
    while going_on:
        number += 1
        store.journal.submit([make_first_entry(f"w{number}")]).result()
        store.log.write(Batch(rows=[make_log_row(number)]))

store.journal.submit([make_first_entry("before")]).result()
writing = threading.Thread(target=write, daemon=True)
writing.start()
mine = store.journal.identify_writer()
for number in range(20):
    child = os.fork()
    if not child:
        store.journal.submit([make_first_entry("of a child")]).result()
        store.log.write(Batch(rows=[make_log_row(10**6)]))
        own = store.journal.identify_writer()
        sound = store.journal.verify() == [] and store.journal.find_action("before")
        left = store.journal.find_dead_writers({mine, own}) == set()
        os._exit(0 if own != mine and sound and left else 1)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0, number
going_on = False
writing.join()
assert store.journal.find_action("of a child") is None
assert store.journal.verify() == []
assert store.journal.identify_writer() == mine
print("done")
"""


def test_a_fork_has_a_copy_and_leaves_what_its_parent_has_begun_to_it():
    told = subprocess.run(
        [sys.executable, "-c", FORKING], capture_output=True, text=True, timeout=60
    )

    assert told.stdout == "done\n", told.stderr
