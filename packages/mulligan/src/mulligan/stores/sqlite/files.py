"""The files of a SQLite store: checked, opened, copied, and never silently shortened."""

from __future__ import annotations

import os
import secrets
import time
from collections.abc import Callable, Mapping
from contextlib import closing, suppress
from datetime import timedelta
from pathlib import Path

from mulligan.stores.database import Session
from mulligan.stores.migrations import (
    DatabaseSchema,
    Migration,
    bring_up_to_date,
    check_version,
)
from mulligan.stores.opening import TIMEOUT
from mulligan.stores.relational.audit import read_heads
from mulligan.stores.sqlite.session import (
    ENDINGS,
    JOURNAL,
    LOG,
    SqliteSession,
    open_erasing_session,
    refuse_unsafe_database,
)
from mulligan.stores.watermarks import WatermarkFile, read_watermarks
from mulligan.types.errors import (
    ConfigurationError,
    StoreDamagedError,
    StoreError,
    StoreLockedError,
    StoreUnavailableError,
)
from mulligan.types.interfaces import Vacuumed
from mulligan.types.private_files import (
    BINARY,
    open_private,
    read_private,
    refuse_second_name,
    refuse_unsafe,
)

APPLICATION_ID = 0x4D756C6C
SECRET_BYTES = 32
_HEADER_BYTES = 100
_LOG_OF_A_PROGRAM = ".log"
"""What programs call their own logs: a store without an ending would take that name."""
CHECKED_BYTES = 64 * 1024 * 1024
"""A journal up to this size has tables and indexes checked at every opening, which takes a fraction
of a second; a larger one only when its health is asked for."""
CHECKED_LOG_BYTES = 16 * 1024 * 1024
"""Of a log less: it is larger, no action rests on it, and every command opens it."""


class SqliteSchema(DatabaseSchema):
    """A file's schema: SQLite's own `user_version` is written in the same transaction.

    Other processes that use the file are stopped before it is migrated.
    """

    def read_version(self) -> int:
        """The number of its last migration; 0 when it is empty."""
        return read_version(self.session)

    def set_version(self, migration: Migration) -> None:
        """Write its number down, in the same transaction."""
        self.session.execute(f"pragma user_version = {migration.number}")


def build_log_path(path: Path) -> Path:
    """Where the log of a journal's file lies: `family.log.db` beside `family.db`."""
    return path.with_name(f"{path.stem}.log{path.suffix}")


def build_companion_path(path: Path, ending: str) -> Path:
    """A companion of a file: its `mark`, its `key`."""
    return path.with_name(f"{path.name}.{ending}")


def build_url(path: Path) -> str:
    """The URL of the store whose journal lies here."""
    return f"sqlite:///{path}"


def refuse_unsafe_files(path: Path) -> None:
    """Refuse files of a store that another user may have planted or can change."""
    for database in (path, build_log_path(path)):
        refuse_unsafe_database(database)
        mark = build_companion_path(database, "mark")
        refuse_unsafe(mark)
        refuse_second_name(mark)
    refuse_unsafe(build_companion_path(path, "key"), secret=True)


def prepare(path: Path, part: str, *, migrate: bool, timeout: timedelta = TIMEOUT) -> None:
    """Create or migrate a file, or refuse it in one sentence and leave it as it is."""
    if path.is_dir():
        raise StoreUnavailableError(
            f"{path} is a folder: name a file in it, such as {build_url(path / 'mulligan.db')}."
        )
    if not path.parent.is_dir():
        raise StoreUnavailableError(
            f"{path} cannot be opened, because there is no folder {path.parent}: create it first, "
            "or name a file elsewhere."
        )
    if not migrate and not path.exists():
        _refuse_emptied(path, part)
        raise StoreUnavailableError(
            f"{path} does not exist: check the path. A new store is made by the application that "
            f"opens it, or by `mulligan migrate --store {_build_store_url(path, part)}`."
        )
    with closing(SqliteSession(path, part, timeout=timeout, create=migrate)) as session:
        schema = SqliteSchema(session)
        # In this order: a file that is just being made ours has both at once, or neither.
        tables = session.fetch("count_tables")[0][0]
        if tables and session.fetch("application_id")[0][0] != APPLICATION_ID:
            raise StoreUnavailableError(
                f"{path} is a database of another program: name a file of its own for Mulligan."
            )
        steps = f"sqlite/{part}"
        if not migrate and not schema.read_version():
            _refuse_emptied(path, part)
        url = _build_store_url(path, part)
        check_version(steps, schema, store=str(path), url=url, migrate=migrate)
        if migrate:
            _use_write_ahead_log(session, timeout=timeout)
            bring_up_to_date(schema, steps)


