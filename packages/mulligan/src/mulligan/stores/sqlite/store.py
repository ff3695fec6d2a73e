"""A store in SQLite files, and everything that can be wrong with it, a sentence each."""

from __future__ import annotations

import os
import stat
import struct
import threading
import uuid
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import closing, suppress
from datetime import timedelta
from functools import partial
from pathlib import Path

import apsw
from msgspec import Struct
from msgspec.structs import asdict

from mulligan.stores.database import Pool, Row, Session, fetch_one
from mulligan.stores.opening import Options
from mulligan.stores.process import find_presence_caveats, renew_after_fork
from mulligan.stores.relational.audit import refuse_damages
from mulligan.stores.relational.log import LogTables
from mulligan.stores.relational.store import ENTRIES_CHECKED, TableStore
from mulligan.stores.sqlite import files
from mulligan.stores.sqlite.files import vacuum_files
from mulligan.stores.sqlite.session import (
    JOURNAL,
    LOG,
    SqliteSession,
    open_erasing_session,
    truncate,
)
from mulligan.stores.watermarks import Watermark, WatermarkFile
from mulligan.types.call import LogRow, Outcome
from mulligan.types.display import quote_name
from mulligan.types.errors import StoreError, StoreLockedError
from mulligan.types.interfaces import LEASE, Clock, Health, Vacuumed
from mulligan.types.private_files import CAN_LOCK, HAS_MODES
from mulligan.types.values import to_us

_SUCCESS = str(Outcome.SUCCESS)
_FAILURES = struct.Struct(">Q16x")


class Counts(Struct, frozen=True, kw_only=True):
    """How much a process has logged."""

    batches: int = 0
    successes: int = 0
    failures: int = 0


class LogTally:
    """Counts this process's batches in the log file and, after each commit, in its mark."""

    def __init__(self, marks: WatermarkFile) -> None:
        self._marks = marks
        self._writer = uuid.uuid4().hex
        self._counts = Counts()

    def count(self, session: Session, rows: Sequence[LogRow]) -> Callable[[], None]:
        """Add a batch up, in its own transaction; the answer marks it once that is done."""
        failures = len(rows) - [row.outcome for row in rows].count(_SUCCESS)
        counts = Counts(
            batches=self._counts.batches + 1,
            successes=self._counts.successes + len(rows) - failures,
            failures=self._counts.failures + failures,
        )
        session.run("count_batch", writer=self._writer, **asdict(counts))
        return partial(self._mark, counts)

    def reset_after_fork(self) -> None:
        """In a child: be another writer."""
        self._writer = uuid.uuid4().hex
        self._counts = Counts()

    def _mark(self, counts: Counts) -> None:
        self._counts = counts
        self._marks.write(
            Watermark(
                writer=self._writer,
                commits=counts.batches,
                seq=counts.successes,
                proof=_FAILURES.pack(counts.failures),
            )
        )


def record_damage(session: Session, marks: WatermarkFile, *, clock: Clock) -> None:
    """Write a loss for every batch that a mark proves and the file no longer has.

    The counts then move up to the mark, so that the next one to look finds nothing.
    """
    proven = marks.read().found
    if not list(_find_lost(session, proven.values())):
        return
    with session.begin_transaction():
        lost = list(_find_lost(session, proven.values()))
        for writer, _, marked in lost:
            session.run("count_batch", writer=writer, **asdict(marked))
        session.run(
            "add_loss",
            at_us=to_us(clock(), name="The clock's time"),
            reason="damage",
            successes=sum(marked.successes - had.successes for _, had, marked in lost),
            failures=sum(marked.failures - had.failures for _, had, marked in lost),
        )


def count_lost(session: Session, marks: WatermarkFile) -> int:
    """How many rows a mark proves and the file no longer has, not yet on record as a loss."""
    return sum(
        marked.successes - had.successes + marked.failures - had.failures
        for _, had, marked in _find_lost(session, marks.read().found.values())
    )


