"""The journal over tables: entries, the actions they add up to, and how settled ones are
forgotten.

Forgetting breaks no chain. An entry's body goes at once and leaves its link: it is *hollow*.
When a chain begins with hollow entries, those become one anchor, which says where the rest takes
up."""

from __future__ import annotations

import logging
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from concurrent.futures import Future
from datetime import datetime, timedelta
from functools import cache, partial
from itertools import islice
from typing import NoReturn

from mulligan.codec import encode_json
from mulligan.stores.crypto import ChainEntry, Signer
from mulligan.stores.database import Pool, Row, Session, UnreadableError, fetch_one
from mulligan.stores.encoding import EncodedEntry, decode_action, decode_standing, encode_entry
from mulligan.stores.process import Life, ProcessIdentity, identify_process, judge_process
from mulligan.stores.relational.audit import audit, read_actions, read_heads, read_history
from mulligan.stores.relational.committer import JournalCommitter
from mulligan.stores.relational.log_search import LAST_ID
from mulligan.stores.relational.signing import OPEN, sign_anew, sign_emptied
from mulligan.stores.relational.transaction import Head, Transaction
from mulligan.stores.relational.vault import TABLE, Keyring, Safe
from mulligan.stores.watermarks import WatermarkFile, Watermarks
from mulligan.types.action import (
    SETTLED,
    SYNCED,
    Action,
    ActionQuery,
    Entry,
    Kept,
    State,
    check_entry,
    is_decision,
    leads_to,
)
from mulligan.types.errors import MulliganError, StaleEntryError, StoreError
from mulligan.types.interfaces import Clock, Damage, WriterSeen
from mulligan.types.values import to_us

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


_ACTIONS_AT_A_TIME = 100
_ROWS_AT_A_TIME = 500


def _forget(
    transaction: Transaction, *, before_us: int, after: tuple[int, str], keyring: Keyring
) -> tuple[tuple[int, str], int] | None:
    """Forget the next few: how far that went, and how many went. `None`: no more are left."""
    session = transaction.session
    changed_us, action = after
    rows = session.fetch(
        "settled_actions",
        before=before_us,
        most=_ACTIONS_AT_A_TIME,
        changed_us=changed_us,
        after=action,
    )
    forgotten = 0
    for action, _ in rows:
        if not _is_proven(session, action, keyring=keyring):
            continue
        # Deleted first: with many workers, only the one that deletes it empties its entries.
        if session.run("forget_action", action=action, before=before_us):
            _empty(transaction, action)
            gone = session.fetch("forget_kept", owner=action)
            transaction.drop(TABLE, (seal for (seal,) in gone))
            forgotten += 1
    return ((rows[-1][1], rows[-1][0]), forgotten) if rows else None


def _is_proven(session: Session, action: str, *, keyring: Keyring) -> bool:
    """Whether an action is settled by entries that hold, where the store has a key.

    An action only forged to look settled is kept; `verify` names it.
    """
    if keyring.find_signer(session) is None:
        return True
    try:
        rows = read_actions(session, ["one_action"], keyring=keyring, action=action)
        return all(decode_action(row).settled for row in rows)
    except UnreadableError:
        return False


def _empty(transaction: Transaction, action: str) -> None:
    """Take the content of an action's entries, and sign that it was retention."""
    session, signer = transaction.session, transaction.signer
    if signer is not None:
        for row in session.fetch("lines_of_action", action=action):
            line = ChainEntry(*row)
            emptied = sign_emptied(line, signer)
            session.run("set_emptied", writer=line.writer, seq=line.seq, emptied=emptied)
    session.run("hollow_entries", action=action)


def _collapse(transaction: Transaction, *, writer: str) -> int:
    """Turn up to 500 hollow entries at the start of a chain into its anchor."""
    session = transaction.session
    row = fetch_one(session, "first_full_seq", writer=writer)
    first_full = row[0] if row and row[0] is not None else 2**62
    rows = session.fetch(
        "oldest_hollow", writer=writer, first_full=first_full, most=_ROWS_AT_A_TIME
    )
    lines, signer = [ChainEntry(*row) for row in rows], transaction.signer
    if not lines or not _follow_on(session, lines, signer=signer):
        return 0
    last = lines[-1]
    about = (writer, last.seq, last.hash)
    seal = None if signer is None else signer.sign("anchor", *about)
    session.run("set_anchor", writer=writer, seq=last.seq, hash=last.hash, seal=seal)
    return session.run("drop_before_anchor", writer=writer, seq=last.seq)


