"""A copy of a SQLite store that can be opened as one, made while others go on writing."""

from __future__ import annotations

import os
from pathlib import Path

from mulligan.core.errors import ConfigurationError
from mulligan.stores.private_file import open_private, read_private
from mulligan.stores.sqlite.files import build_companion_path, build_log_path, refuse_unsafe_files
from mulligan.stores.sqlite.session import JOURNAL, LOG, SqliteSession


def copy_files(path: Path, folder: Path) -> list[Path]:
    """Copy every file of the store into a folder, under its own name; those that were made."""
    refuse_unsafe_files(path)
    databases = {path: JOURNAL, build_log_path(path): LOG}
    marks = [build_companion_path(database, "mark") for database in databases]
    # The marks first: behind its file one proves nothing, and ahead of it that something is lost.
    beside = [each for each in (*marks, build_companion_path(path, "key")) if each.exists()]
    targets = {each: folder / each.name for each in (*beside, *databases)}
    for target in targets.values():
        if target.exists():
            raise ConfigurationError(f"{target} is there already; name another folder.")
    folder.mkdir(parents=True, exist_ok=True)
    for each in beside:
        _write_synced(targets[each], read_private(each))
    for database, part in databases.items():
        _copy_database(database, part, targets[database])
    return list(targets.values())


def _copy_database(database: Path, part: str, target: Path) -> None:
    session = SqliteSession(database, part)
    try:
        session.copy_to(target)
    finally:
        session.close()


def _write_synced(path: Path, content: bytes) -> None:
    with os.fdopen(open_private(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL), "wb") as file:
        file.write(content)
        file.flush()
        os.fsync(file.fileno())
