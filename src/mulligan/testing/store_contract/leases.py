"""What a store must keep to when writers end, fall silent or come back."""

from __future__ import annotations

import signal
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager

from mulligan.core.action import State
from mulligan.core.interfaces import Store
from mulligan.testing.store_contract.contract import (
    PAUSED,
    Contract,
    make_first_entry,
    make_next_entry,
)
from mulligan.testing.store_contract.processes import TIMEOUT, run, start


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
        lines = run(self.opener, url, task="fork_and_close", count=1)

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
    child = start(opener, url, task="wait_in_action", count=lease_ms)
    try:
        assert child.stdout is not None
        yield child, child.stdout.readline().strip()
    finally:
        child.kill()
        child.communicate()
