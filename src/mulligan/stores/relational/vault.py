"""The vault over a table: raw values apart from everything else."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from datetime import datetime
from functools import partial
from typing import Any

from mulligan.core.action import Kept
from mulligan.core.interfaces import Clock
from mulligan.core.storage.instants import to_us
from mulligan.stores.database.driver import Row, Session, fetch_one
from mulligan.stores.database.pool import Pool
from mulligan.stores.keys.signer import Signer
from mulligan.stores.relational.signing.safe import Safe, is_intact, is_sealed, make_damage
from mulligan.stores.relational.writing.ledger import Ledger
from mulligan.stores.relational.writing.transaction import Work

_ROWS_AT_A_TIME = 500
_VALUES_AT_A_TIME = 50


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
        self._keyring = safe.keyring
        self._clock = clock
        self._erase = erase

    def put(self, kept: Kept) -> None:
        """Keep a value; the same owner and name replaces it."""
        row = self._safe.lock_away(kept)
        self._write(lambda transaction: self._safe.keep(transaction, row))

    def get(self, owner: str, name: str) -> bytes | None:
        """A kept value, or `None` when there is none or it has expired."""

        def find(session: Session) -> tuple[Row | None, Signer | None]:
            row = fetch_one(session, "kept", owner=owner, name=name)
            return row, self._keyring.find_signer(session)

        row, signer = self._pool.ask(find)
        if row is None:
            return None
        if row[:2] != (owner, name):
            # An index that leads to another row would give somebody else's value.
            raise make_damage(owner, name)
        expires_us = row[5]
        if expires_us is not None and expires_us <= to_us(self._clock(), name="The clock's time"):
            if signer is not None and not is_sealed(row, signer):
                # Somebody has set its end, who has no key to do so.
                raise make_damage(owner, name)
            return None
        return self._safe.open(row, signer=signer)

    def expire(self, owner: str, *, at: datetime) -> None:
        """Let everything of an owner end at the given time."""
        at_us = to_us(at, name="at")
        self._write(
            lambda transaction: self._safe.expire(transaction, owner, at_us=at_us, settled=False)
        )

    def shred(self, *, now: datetime) -> int:
        """Delete what has expired, so that it is gone from the disk too."""
        now_us = to_us(now, name="now")
        shredded = skipped = 0
        while gone := self._write(
            partial(self._safe.shred, now_us=now_us, most=_ROWS_AT_A_TIME, skip=skipped)
        ):
            shredded += sum(gone)
            skipped += len(gone) - sum(gone)
        # Also when nothing had expired: an earlier deletion may have been interrupted here.
        self._erase()
        return shredded

    def find_problems(self) -> Iterator[str]:
        """A sentence for each value that is not what was kept."""
        if not self._keyring.whole:
            return
        owner = name = ""
        while rows := self._pool.ask(
            partial(_fetch_some, owner=owner, name=name, most=_VALUES_AT_A_TIME)
        ):
            for row in rows:
                owner, name = row[:2]
                if not is_intact(row):
                    yield str(make_damage(owner, name))

    def _write(self, work: Work) -> Any:
        return self._ledger.submit(work).result()


def _fetch_some(session: Session, *, owner: str, name: str, most: int) -> list[Row]:
    return session.fetch("kept_after", owner=owner, name=name, most=most)
