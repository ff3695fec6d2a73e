"""The store in memory, and parts that every store shares."""

from __future__ import annotations

import json
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from importlib.resources import files

import pytest

from mulligan.stores.database import (
    ConnectionLostError,
    Pool,
    UnreadableError,
)
from mulligan.stores.dialects import SQLITE
from mulligan.stores.encoding import decode_tool
from mulligan.stores.opening import open_store
from mulligan.types.action import ActionQuery, Kept
from mulligan.types.errors import StoreUnavailableError
from mulligan.types.lesson import ErrorRule
from mulligan.types.log import Batch, LogQuery
from mulligan_testing.store_contract import (
    EpisodeContract,
    JournalContract,
    LessonContract,
    LifeContract,
    LogContract,
    TaskVersionContract,
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


class TestArchive(InMemory, TaskVersionContract):
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


@pytest.mark.full
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


@pytest.mark.full
def test_a_fork_has_a_copy_and_leaves_what_its_parent_has_begun_to_it():
    told = subprocess.run(
        [sys.executable, "-c", FORKING], capture_output=True, text=True, timeout=60
    )

    assert told.stdout == "done\n", told.stderr


class Line:
    """A connection that knows only whether it was closed or forgotten."""

    def __init__(self) -> None:
        self.closed = self.abandoned = False

    def close(self) -> None:
        self.closed = True

    def abandon(self) -> None:
        self.abandoned = True


class Lines:
    def __init__(self) -> None:
        self.opened: list[Line] = []

    def __call__(self) -> Line:
        self.opened.append(Line())
        return self.opened[-1]


def test_a_dead_connection_is_asked_about_once_more_over_a_new_one() -> None:
    lines = Lines()
    pool = Pool(lines)

    def question(line: Line) -> str:
        if line is lines.opened[0]:
            raise ConnectionLostError("gone")
        return "an answer"

    assert pool.read(question) == "an answer"
    assert [line.closed for line in lines.opened] == [True, False]


def test_what_is_lent_while_it_is_closed_is_closed_when_it_comes_back() -> None:
    lines = Lines()
    pool = Pool(lines)

    with pool.acquire_session():
        pool.close()
        assert not lines.opened[0].closed

    assert lines.opened[0].closed
    with pytest.raises(StoreUnavailableError, match="open it again"):
        pool.read(lambda line: None)


def test_a_rule_that_only_a_later_mulligan_understands_is_left_aside() -> None:
    rules = [{"says": "x", "error_class": "astral"}, {"says": "sold out", "pattern": "sold out"}]
    text = json.dumps(
        {"tool": "seats", "effect": "read", "repeat": "once", "mode": "auto", "error_rules": rules}
    )

    tool = decode_tool(text)

    assert tool.error_rules == (ErrorRule(says="sold out", pattern="sold out"),)


def test_damage_is_told_with_the_field_that_is_missing() -> None:
    with pytest.raises(
        UnreadableError, match=r"A declared tool .* missing required field `effect`"
    ):
        decode_tool(json.dumps({"tool": "seats"}))


FILES = sorted(
    each.name.removesuffix(".sql")
    for each in files("mulligan.stores").joinpath("sql").iterdir()
    if each.name.endswith(".sql")
)


@pytest.mark.parametrize("name", FILES)
def test_every_query_of_a_file_has_a_name_and_a_text(name: str) -> None:
    queries = SQLITE.load_queries(name)

    assert all(query and not query.endswith(";") for query in queries.values())