def _find_lost(
    session: Session, marks: Iterable[Watermark]
) -> Iterator[tuple[str, Counts, Counts]]:
    """Writers with what the file has of them, and what their mark proves it once had."""
    for mark in marks:
        row = fetch_one(session, "log_writer", writer=mark.writer)
        had = Counts(batches=row[0], successes=row[1], failures=row[2]) if row else Counts()
        if mark.commits > had.batches:
            (failures,) = _FAILURES.unpack(mark.proof)
            marked = Counts(batches=mark.commits, successes=mark.seq, failures=failures)
            yield mark.writer, had, marked


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


_TIDY_TIMEOUT = timedelta(milliseconds=50)


_LOOK = 0.1
"""Seconds between two looks at whether the file has changed, each of some microseconds."""

_AWAY = 2.0
"""Seconds until a file that could not be read is tried again."""


class SqliteListener:
    """Looks on a thread whether another connection has decided something."""

    def __init__(self, connect: Callable[[], SqliteSession], on_news: Callable[[], None]) -> None:
        self._connect = connect
        self._on_news = on_news
        self._known: list[Row] | None = None
        """How much was decided, as far as it was heard of."""
        self._pid = os.getpid()
        self._over = threading.Event()
        self._thread = threading.Thread(target=self._run, name="mulligan-listen", daemon=True)
        self._thread.start()

    def close(self) -> None:
        """End it. Twice is fine; in a forked child the thread is the parent's."""
        self._over.set()
        if self._pid == os.getpid() and self._thread is not threading.current_thread():
            self._thread.join()

    def _run(self) -> None:
        while not self._over.is_set():
            try:
                with closing(self._connect()) as session:
                    self._wait_for_news(session)
            except StoreError:
                # The store's other connections report what is wrong.
                self._over.wait(_AWAY)

    def _wait_for_news(self, session: SqliteSession) -> None:
        version: list[Row] = []
        while True:
            before, version = version, session.fetch("data_version")
            if version != before:
                known, self._known = self._known, session.fetch("count_news")
                if known not in (None, self._known):
                    self._on_news()
            if self._over.wait(_LOOK):
                return


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
        self.parts = (self._pool, self._log_pool)
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

    def set_secret(self, secret: bytes) -> None:
        """Have the secret be that one, if there is none yet."""
        files.make_secret(files.build_companion_path(self._path, "key"), secret)

    def check_health(self, *, thorough: bool = True) -> Health:
        """Check everything, or only what takes constant time."""
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
        """Look at the files themselves, then at what the journal and the failure store say.

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
                    "another program has written to this file. It is not run. Find out which, then "
                    f"remove it (`drop {kind}`), or restore a backup."
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
                yield from self.failures.find_problems()
        yield from (mark.trouble for mark in (self._marks, self._log_marks) if mark.trouble)

    def _find_unmarked(self, *, signed: bool) -> Iterator[str]:
        """Writers whose mark is missing, or unsigned in a store with a key.

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

    def listen(self, on_news: Callable[[], None]) -> Callable[[], None]:
        """Call `on_news` when another process has decided something, or has left its work."""
        return SqliteListener(self._connect, on_news).close

    def vacuum(self, *, most_bytes: int | None) -> Vacuumed:
        """Rewrite the files, so that nothing deleted is left in them."""
        connects = {self._path: self._connect, self._log_path: self._connect_log}
        return vacuum_files(connects, most_bytes=most_bytes)

    def close(self) -> None:
        """Finish submitted work and release every connection. Idempotent."""
        super().close()
        self._marks.close()
        self._log_marks.close()
        if self._sound:
            self._sound = False
            self._tidy()

    def reset_after_fork(self) -> None:
        """In a child: be another writer, on other connections."""
        super().reset_after_fork()
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
            refuse_damages(self.journal.look(budget=ENTRIES_CHECKED), store=str(self._path))
        if not self._options.migrate:
            return
        # Done by the first process that opens a store for writing.
        if not tolerant:
            self._sign()
        # While another process holds the log, that process or the next one will count.
        with suppress(StoreLockedError), self._log_pool.acquire_session() as session:
            record_damage(session, self._log_marks, clock=self._options.clock)