def prepare_log(path: Path, *, migrate: bool, timeout: timedelta = TIMEOUT) -> None:
    """Prepare the log; one that is damaged is set aside, because it is never worth a refusal."""
    if path.suffix == _LOG_OF_A_PROGRAM and path.exists():
        _refuse_not_ours(path)
    try:
        prepare(path, LOG, migrate=migrate, timeout=timeout)
        with closing(SqliteSession(path, LOG, timeout=timeout)) as session:
            refuse_damaged(session, path, most_bytes=CHECKED_LOG_BYTES)
    except StoreDamagedError:
        if not migrate:
            raise
        set_aside(path)
        prepare(path, LOG, migrate=True, timeout=timeout)


def refuse_damaged(session: Session, path: Path, *, most_bytes: int = CHECKED_BYTES) -> None:
    """Raise when the structure of a file is broken. A large file is taken on trust."""
    if path.stat().st_size > most_bytes:
        return
    broken = check_structure(session, path)
    if broken:
        raise StoreDamagedError(
            f"{broken} Restore it from a backup, or move it away together with its .mark file "
            "to start anew."
        )


def check_structure(session: Session, path: Path) -> str | None:
    """What is wrong with a file's structure, as a sentence; `None` when nothing is."""
    try:
        found = session.fetch("check")[0][0]
    except StoreDamagedError as error:
        return str(error)
    if found == "ok":
        return None
    # Cut to the first: SQLite's findings go on for pages, and mean the same.
    lines = [line.strip() for line in found.splitlines() if not line.startswith("***")]
    return f"{path} is damaged: {lines[0] if lines else 'its structure is broken'}."


def read_version(session: Session) -> int:
    """The schema a file has."""
    return int(session.fetch("schema_version")[0][0])


def measure_size(path: Path) -> int:
    """How much room a file takes, its write-ahead log included."""
    size = 0
    for file in (path, path.with_name(f"{path.name}-wal")):
        # The write-ahead log goes when the last process closes the file.
        with suppress(FileNotFoundError):
            size += file.stat().st_size
    return size


def read_secret(path: Path) -> bytes:
    """The 32 bytes in a key file, created by the first process."""
    refuse_unsafe(path, secret=True)
    try:
        secret = read_private(path)
    except FileNotFoundError:
        make_secret(path, secrets.token_bytes(SECRET_BYTES))
        secret = read_private(path)
    if len(secret) != SECRET_BYTES:
        raise StoreDamagedError(
            f"{path} has {len(secret)} bytes instead of {SECRET_BYTES}: restore it from a backup, "
            "or delete it and let the hashes in the log start anew."
        )
    return secret


def set_aside(path: Path) -> Path:
    """Move a damaged file and its companions out of the way, so that none of it is lost."""
    away = path.with_name(f"{path.name}.damaged-{time.time_ns()}")
    for ending in ("", *ENDINGS):
        companion = path.with_name(path.name + ending)
        # There may be none, or another process has moved it already.
        with suppress(FileNotFoundError):
            companion.rename(away.with_name(away.name + ending))
    return away


def list_damaged_files(path: Path) -> list[Path]:
    """What was set aside of a file, the oldest first."""
    beginning = f"{path.name}.damaged-"
    found = [file for file in path.parent.iterdir() if file.name.startswith(beginning)]
    return sorted(file for file in found if not file.name.endswith(ENDINGS))


def _build_store_url(path: Path, part: str) -> str:
    """The URL that `mulligan migrate` takes, also when it is the log that is not ready."""
    if part == LOG:
        path = path.with_name(f"{path.stem.removesuffix('.log')}{path.suffix}")
    return build_url(path)


def _refuse_emptied(path: Path, part: str) -> None:
    """A file with nothing in it is new, unless its mark proves that it once had more."""
    if not WatermarkFile(build_companion_path(path, "mark")).read().found:
        return
    store = _build_store_url(path, part)
    way_out = (
        "the next application that opens the store counts the loss and starts a new log."
        if part == LOG
        else "restore both from a backup, or go on without what they held: run `mulligan migrate "
        f"--store {store}`, then `mulligan doctor --store {store} --accept-damage NOTE`."
    )
    raise StoreDamagedError(
        f"{path} is damaged: its mark proves that it was written to, but it is empty, because the "
        f"file or its write-ahead log was deleted or replaced; {way_out}"
    )


