"""Opens a store by its URL."""

from __future__ import annotations

import re
from datetime import timedelta
from pathlib import Path

from mulligan.core.errors import MissingExtraError, UnknownStoreError
from mulligan.core.interfaces import Clock, Store
from mulligan.core.retention import Retention
from mulligan.stores.clock import read_utc_now
from mulligan.stores.options import Options
from mulligan.stores.seal import make_seal
from mulligan.stores.url import strip_credentials

_SQLITE = "sqlite:///"
_POSTGRES = ("postgresql://", "postgres://")


def open_store(
    url: str,
    *,
    migrate: bool = True,
    vault_key: bytes | None = None,
    retention: Retention | None = None,
    tolerate_damage: bool = False,
    clock: Clock = read_utc_now,
    timeout: timedelta = timedelta(seconds=5),
) -> Store:
    """Open `memory:`, `sqlite:///file.db` or `postgresql://…`.

    With `migrate` a store that is missing or older is made ready; without, it is refused.
    `tolerate_damage` opens a damaged journal to look at it. `timeout` bounds the wait for a lock
    or a server.
    """
    options = Options(
        migrate=migrate,
        seal=make_seal(vault_key),
        retention=retention or Retention(),
        tolerate_damage=tolerate_damage,
        clock=clock,
        timeout=timeout,
    )
    if url == "memory:":
        return _open_memory(options)
    # Options would become part of the file's name.
    if url.startswith(_SQLITE) and len(url) > len(_SQLITE) and "?" not in url:
        return _open_sqlite(Path(url.removeprefix(_SQLITE)), options)
    if url.startswith(_POSTGRES):
        return _open_postgres(url, options)
    raise UnknownStoreError(
        f"{strip_credentials(url)!r} is not the URL of a store: use memory:, "
        "sqlite:///file.db, sqlite:////absolute/path.db or postgresql://user@host/database."
    )


def _open_memory(options: Options) -> Store:
    from mulligan.stores.memory.store import MemoryStore

    return MemoryStore(options)


def _open_sqlite(path: Path, options: Options) -> Store:
    from mulligan.stores.sqlite.store import SqliteStore

    return SqliteStore(path.absolute(), options)


def _open_postgres(url: str, options: Options) -> Store:
    try:
        from mulligan.stores.postgres.database import PostgresStore
    except ImportError as error:
        raise MissingExtraError(need="Postgres", extra="postgres") from error
    return PostgresStore(re.sub("^postgres:", "postgresql:", url), options)
