"""Processes that end and applications that are dropped: nothing is lost, nothing left behind."""

from __future__ import annotations

import asyncio
import gc
import os
import signal
import subprocess
import sys
import textwrap
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from mulligan import Effect, Mulligan, Standing
from mulligan.stores.opening import open_store
from mulligan.telemetry.shutdown import MOST_UNUSED, Closer, closer
from mulligan.types.log import LogQuery

pytestmark = pytest.mark.full

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


CHILDREN = """
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

FORK = """
for n in range(10): find(n)
child = os.fork()
if child == 0:
    for n in range(100, 110): find(n)
    m.close()
    os._exit(0)
os.waitpid(child, 0)
for n in range(10, 20): find(n)
"""


@pytest.mark.parametrize(
    ("body", "code", "numbers"),
    [
        ("for n in range(3000): find(n)", 0, range(3000)),
        ("for n in range(100): find(n)\nraise SystemExit(3)", 3, range(100)),
        (CHILDREN, 0, range(100)),
        (FORK, 0, [*range(20), *range(100, 110)]),
    ],
    ids=["an ordinary exit", "an exception", "children of multiprocessing", "a fork"],
)
def test_a_program_that_ends_loses_nothing_and_logs_nothing_twice(
    tmp_path: Path, body: str, code: int, numbers: range | list[int]
) -> None:
    process = start(body, tmp_path)

    finish(process)

    assert process.returncode == code
    assert stored(tmp_path) == list(numbers)


@pytest.mark.parametrize("calls", [1, 5000])
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
    for n in range(2_000): find(n)
    print("called", flush=True)
    while True: find(2_000)
    """
    process = start(body, tmp_path)
    assert process.stdout is not None
    process.stdout.readline()
    for _ in range(600):
        if len(stored(tmp_path)) >= 2_000 - 512:
            break
        time.sleep(0.1)

    process.kill()
    process.communicate(timeout=60)

    kept = stored(tmp_path)
    assert len(kept) >= 2_000 - 512
    assert kept[:2_000] == list(range(len(kept)))[:2_000]


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


FILES = Path("/proc/self/fd")

REQUESTS = int(os.environ.get("MULLIGAN_TEST_REQUESTS", "50"))

"""A thousand in the long form."""

MOST_THREADS, MOST_FILES = 160, 320

"""Of sixteen applications that nobody uses, and of what the tests themselves have."""

needs_proc = pytest.mark.skipif(not FILES.exists(), reason="this system does not list open files")


def count() -> tuple[int, int]:
    return threading.active_count(), len(list(FILES.iterdir()))


def count_at_last(before: tuple[int, int]) -> tuple[int, int]:
    """What is left once no pass of recovery is on its way any more, which holds its application."""
    for _ in range(200):
        gc.collect()
        closer.wait()
        left = count()
        if left[0] <= before[0] + 2 and left[1] <= before[1] + 2:
            break
        time.sleep(0.05)
    return left


@pytest.fixture(autouse=True)
def begins_with_nothing_left() -> Iterator[None]:
    gc.collect()
    closer.wait()
    yield
    gc.collect()
    closer.wait()


def declare(m: Mulligan, tasks: dict[str, int]) -> Callable[[str], str]:
    @m.tool(
        effect=Effect.REVERSIBLE,
        read=lambda record: tasks.get(record.result),
        undo=lambda record: tasks.pop(record.result),
    )
    def add(name: str) -> str:
        tasks[name] = 1
        return name

    return add


def serve(url: str) -> Standing:
    """One request of a program that opens what it needs, and forgets to close it."""
    m = Mulligan(url)
    add = declare(m, {})
    m.subscribe(lambda event: m.settings)  # as a subscriber may, it holds on to the application
    return m.act_sync("Add milk", lambda turn: add("milk")).standing


