"""Who of those that have written is still there, and who is not waited for any more."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from datetime import timedelta

from mulligan.codec.json_text import encode_json
from mulligan.core.storage.writer import WriterSeen
from mulligan.stores.database.driver import Row
from mulligan.stores.database.pool import Pool
from mulligan.stores.process.presence import Life, Presence, identify_process, judge_presence
from mulligan.stores.relational.writing.ledger import Ledger

LATELY = timedelta(days=7)
MOST_LATELY = 50


class WriterTable:
    """Every writer there ever was, with when the database last heard of it."""

    def __init__(self, pool: Pool, *, ledger: Ledger) -> None:
        self._pool = pool
        self._ledger = ledger

    def find_dead(self, writers: Collection[str]) -> set[str]:
        """Those of some that will write no more; who is silent is revoked first."""
        if not writers:
            return set()
        lives = self._judge_writers(writers)
        # Who seems to have ended, too: were it there after all, it would not write any more.
        lost = {writer for writer, life in lives.items() if life in (Life.SILENT, Life.GONE)}
        if lost:
            self._revoke(lost, ended=[each for each in lost if lives[each] is Life.GONE])
            lives = self._judge_writers(writers)
        # Who is silent still has just said something.
        return {
            writer
            for writer in writers
            if lives.get(writer, Life.GONE) in (Life.GONE, Life.REVOKED)
        }

    def list_lately(self) -> tuple[WriterSeen, ...]:
        """Who was heard of in the last days, the latest first; nobody is revoked by looking."""
        within = LATELY // timedelta(microseconds=1)
        rows = self._pool.ask(
            lambda session: session.fetch("writers_lately", within=within, most=MOST_LATELY)
        )
        here, lives = identify_process().machine, self._judge_rows(rows)
        return tuple(
            WriterSeen(
                id=writer,
                pid=pid or 0,
                here=machine == here,
                life=lives[writer].value,
                silent=timedelta(microseconds=max(0, silent_us)),
                lease=timedelta(microseconds=lease_us),
            )
            for writer, machine, pid, _, silent_us, lease_us, _ in rows
        )

    def _judge_writers(self, writers: Collection[str]) -> dict[str, Life]:
        """What is known of some writers; of those that are not in it, nothing."""
        names = encode_json(sorted(writers)).decode()
        return self._judge_rows(
            self._pool.ask(lambda session: session.fetch("present", writers=names))
        )

    def _judge_rows(self, rows: Iterable[Row]) -> dict[str, Life]:
        own, seen_from = self._ledger.head, identify_process()
        found: dict[str, Life] = {}
        for writer, machine, pid, started, silent_us, lease_us, revoked_us in rows:
            presence = Presence(machine=machine or "", pid=pid or 0, started=started or "")
            found[writer] = judge_presence(
                presence,
                silent=silent_us > lease_us,
                seen_from=seen_from,
                trust_processes=self._ledger.trusts_processes,
            )
            if revoked_us is not None:
                found[writer] = Life.REVOKED
            elif own is not None and writer == own.writer:
                found[writer] = Life.LIVES
        return found

    def _revoke(self, writers: Collection[str], *, ended: Collection[str]) -> None:
        """In one statement, so that a beat at the same moment is in time or too late."""
        names = encode_json(sorted(writers)).decode()
        with self._pool.acquire_session() as session, session.begin_transaction():
            session.run("revoke_silent", writers=names)
            for writer in ended:
                session.run("end_writer", writer=writer)