def _follow_on(session: Session, lines: Sequence[ChainEntry], *, signer: Signer | None) -> bool:
    """Whether hollow entries are all that was written before them, emptied by retention alone.

    Where the store has a key, nothing else is taken into an anchor, which would sign it.
    """
    if signer is None:
        return True
    anchor = fetch_one(session, "anchor", writer=lines[0].writer)
    first = anchor[0] + 1 if anchor else 1
    if anchor and anchor[2] != signer.sign("anchor", lines[0].writer, *anchor[:2]):
        return False
    return all(
        line.seq == number and line.emptied == sign_emptied(line, signer)
        for number, line in enumerate(lines, start=first)
    )


_report = logging.getLogger("mulligan")

AT_A_TIME = 500


class JournalTables:
    """Reads from a pool; everything written goes through the group commit."""

    def __init__(
        self,
        pool: Pool,
        *,
        committer: JournalCommitter,
        safe: Safe,
        kept_for: timedelta,
        clock: Clock,
        erase: Callable[[], None],
        marks: WatermarkFile | None = None,
    ) -> None:
        self._pool = pool
        self._committer = committer
        self._safe = safe
        self._keyring = safe.keyring
        self._kept_for_us = kept_for // timedelta(microseconds=1)
        self._clock = clock
        self._erase = erase
        self._marks = marks
        self.writers = WriterTable(pool, committer=committer)
        self._reported: set[str] = set()
        self._refused: dict[str, EncodedEntry] = {}

    def submit(self, entries: Sequence[Entry], *, keep: Sequence[Kept] = ()) -> Future[None]:
        """Write entries and kept values in one transaction, all or none."""
        try:
            drafts = [encode_entry(entry) for entry in entries]
            kept = [self._safe.lock_away(value) for value in keep]
        except MulliganError as error:
            refused: Future[None] = Future()
            refused.set_exception(error)
            return refused

        def record(transaction: Transaction) -> None:
            # Values first: an entry that settles its action also starts their retention.
            for value in kept:
                self._safe.keep(transaction, value)
            for draft in drafts:
                self._advance_action(transaction, draft)

        return self._committer.submit(
            record, synced=any(entry.state in SYNCED for entry in entries)
        )

    def find_action(self, action: str) -> Action | None:
        """An action in its present state."""
        found = self._read_actions("one_action", action=action)
        return found[0] if found else None

    def list_open_actions(
        self, *, tenant: str | None = None, after: str = "", limit: int = 100
    ) -> list[Action]:
        """Actions that are not settled, oldest first, those with an id above `after`."""
        query = "open_actions" if tenant is None else "open_actions_of_tenant"
        values = {} if tenant is None else {"tenant": tenant}
        try:
            return self._read_actions(query, after=after, most=limit, **values)
        except UnreadableError:
            # One that cannot be read must not hide the others; `verify` names it.
            rows = self._pool.fetch("open_action_ids", after=after, most=2**31)
            found = self._read_one_by_one(name for (name,) in rows)
            return list(islice((e for e in found if tenant in (None, e.opening.tenant)), limit))

    def list_actions(self, query: ActionQuery) -> list[Action]:
        """Actions as a query wants them, the newest first."""
        return list(islice(filter(query.fits, self._walk_back(query)), query.limit))

    def list_entries(self, action: str) -> list[Entry]:
        """Every entry of an action, oldest first."""
        return self._pool.read(lambda session: read_history(session, action, keyring=self._keyring))

    def identify_writer(self) -> str:
        """The name of this process's writer in the journal."""
        return self._committer.identify_writer()

    def beat(self) -> None:
        """Send a heartbeat, by the database's clock."""
        self._committer.beat().result()

    def holds_lease(self, action: str | None = None) -> bool:
        """Whether this process may still act, on an action if one is named."""
        if not self._committer.holds_lease():
            return False
        former = self._committer.former
        if action is None or not former:
            return True
        try:
            found = self._pool.fetch("last_writer", action=action)
            return all(writer not in former for (writer,) in found)
        except StoreError:
            # Its owner is unknown, so it is not acted on.
            return False

    def find_dead_writers(self, writers: Collection[str]) -> set[str]:
        """Those of some writers that will write no more."""
        return self.writers.find_dead(writers)

    def verify(self) -> list[Damage]:
        """Verify every chain, from its first entry to its mark."""
        return self.look(budget=None)

    def look(self, *, budget: int | None) -> list[Damage]:
        """Like `verify`, over at most so many of the newest entries.

        Who does not see all of the chains finds nothing: the store's health says so.
        """
        if not self._keyring.whole:
            return []
        if self._marks is not None:
            marks = self._marks.read()
        else:
            # A server keeps its own log whole; what this process was promised is mark enough.
            head = self._committer.promised
            marks = Watermarks(found={} if head is None else {head.writer: head.to_mark(None)})

        def compare(session: Session) -> list[Damage]:
            with session.begin_snapshot():
                return audit(session, marks, keyring=self._keyring, budget=budget)

        return self._pool.read(compare)

    def accept_damage(self, note: str) -> int:
        """Continue from what is left, as a new writer, and keep the note."""
        damages = self.verify()
        at_us = to_us(self._clock(), name="The clock's time")
        self._keyring.forgiven = True
        before = self._committer.start_over()

        def accept(transaction: Transaction) -> None:
            session, signer = transaction.session, transaction.signer
            if before is not None:
                session.run("end_writer", writer=before)
            for damage in damages:
                row = (damage.writer, damage.seq, damage.what, at_us, note)
                named = dict(zip(("writer", "seq", "what", "at_us", "note"), row, strict=True))
                seal = None if signer is None else signer.sign("damage", *row)
                session.run("accept", seal=seal, **named)
            sign_anew(transaction, self._keyring, at_us=at_us)

        self._committer.run(accept)
        self.set_marks()
        return len(damages)

    def set_marks(self) -> None:
        """Have the marks say what the journal says of its writers."""
        if self._marks is not None:
            signer = self._pool.read(self._keyring.find_signer)
            self._marks.reset([head.to_mark(signer) for head in self.read_heads()])

    def prune(self, *, settled_before: datetime) -> int:
        """Forget settled actions that changed last before then; the chains stay verifiable."""
        before_us = to_us(settled_before, name="settled_before")
        forget = partial(_forget, before_us=before_us, keyring=self._keyring)
        pruned, after = 0, (-(2**62), "")
        while last := self._committer.run(partial(forget, after=after)):
            after, forgotten = last
            pruned += forgotten
        for writer, _ in self._pool.fetch("writers_with_hollow_start"):
            while self._committer.run(partial(_collapse, writer=writer)):
                pass
        self._erase()
        return pruned

    def read_heads(self) -> list[Head]:
        """Where every writer's chain ends."""
        return self._pool.read(read_heads)

    def count_open(self) -> int:
        """How many actions are not settled."""
        return int(self._pool.fetch("count_open_actions")[0][0])

    def _read_actions(self, query: str, **values: object) -> list[Action]:
        keyring = self._keyring
        rows = self._pool.read(
            lambda session: read_actions(session, [query], keyring=keyring, **values)
        )
        return [decode_action(row) for row in rows]

    def _walk_back(self, query: ActionQuery) -> Iterator[Action]:
        """Actions from the newest down, without those that cannot be read."""
        # What starts so stands between its prefix and the last that could.
        values: dict[str, object] = {
            "first": query.id_prefix,
            "last": query.id_prefix + LAST_ID,
            "since": 0 if query.since is None else to_us(query.since, name="since"),
            "until": 2**62 if query.until is None else to_us(query.until, name="until"),
            "any_tenant": int(query.tenant is None),
            "tenant": query.tenant or "",
            "most": AT_A_TIME,
        }
        while True:
            try:
                page = self._read_actions("actions_back", **values)
                names = [each.id for each in page]
            except UnreadableError:
                names = [name for (name,) in self._pool.fetch("action_ids_back", **values)]
                page = list(self._read_one_by_one(names))
            yield from page
            if len(names) < AT_A_TIME:
                return
            values["last"] = names[-1]

    def _read_one_by_one(self, names: Iterable[str]) -> Iterator[Action]:
        """Slow, and only for a damaged store: one that cannot be read spoils all read with it."""
        for name in names:
            try:
                action = self.find_action(name)
            except UnreadableError as error:
                # It is on the list of damages, which the reader of this one is shown as well.
                if name not in self._reported:
                    self._reported.add(name)
                    _report.warning("An open action is left alone: %s", error)
                continue
            if action is not None:
                yield action

    def _advance_action(self, transaction: Transaction, draft: EncodedEntry) -> None:
        entry, session = draft.entry, transaction.session
        if self._committer.former:
            self._refuse_given_up(session, draft)
        before = _read_before(transaction, entry)
        values: dict[str, object] = {
            "action": entry.action,
            "state": str(entry.state),
            "settled": int(draft.settles),
            "at_us": draft.at_us,
            "detail": draft.detail,
        }
        if entry.opening is None:
            befores = _list_befores(entry.state)
            moved = session.run_later(
                "move_action", version=entry.version, befores=befores, **values
            )
        else:
            tenant = entry.opening.tenant
            moved = session.run_later("open_action", opening=draft.opening, tenant=tenant, **values)
        transaction.require(moved, partial(_refuse_stale, session, entry))
        transaction.append(draft)
        _count_open(transaction, entry.action, before=before, after=entry.state)
        if is_decision(entry):
            session.run_later("tell_others")
        if draft.settles:
            expires_us = draft.at_us + self._kept_for_us
            self._safe.expire(transaction, entry.action, at_us=expires_us, settled=True)

    def _refuse_given_up(self, session: Session, draft: EncodedEntry) -> None:
        """Refuse what goes on from an entry of a writer that this process no longer is, once.

        Whoever has read the action again knows what others made of it meanwhile, and may go on.
        """
        action = draft.entry.action
        row = fetch_one(session, "last_writer", action=action)
        if row is None or row[0] not in self._committer.former:
            return
        # The same entry again is the same transaction, tried again.
        if self._refused.setdefault(action, draft) is draft:
            raise StaleEntryError(
                f"Entry {draft.entry.version} of action {action} is refused, because this process "
                "was silent for longer than its lease and others have given it up: read the "
                "action again before acting."
            )


