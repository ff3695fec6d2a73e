"""The log: rows through its writer with roll-ups kept, and the same rows straight into SQLite.

Every block has files of its own, made by the store, so that schema, indexes and pragmas are the
same on both sides and no block pays for the rows of another.
"""

from __future__ import annotations

import gc
import sys
import tempfile
import time
from collections.abc import Callable
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from typing import Any

import apsw

from bench.log_rows import build_rows
from bench.workers.protocol import serve
from mulligan.learning.fingerprint import recognize
from mulligan.stores.opening import open_store
from mulligan.stores.sqlite.files import build_log_path
from mulligan.stores.sqlite.session import LOG, PRAGMAS
from mulligan.telemetry.writer import LogWriter, WriterLimits
from mulligan.types.call import LogRow

BATCH = WriterLimits().batch
TIMEOUT = 600.0


def store_rows(path: Path, *, n: int, seed: int) -> dict[str, Any]:
    """Queue every row, then store them all: the rate at which the log works off a backlog.

    Queueing is a part of the call site and is measured there; here it is told beside.
    """
    rows = build_rows(n, seed=seed)
    store = open_store(f"sqlite:///{path}")
    # Room for all of them, and no hurry: nothing may be shed, and nothing stored before its time.
    limits = WriterLimits(rows=n + 1, bytes=1 << 40, batch=n + 1, interval=TIMEOUT)
    writer = LogWriter(
        store.log, clock=lambda: datetime.now(UTC), limits=limits, recognize=recognize
    )
    gc.collect()
    started = time.perf_counter()
    for row in rows:
        writer.emit(row)
    queued = time.perf_counter()
    writer.flush(timeout=TIMEOUT)
    stored = time.perf_counter()
    kept = writer.tally().stored
    writer.close()
    store.close()
    if kept != n:
        raise RuntimeError(f"{n - kept} of {n} rows were not stored")
    return {"rows_per_second": n / (stored - queued), "emit_us": (queued - started) / n * 1e6}


def insert_rows(path: Path, *, n: int, seed: int) -> dict[str, Any]:
    """The least that storing them can take with this driver: no queue, no roll-ups."""
    rows = build_rows(n, seed=seed)
    open_store(f"sqlite:///{path}").close()
    connection = apsw.Connection(str(build_log_path(path)), flags=apsw.SQLITE_OPEN_READWRITE)
    for pragma in PRAGMAS[LOG]:
        connection.execute(f"pragma {pragma}")
    insert = f"insert into execution values ({', '.join('?' * len(LogRow._fields))})"
    gc.collect()
    started = time.perf_counter()
    for first in range(0, n, BATCH):
        connection.execute("begin immediate")
        connection.executemany(insert, rows[first : first + BATCH])
        connection.execute("commit")
    stored = time.perf_counter()
    connection.close()
    return {"rows_per_second": n / (stored - started)}


def in_fresh_files(
    block: Callable[..., dict[str, Any]], folder: str, *, n: int, seed: int
) -> dict[str, Any]:
    """Run a block in a folder that is gone afterwards."""
    with tempfile.TemporaryDirectory(dir=folder) as place:
        return block(Path(place) / "bench.db", n=n, seed=seed)


def main(folder: str) -> None:
    serve(
        {
            "stored": partial(in_fresh_files, store_rows, folder),
            "raw": partial(in_fresh_files, insert_rows, folder),
        },
        packages=["apsw"],
    )


main(*sys.argv[1:])
