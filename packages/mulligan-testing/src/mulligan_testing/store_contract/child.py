"""A process of its own that works with a store: for the parts of the contract that need two."""

from __future__ import annotations

import os
import sys
import threading
import traceback
import uuid
from datetime import timedelta

from msgspec.structs import replace

from mulligan.types.action import Kept, State
from mulligan.types.errors import StaleEntryError, StaleLessonError, StaleNotesError
from mulligan.types.interfaces import Store, TaskVersions
from mulligan.types.lesson import LessonQuery
from mulligan.types.log import Batch, roll_up
from mulligan_testing.store_contract.contract import (
    PAUSED,
    find_opener,
    make_episode,
    make_first_entry,
    make_lesson,
    make_log_row,
    make_next_entry,
    make_use,
)
from mulligan_testing.store_contract.task_versions import GROUND, make_notes, make_task_run


def write(store: Store, count: int) -> None:
    """Open actions and log rows; print each action when it is safe."""
    for number in range(count):
        action = uuid.uuid4().hex
        kept = Kept(owner=action, name="before", value=action.encode())
        store.journal.submit([make_first_entry(action)], keep=[kept]).result()
        print(action, flush=True)  # noqa: T201 - what the parent reads
        rows = [make_log_row(number, id=action)]
        store.log.write(Batch(rows=rows, rollups=roll_up(rows)))


def race(store: Store, count: int) -> None:
    """Move one action as far as it goes, against whoever else does; print each version won."""
    store.journal.submit([make_first_entry("raced")]).exception()
    version = 2
    while version < count + 2:
        entry = make_next_entry("raced", State.UNKNOWN, version=version)
        error = store.journal.submit([entry]).exception()
        if error is None:
            print(version, flush=True)  # noqa: T201 - what the parent reads
        elif not isinstance(error, StaleEntryError):
            raise error
        action = store.journal.find_action("raced")
        version = 1 + (action.version if action else 0)


def learn(store: Store, count: int) -> None:
    """Append versions against whoever else does, and count runs; print each version won."""
    mark = uuid.uuid4().hex
    for _ in range(count):
        while not _append(store.task_versions, mark):
            pass
        store.task_versions.count(GROUND, run=make_task_run(score=0.5))


def _append(task_versions: TaskVersions, mark: str) -> bool:
    [latest] = task_versions.list_versions("weekly-report", tenant="home", limit=1)
    version = latest.version + 1
    try:
        task_versions.append(replace(make_notes(version), model=f"{version}:{mark}"))
    except StaleNotesError:
        return False
    print(f"{version}:{mark}", flush=True)  # noqa: T201 - what the parent reads
    return True


def draw_lessons(store: Store, count: int) -> None:
    """Append versions of one lesson against whoever else does; record and use on the way."""
    mark = uuid.uuid4().hex
    for number in range(count):
        while not _append_lesson(store, mark):
            pass
        # The other process records and uses the same, and each counts once.
        store.failures.record([make_episode(number), make_episode(number, id=f"{mark}-{number}")])
        store.failures.use([make_use(number), make_use(number, call=f"{mark}-{number}")])


def _append_lesson(store: Store, mark: str) -> bool:
    latest = store.failures.list_lessons(LessonQuery(tool="get_order"))
    version = 1 + (latest[0].version if latest else 0)
    try:
        store.failures.append([make_lesson(version, batch=f"{version}:{mark}")])
    except StaleLessonError:
        return False
    print(f"{version}:{mark}", flush=True)  # noqa: T201 - what the parent reads
    return True


def fork(store: Store, count: int) -> None:
    """Write before a fork, then on both sides of it."""
    write(store, count)
    child = os.fork()
    write(store, count)
    if child:
        _, status = os.waitpid(child, 0)
        if os.waitstatus_to_exitcode(status):
            raise SystemExit("the child failed")


def fork_while_writing(store: Store, count: int) -> None:
    """Fork again and again while threads write; each child writes at once, and prints."""
    stop = threading.Event()

    def keep_writing() -> None:
        while not stop.is_set():
            _write_one(store)

    threads = [threading.Thread(target=keep_writing) for _ in range(3)]
    for thread in threads:
        thread.start()
    for _ in range(count):
        child = os.fork()
        if not child:
            _write_and_end(store)
        os.waitpid(child, 0)
    stop.set()
    for thread in threads:
        thread.join()


def _write_one(store: Store) -> str:
    action = uuid.uuid4().hex
    store.journal.submit([make_first_entry(action)]).result()
    store.log.write(Batch(rows=[make_log_row(id=action)]))
    return action


def _write_and_end(store: Store) -> None:
    """Without the parent's way out, which would wait for threads that are not here."""
    try:
        os.write(1, f"{_write_one(store)}\n".encode())
    except BaseException:  # noqa: BLE001 - a child has no other way to say what was wrong
        os.write(2, traceback.format_exc().encode())
        os._exit(1)
    os._exit(0)


def fork_and_close(store: Store, count: int) -> None:
    """Fork, let the child write and close its store, and print whom it took for gone."""
    write_quietly(store, count)
    mine = store.journal.identify_writer()
    child = os.fork()
    if not child:
        write_quietly(store, count)
        store.close()
        os._exit(0)
    os.waitpid(child, 0)
    print(store.journal.find_dead_writers([mine]), flush=True)  # noqa: T201 - for the parent
    write_quietly(store, count)


def write_quietly(store: Store, count: int) -> None:
    """Open actions, without a word."""
    for _ in range(count):
        store.journal.submit([make_first_entry(uuid.uuid4().hex)]).result()


def wait_in_action(store: Store, lease_ms: int) -> None:
    """Begin an action, live on until told to finish it, then report its state."""
    over = threading.Event()

    def keep_beating() -> None:
        while not over.wait(lease_ms / 3000):
            store.journal.beat()

    store.journal.submit([make_first_entry(PAUSED)]).result()
    heart = threading.Thread(target=keep_beating)
    heart.start()
    print(store.journal.identify_writer(), flush=True)  # noqa: T201 - what the parent reads
    sys.stdin.readline()
    held = [store.journal.holds_lease(), store.journal.holds_lease(PAUSED)]
    entry = make_next_entry(PAUSED, State.EXECUTED, version=2)
    refused = store.journal.submit([entry]).exception()
    store.journal.submit([make_first_entry("afresh")]).result()
    held += [store.journal.holds_lease(), store.journal.holds_lease("afresh")]
    over.set()
    heart.join()
    print(*held, type(refused).__name__, flush=True)  # noqa: T201 - what the parent reads


def main() -> None:
    """Do what the command line says."""
    opener, url, task, count = sys.argv[1:]
    told = {"lease": timedelta(milliseconds=int(count))} if task == "wait_in_action" else {}
    store = find_opener(opener, **told)(url)
    tasks = {
        "write": write,
        "race": race,
        "learn": learn,
        "draw_lessons": draw_lessons,
        "fork": fork,
        "fork_while_writing": fork_while_writing,
        "fork_and_close": fork_and_close,
        "wait_in_action": wait_in_action,
    }
    tasks[task](store, int(count))
    store.close()


if __name__ == "__main__":
    main()
