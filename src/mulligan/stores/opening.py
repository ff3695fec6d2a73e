"""Opens a store by its URL."""

from __future__ import annotations

from datetime import timedelta
from typing import TypedDict, Unpack

from mulligan.core.interfaces import Clock, Store
from mulligan.core.retention import Retention
from mulligan.stores.clock import read_utc_now
from mulligan.stores.options import Options
from mulligan.stores.schemes import choose_opener
from mulligan.stores.seal import make_seal


class Waits(TypedDict, total=False):
    """How long is waited, and for whom."""

    timeout: timedelta
    """For a lock that another process holds, or a server that does not answer; 5 seconds."""
    lease: timedelta
    """How long others wait for this process when it falls silent; 30 seconds."""


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
    return choose_opener(url)(url, options)
