"""A program too busy to let the log's writer run: what it called, and what the file then holds."""

from __future__ import annotations

import sqlite3
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from functools import partial
from pathlib import Path
from typing import Any

from bench.workers.protocol import serve
from mulligan import Mulligan
from mulligan.stores.sqlite.files import build_log_path

RATE = 1_000
"""Calls a second beside a busy thread."""


def call_tightly(look: Callable[[str, int], object], n: int) -> None:
    """One call after the other, as fast as they go."""
    for number in range(n):
        look("a thing", number)


def call_beside(look: Callable[[str, int], object], n: int) -> None:
    """A steady pace, while another thread never gives the interpreter away by itself."""
    with _burn():
        due = time.monotonic()
        for number in range(n):
            look("a thing", number)
            due += 1 / RATE
            time.sleep(max(0.0, due - time.monotonic()))


@contextmanager
def _burn() -> Iterator[None]:
    stop = threading.Event()

    def count() -> None:
        number = 0
        while not stop.is_set():
            number += 1

    thread = threading.Thread(target=count, daemon=True)
    thread.start()
    try:
        yield
    finally:
        stop.set()
        thread.join()


def count_kept(
    folder: Path, call: Callable[[Callable[[str, int], object], int], None], *, n: int, **_: object
) -> dict[str, Any]:
    """Make the calls with a store on disk, close it as a program does, and count its rows."""
    path = folder / f"{call.__name__}.db"
    with Mulligan(f"sqlite:///{path}", recover=False) as m:

        @m.tool
        def look(what: str, number: int) -> dict[str, object]:
            return {"what": what, "found": [number, number + 1], "text": "words that came back"}

        started = time.perf_counter()
        call(look, n)
        took = time.perf_counter() - started
    with closing(sqlite3.connect(build_log_path(path))) as rows:
        [(kept,)] = rows.execute("SELECT count(*) FROM execution")
    return {"calls": n, "kept": kept, "seconds": round(took, 1)}


if __name__ == "__main__":
    where = Path(sys.argv[1])
    serve(
        {
            "tight": partial(count_kept, where, call_tightly),
            "beside": partial(count_kept, where, call_beside),
        },
        packages=[],
    )
