"""A store in SQLite files, and everything that can be wrong with it, a sentence each."""

from __future__ import annotations

import stat
from collections.abc import Iterator
from contextlib import suppress
from datetime import timedelta
from functools import partial
from pathlib import Path

import apsw

from mulligan.stores.database import Pool, Session
from mulligan.stores.opening import Options
from mulligan.stores.private_files import CAN_LOCK, HAS_MODES
from mulligan.stores.process import find_presence_caveats, renew_after_fork
from mulligan.stores.relational.audit import refuse_damages
from mulligan.stores.relational.log import LogTables
from mulligan.stores.relational.store import TableStore
from mulligan.stores.sqlite import files
from mulligan.stores.sqlite.files import vacuum_files
from mulligan.stores.sqlite.session import (
    JOURNAL,
    LOG,
    SqliteSession,
    open_erasing_session,
    truncate,
)
from mulligan.stores.sqlite.tally import LogTally, count_lost, record_damage
from mulligan.stores.watermarks import WatermarkFile
from mulligan.types.display import quote_name
from mulligan.types.errors import StoreError, StoreLockedError
from mulligan.types.interfaces import LEASE, Health, Vacuumed


def find_caveats(lease: timedelta = LEASE) -> Iterator[str]:
    """What this system cannot do for files and their writers."""
    if not CAN_LOCK:
        yield (
            "This Python has no file locks (no fcntl), so of two processes that open the store at "
            "the same moment one may lose its mark, and a loss of its last entries would go "
            "unnoticed."
        )
    if not HAS_MODES:
        yield (
            "This system has no files for their owner alone, so the folder's permissions decide "
            "who can read the store."
        )
    yield from find_presence_caveats(lease)


_ENTRIES_CHECKED = 20_000
"""How many of the newest entries are verified at every opening, about 0.1 s; `verify` takes all."""

_TIDY_TIMEOUT = timedelta(milliseconds=50)


