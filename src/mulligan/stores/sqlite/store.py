"""A store in SQLite files."""

from __future__ import annotations

from contextlib import suppress
from datetime import timedelta
from functools import partial
from pathlib import Path

import apsw

from mulligan.core.errors import StoreDamagedError, StoreError, StoreLockedError
from mulligan.core.interfaces import Health
from mulligan.core.storage.sharing import Vacuumed
from mulligan.stores.database.pool import Pool
from mulligan.stores.disk.mark import MarkFile
from mulligan.stores.options import Options
from mulligan.stores.process.fork import renew_after_fork
from mulligan.stores.relational.audit.audit import refuse_damages
from mulligan.stores.relational.log import LogTables
from mulligan.stores.relational.truth import TableStore, Truth
from mulligan.stores.sqlite import files
from mulligan.stores.sqlite.health import find_caveats, find_problems
from mulligan.stores.sqlite.session import (
    JOURNAL,
    LOG,
    SqliteSession,
    open_erasing_session,
    truncate,
)
from mulligan.stores.sqlite.tally import LogTally, record_damage
from mulligan.stores.sqlite.vacuum import vacuum_files

_ENTRIES_CHECKED = 20_000
"""How many of the newest entries are verified at every opening, about 0.1 s; `verify` takes all."""

_TIDY_TIMEOUT = timedelta(milliseconds=50)


class SqliteStore(TableStore):
    """Journal and vault in one file, the log in another, so that a batch never delays an intent."""

    def __init__(self, path: Path, options: Options) -> None:
        self._path = path
        self._log_path = files.build_log_path(path)
        self._options = options
        files.refuse_unsafe_files(path)
        files.prepare(path, JOURNAL, migrate=options.migrate, timeout=options.timeout)
        files.prepare_log(self._log_path, migrate=options.migrate, timeout=options.timeout)
        self._marks = MarkFile(files.build_companion_path(path, "mark"))
        self._log_marks = MarkFile(files.build_companion_path(self._log_path, "mark"))
        self._truth = Truth(
            self._connect,
            options=options,
            erase=lambda: truncate(self._connect),
            marks=self._marks,
            place=str(path.resolve()),
        )
        self._tally = LogTally(self._log_marks)
        self._log_pool = Pool(self._connect_log)
        self._log = LogTables(
            self._log_pool,
            erasing=lambda: open_erasing_session(self._connect_log),
            tally=self._tally,
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
        with self._truth.pool.acquire_session() as journal, self._log_pool.acquire_session() as log:
            return Health(
                url=files.build_url(self._path),
                kind="sqlite",
                version=apsw.sqlite_lib_version(),
                schemas={"journal": files.read_version(journal), "log": files.read_version(log)},
                rows=self._log.count() if thorough else None,
                open_actions=self.journal.count_open(),
                size_bytes=sum(files.measure_size(path) for path in paths),
                problems=tuple(
                    find_problems(
                        self.journal,
                        vault=self.vault,
                        casebook=self.casebook,
                        sessions=dict(zip(paths, (journal, log), strict=True)),
                        marks=(self._marks, self._log_marks),
                        signed=self._truth.keyring.is_signed(journal),
                        thorough=thorough,
                    )
                ),
                caveats=(*find_caveats(self._options.lease), *self._truth.find_caveats()),
                writers=self.journal.writers.list_lately(),
            )

    def vacuum(self, *, most_bytes: int | None) -> Vacuumed:
        """Write the files anew, so that no piece of what was deleted is left in them."""
        connects = {self._path: self._connect, self._log_path: self._connect_log}
        return vacuum_files(connects, most_bytes=most_bytes)

    def close(self) -> None:
        """Finish what was submitted and let go of every connection. Twice is fine."""
        self._truth.close()
        self._log_pool.close()
        self._marks.close()
        self._log_marks.close()
        if self._sound:
            self._sound = False
            self._tidy()

    def reset_after_fork(self) -> None:
        """In a child: be another writer, on other connections."""
        self._truth.reset_after_fork()
        self._log_pool.reset_after_fork()
        self._log.reset_after_fork()
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
            with self._truth.pool.acquire_session() as session:
                files.refuse_damaged(session, self._path)
        # Whoever looks at a damaged file may find the proof of the key damaged as well.
        with suppress(*((StoreDamagedError,) if tolerant else ())):
            self._truth.check_key()
        if not tolerant:
            refuse_damages(self.journal.look(budget=_ENTRIES_CHECKED), store=str(self._path))
        if self._options.migrate:
            self._begin_anew()

    def _begin_anew(self) -> None:
        """What the first one to open a store for writing does for all that come after."""
        if not self._options.tolerate_damage:
            self._truth.sign_store()
        # While another process holds the log, that process or the next one will count.
        with suppress(StoreLockedError), self._log_pool.acquire_session() as session:
            record_damage(session, self._log_marks, clock=self._options.clock)
