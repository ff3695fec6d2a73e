"""A store to damage: its files as a crash would leave them, and what was in them."""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path

from mulligan.stores.opening import open_store
from mulligan.types.action import Kept, State
from mulligan.types.interfaces import Store
from mulligan.types.log import Batch, LogQuery, roll_up
from mulligan_testing.store_contract.contract import (
    NOW,
    make_failed_row,
    make_first_entry,
    make_log_row,
    make_next_entry,
)

WAL_HEADER = 32
FRAME = 24 + 4096
COMMITS = 24


@dataclass(frozen=True)
class Files:
    """The files of a store that nobody has closed."""

    content: dict[str, bytes]
    journal: object
    rows: int

    @property
    def frames(self) -> int:
        return (len(self.content["family.db-wal"]) - WAL_HEADER) // FRAME

    @contextmanager
    def laid_out(self, folder: Path, **changes: bytes | None) -> Iterator[str]:
        """The files in a folder, some of them changed or left out. Gives the store's URL."""
        for old in folder.iterdir():
            old.unlink()
        for name, content in (self.content | changes).items():
            if content is not None:
                (folder / name).write_bytes(content)
                (folder / name).chmod(0o600)
        yield f"sqlite:///{folder}/family.db"


@contextmanager
def fast_folder() -> Iterator[Path]:
    """In memory where there is such a place: thousands of stores are laid out here."""
    shm = Path("/dev/shm")
    folder = Path(tempfile.mkdtemp(dir=shm if shm.is_dir() else None))
    try:
        yield folder
    finally:
        shutil.rmtree(folder)


def make_files() -> Files:
    """Write a journal and a log, half of it moved into the main file, and copy them as they lie."""
    with fast_folder() as folder:
        store = open_store(f"sqlite:///{folder}/family.db")
        _write(store, range(COMMITS // 2))
        store.vault.shred(now=NOW)
        _write(store, range(COMMITS // 2, COMMITS))
        content = {
            file.name: file.read_bytes()
            for file in folder.iterdir()
            if not file.name.endswith("-shm")
        }
        journal = everything(store)
        store.close()
    return Files(content=content, journal=journal, rows=COMMITS * 6)


def everything(store: Store) -> object:
    """All that the journal and the vault hold."""
    actions = [f"a{number}" for number in range(COMMITS)]
    return (
        [store.journal.find_action(action) for action in actions],
        [store.journal.list_entries(action) for action in actions],
        [store.vault.get(action, "before") for action in actions],
        [store.vault.get(f"turn{number}", "message") for number in range(COMMITS)],
        store.journal.verify(),
    )


def reopen(url: str, **options: object) -> Store:
    """Open without waiting for anyone."""
    return open_store(url, timeout=timedelta(milliseconds=200), **options)


def count_rows(store: Store) -> tuple[int, int]:
    """Rows that are there, and rows that were counted as lost to damage."""
    losses = [loss for loss in store.log.list_losses() if loss.reason == "damage"]
    return (
        len(store.log.list_rows(LogQuery(limit=10_000))),
        sum(loss.successes + loss.failures for loss in losses),
    )


def _write(store: Store, numbers: range) -> None:
    for number in numbers:
        action = f"a{number}"
        kept = Kept(owner=action, name="before", value=b"before" * number)
        store.journal.submit([make_first_entry(action)], keep=[kept]).result()
        store.journal.submit([make_next_entry(action, State.EXECUTED, version=2)]).result()
        store.vault.put(Kept(owner=f"turn{number}", name="message", value=b"m" * number))
        rows = [make_log_row(number * 10 + each) for each in range(5)] + [
            make_failed_row(number * 10 + 5)
        ]
        store.log.write(Batch(rows=rows, rollups=roll_up(rows)))