class SqliteStore(TableStore):
    """Journal and vault in one file, the log in another, so that a batch never delays an intent."""

    def __init__(self, path: Path, options: Options) -> None:
        self._path = path
        self._log_path = files.build_log_path(path)
        files.refuse_unsafe_files(path)
        files.prepare(path, JOURNAL, migrate=options.migrate, timeout=options.timeout)
        files.prepare_log(self._log_path, migrate=options.migrate, timeout=options.timeout)
        self._marks = WatermarkFile(files.build_companion_path(path, "mark"))
        self._log_marks = WatermarkFile(files.build_companion_path(self._log_path, "mark"))
        self._tally = LogTally(self._log_marks)
        self._log_pool = Pool(self._connect_log)
        log = LogTables(
            self._log_pool,
            erasing=lambda: open_erasing_session(self._connect_log),
            count=self._tally.count,
        )
        super().__init__(
            Pool(self._connect),
            log=log,
            options=options,
            erase=lambda: truncate(self._connect),
            marks=self._marks,
            place=str(path.resolve()),
        )
        self._sound = False
        try:
            self._examine()
        except BaseException:
            self.close()
            raise
        self._sound = not options.tolerate_damage
        renew_after_fork(self)

    def load_secret(self) -> bytes:
        """32 random bytes, made once and the same ever after."""
        return files.read_secret(files.build_companion_path(self._path, "key"))

    def check_health(self, *, thorough: bool = True) -> Health:
        """Look at everything, or else at what takes as long however much there is."""
        paths = (self._path, self._log_path)
        with (
            self._pool.acquire_session() as journal,
            self._log_pool.acquire_session() as log,
        ):
            return Health(
                url=files.build_url(self._path),
                kind="sqlite",
                version=apsw.sqlite_lib_version(),
                schemas={"journal": files.read_version(journal), "log": files.read_version(log)},
                rows=self.log.count() if thorough else None,
                open_actions=self.journal.count_open(),
                size_bytes=sum(files.measure_size(path) for path in paths),
                problems=tuple(self._find_problems(journal, log, thorough=thorough)),
                caveats=(*find_caveats(self._options.lease), *self._find_key_caveats()),
                writers=self.journal.writers.list_lately(),
            )

    def _find_problems(self, journal: Session, log: Session, *, thorough: bool) -> Iterator[str]:
        """Look at the files themselves, then at what the journal and the casebook say.

        Not thorough: read no page of them but those that say how they end.
        """
        sound = True
        for path, session in ((self._path, journal), (self._log_path, log)):
            broken = files.check_structure(session, path) if thorough else None
            if broken:
                sound = False
                yield broken
            if HAS_MODES and stat.S_IMODE(path.stat().st_mode) & 0o077:
                yield f"{path} can be read by others: run `chmod 600 {path}`."
            for kind, name, _ in session.fetch("planted") if not broken else ():
                yield (
                    f"{path} has a {kind}, {quote_name(name)}, that Mulligan did not make: "
                    "somebody else has written to this file. It is not run. See who, then remove "
                    f"it (`drop {kind}`), or restore a backup."
                )
            for file in files.list_damaged_files(path):
                yield f"{file} was damaged and set aside: rescue what you need, then delete it."
        if sound:
            lost = count_lost(log, self._log_marks)
            if lost:
                yield (
                    f"The log lost {lost} rows (damage): its file is shorter than its mark. The "
                    "next application that opens the store will count them."
                )
            yield from (damage.what for damage in (self.journal.verify() if thorough else ()))
            yield from self._find_unmarked(signed=self._keyring.is_signed(journal))
            if thorough:
                yield from self.vault.find_problems()
                yield from self.casebook.find_problems()
        yield from (mark.trouble for mark in (self._marks, self._log_marks) if mark.trouble)

    def _find_unmarked(self, *, signed: bool) -> Iterator[str]:
        """Writers whose mark is gone, or, where the store has a key, is signed by nobody.

        That is a problem but no damage. A power cut can take the mark file, which is never synced,
        and leave a sound journal; to refuse it then would be a false alarm, and to write new marks
        without a word would hide that for a while nothing guarded the end of the journal.
        """
        # The marks last: a writer has one before it has written anything.
        wrote = [head for head in self.journal.read_heads() if head.seq or head.commits]
        found = self._marks.read()
        good = {mark.writer for mark in found.found.values() if mark.signed or not signed}
        without = [head for head in wrote if head.writer not in good]
        if without:
            kind = "signed mark" if signed else "mark"
            yield (
                f"{len(without)} of the journal's writers have no {kind}, so a loss of what they "
                "wrote last would go unnoticed: look at the open actions, then take the journal "
                "as it is with `mulligan doctor --accept-damage NOTE`."
            )
        elif found.torn:
            yield (
                f"{found.torn} records of the journal's mark file cannot be read: take the journal "
                "as it is with `mulligan doctor --accept-damage NOTE`."
            )

    def vacuum(self, *, most_bytes: int | None) -> Vacuumed:
        """Write the files anew, so that no piece of what was deleted is left in them."""
        connects = {self._path: self._connect, self._log_path: self._connect_log}
        return vacuum_files(connects, most_bytes=most_bytes)

    def close(self) -> None:
        """Finish what was submitted and let go of every connection. Twice is fine."""
        super().close()
        self._log_pool.close()
        self._marks.close()
        self._log_marks.close()
        if self._sound:
            self._sound = False
            self._tidy()

    def reset_after_fork(self) -> None:
        """In a child: be another writer, on other connections."""
        super().reset_after_fork()
        self._log_pool.reset_after_fork()
        self._tally.reset_after_fork()
        self._marks.close()
        self._log_marks.close()

    def _tidy(self) -> None:
        """Move the write-ahead logs into their files."""
        for path, part in ((self._path, JOURNAL), (self._log_path, LOG)):
            # Where it cannot be done now, because someone is still at work, they will do it.
            with suppress(StoreError):
                truncate(partial(SqliteSession, path, part, timeout=_TIDY_TIMEOUT))

    def _connect(self) -> SqliteSession:
        return SqliteSession(self._path, JOURNAL, timeout=self._options.timeout)

    def _connect_log(self) -> SqliteSession:
        return SqliteSession(self._log_path, LOG, timeout=self._options.timeout)

    def _examine(self) -> None:
        """Refuse a journal that is not what was written, and count what the log has lost."""
        tolerant = self._options.tolerate_damage
        if not tolerant:
            with self._pool.acquire_session() as session:
                files.refuse_damaged(session, self._path)
        self._check_key()
        if not tolerant:
            refuse_damages(self.journal.look(budget=_ENTRIES_CHECKED), store=str(self._path))
        if not self._options.migrate:
            return
        # What the first one to open a store for writing does for all that come after.
        if not tolerant:
            self._sign()
        # While another process holds the log, that process or the next one will count.
        with suppress(StoreLockedError), self._log_pool.acquire_session() as session:
            record_damage(session, self._log_marks, clock=self._options.clock)
