"""A writer's place in the journal, and the transaction that moves it on."""

from __future__ import annotations

import threading
import time
import uuid
from collections.abc import Callable, Sequence
from concurrent.futures import Future
from dataclasses import asdict, dataclass, replace
from datetime import timedelta
from typing import Any

from mulligan.core.errors import StoreDamagedError, StoreError
from mulligan.stores.chain import GENESIS, ChainEntry, hash_entry
from mulligan.stores.driver import (
    ConnectionLostError,
    Session,
    TryAgainError,
    UnreadableError,
    fetch_one,
)
from mulligan.stores.encoding import EncodedEntry
from mulligan.stores.group_commit import GroupCommit
from mulligan.stores.mark import Mark, MarkFile
from mulligan.stores.presence import identify_process

FORGOTTEN = timedelta(days=7)
"""Who has said nothing for so long is not even known any more."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Head:
    """Where a writer's chain ends."""

    writer: str
    commits: int
    seq: int
    hash: bytes

    def to_mark(self) -> Mark:
        """The same, for outside the database."""
        return Mark(writer=self.writer, commits=self.commits, seq=self.seq, proof=self.hash[:24])


class Transaction:
    """A group's transaction as one work in it sees it."""

    def __init__(self, session: Session, head: Head) -> None:
        self.session = session
        self.head = head

    def append(self, draft: EncodedEntry) -> None:
        """Add an entry to the writer's chain."""
        entry = draft.entry
        line = ChainEntry(
            writer=self.head.writer,
            seq=self.head.seq + 1,
            action=entry.action,
            version=entry.version,
            state=str(entry.state),
            at_us=draft.at_us,
            body=draft.body,
            hash=b"",
        )
        line = line._replace(hash=hash_entry(self.head.hash, line))
        self.session.run("add_entry", **line._asdict())
        self.head = replace(self.head, seq=line.seq, hash=line.hash)


Work = Callable[[Transaction], object]


