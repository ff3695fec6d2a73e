"""Opens a store by its URL."""

from __future__ import annotations

from datetime import timedelta

from mulligan.core.interfaces import Clock, Store
from mulligan.core.retention import Retention
from mulligan.stores.clock import read_utc_now
from mulligan.stores.options import Options
from mulligan.stores.schemes import find_opener
from mulligan.stores.seal import make_seal


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
    """Open `memory:`, `sqlite:///file.db`, `postgresql://…`, or what a package has registered.

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
    return find_opener(url)(url, options)
