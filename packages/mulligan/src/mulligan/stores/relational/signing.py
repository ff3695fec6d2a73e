"""What a store with a key has signed, and how it came under that key.

When a store gets a key, its rows are taken as they are, encrypted and signed. Whether they were
changed before cannot be known. The time, and the number of rows taken on trust, are recorded.
"""

from __future__ import annotations

import hashlib
import logging
from collections.abc import Iterator, Sequence
from itertools import count

from msgspec.structs import replace

from mulligan.stores.crypto import GENESIS, ChainEntry, Signer, hash_entry
from mulligan.stores.database import Row, Session, UnreadableError, fetch_one
from mulligan.stores.relational.committer import Beginning
from mulligan.stores.relational.transaction import (
    Account,
    Head,
    Transaction,
    add_accounts,
    decode_head,
    read_signed,
    set_seal,
    sum_seals,
)
from mulligan.stores.relational.vault import (
    KEY_GONE,
    Keyring,
    Safe,
    is_intact,
    is_sealed,
    read_key_check,
)
from mulligan.stores.relational.vault import TABLE as KEPT
from mulligan.stores.watermarks import WatermarkFile, Watermarks
from mulligan.types.interfaces import Clock, Damage
from mulligan.types.values import to_us

OPEN = "open"
"""Not a table: the ids of the actions that are not settled."""

TABLES = {
    KEPT: "The vault",
    "tool": "The catalog of tools",
    "notes": "The notes on tasks",
    "episode": "The list of failures",
    "lesson_version": "The list of lessons",
    "lesson_use": "The list of lessons' uses",
}
"""The tables whose rows are signed one by one and counted together, and what people call them."""

COUNTED = {**TABLES, "damage": "What was accepted as damage", "key_check": "The proof of the key"}
"""Those and what lies beside them."""

_AT_A_TIME = 500
_MOST_COUNTED = 200_000
"""Rows of a table that are counted at an opening; more of them by `verify` alone."""


def sign_emptied(line: ChainEntry, signer: Signer) -> bytes:
    """What retention leaves on an entry that it has emptied."""
    return signer.sign("emptied", *line[:6], line.hash)


def read_accepted(session: Session, signer: Signer | None) -> list[tuple[str, int, str]]:
    """Writer, seq and sentence of each damage that was accepted with the key."""
    rows = session.fetch("accepted")
    return [row[:3] for row in rows if signer is None or _is_accepted(row, signer)]


def find_unsigned(
    session: Session, signer: Signer, *, keyring: Keyring, whole: bool
) -> Iterator[Damage]:
    """What was written without the key.

    Accepted, it is signed anew and shows no more; so that nothing accepted hides the next change,
    only what cannot be signed is looked up among what a person has accepted.
    """
    check = read_key_check(session)
    if not keyring.proves(session, check):
        yield Damage(writer="", seq=0, what=KEY_GONE)
    elif moved := keyring.find_move(session, check):
        yield Damage(writer="", seq=0, what=moved)
    heads = [decode_head(row) for row in session.fetch("writers")]
    for head, seal in heads:
        if not head.is_signed(signer, seal):
            what = f"The row of writer {head.writer} was changed without the key."
            yield Damage(writer=head.writer, seq=0, what=what)
    for row in session.fetch("anchors"):
        if row[3] != signer.sign("anchor", *row[:3]):
            what = f"The anchor of writer {row[0]} was set without the key."
            yield Damage(writer=row[0], seq=0, what=what)
    accounts = [head.account for head, _ in heads]
    for what in _find_differing_sums(session, signer, accounts=accounts, whole=whole):
        yield Damage(writer="", seq=0, what=what)
    # What stays as it is also when a person has accepted it.
    lasting = [*_find_missing_writers([head for head, _ in heads])]
    lasting += [
        Damage(
            writer="",
            seq=_compute_number(row),
            what=f"Damage was accepted without the key: {row[2]!r}.",
        )
        for row in session.fetch("accepted")
        if not _is_accepted(row, signer)
    ]
    if whole:
        lasting += _find_unsigned_rows(session, signer)
    accepted = set(read_accepted(session, signer))
    yield from (e for e in lasting if (e.writer, e.seq, e.what) not in accepted)


def measure_difference(
    session: Session, signer: Signer, *, table: str, accounts: Sequence[Account]
) -> int | None:
    """How far a table is from what the writers' accounts add up to; `None`: too many to count."""
    if table == OPEN:
        rows = session.fetch("open_action_ids", after="", most=_MOST_COUNTED + 1)
        seals: list[object] = [signer.sign(OPEN, action) for (action,) in rows]
    else:
        query = session.learn(f"select seal from {table} limit :most")  # noqa: S608 - our own names
        rows = session.fetch(query, most=_MOST_COUNTED + 1)
        seals = [seal for (seal,) in rows]
    if len(rows) > _MOST_COUNTED:
        return None
    return sum_seals(seals) - add_accounts(accounts, table)