def make_secret(path: Path, secret: bytes) -> None:
    """Write it under another name, then link it: no process reads half a secret."""
    draft = path.with_name(f"{path.name}.{secrets.token_hex(8)}")
    file = os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL | BINARY, 0o600)
    try:
        os.write(file, secret)
        os.fsync(file)
        path.hardlink_to(draft)
    except FileExistsError:
        return
    finally:
        os.close(file)
        draft.unlink()


def _refuse_not_ours(path: Path) -> None:
    """Refuse a file in the log's place that nothing proves to be ours: it is left as it is."""
    with path.open("rb") as file:
        header = file.read(_HEADER_BYTES)
    application = int.from_bytes(header[68:72])
    ours = header.startswith(b"SQLite format 3\0") and application == APPLICATION_ID
    if not ours and not WatermarkFile(build_companion_path(path, "mark")).read().found:
        raise StoreUnavailableError(
            f"{path} is where the store's log would lie, but is no log of Mulligan's, and is left "
            "as it is: name another file for the store, such as sqlite:///mulligan.db, whose log "
            "is mulligan.log.db."
        )


def _use_write_ahead_log(session: SqliteSession, *, timeout: timedelta) -> None:
    """The one step whose lock SQLite does not wait for when two processes take it at once."""
    deadline = time.monotonic() + timeout.total_seconds()
    while True:
        try:
            session.execute("pragma journal_mode = wal")
        except StoreLockedError:
            if time.monotonic() > deadline:
                raise
            time.sleep(0.01)
        else:
            return


_TRIES = 5
"""How often the moment of a copy is taken anew because a writer began since the marks were read."""


def copy_files(path: Path, folder: Path) -> list[Path]:
    """Copy every file of the store into a folder, under its own name; those that were made."""
    refuse_unsafe_files(path)
    databases = {path: JOURNAL, build_log_path(path): LOG}
    key = build_companion_path(path, "key")
    marks = {database: build_companion_path(database, "mark") for database in databases}
    for each in (key, *marks.values(), *databases):
        if (folder / each.name).exists():
            raise ConfigurationError(f"{folder / each.name} already exists: name another folder.")
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    made = [_write_synced(folder / key.name, read_private(key))] if key.exists() else []
    for database, part in databases.items():
        made += _copy_marked(database, part, mark=marks[database], folder=folder)
    return made


def _copy_marked(database: Path, part: str, *, mark: Path, folder: Path) -> list[Path]:
    """A database as it is at one moment, with its mark of just before.

    Behind its file a mark proves nothing, ahead of it that something is lost; and a writer that
    began in between would be taken for one whose mark was taken away.
    """
    target, marks = folder / database.name, WatermarkFile(mark)
    with closing(SqliteSession(database, part)) as session:
        for left in reversed(range(_TRIES)):
            content = read_private(mark) if mark.exists() else b""
            with session.begin_snapshot():
                # By reading, the moment of the copy begins.
                heads = read_heads(session) if part == JOURNAL else []
                wrote = {head.writer for head in heads if head.seq or head.commits}
                began = wrote & (marks.read().found.keys() - read_watermarks(content).found.keys())
                if not began or not left:
                    session.copy_to(target)
                    break
    return [target, *([_write_synced(folder / mark.name, content)] if content else [])]


def _write_synced(path: Path, content: bytes) -> Path:
    with os.fdopen(open_private(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL), "wb") as file:
        file.write(content)
        file.flush()
        os.fsync(file.fileno())
    return path


def vacuum_files(
    connects: Mapping[Path, Callable[[], SqliteSession]], *, most_bytes: int | None
) -> Vacuumed:
    """Each of the files, unless it is larger, or in use for too long."""
    parts, left = [], []
    for path, connect in connects.items():
        size = measure_size(path)
        if most_bytes is not None and size > most_bytes:
            left.append(f"{path.name} has {size / 1e6:,.0f} MB")
            continue
        try:
            with open_erasing_session(connect) as session:
                session.execute("vacuum")
        except StoreError as error:
            left.append(f"{path.name}: {error}")
        else:
            parts.append(path.name)
    return Vacuumed(parts=tuple(parts), left=tuple(left))
