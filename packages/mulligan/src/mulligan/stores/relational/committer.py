"""Commits of one writer: its place in the journal, the group commit, what a server may still lose.

One thread writes everything that queued while the last commit ran. There is no time window: a
lone caller pays one sync; eight callers share one.

A server that dies takes its last moments with it; the process that wrote them may live on, knows
what it was told, and writes it again. So only what was synced, the *promised* head, can be
missed.
"""

from __future__ import annotations

import threading
import time
import uuid
from collections import deque
from collections.abc import Callable, Sequence
from concurrent.futures import Future
from contextlib import nullcontext, suppress
from datetime import timedelta
from functools import partial
from typing import Any, Generic, NamedTuple, NoReturn, TypeVar

from msgspec.structs import asdict, replace

from mulligan.stores.crypto import GENESIS, Signer
from mulligan.stores.database import (
    ConnectionLostError,
    Pool,
    Session,
    TryAgainError,
    fetch_one,
    make_closed_error,
)
from mulligan.stores.process import Lease, identify_process
from mulligan.stores.relational.transaction import (
    Account,
    ApartError,
    Head,
    NothingDoneError,
    Transaction,
    Work,
    attempt,
    attempt_all,
    decode_head,
    fail_together,
    list_before,
    move_head,
)
from mulligan.stores.watermarks import WatermarkFile
from mulligan.types.errors import StoreDamagedError, StoreError
from mulligan.types.interfaces import LEASE

W = TypeVar("W")

Commit = Callable[[Sequence[W]], Sequence[object]]
"""Does a group of works in one transaction. Gives for each what it came to: a result, or the
exception that it alone failed with. Raises when the transaction as a whole failed."""


MOST_TOGETHER = 512
"""Works of one transaction."""


class GroupCommit(Generic[W]):
    """A queue in front of one writing thread. The thread starts with the first work."""

    def __init__(self, commit: Commit[W]) -> None:
        self._commit = commit
        self._closed = False
        self._wake = threading.Condition()
        self._waiting: deque[tuple[W, Future[Any]]] = deque()
        self._thread: threading.Thread | None = None

    def submit(self, work: W) -> Future[Any]:
        """Queue a work. Its future is done when the group's transaction is on disk."""
        future: Future[Any] = Future()
        with self._wake:
            if self._closed:
                future.set_exception(make_closed_error())
                return future
            self._waiting.append((work, future))
            if self._thread is None:
                self._thread = threading.Thread(
                    target=self._run, name="mulligan-journal", daemon=True
                )
                self._thread.start()
            self._wake.notify()
        return future

    def close(self) -> None:
        """Finish what was submitted, then end the thread."""
        with self._wake:
            self._closed = True
            self._wake.notify()
        if self._thread is not None and self._thread is not threading.current_thread():
            self._thread.join()

    def reset_after_fork(self) -> None:
        """In a child: queued work belongs to the parent, which will write it."""
        self._wake = threading.Condition()
        self._waiting = deque()
        self._thread = None

    def _run(self) -> None:
        while True:
            with self._wake:
                self._wake.wait_for(lambda: self._waiting or self._closed)
                count = min(len(self._waiting), MOST_TOGETHER)
                group = [self._waiting.popleft() for _ in range(count)]
            if not group:
                return
            # A caller that gave up while its work was queued has had no effect, and gets none.
            running = [(w, f) for w, f in group if f.set_running_or_notify_cancel()]
            if running:
                self._settle([work for work, _ in running], [future for _, future in running])

    def _settle(self, works: Sequence[W], futures: Sequence[Future[Any]]) -> None:
        outcomes: Sequence[object]
        try:
            outcomes = self._commit(works)
        except BaseException as error:  # noqa: BLE001 - whoever waits must hear of it
            outcomes = [error] * len(futures)
        for future, outcome in zip(futures, outcomes, strict=True):
            if isinstance(outcome, BaseException):
                future.set_exception(outcome)
            else:
                future.set_result(outcome)


