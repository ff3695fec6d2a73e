"""Which writers are alive, and the duties that one writer holds at a time."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from datetime import timedelta

from mulligan.codec import encode_json
from mulligan.stores.database import Pool, Row
from mulligan.stores.process import Life, ProcessIdentity, identify_process, judge_process
from mulligan.stores.relational.committer import JournalCommitter
from mulligan.stores.relational.transaction import Transaction
from mulligan.types.interfaces import WriterSeen

LATELY = timedelta(days=7)
MOST_LATELY = 50


class WriterTable:
    """Every writer there ever was, with when the database last heard of it."""

    def __init__(self, pool: Pool, *, committer: JournalCommitter) -> None:
        self._pool = pool
        self._committer = committer

    def find_dead(self, writers: Collection[str]) -> set[str]:
        """The dead ones among some writers; silent ones are revoked first."""
        if not writers:
            return set()
        lives = self._judge_writers(writers)
        # Ended ones too: if one is alive after all, it cannot write any more.
        lost = {writer for writer, life in lives.items() if life in (Life.SILENT, Life.GONE)}
        if lost:
            names = encode_json(sorted(lost)).decode()
            with self._pool.acquire_session() as session, session.begin_transaction():
                # In one statement, so that a beat at the same moment is in time or too late. Who
                # holds its row lives, or is left to the next look: a frozen one holds it for long.
                session.run("revoke_silent", writers=names)
                for writer in (each for each in lost if lives[each] is Life.GONE):
                    session.run("end_writer", writer=writer)
            lives = self._judge_writers(writers)
        # A silent writer may have just sent a heartbeat.
        return {
            writer
            for writer in writers
            if lives.get(writer, Life.GONE) in (Life.GONE, Life.REVOKED)
        }

    def list_lately(self) -> tuple[WriterSeen, ...]:
        """Writers seen in the last days, latest first; listing revokes none."""
        within = LATELY // timedelta(microseconds=1)
        rows = self._pool.fetch("writers_lately", within=within, most=MOST_LATELY)
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
        return self._judge_rows(self._pool.fetch("present", writers=names))

    def _judge_rows(self, rows: Iterable[Row]) -> dict[str, Life]:
        own, seen_from = self._committer.head, identify_process()
        found: dict[str, Life] = {}
        for writer, machine, pid, started, silent_us, lease_us, revoked_us in rows:
            identity = ProcessIdentity(machine=machine or "", pid=pid or 0, started=started or "")
            found[writer] = judge_process(
                identity,
                silent=silent_us > lease_us,
                seen_from=seen_from,
                trust_processes=self._committer.trusts_processes,
            )
            if revoked_us is not None:
                found[writer] = Life.REVOKED
            elif own is not None and writer == own.writer:
                found[writer] = Life.LIVES
        return found


class LeaderLockTable:
    """Claims go through the group commit, so that the holder is a writer that others can see."""

    def __init__(self, pool: Pool, *, committer: JournalCommitter, writers: WriterTable) -> None:
        self._pool = pool
        self._committer = committer
        self._writers = writers

    def claim(self, duty: str, *, every: timedelta) -> bool:
        """Claim a duty, unless a live writer has it or it was done within `every`."""
        rows = self._pool.fetch("duty_holder", duty=duty)
        holder = rows[0][0] if rows else None
        if holder is not None and not self._writers.find_dead({holder}):
            return False
        every_us = every // timedelta(microseconds=1)

        def take(transaction: Transaction) -> bool:
            session, mine = transaction.session, transaction.head.writer
            session.run("add_duty", duty=duty)
            # A quicker writer may be the holder now.
            values = {"duty": duty, "writer": mine, "was": holder or "", "every_us": every_us}
            return bool(session.run("claim_duty", **values))

        # Synced: a crash of the server that lost it would let another claim it as well.
        claimed: bool = self._committer.run(take)
        return claimed

    def finish(self, duty: str, *, done: bool) -> None:
        """Give a duty back, if it is still ours."""
        values = {"duty": duty, "done": int(done)}
        self._committer.run(
            lambda t: t.session.run("finish_duty", writer=t.head.writer, **values), synced=False
        )
