"""Duties over a table: each is one writer's at a time, as long as that writer lives."""

from __future__ import annotations

from datetime import timedelta

from mulligan.stores.database.driver import Session, fetch_one
from mulligan.stores.database.pool import Pool
from mulligan.stores.relational.writers import WriterTable
from mulligan.stores.relational.writing.ledger import Ledger
from mulligan.stores.relational.writing.transaction import Transaction


class DutyTable:
    """Claims go through the group commit, so that who claims is a writer that others can see."""

    def __init__(self, pool: Pool, *, ledger: Ledger, writers: WriterTable) -> None:
        self._pool = pool
        self._ledger = ledger
        self._writers = writers

    def claim(self, duty: str, *, every: timedelta) -> bool:
        """Take a duty on, unless somebody alive has it or it was done within `every`."""

        def read_holder(session: Session) -> str | None:
            row = fetch_one(session, "duty_holder", duty=duty)
            return None if row is None else row[0]

        holder = self._pool.ask(read_holder)
        if holder is not None and not self._writers.find_dead({holder}):
            return False
        every_us = every // timedelta(microseconds=1)

        def take(transaction: Transaction) -> bool:
            session, mine = transaction.session, transaction.head.writer
            session.run("add_duty", duty=duty)
            # Whoever was quicker is the holder now, and not who was read above.
            values = {"duty": duty, "writer": mine, "was": holder or "", "every_us": every_us}
            return bool(session.run("claim_duty", **values))

        # Synced: a crash of the server that took it back would let another claim it as well.
        claimed: bool = self._ledger.submit(take).result()
        return claimed

    def finish(self, duty: str, *, done: bool) -> None:
        """Give a duty back, if it is still ours."""

        def give_back(transaction: Transaction) -> None:
            mine = transaction.head.writer
            transaction.session.run("finish_duty", duty=duty, writer=mine, done=int(done))

        self._ledger.submit(give_back, synced=False).result()
