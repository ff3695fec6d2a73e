"""A copy of a SQLite store that can be opened as one, made while others go on writing."""

from __future__ import annotations

import os
from contextlib import closing
from pathlib import Path

from mulligan.core.errors import ConfigurationError
from mulligan.stores.disk.mark import MarkFile, read_marks
from mulligan.stores.disk.private_file import open_private, read_private
from mulligan.stores.relational.audit.audit import read_heads
from mulligan.stores.sqlite.files import build_companion_path, build_log_path, refuse_unsafe_files
from mulligan.stores.sqlite.session import JOURNAL, LOG, SqliteSession

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
            raise ConfigurationError(f"{folder / each.name} is there already; name another folder.")
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
    target, marks = folder / database.name, MarkFile(mark)
    with closing(SqliteSession(database, part)) as session:
        for left in reversed(range(_TRIES)):
            content = read_private(mark) if mark.exists() else b""
            with session.begin_snapshot():
                wrote = _list_writers(session, part)
                began = wrote & (marks.read().found.keys() - read_marks(content).found.keys())
                if not began or not left:
                    session.copy_to(target)
                    break
    return [target, *([_write_synced(folder / mark.name, content)] if content else [])]


def _list_writers(session: SqliteSession, part: str) -> set[str]:
    """Who has written into the journal; by reading, the moment of the copy begins."""
    if part != JOURNAL:
        return set()
    return {head.writer for head in read_heads(session) if head.seq or head.commits}


def _write_synced(path: Path, content: bytes) -> Path:
    with os.fdopen(open_private(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL), "wb") as file:
        file.write(content)
        file.flush()
        os.fsync(file.fileno())
    return path