class Ledger:
    """Commits groups of work as one writer. Its id is fresh for every process that writes."""

    def __init__(
        self,
        connect: Callable[[], Session],
        *,
        timeout: timedelta,
        marks: MarkFile | None = None,
    ) -> None:
        self._connect = connect
        self._timeout = timeout
        self._marks = marks
        self._group: GroupCommit[tuple[Work, bool]] = GroupCommit(self._commit_group)
        self._lock = threading.Lock()
        self._session: Session | None = None
        self._head: Head | None = None

    @property
    def head(self) -> Head | None:
        """As far as this writer's commits were acknowledged, or `None` before the first."""
        return self._head

    def identify_writer(self) -> str:
        """Who this process is, also before its first commit."""
        head = self._head
        if head is not None:
            return head.writer
        named: str = self.submit(lambda transaction: transaction.head.writer, synced=False).result()
        return named

    def submit(self, work: Work, *, synced: bool = True) -> Future[Any]:
        """Queue a work; its future is done when it is written, and on disk if it is `synced`."""
        return self._group.submit((work, synced))

    def start_over(self) -> None:
        """Go on as a new writer: what the old one lost has been accepted."""
        with self._lock:
            self._head = None

    def close(self) -> None:
        """Finish what was submitted, then let go of the connection."""
        self._group.close()
        with self._lock:
            self._drop_session()

    def reset_after_fork(self) -> None:
        """In a child: be another writer, on another connection."""
        self._group.reset_after_fork()
        self._lock = threading.Lock()
        self._head = None
        if self._session is not None:
            self._session.abandon()
        self._session = None

    def _commit_group(self, group: Sequence[tuple[Work, bool]]) -> Sequence[object]:
        """Do all works in one transaction; what one of them alone failed with is its outcome."""
        with self._lock:
            return self._commit(
                [work for work, _ in group], synced=any(synced for _, synced in group)
            )

    def _commit(self, works: Sequence[Work], *, synced: bool) -> Sequence[object]:
        deadline = time.monotonic() + self._timeout.total_seconds()
        unanswered: list[object] | None = None
        while True:
            outcomes: list[object] = []
            try:
                if unanswered is not None and self._has_landed():
                    return unanswered
                unanswered = None
                return self._commit_once(works, outcomes, synced=synced)
            except ConnectionLostError:
                self._drop_session()
                if len(outcomes) == len(works):
                    unanswered = outcomes
                if time.monotonic() > deadline:
                    raise
            except TryAgainError:
                if time.monotonic() > deadline:
                    raise

    def _commit_once(
        self, works: Sequence[Work], outcomes: list[object], *, synced: bool
    ) -> Sequence[object]:
        session, acknowledged = self._prepare_writer()
        with session.begin_transaction(synced=synced):
            transaction = Transaction(session, self._read_head(session, acknowledged))
            outcomes.extend(_attempt(transaction, work) for work in works)
            head = replace(transaction.head, commits=transaction.head.commits + 1)
            # When every work failed nothing has changed, and there is nothing to sync.
            moved = not all(isinstance(outcome, BaseException) for outcome in outcomes)
            if moved:
                session.run(
                    "move_head",
                    writer=head.writer,
                    commits=head.commits,
                    seq=head.seq,
                    hash=head.hash,
                )
        if moved:
            self._acknowledge(head, synced=synced)
        return outcomes

    def _prepare_writer(self) -> tuple[Session, Head]:
        if self._session is None:
            self._session = self._connect()
        head = self._head
        if head is None:
            head = Head(writer=uuid.uuid4().hex, commits=0, seq=0, hash=GENESIS)
            with self._session.begin_transaction():
                self._session.run("start_writer", writer=head.writer, genesis=GENESIS)
                self._session.run("forget_silent", silent_us=FORGOTTEN // timedelta(microseconds=1))
                self._session.run("appear", writer=head.writer, **asdict(identify_process()))
            # At once, so that a writer of nothing that is synced is not taken for one that lost
            # its mark.
            self._acknowledge(head, synced=True)
        return self._session, head

    def _read_head(self, session: Session, acknowledged: Head) -> Head:
        """The head as the database has it: behind what it acknowledged, it has lost something."""
        row = fetch_one(session, "head", writer=acknowledged.writer)
        if row is None or row[0] < acknowledged.commits:
            found = row[0] if row else 0
            raise StoreDamagedError(
                f"The store acknowledged {acknowledged.commits} commits of writer "
                f"{acknowledged.writer}, but now has {found}: it was replaced, or failed over to "
                "a copy that was behind. See what is left with `mulligan doctor`; go on from it "
                "with `mulligan doctor --accept-damage NOTE`."
            )
        commits, seq, hash_ = row
        return Head(writer=acknowledged.writer, commits=commits, seq=seq, hash=bytes(hash_))

    def _has_landed(self) -> bool:
        """Whether a commit whose answer was lost is in the database after all.

        Reading the writer's own row under a lock waits for a transaction that is still ending.
        """
        session, acknowledged = self._prepare_writer()
        row = fetch_one(session, "head_when_settled", writer=acknowledged.writer)
        if row is None or row[0] <= acknowledged.commits:
            return False
        self._acknowledge(self._read_head(session, acknowledged), synced=True)
        return True

    def _acknowledge(self, head: Head, *, synced: bool) -> None:
        self._head = head
        # A mark of what is not synced yet could outlive it, and accuse a sound journal.
        if self._marks is not None and synced:
            self._marks.write(head.to_mark())

    def _drop_session(self) -> None:
        session, self._session = self._session, None
        if session is not None:
            session.close()


def _attempt(transaction: Transaction, work: Work) -> object:
    """Do one work so that it can fail alone; only trouble with the store itself fails them all."""
    before = transaction.head
    try:
        with transaction.session.begin_savepoint():
            return work(transaction)
    except UnreadableError as error:
        transaction.head = before
        return error
    except StoreError:
        raise
    except Exception as error:  # noqa: BLE001 - it is handed to the one who submitted the work
        transaction.head = before
        return error