class DirectCommit(GroupCommit[W]):
    """Does each work in the thread that submits it: what reaches no disk has no sync to share."""

    def __init__(self, pool: Pool, commit: Commit[W]) -> None:
        super().__init__(commit)
        self._pool = pool

    def submit(self, work: W) -> Future[Any]:
        """Do a work. Its future is done."""
        future: Future[Any] = Future()
        with self._pool.acquire_session():
            if self._closed:
                future.set_exception(make_closed_error())
            else:
                self._settle([work], [future])
        return future


MOST = 1_000
"""Works: with so many of them the next commit is synced, whoever asks for it."""

FORGOTTEN = timedelta(days=7)
"""A writer that was silent for so long is forgotten."""

_LONGEST_BEAT = timedelta(seconds=1)
"""How long an action waits for the store to confirm the lease."""


class _RevokedError(TryAgainError):
    """Others have given this writer up: what it did is undone, and may be done as a new one."""


class Beginning(NamedTuple):
    """What a writer begins with."""

    signer: Signer | None = None
    account: Account = Account()
    """What it takes over."""
    adopted: bool = False
    """All that lay there was signed just now, so that every mark is another."""


BeginWriting = Callable[[Session], Beginning]
"""Called in the transaction in which a writer begins."""


class JournalCommitter:
    """Commits groups of work as one writer. Its id is fresh for every process that writes."""

    def __init__(
        self,
        connect: Callable[[], Session],
        *,
        timeout: timedelta,
        lease: timedelta = LEASE,
        marks: WatermarkFile | None = None,
        trust_processes: bool = True,
        begin: BeginWriting = lambda _session: Beginning(),
        group: Callable[[Commit[Any]], GroupCommit[Any]] = GroupCommit,
    ) -> None:
        self._connect = connect
        self._begin = begin
        self._signer: Signer | None = None
        self._timeout = timeout
        self._lease = Lease(lease)
        self._marks = marks
        self.trusts_processes = trust_processes
        """Whoever runs on this machine is there, also when it hangs."""
        self.former: frozenset[str] = frozenset()
        """The writers this process was, each given up by others while it was silent."""
        self._group: GroupCommit[tuple[Work, bool]] = group(self._commit_group)
        self._lock = threading.Lock()
        self._session: Session | None = None
        self.head: Head | None = None
        """As far as this writer's commits were acknowledged, or `None` before the first."""
        self.promised: Head | None = None
        """As far as they were synced: whatever the store has gone through, it has these."""
        self._unsynced: list[tuple[int, Work]] = []
        """Works since then, each with the commit it was in."""
        self._reconnected = False
        self._adrift = False
        """A commit may have landed whose answer never came, so that the head is behind."""

    def identify_writer(self) -> str:
        """Who this process is, also before its first commit."""
        head = self.head
        if head is not None:
            return head.writer
        named: str = self.run(lambda transaction: transaction.head.writer, synced=False)
        return named

    def beat(self) -> Future[bool]:
        """Send a heartbeat. Whether the lease still holds."""
        return self.submit(_beat)

    def holds_lease(self) -> bool:
        """Whether this writer still holds its lease; the store is asked when in doubt."""
        if self.head is None:
            return not self.former
        if self._lease.is_fresh():
            return True
        said = self.beat()
        try:
            return said.result(min(self._lease.length, _LONGEST_BEAT).total_seconds())
        except (StoreError, TimeoutError):
            # An unreachable store may have given the lease to others.
            said.cancel()
            return False

    def submit(self, work: Work, *, synced: bool = True) -> Future[Any]:
        """Queue a work; its future is done when it is written, and on disk if it is `synced`."""
        return self._group.submit((work, synced))

    def run(self, work: Work, *, synced: bool = True) -> Any:
        """Run one piece of work in a commit, and wait for its result."""
        return self.submit(work, synced=synced).result()

    def start_over(self) -> str | None:
        """Go on as a new writer: what the old one lost has been accepted. Returns the old one."""
        with self._lock:
            before, self.head = self.head, None
            self._settle(None)
        return None if before is None else before.writer

    def close(self) -> None:
        """Finish what was submitted, sync it, end the writer, then let go of the connection."""
        if self.head is not None:
            # After this, no process is left to write again what a server loses.
            self.beat()
        self._group.close()
        with self._lock:
            if self.head is not None and self._session is not None:
                # Others may take over open actions immediately, instead of at the process's end.
                # With the store away they wait for the lease, as after a crash.
                with suppress(StoreError), self._session.begin_transaction(synced=False):
                    self._session.run("end_writer", writer=self.head.writer)
                    self._session.run_later("tell_others")
            self._lease.end()
            self._drop_session()

    def reset_after_fork(self) -> None:
        """In a child: be another writer, on another connection."""
        self._group.reset_after_fork()
        self._lock = threading.Lock()
        self.head = None
        self._settle(None)
        self.former = frozenset()
        if self._session is not None:
            self._session.abandon()
        self._session = None

    def _commit_group(self, group: Sequence[tuple[Work, bool]]) -> Sequence[object]:
        """Do all works in one transaction; what one of them alone failed with is its outcome."""
        works = [work for work, _ in group]
        with self._lock:
            synced = any(synced for _, synced in group) or len(self._unsynced) >= MOST
            try:
                return self._commit(works, synced=synced)
            except StoreError:
                raise
            except BaseException:
                # Broken off anywhere, so that the connection may be in the middle of anything.
                self._drop_session()
                self._adrift = True
                raise

    def _commit(self, works: Sequence[Work], *, synced: bool) -> Sequence[object]:
        deadline = time.monotonic() + self._timeout.total_seconds()
        unanswered: list[object] | None = None
        apart = False
        while True:
            outcomes: list[object] = []
            try:
                if unanswered is not None and self._has_landed(works, synced=synced):
                    return unanswered
                if self._adrift:
                    # Of an earlier group, whose outcome was unknown.
                    self._has_landed([], synced=False)
                unanswered = None
                return self._commit_once(works, outcomes, synced=synced, apart=apart)
            except ApartError:
                # Together first: hardly ever does one of them fail.
                apart = True
            except ConnectionLostError:
                self._drop_session()
                if len(outcomes) == len(works):
                    unanswered, self._adrift = outcomes, True
                if time.monotonic() > deadline:
                    raise
            except TryAgainError:
                if time.monotonic() > deadline:
                    raise

    def _commit_once(
        self, works: Sequence[Work], outcomes: list[object], *, synced: bool, apart: bool
    ) -> Sequence[object]:
        if self.head is None and self.former and all(work is _beat for work in works):
            # A heartbeat does not renew a lost lease; the next commit does.
            return [False] * len(works)
        session, acknowledged = self._prepare_writer()
        begun = self._lease.begin()
        begin = session.begin_transaction if apart else session.begin_bundle
        try:
            with begin(synced=synced), nullcontext() if apart else fail_together():
                transaction = Transaction(session, acknowledged, self._signer)
                # From what was acknowledged, or not at all: so that need not be read first. As it
                # was signed before the works, of which one may name the store anew.
                was = list_before(acknowledged, self._signer)
                outcomes.extend(
                    attempt_all(transaction, works)
                    if apart
                    else [work(transaction) for work in works]
                )
                head = replace(transaction.head, commits=acknowledged.commits + 1)
                moved = move_head(session, head, signer=self._signer, was=was)
                transaction.require(moved, partial(self._look_at_head, session, acknowledged))
                transaction.settle()
        except NothingDoneError as failed:
            # When every work failed nothing has changed, and there is nothing to sync.
            return failed.outcomes
        if synced:
            # What was not is forgotten in a crash of the server, and others count from before.
            self._lease.renew(begun)
        self._acknowledge(head, works, synced=synced)
        return outcomes

    def _look_at_head(self, session: Session, acknowledged: Head) -> NoReturn:
        """Raise the reason why a writer's row is not as acknowledged."""
        self.head = self._read_head(session, acknowledged)
        raise TryAgainError(
            f"Nothing was written: the row of writer {acknowledged.writer} has moved on by itself."
        )

    def _prepare_writer(self) -> tuple[Session, Head]:
        if self._session is None:
            self._session = self._connect()
            self._reconnected = True
        if self._reconnected and self.head is not None:
            self._write_again(self._session, self.head)
        self._reconnected = False
        head = self.head
        if head is None:
            begun = self._lease.begin()
            with self._session.begin_transaction(synced=True):
                beginning = self._begin(self._session)
                head = self._start_writer(self._session, beginning)
            self._lease.renew(begun)
            if beginning.adopted and self._marks is not None:
                heads = [decode_head(row)[0] for row in self._session.fetch("writers")]
                self._marks.reset([each.to_mark(beginning.signer) for each in heads])
            # At once, so that a writer of nothing that is synced is not taken for one that lost
            # its mark.
            self._acknowledge(head, [], synced=True)
        return self._session, head

    def _write_again(self, session: Session, acknowledged: Head) -> None:
        """What a server that died had acknowledged and not synced, as if it were new."""
        with session.begin_transaction(synced=True):
            head = self._read_head(session, self.promised or acknowledged)
            if head.commits >= acknowledged.commits:
                return
            transaction = Transaction(session, head, self._signer)
            was = list_before(head, self._signer)
            for number, work in self._unsynced:
                # Who waited for it has the answer; what no longer works is for recovery to find.
                if number > head.commits:
                    attempt(transaction, work)
            moved = replace(transaction.head, commits=acknowledged.commits)
            if not move_head(session, moved, signer=self._signer, was=was)():
                self._look_at_head(session, head)
        self._acknowledge(moved, [], synced=True)

    def _start_writer(self, session: Session, beginning: Beginning) -> Head:
        self._signer = beginning.signer
        head = Head(
            writer=uuid.uuid4().hex, commits=0, seq=0, hash=GENESIS, account=beginning.account
        )
        session.run(
            "start_writer",
            writer=head.writer,
            genesis=GENESIS,
            lease_us=self._lease.length // timedelta(microseconds=1),
            **head.to_row(self._signer),
        )
        session.run("forget_silent", silent_us=FORGOTTEN // timedelta(microseconds=1))
        session.run("appear", writer=head.writer, **asdict(identify_process()))
        return head

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
        *found, revoked_us = row
        if revoked_us is not None:
            raise self._give_up_writer()
        head, seal = decode_head((acknowledged.writer, *found))
        if not head.is_signed(self._signer, seal):
            # Continuing from it would sign a forged value.
            raise StoreDamagedError(
                f"The row of writer {head.writer} was changed without the store's key, so nothing "
                "was written. See what is left with `mulligan doctor`; go on from it with "
                "`mulligan doctor --accept-damage NOTE`."
            )
        return head

    def _has_landed(self, works: Sequence[Work], *, synced: bool) -> bool:
        """Whether a commit whose answer was lost is in the database after all.

        Reading the writer's own row under a lock waits for a transaction that is still ending.
        """
        session, acknowledged = self._prepare_writer()
        row = fetch_one(session, "head_when_settled", writer=acknowledged.writer)
        landed = row is not None and row[0] > acknowledged.commits
        if landed:
            # A lease lost since is reported at the next commit; this commit landed before.
            with suppress(_RevokedError):
                self._acknowledge(self._read_head(session, acknowledged), works, synced=synced)
        self._adrift = False
        return landed

    def _acknowledge(self, head: Head, works: Sequence[Work], *, synced: bool) -> None:
        self.head = head
        if not synced:
            # A mark of what is not synced yet could outlive it, and accuse a sound journal.
            self._unsynced += [(head.commits, work) for work in works if work is not _beat]
            return
        self._settle(head)
        if self._marks is not None:
            self._marks.write(head.to_mark(self._signer))

    def _settle(self, head: Head | None) -> None:
        """All up to there is on the disk; with `None`, there is no writer any more."""
        self.promised = head
        self._unsynced.clear()

    def _give_up_writer(self) -> _RevokedError:
        """Have no writer until the next commit; the old mark stays as it is."""
        if self.head is not None:
            self.former |= {self.head.writer}
        self.head = None
        self._settle(None)
        if self._marks is not None:
            self._marks.close()
        return _RevokedError(
            "Nothing was written, because others give this process up again and again: set a lease "
            f"that is longer than {self._lease.length}."
        )

    def _drop_session(self) -> None:
        session, self._session = self._session, None
        if session is not None:
            session.close()


def _beat(transaction: Transaction) -> bool:
    transaction.session.run_later("beat", writer=transaction.head.writer)
    return True
