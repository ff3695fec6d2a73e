"""SQLite: a file for the journal and the vault, a file for the log, and their marks."""

from __future__ import annotations

from pathlib import Path

from mulligan.stores.opening import Options, make_refusal
from mulligan.types.interfaces import Store

_PREFIX = "sqlite:///"


def open_store(url: str, options: Options) -> Store:
    """Open `sqlite:///file.db`; a relative path is taken from where the process is now."""
    path = read_path(url)
    from mulligan.stores.sqlite.store import SqliteStore

    return SqliteStore(path, options)


def read_path(url: str) -> Path:
    """The file that a URL names."""
    # Options behind a question mark would become part of the file's name.
    if not url.startswith(_PREFIX) or url == _PREFIX or "?" in url:
        raise make_refusal(url)
    return Path(url.removeprefix(_PREFIX)).absolute()
