"""Where a case happens: a folder with the remote and the store, which can be copied as a whole."""

from __future__ import annotations

import shutil
import time
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import urlsplit

from bench.servers import hurry, run_server, run_statements
from mulligan_testing.postgres import PostgresServer

STORE = "store"
"""The file that has the store's URL, where that is not beside it."""
A_WHILE = 10.0
"""Seconds in which the connections of a dead process are noticed."""


def find_url(folder: Path) -> str:
    """The store of a case."""
    kept = folder / STORE
    return kept.read_text() if kept.exists() else f"sqlite:///{folder}/family.db"


@dataclass(frozen=True, slots=True, kw_only=True)
class Worlds:
    """Makes, copies and removes worlds; their stores are files, or databases of one server."""

    server: PostgresServer | None = None

    def make(self, folder: Path) -> None:
        """A folder, with an empty database if there is a server."""
        folder.mkdir(parents=True)
        if self.server is not None:
            self._create(folder, template="template0")

    def copy(self, folder: Path, to: Path) -> Path:
        """The same world once more, to be spoiled."""
        try:
            shutil.copytree(folder, to)
        except shutil.Error:
            # A process that was let go has closed its store meanwhile, and a file of it is gone.
            shutil.rmtree(to)
            shutil.copytree(folder, to)
        if self.server is not None:
            self._create(to, template=_name(find_url(folder)))
        return to

    def remove(self, folder: Path) -> None:
        """Forget a world."""
        if self.server is not None:
            run_statements(
                self.server, f'drop database if exists "{_name(find_url(folder))}" with (force)'
            )
        shutil.rmtree(folder)

    def _create(self, folder: Path, *, template: str) -> None:
        assert self.server is not None
        name = f"crash_{abs(hash((str(folder), time.monotonic_ns()))):x}"
        deadline = time.monotonic() + A_WHILE
        while True:
            try:
                run_statements(
                    self.server,
                    "select pg_terminate_backend(pid) from pg_stat_activity "
                    f"where datname = '{template}'",
                    # As files: where no disk is waited for, that takes half the time.
                    f'create database "{name}" template "{template}" strategy file_copy',
                )
                break
            except Exception:
                # A process was killed, and the server has not noticed yet.
                if time.monotonic() > deadline:
                    raise
                time.sleep(0.02)
        (folder / STORE).write_text(self.server.build_url(name))


def open_worlds(store: str, stack: ExitStack) -> Worlds:
    """Worlds with stores of a kind, for as long as the stack lasts."""
    if store == "sqlite":
        return Worlds()
    server = stack.enter_context(run_server())
    hurry(server)
    return Worlds(server=server)


def _name(url: str) -> str:
    return urlsplit(url).path.removeprefix("/")
