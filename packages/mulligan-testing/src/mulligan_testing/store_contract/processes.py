"""What a durable store must keep to across processes, also when one is killed.

And when writers end, fall silent or come back.
"""

from __future__ import annotations

import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager

from mulligan.types.action import State
from mulligan.types.interfaces import Store
from mulligan.types.lesson import LessonQuery
from mulligan.types.log import LogQuery
from mulligan_testing.store_contract.contract import (
    DAY,
    NOW,
    PAUSED,
    Contract,
    make_first_entry,
    make_next_entry,
)
from mulligan_testing.store_contract.task_versions import GROUND, make_notes

TIMEOUT = 60


class ProcessContract(Contract):
    """Only for stores that outlive their process."""

    def test_everything_is_there_after_opening_again(self, url: str) -> None:
        """The journal, the vault, the log and the secret."""
        run_child(self.opener, url, task="write", count=5)
        store = self.open(url)
        secret = store.load_secret()
        store.close()

        again = self.open(url)

        assert len(again.journal.list_open_actions()) == 5
        assert len(again.log.list_rows(LogQuery())) == 5
        assert again.load_secret() == secret
        assert again.journal.verify() == []
        again.close()

    def test_two_processes_write_at_once(self, store: Store, url: str) -> None:
        """Everything of both is there, each in a chain of its own."""
        children = [start_child(self.opener, url, task="write", count=60) for _ in range(2)]

        acknowledged = [line for child in children for line in finish_child(child)]

        opened = {action.id for action in store.journal.list_open_actions(limit=1000)}
        assert len(acknowledged) == 120
        assert opened == set(acknowledged)
        assert len(store.log.list_rows(LogQuery(limit=1000))) == 120
        counted = store.log.read_rollups(since=NOW - DAY, until=NOW + DAY)
        assert sum(counts.calls for counts in counted.values()) == 120
        assert store.journal.verify() == []

    def test_of_two_processes_that_move_an_action_one_wins(self, store: Store, url: str) -> None:
        """Version by version."""
        children = [start_child(self.opener, url, task="race", count=30) for _ in range(2)]

        won = [line for child in children for line in finish_child(child)]

        assert sorted(won, key=int) == [str(version) for version in range(2, 32)]
        assert len(store.journal.list_entries("raced")) == 31
        assert store.journal.verify() == []

    def test_two_processes_that_learn_at_once_lose_no_version(self, store: Store, url: str) -> None:
        """Nor do they double one; the runs of both are counted, each once."""
        store.task_versions.append(make_notes(0))
        children = [start_child(self.opener, url, task="learn", count=500) for _ in range(2)]

        written = [line for child in children for line in finish_child(child, timeout=600)]

        found = store.task_versions.list_versions("weekly-report", tenant="home")
        assert [version.version for version in found] == list(range(1000, -1, -1))
        assert [version.model for version in found[-2::-1]] == sorted(written, key=_parse_version)
        [card] = store.task_versions.list_scorecards(GROUND)
        assert (card.runs, card.scored, card.score) == (1000, 1000, 500.0)

    def test_two_processes_that_draw_lessons_lose_no_version(self, store: Store, url: str) -> None:
        """Nor do they double one; what both saw counts once."""
        children = [start_child(self.opener, url, task="draw_lessons", count=200) for _ in range(2)]

        written = [line for child in children for line in finish_child(child, timeout=600)]

        found = store.failures.list_lesson_versions("l1")
        assert [lesson.version for lesson in found] == list(range(1, 401))
        assert [lesson.batch for lesson in found] == sorted(written, key=_parse_version)
        assert store.failures.list_lessons(LessonQuery(text="order")) == [found[-1]]
        assert list(store.failures.count_episodes(since=NOW.date()).values()) == [600]
        assert len(store.failures.list_uses("l1")) == 600

    def test_a_killed_writer_loses_nothing_it_was_told_is_safe(self, url: str) -> None:
        """SIGKILL in the middle of a stream of entries."""
        child = start_child(self.opener, url, task="write", count=100000)
        assert child.stdout is not None
        acknowledged = [child.stdout.readline().strip() for _ in range(40)]
        child.send_signal(signal.SIGKILL)
        acknowledged += [line.strip() for line in child.stdout if line.endswith("\n")]
        child.wait(TIMEOUT)
        child.stdout.close()

        store = self.open(url)

        opened = {action.id: action for action in store.journal.list_open_actions(limit=100_000)}
        assert set(acknowledged) <= set(opened)
        assert all(store.vault.get(action, "before") == action.encode() for action in opened)
        assert store.journal.verify() == []
        assert store.check_health().problems == ()
        store.close()

    def test_a_writer_is_gone_with_its_process(self, store: Store, url: str) -> None:
        """A killed writer is gone at once; a living one is not, and neither are we."""
        child = start_child(self.opener, url, task="write", count=100000)
        assert child.stdout is not None
        action = store.journal.find_action(child.stdout.readline().strip())
        assert action is not None
        while_it_lives = store.journal.find_dead_writers(
            [action.writer, store.journal.identify_writer()]
        )
        child.kill()
        child.wait(TIMEOUT)
        child.stdout.close()

        gone = store.journal.find_dead_writers(
            [action.writer, store.journal.identify_writer(), "nobody"]
        )

        assert while_it_lives == set()
        assert gone == {action.writer, "nobody"}

    def test_a_fork_is_another_writer(self, url: str) -> None:
        """Parent and child go on, and neither spoils the other's chain."""
        run_child(self.opener, url, task="fork", count=10)

        store = self.open(url)

        opened = store.journal.list_open_actions(limit=100)
        assert len(opened) == 30
        assert {action.state for action in opened} == {State.INTENT}
        assert len(store.log.list_rows(LogQuery())) == 30
        assert store.journal.verify() == []
        store.close()

    def test_a_fork_while_others_write_can_write_at_once(self, url: str) -> None:
        """No lock of a thread that is not there stands in the child's way."""
        children = run_child(self.opener, url, task="fork_while_writing", count=10)

        store = self.open(url)

        assert len(children) == 10
        assert all(store.journal.find_action(action) for action in children)
        assert {row.id for row in store.log.list_rows(LogQuery(limit=100_000))} >= set(children)
        assert store.journal.verify() == []
        store.close()


