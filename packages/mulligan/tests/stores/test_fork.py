from __future__ import annotations

import subprocess
import sys
import threading

from mulligan.stores.process import Undisturbed


def test_a_fork_waits_for_work_under_way_and_new_work_waits_for_the_fork() -> None:
    block, working, done = Undisturbed(), threading.Event(), threading.Event()
    order: list[str] = []

    def work() -> None:
        with block:
            working.set()
            done.wait(5)
            order.append("worked")

    def go_on() -> None:
        with block:
            order.append("went on")

    threading.Thread(target=work, daemon=True).start()
    working.wait(5)
    threading.Timer(0.05, done.set).start()
    block.pause()
    order.append("forked")
    later = threading.Thread(target=go_on, daemon=True)
    later.start()
    order.append("over")
    block.go_on()
    later.join(5)

    assert order == ["worked", "forked", "over", "went on"]


def test_a_thread_that_forks_inside_a_block_does_not_wait_for_itself() -> None:
    block = Undisturbed()

    with block, block:
        block.pause()
        block.go_on()


FORKING = """
import os
from mulligan.stores.process import renew_after_fork

class Renewed:
    pid = 0
    def reset_after_fork(self):
        self.pid = os.getpid()

thing = Renewed()
renew_after_fork(thing)
child = os.fork()
if not child:
    os._exit(thing.pid == os.getpid())
print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), thing.pid)
"""


def test_a_child_starts_afresh_before_anything_else_runs_there() -> None:
    told = subprocess.run([sys.executable, "-c", FORKING], capture_output=True, text=True)

    assert told.stdout == "1 0\n", told.stderr
