"""Stores as earlier schemas had them: a file of each, in the folder `earlier`.

Before a schema moves on, its code leaves one: `python earlier.py fill URL` writes a little of
everything into a new store. `sqlite-JOURNAL-LOG.tar.gz` has the files of such a store, less the
passing `-shm` and `-wal`; `postgres-NUMBER.sql.gz` is what `pg_dump --inserts --no-owner` says.
"""

from __future__ import annotations

import gzip
import sys
import tarfile
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path

import psycopg

from mulligan import Mulligan
from mulligan.checks.dates import dates_as_said
from mulligan.stores.opening import open_store
from mulligan.types.log import Batch
from mulligan_testing.fakes import FixedClock
from mulligan_testing.store_contract.contract import (
    make_episode,
    make_first_entry,
    make_lesson,
    make_log_row,
    make_use,
)

FOLDER = Path(__file__).with_name("earlier")
SUNDAY = datetime(2026, 11, 15, 9, 0, tzinfo=UTC)
LEFT = "left-by-a-crash"


def open_family(
    url: str, days: dict[str, str], sent: list[str]
) -> tuple[Mulligan, Callable[..., object], Callable[..., object]]:
    """The application that the store belongs to, on that very Sunday, and its two tools."""
    m = Mulligan(url, checks=[dates_as_said()], clock=FixedClock(SUNDAY))

    @m.tool(
        effect="reversible",
        before=lambda record: days[record.arguments["event"]],
        undo=lambda record: days.update({record.arguments["event"]: record.before}),
    )
    def move_event(event: str, day: str) -> None:
        days[event] = day

    @m.tool(effect="irreversible")
    def send_invitation(to: str) -> None:
        sent.append(to)

    return m, move_event, send_invitation


def fill(url: str) -> None:
    """A turn that was corrected, a held call, a crash, a lesson and its use, rows of the log."""
    m, move_event, send_invitation = open_family(url, {"dinner": "2026-11-18"}, [])
    with m:
        m.act_sync(
            "Move dinner to Friday",
            lambda turn: move_event("dinner", "2026-11-20" if turn.correction else "2026-11-21"),
            timezone="Europe/Berlin",
        )
        m.act_sync("Invite Ann", lambda _turn: send_invitation("ann@example.com"))
    store = open_store(url)
    store.journal.submit([make_first_entry(LEFT)]).result()
    store.failures.record([make_episode()])
    store.failures.append([make_lesson()])
    store.failures.use([make_use()])
    store.log.write(Batch(rows=[make_log_row()]))
    store.close()


def lay_sqlite(name: str, folder: Path) -> str:
    """Lay the files of a store into a folder; its URL."""
    with tarfile.open(FOLDER / name) as held:
        held.extractall(folder, filter="data")
    return f"sqlite:///{folder}/family.db"


def lay_postgres(name: str, url: str) -> None:
    """Fill an empty database with a store."""
    text = gzip.decompress((FOLDER / name).read_bytes()).decode()
    # What only psql understands begins with a backslash.
    lines = [line for line in text.splitlines() if not line.startswith("\\")]
    with psycopg.connect(url, autocommit=True) as connection:
        connection.execute("\n".join(lines).encode())


if __name__ == "__main__":
    fill(sys.argv[2])
