"""The vault over a table: raw values apart from everything else."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime

from mulligan.core.action import Kept
from mulligan.core.instants import to_us
from mulligan.core.interfaces import Clock
from mulligan.stores.driver import fetch_one
from mulligan.stores.pool import Pool
from mulligan.stores.relational.ledger import Ledger, Work
from mulligan.stores.relational.safe import Safe, make_damage

_ROWS_AT_A_TIME = 500


class VaultTables:
    """Values that expire; writing goes through the journal's group commit."""

    def __init__(
        self,
        pool: Pool,
        *,
        ledger: Ledger,
        safe: Safe,
        clock: Clock,
        erase: Callable[[], None],
    ) -> None:
        self._pool = pool
        self._ledger = ledger
        self._safe = safe
        self._clock = clock
        self._erase = erase

    def put(self, kept: Kept) -> None:
        """Keep a value; the same owner and name replaces it."""
        row = self._safe.lock_away(kept)
        self._write(lambda transaction: self._safe.keep(transaction.session, row))

    def get(self, owner: str, name: str) -> bytes | None:
        """A kept value, or `None` when there is none or it has expired."""
        row = self._pool.ask(lambda session: fetch_one(session, "kept", owner=owner, name=name))
        if row is None:
            return None
        *found, value, locked, checksum, expires_us = row
        if found != [owner, name]:
            # An index that leads to another row would give somebody else's value.
            raise make_damage(owner, name)
        if expires_us is not None and expires_us <= to_us(self._clock(), name="The clock's time"):
            return None
        kept = Kept(owner=owner, name=name, value=value)
        return self._safe.open(kept, locked=locked, checksum=checksum)

    def expire(self, owner: str, *, at: datetime) -> None:
        """Let everything of an owner end at the given time."""
        at_us = to_us(at, name="at")
        self._write(lambda transaction: transaction.session.run("expire", owner=owner, at_us=at_us))

    def shred(self, *, now: datetime) -> int:
        """Delete what has expired, so that it is gone from the disk too."""
        now_us = to_us(now, name="now")
        shredded = 0
        while count := self._write(
            lambda transaction: transaction.session.run(
                "shred", now_us=now_us, most=_ROWS_AT_A_TIME
            )
        ):
            shredded += count
        # Also when nothing had expired: an earlier deletion may have been interrupted here.
        self._erase()
        return shredded

    def _write(self, work: Work) -> int:
        changed: int = self._ledger.submit(work).result()
        return changed
