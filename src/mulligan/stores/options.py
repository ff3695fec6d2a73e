"""How a store is to be opened."""

from __future__ import annotations

from dataclasses import field
from datetime import timedelta

from mulligan.core.interfaces import LEASE, Clock
from mulligan.core.runtime.dataclass import dataclass
from mulligan.core.storage.retention import Retention
from mulligan.stores.keys.seal import Seal
from mulligan.stores.process.clock import read_utc_now


@dataclass(frozen=True, slots=True, kw_only=True)
class Options:
    """What `open_store` was told, besides where."""

    seal: Seal
    """Made first: a wrong or unusable key must leave no file behind."""
    migrate: bool = True
    retention: Retention = field(default_factory=Retention)
    tolerate_damage: bool = False
    """Open a damaged journal all the same, to look at it."""
    clock: Clock = read_utc_now
    timeout: timedelta = timedelta(seconds=5)
    """How long to wait for a lock that another process holds, or a server that does not answer."""
    lease: timedelta = LEASE
    """How long this process is waited for when it falls silent."""
    row_security: bool = False
    """Refuse a database that does not keep tenants apart by itself; with `migrate`, have it."""