@needs_proc
def test_many_requests_with_one_each_leave_no_thread_and_no_file(tmp_path: Path) -> None:
    urls = [f"sqlite:///{tmp_path}/tasks.db", *["memory:"] * 9]
    before, halves = count(), []

    for _ in range(2):
        seen = []
        for number in range(REQUESTS // 2):
            serve(urls[number % len(urls)])
            seen.append(count())
        halves.append([max(each) for each in zip(*seen, strict=True)])

    (threads, files), (later_threads, later_files) = halves
    assert threads < MOST_THREADS
    assert files < MOST_FILES
    assert later_threads <= threads + 40
    assert later_files <= files + 80
    left = count_at_last(before)
    assert left[0] <= before[0] + 2
    assert left[1] <= before[1] + 2


@needs_proc
def test_requests_on_threads_and_on_one_event_loop_leave_nothing_either(tmp_path: Path) -> None:
    url = f"sqlite:///{tmp_path}/tasks.db"
    before = count()

    async def serve_async() -> None:
        m = Mulligan(url)
        add = declare(m, {})

        async def agent(turn: object) -> str:
            return add("milk")

        await m.act("Add milk", agent)

    async def serve_many() -> None:
        for _ in range(REQUESTS // 2):
            await serve_async()
        gc.collect()
        await asyncio.to_thread(closer.wait)

    with ThreadPoolExecutor(4) as pool:
        list(pool.map(serve, [url] * (REQUESTS // 2)))
    asyncio.run(serve_many())

    left = count_at_last(before)
    assert left[0] <= before[0] + 2
    assert left[1] <= before[1] + 2


def test_what_was_logged_is_stored_before_its_application_is_closed(tmp_path: Path) -> None:
    url = f"sqlite:///{tmp_path}/tasks.db"

    serve(url)
    store = open_store(url)
    for _ in range(200):  # a pass of recovery may hold the application for a while
        gc.collect()
        closer.wait()
        if stored := [row.tool for row in store.log.list_rows(LogQuery())]:
            break
        time.sleep(0.05)

    assert stored == ["add"]
    assert store.journal.find_dead_writers([store.journal.identify_writer()]) == set()
    store.close()


def test_a_tool_keeps_its_application_open(tmp_path: Path) -> None:
    def make() -> Callable[[str], str]:
        return declare(Mulligan(f"sqlite:///{tmp_path}/tasks.db"), {})

    add = make()
    gc.collect()
    closer.wait()

    assert add("milk") == "milk"


def test_a_turn_and_insights_keep_it_open_too(tmp_path: Path) -> None:
    turn = Mulligan(f"sqlite:///{tmp_path}/a.db").turn("Add milk")
    insights = Mulligan(f"sqlite:///{tmp_path}/b.db").insights
    gc.collect()
    closer.wait()

    with turn:
        pass
    assert insights.diagnose().health.open_actions == 0


def test_a_store_of_ones_own_is_not_closed_with_an_application_that_is_dropped() -> None:
    store = open_store("memory:")

    def serve_with_it() -> None:
        m = Mulligan(store)
        m.tool(len)([1])
        m.flush()

    serve_with_it()
    gc.collect()
    closer.wait()

    assert len(store.log.list_rows(LogQuery())) == 1
    store.close()


def test_programs_that_close_what_they_open_are_not_held_up_by_the_collector() -> None:
    class Owner:
        pass

    looked: list[int] = []

    def note(phase: str, info: dict[str, int]) -> None:
        if phase == "stop" and info["generation"] == 2:
            looked.append(len(owners))

    own, owners = Closer(), [Owner() for _ in range(2 * MOST_UNUSED + 1)]
    gc.disable()
    gc.callbacks.append(note)
    try:
        for each in owners:
            own.watch(each, []).detach()
        of_closed_ones = len(looked)
        for each in owners:
            own.watch(each, [])
    finally:
        gc.callbacks.remove(note)
        gc.enable()

    assert of_closed_ones == 0
    assert len(looked) == 2


def test_what_cannot_be_closed_stands_in_no_others_way(caplog: pytest.LogCaptureFixture) -> None:
    class Owner:
        pass

    def fail() -> None:
        raise OSError("s3cret")

    own, closed, owner = Closer(), threading.Event(), Owner()
    own.watch(owner, [fail, closed.set])

    del owner
    gc.collect()

    assert closed.wait(60)
    assert own.wait()
    assert "not closed (OSError)" in caplog.text
    assert "s3cret" not in caplog.text