def _find_missing_writers(heads: Sequence[Head]) -> Iterator[Damage]:
    commits = sum(head.commits for head in heads)
    for head in heads:
        was, others, left = head.account, len(heads) - 1, commits - head.commits
        if others < was.writers:
            what = f"are gone. There were {was.writers} writers before it, and {others} are left."
        elif left < was.commits:
            what = (
                f"have lost something. They had committed {was.commits} times, and {left} are left."
            )
        else:
            continue
        what = f"Writer {head.writer} says that others {what}"
        yield Damage(writer=head.writer, seq=0, what=what)


def _find_differing_sums(
    session: Session, signer: Signer, *, accounts: Sequence[Account], whole: bool
) -> Iterator[str]:
    if measure_difference(session, signer, table=OPEN, accounts=accounts):
        yield "The list of open actions is not what was written: one was hidden, or added."
    for table, name in COUNTED.items():
        difference = measure_difference(session, signer, table=table, accounts=accounts)
        if difference is None and whole:
            found = sum_seals(row[0] for row in _read_rows(session, table))
            difference = found - add_accounts(accounts, table)
        if difference:
            yield f"{name} is not what was written: a row was removed, put back or added."


def _find_unsigned_rows(session: Session, signer: Signer) -> Iterator[Damage]:
    for table, name in TABLES.items():
        try:
            for seal, *columns in _read_rows(session, table):
                if table == KEPT:
                    row = (*columns, seal)
                    sound = is_sealed(row, signer) and is_intact(row)
                else:
                    sound = signer.holds(seal, table, *columns)
                if not sound:
                    which = " ".join(map(str, columns[: 1 if table == "episode" else 2]))
                    what = f"{name} has a row that was written without the key: {which}."
                    yield Damage(writer="", seq=_compute_number((seal, *columns)), what=what)
        except UnreadableError:
            yield Damage(writer="", seq=0, what=f"{name} has a row that cannot be read.")


def _read_rows(session: Session, table: str) -> Iterator[Row]:
    for skip in count(0, _AT_A_TIME):
        rows = read_signed(session, table, most=_AT_A_TIME, skip=skip)
        yield from rows
        if len(rows) < _AT_A_TIME:
            return


def _is_accepted(row: Row, signer: Signer) -> bool:
    return signer.holds(row[5], "damage", *row[:5])


def _compute_number(row: Sequence[object]) -> int:
    """A number that another content of the row would not have."""
    return int.from_bytes(hashlib.sha256(repr(row).encode()).digest()[:7])


_report = logging.getLogger("mulligan")

_ALL = 2**31


class Adoption:
    """Lets a writer begin: under the store's key, or, where there is none, without."""

    def __init__(
        self, keyring: Keyring, *, safe: Safe, clock: Clock, marks: WatermarkFile | None
    ) -> None:
        self._keyring = keyring
        self._marks = marks
        self._safe = safe
        self._clock = clock

    def begin(self, session: Session) -> Beginning:
        """What a writer that begins now signs with, and what it takes over; in its transaction."""
        self._keyring.refuse_unsigned(session)
        signer = self._keyring.given
        if signer is None:
            return Beginning()
        session.run("lock_writers")
        account, adopted = Account(), not self._keyring.is_signed(session)
        if adopted:
            account = self._adopt(session, signer)
        self._keyring.require_proof(session)
        writers = [decode_head(row)[0] for row in session.fetch("writers")]
        commits = sum(head.commits for head in writers)
        account = replace(account, writers=len(writers), commits=commits)
        return Beginning(signer=signer, account=account, adopted=adopted)

    def _adopt(self, session: Session, signer: Signer) -> Account:
        """Sign everything. Whoever writes without the key is given up by that."""
        marks = Watermarks(found={}) if self._marks is None else self._marks.read()
        self._keyring.refuse_stripped(session, marks)
        self._keyring.name_store()
        trusted = _sign_chains(session, signer)
        opened = session.fetch("open_action_ids", after="", most=_ALL)
        seals: dict[str, Sequence[object]] = {
            table: _sign_rows(session, signer, table) for table in TABLES if table != KEPT
        }
        seals[KEPT] = self._sign_values(session, signer)
        trusted += sum(map(len, seals.values()))
        at_us = to_us(self._clock(), name="The clock's time")
        seals |= {
            OPEN: [signer.sign(OPEN, action) for (action,) in opened],
            "key_check": [self._keyring.set_key_check(session, at_us=at_us, trusted=trusted)],
            "damage": [signer.sign("damage", *row[:5]) for row in session.fetch("accepted")],
        }
        if trusted:
            _report.warning(
                "The store was not signed yet: %d rows were taken as they are and signed with its "
                "key. If it was opened with this key and this version before, its signatures were "
                "removed without the key: see `mulligan doctor`.",
                trusted,
            )
        return Account(rows={table: sum_seals(each) for table, each in seals.items()})

    def _sign_values(self, session: Session, signer: Signer) -> list[bytes]:
        """Lock what lies there in plain text, and sign all of it."""
        seals: list[bytes] = []
        while rows := session.fetch("unsealed_kept", most=_AT_A_TIME):
            for row in rows:
                owner, name, *_, expires_us = row
                locked = self._safe.lock_again(row)
                seals.append(signer.sign(KEPT, owner, name, locked["checksum"], expires_us))
                session.run("reseal_value", seal=seals[-1], **locked)
        return seals