def _read_before(transaction: Transaction, entry: Entry) -> State | None:
    """Where an action stands that an entry is for, if that has to be known before it is moved."""
    if entry.version <= 1:
        # That there is nothing yet is seen when its row is written.
        check_entry(entry, state=None, version=0)
        return None
    if transaction.signer is None and entry.opening is None:
        # Its state is a condition on its row; only who signs counts what is open.
        return None
    row = fetch_one(transaction.session, "action_now", action=entry.action)
    state, version = decode_standing(entry.action, row)
    check_entry(entry, state=state, version=version)
    return state


@cache
def _list_befores(after: State) -> str:
    """The states that lead to one, each between commas."""
    return "".join(f",{before}" for before in State if leads_to(before, after)) + ","


def _refuse_stale(session: Session, entry: Entry) -> NoReturn:
    row = fetch_one(session, "action_now", action=entry.action)
    state, version = decode_standing(entry.action, row)
    check_entry(entry, state=state, version=version)
    raise StaleEntryError(
        f"Action {entry.action} was at another version and moved on while entry "
        f"{entry.version} was written: read the action again before acting."
    )


def _count_open(
    transaction: Transaction, action: str, *, before: State | None, after: State
) -> None:
    """Have the writer's account say which actions are open, so that none can be hidden."""
    signer = transaction.signer
    if signer is None:
        return
    was_open = before is not None and before not in SETTLED
    if was_open and after in SETTLED:
        transaction.drop(OPEN, [signer.sign(OPEN, action)])
    elif not was_open and after not in SETTLED:
        transaction.sign_row(OPEN, action)