def _parse_version(line: str) -> int:
    """The version that a child printed with its own mark."""
    return int(line.partition(":")[0])


def start_child(opener: str, url: str, *, task: str, count: int) -> subprocess.Popen[str]:
    """Start a process that does a task with the store and prints what was acknowledged."""
    child = [sys.executable, "-m", "mulligan_testing.store_contract.child"]
    return subprocess.Popen(  # noqa: S603 - our own interpreter and module
        [*child, opener, url, task, str(count)],
        stdin=subprocess.PIPE if task == "wait_in_action" else None,
        stdout=subprocess.PIPE,
        text=True,
    )


def finish_child(child: subprocess.Popen[str], *, timeout: int = TIMEOUT) -> list[str]:
    """Wait for a process, which must end well, and give what it printed."""
    output, _ = child.communicate(timeout=timeout)
    assert child.returncode == 0, output
    return output.split()


def run_child(opener: str, url: str, *, task: str, count: int) -> list[str]:
    """Do a task in another process, start to end."""
    return finish_child(start_child(opener, url, task=task, count=count))


class LeaseContract(Contract):
    """Only for stores that outlive their process."""

    def test_what_a_closed_store_left_open_is_anybodys_at_once(self, url: str) -> None:
        """Also in its own process; another store that is open there is another writer."""
        closed, other = self.open(url), self.open(url)
        closed.journal.submit([make_first_entry("left")]).result()
        writers = [closed.journal.identify_writer(), other.journal.identify_writer()]
        while_open = other.journal.find_dead_writers(writers)

        closed.close()

        assert while_open == set()
        assert other.journal.find_dead_writers(writers) == {writers[0]}
        other.journal.submit([make_next_entry("left", State.UNKNOWN, version=2)]).result()
        other.close()

    def test_a_child_that_closes_its_store_does_not_end_its_parent(self, url: str) -> None:
        """Nor the other way round."""
        lines = run_child(self.opener, url, task="fork_and_close", count=1)

        store = self.open(url)

        assert lines == ["set()"]
        assert store.journal.verify() == []
        store.close()

    def test_who_was_given_up_is_told_before_it_acts(self, store: Store, url: str) -> None:
        """A process that is stopped in the middle of an action, and comes back after its lease.

        A store may leave a process alone that it can see is there. If it does not, the process
        knows before it acts, what it adds to the action is refused, and it goes on as another.
        """
        with pause_in_action(self.opener, url, lease_ms=1000) as (child, writer):
            time.sleep(1.5)
            while_it_beats = store.journal.find_dead_writers([writer])
            child.send_signal(signal.SIGSTOP)
            time.sleep(1.5)
            gone = store.journal.find_dead_writers([writer])
            if gone:
                entry = make_next_entry(PAUSED, State.NOT_EXECUTED, version=2)
                store.journal.submit([entry]).result()
            child.send_signal(signal.SIGCONT)
            output, _ = child.communicate("go on\n", timeout=TIMEOUT)

        told = "False False True True StaleEntryError" if gone else "True True True True NoneType"
        assert while_it_beats == set()
        assert output.split() == told.split()
        action = store.journal.find_action(PAUSED)
        assert action is not None
        assert action.state is (State.NOT_EXECUTED if gone else State.EXECUTED)
        assert store.journal.verify() == []


@contextmanager
def pause_in_action(
    opener: str, url: str, *, lease_ms: int
) -> Iterator[tuple[subprocess.Popen[str], str]]:
    """A process in the middle of an action that goes on when it is told to, and its writer."""
    child = start_child(opener, url, task="wait_in_action", count=lease_ms)
    try:
        assert child.stdout is not None
        yield child, child.stdout.readline().strip()
    finally:
        child.kill()
        child.communicate()