def sign_anew(transaction: Transaction, keyring: Keyring, *, at_us: int) -> None:
    """Sign accepted rows again, so that the next change shows."""
    session, signer = transaction.session, transaction.signer
    if signer is None:
        return
    check = read_key_check(session)
    if not keyring.proves(session, check):
        keyring.name_store()
        keyring.set_key_check(session, at_us=at_us, trusted=check.trusted if check else 0)
    elif check is not None and keyring.find_move(session, check):
        keyring.settle(session, check)
    own = transaction.head
    heads = [decode_head(row) for row in session.fetch("writers")]
    for head, seal in heads:
        if head.writer != own.writer and not head.is_signed(signer, seal):
            _sign_writer(session, signer, head)
    _sign_links(session, signer, [head for head, _ in heads])
    others = [head.account for head, _ in heads if head.writer != own.writer]
    for table in (OPEN, *COUNTED):
        difference = measure_difference(
            session, signer, table=table, accounts=[*others, own.account]
        )
        if difference:
            transaction.add_to_account(table, difference)


def _sign_chains(session: Session, signer: Signer) -> int:
    """Link every chain again, with the key. The number of entries."""
    heads = [decode_head(row)[0] for row in session.fetch("writers")]
    signed = 0
    for head in heads:
        # A writer without the key writes no more under its name.
        session.run("end_writer", writer=head.writer)
        anchor = fetch_one(session, "anchor", writer=head.writer)
        after, previous = (anchor[0], bytes(anchor[1])) if anchor else (0, GENESIS)
        while rows := session.fetch(
            "lines_after", writer=head.writer, after=after, most=_AT_A_TIME
        ):
            for line in map(ChainEntry._make, rows):
                linked = line.hash
                # Where what it said is gone, its hash stays what the next one links to.
                if line.body is not None:
                    linked = hash_entry(previous, line, hash_link=signer.hash_link)
                    session.run("set_hash", writer=line.writer, seq=line.seq, hash=linked)
                previous = linked
            signed, after = signed + len(rows), rows[-1][1]
        _sign_writer(session, signer, replace(head, hash=previous))
    _sign_links(session, signer, heads)
    for row in session.fetch("accepted"):
        names = ("writer", "seq", "what", "at_us", "note")
        said = dict(zip(names, row[:5], strict=True))
        session.run("accept", seal=signer.sign("damage", *row[:5]), **said)
    return signed


def _sign_writer(session: Session, signer: Signer, head: Head) -> None:
    session.run("set_writer_seal", writer=head.writer, **head.to_row(signer))


def _sign_links(session: Session, signer: Signer, heads: Sequence[Head]) -> None:
    """Sign what retention has left: emptied entries, and the anchors of chains."""
    for head in heads:
        for row in session.fetch("hollow_lines", writer=head.writer):
            line = ChainEntry(*row)
            seal = sign_emptied(line, signer)
            if seal != line.emptied:
                session.run("set_emptied", writer=line.writer, seq=line.seq, emptied=seal)
    for row in session.fetch("anchors"):
        writer, seq, hash_ = row[:3]
        seal = signer.sign("anchor", *row[:3])
        session.run("set_anchor", writer=writer, seq=seq, hash=hash_, seal=seal)


def _sign_rows(session: Session, signer: Signer, table: str) -> list[bytes]:
    seals = []
    for _, *columns in read_signed(session, table, most=_ALL, skip=0):
        seals.append(signer.sign(table, *columns))
        set_seal(session, table, columns, seal=seals[-1])
    return seals
