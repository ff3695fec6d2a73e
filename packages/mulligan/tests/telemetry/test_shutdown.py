"""What survives the end of a process: run in real processes, on a real file."""

from __future__ import annotations

import signal
import subprocess
import sys
import textwrap
import time
from pathlib import Path

import pytest

from mulligan.stores.opening import open_store
from mulligan.types.log import LogQuery

PROGRAM = """
import os, signal, sys, time
from mulligan import Effect, Mulligan

m = Mulligan("sqlite:///" + sys.argv[1])

@m.tool(effect=Effect.READ)
def find(number: int) -> int:
    return number
"""


def start(body: str, folder: Path) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-c", PROGRAM + textwrap.dedent(body), str(folder / "log.db")],
        stdout=subprocess.PIPE,
        text=True,
    )


def stored(folder: Path) -> list[int]:
    """The numbers that reached the store."""
    store = open_store(f"sqlite:///{folder}/log.db")
    try:
        rows = store.log.list_rows(LogQuery(limit=1_000_000))
    finally:
        store.close()
    return sorted(int(row.parameters.removeprefix('{"number":').removesuffix("}")) for row in rows)


def finish(process: subprocess.Popen[str]) -> str:
    output, _ = process.communicate(timeout=60)
    return output


def test_an_ordinary_exit_loses_nothing(tmp_path: Path) -> None:
    process = start("for n in range(3000): find(n)", tmp_path)

    finish(process)

    assert stored(tmp_path) == list(range(3000))


def test_an_exception_that_ends_the_program_loses_nothing(tmp_path: Path) -> None:
    process = start("for n in range(100): find(n)\nraise SystemExit(3)", tmp_path)

    finish(process)

    assert process.returncode == 3
    assert stored(tmp_path) == list(range(100))


@pytest.mark.parametrize("calls", [1, 400, 5000])
def test_sigterm_loses_none_of_the_calls_made_before_it(tmp_path: Path, calls: int) -> None:
    body = f"""
    for n in range({calls}): find(n)
    print("ready", flush=True)
    while True: time.sleep(1)
    """
    process = start(body, tmp_path)
    assert process.stdout is not None
    process.stdout.readline()

    process.send_signal(signal.SIGTERM)
    finish(process)

    assert process.returncode == -signal.SIGTERM
    assert stored(tmp_path) == list(range(calls))


def test_sigterm_in_the_middle_of_calls_loses_none_that_was_reported(tmp_path: Path) -> None:
    body = """
    n = 0
    while True:
        find(n)
        print(n, flush=True)
        n += 1
    """
    process = start(body, tmp_path)
    assert process.stdout is not None
    reported = [process.stdout.readline() for _ in range(300)]

    process.send_signal(signal.SIGTERM)
    process.communicate(timeout=60)

    before = int(reported[-1])
    assert set(range(before + 1)) <= set(stored(tmp_path))


def test_a_host_with_plans_of_its_own_for_sigterm_keeps_them(tmp_path: Path) -> None:
    body = """
    def bye(*_):
        print("bye", flush=True)
        sys.exit(7)
    signal.signal(signal.SIGTERM, bye)
    for n in range(50): find(n)
    print("ready", flush=True)
    while True: time.sleep(1)
    """
    process = start(body, tmp_path)
    assert process.stdout is not None
    process.stdout.readline()

    process.send_signal(signal.SIGTERM)

    assert finish(process) == "bye\n"
    assert process.returncode == 7
    assert stored(tmp_path) == list(range(50))


def test_kill_costs_at_most_the_last_batch(tmp_path: Path) -> None:
    body = """
    for n in range(100_000):
        find(n)
        print(n, flush=True)
        time.sleep(0.0005)
    """
    process = start(body, tmp_path)
    assert process.stdout is not None
    end = time.monotonic() + 1.5
    last = 0
    while time.monotonic() < end:
        last = int(process.stdout.readline())

    process.kill()
    process.communicate(timeout=60)

    kept = stored(tmp_path)
    assert kept == list(range(len(kept)))
    assert last - len(kept) <= 512


def test_children_of_multiprocessing_keep_their_rows(tmp_path: Path) -> None:
    body = """
    import multiprocessing
    from concurrent.futures import ProcessPoolExecutor

    def work(first):
        for n in range(first, first + 20): find(n)

    fork = multiprocessing.get_context("fork")
    children = [fork.Process(target=work, args=(n * 20,)) for n in range(3)]
    for child in children: child.start()
    for child in children: child.join()
    with ProcessPoolExecutor(2, mp_context=fork) as pool: list(pool.map(find, range(60, 100)))
    """
    process = start(body, tmp_path)

    finish(process)

    assert stored(tmp_path) == list(range(100))


def test_a_call_from_a_signal_handler_does_not_lock_up(tmp_path: Path) -> None:
    body = """
    signal.signal(signal.SIGALRM, lambda *_: find(0))
    signal.setitimer(signal.ITIMER_REAL, 0.0005, 0.0005)
    for n in range(1, 3001): find(n)
    signal.setitimer(signal.ITIMER_REAL, 0)
    """
    process = start(body, tmp_path)

    finish(process)

    kept = stored(tmp_path)
    assert [n for n in kept if n] == list(range(1, 3001))


def test_a_fork_logs_its_own_calls_and_none_of_its_parents(tmp_path: Path) -> None:
    body = """
    for n in range(10): find(n)
    child = os.fork()
    if child == 0:
        for n in range(100, 110): find(n)
        m.close()
        os._exit(0)
    os.waitpid(child, 0)
    for n in range(10, 20): find(n)
    """
    process = start(body, tmp_path)

    finish(process)

    assert stored(tmp_path) == [*range(20), *range(100, 110)]
