"""Opens a store by its URL."""

from __future__ import annotations

from datetime import timedelta
from typing import TypedDict, Unpack

from mulligan.core.errors import ConfigurationError
from mulligan.core.interfaces import Clock, Store
from mulligan.core.storage.retention import Retention
from mulligan.stores.keys.seal import make_seal
from mulligan.stores.options import Options
from mulligan.stores.process.clock import read_utc_now
from mulligan.stores.schemes import choose_opener


class Waits(TypedDict, total=False):
    """How long is waited, and for whom; and what the database is to hold by itself."""

    timeout: timedelta
    """For a lock that another process holds, or a server that does not answer; 5 seconds."""
    lease: timedelta
    """How long others wait for this process when it falls silent; 30 seconds."""
    row_security: bool
    """Refuse a store that does not keep tenants apart by itself; not asked for."""


def open_store(
    url: str,
    *,
    migrate: bool = True,
    vault_key: bytes | None = None,
    retention: Retention | None = None,
    tolerate_damage: bool = False,
    clock: Clock = read_utc_now,
    **waits: Unpack[Waits],
) -> Store:
    """Open `memory:`, `sqlite:///file.db`, `postgresql://…`, or what a package has registered.

    With `migrate` a store that is missing or older is made ready; without, it is refused.
    `tolerate_damage` opens a damaged journal to look at it.
    """
    options = Options(
        migrate=migrate,
        seal=make_seal(vault_key),
        retention=retention or Retention(),
        tolerate_damage=tolerate_damage,
        clock=clock,
        **waits,
    )
    if options.row_security and not url.startswith(("postgres:", "postgresql:")):
        raise ConfigurationError(
            "The setting row_security asks for roles, which only Postgres has: name a "
            "postgresql:// store, or leave the setting out."
        )
    return choose_opener(url)(url, options)
