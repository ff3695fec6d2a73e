"""A store that lives as long as its process."""

from __future__ import annotations

import secrets
import threading

from mulligan.core.interfaces import Health
from mulligan.stores.memory.archive import MemoryArchive
from mulligan.stores.memory.casebook import MemoryCasebook
from mulligan.stores.memory.catalog import MemoryCatalog
from mulligan.stores.memory.journal import MemoryJournal, MemoryVault
from mulligan.stores.memory.log import MemoryLog
from mulligan.stores.options import Options
from mulligan.stores.process.fork import renew_after_fork


class MemoryStore:
    """Keeps to the same rules as the others. Nothing reaches a disk, so nothing is encrypted."""

    def __init__(self, options: Options) -> None:
        self._vault = MemoryVault(clock=options.clock)
        self._journal = MemoryJournal(self._vault, kept_for=options.retention.kept)
        self._log = MemoryLog()
        self._catalog = MemoryCatalog()
        self._archive = MemoryArchive()
        self._casebook = MemoryCasebook()
        self._secret = secrets.token_bytes(32)
        renew_after_fork(self)

    @property
    def journal(self) -> MemoryJournal:
        """The truth about effects."""
        return self._journal

    @property
    def vault(self) -> MemoryVault:
        """Raw values that expire."""
        return self._vault

    @property
    def log(self) -> MemoryLog:
        """Telemetry about every call."""
        return self._log

    @property
    def catalog(self) -> MemoryCatalog:
        """The tools that were declared."""
        return self._catalog

    @property
    def archive(self) -> MemoryArchive:
        """What was learned about tasks."""
        return self._archive

    @property
    def casebook(self) -> MemoryCasebook:
        """How failures ended, and the lessons drawn from them."""
        return self._casebook

    def load_secret(self) -> bytes:
        """32 random bytes, the same as long as the store lives."""
        return self._secret

    def check_health(self, *, thorough: bool = True) -> Health:  # noqa: ARG002 - all of it is quick
        """Look at everything without changing anything."""
        return Health(
            url="memory:",
            kind="memory",
            version="",
            schemas={},
            rows=self._log.count(),
            open_actions=len(self._journal.list_open_actions(limit=2**31)),
            size_bytes=0,
        )

    def close(self) -> None:
        """Take nothing more. What was there can be read until the process ends."""
        self._journal.closed = True

    def reset_after_fork(self) -> None:
        """In a child: a copy of its own."""
        self._vault.lock = threading.RLock()
        self._log.reset_after_fork()
        self._archive.reset_after_fork()
        self._casebook.reset_after_fork()
