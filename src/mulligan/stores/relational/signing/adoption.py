"""How a store comes under a key: all that lies there is taken as it is, locked and signed.

Nobody can tell any more whether that was changed before. When it happened, and how much was taken
on trust, stays on record.
"""

from __future__ import annotations

import logging
from collections.abc import Sequence
from dataclasses import replace

from mulligan.core.interfaces import Clock
from mulligan.core.storage.instants import to_us
from mulligan.stores.database.driver import Session, fetch_one
from mulligan.stores.disk.mark import MarkFile, Marks
from mulligan.stores.keys.chain import GENESIS, ChainEntry, hash_entry
from mulligan.stores.keys.signer import Signer
from mulligan.stores.relational.signing.keyring import Keyring, read_key_check
from mulligan.stores.relational.signing.safe import TABLE as KEPT
from mulligan.stores.relational.signing.safe import Safe
from mulligan.stores.relational.signing.signatures import (
    COUNTED,
    OPEN,
    TABLES,
    measure_difference,
    sign_accepted,
    sign_anchor,
    sign_emptied,
    sign_open,
)
from mulligan.stores.relational.writing.account import Account
from mulligan.stores.relational.writing.head import Head, decode_head
from mulligan.stores.relational.writing.ledger import Beginning
from mulligan.stores.relational.writing.transaction import Transaction

_report = logging.getLogger("mulligan")

_AT_A_TIME = 500
_ALL = 2**31


class Adoption:
    """Lets a writer begin: under the store's key, or, where there is none, without."""

    def __init__(
        self, keyring: Keyring, *, safe: Safe, clock: Clock, marks: MarkFile | None
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
        marks = Marks(found={}) if self._marks is None else self._marks.read()
        self._keyring.refuse_stripped(session, marks)
        self._keyring.name_store()
        trusted = _sign_chains(session, signer)
        account = Account()
        for (action,) in session.fetch("open_action_ids", after="", most=_ALL):
            account = account.add(OPEN, [sign_open(action, signer)])
        seals = self._sign_values(session, signer)
        account, trusted = account.add(KEPT, seals), trusted + len(seals)
        for table in TABLES:
            if table != KEPT:
                seals = _sign_rows(session, signer, table)
                account, trusted = account.add(table, seals), trusted + len(seals)
        at_us = to_us(self._clock(), name="The clock's time")
        proof = self._keyring.set_key_check(session, at_us=at_us, trusted=trusted)
        account = account.add("key_check", [proof])
        accepted = [sign_accepted(row[:5], signer) for row in session.fetch("accepted")]
        account = account.add("damage", accepted)
        if trusted:
            _report.warning(
                "The store was not signed yet: %d rows were taken as they are and signed with its "
                "key. If it was opened with this key and this version before, somebody without the "
                "key has removed the signatures: see `mulligan doctor`.",
                trusted,
            )
        return account

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


def settle_store(transaction: Transaction, keyring: Keyring) -> None:
    """Have a store that was signed by an earlier Mulligan say where it lies."""
    if keyring.may_settle(transaction.session):
        before, after = keyring.settle(transaction.session)
        transaction.drop("key_check", [before])
        transaction.add_seals("key_check", [after])


def sign_anew(transaction: Transaction, keyring: Keyring, *, at_us: int) -> None:
    """Sign anew what a person has looked at and accepted, so that the next change shows."""
    session, signer = transaction.session, transaction.signer
    if signer is None:
        return
    check = read_key_check(session)
    if not keyring.proves(session, check):
        keyring.name_store()
        keyring.set_key_check(session, at_us=at_us, trusted=check.trusted if check else 0)
    elif keyring.find_move(session, check):
        keyring.settle(session)
    own = transaction.head
    heads = [decode_head(row) for row in session.fetch("writers")]
    for head, seal in heads:
        if head.writer != own.writer and not head.is_signed(signer, seal):
            _sign_writer(session, signer, head)
    _sign_hollow(session, signer, [head for head, _ in heads])
    for row in session.fetch("anchors"):
        _sign_anchor(session, signer, row[:3])
    others = [head.account for head, _ in heads if head.writer != own.writer]
    for table in (OPEN, *COUNTED):
        difference = measure_difference(
            session, signer, table=table, accounts=[*others, own.account]
        )
        if difference:
            transaction.add_difference(table, difference)


def _sign_chains(session: Session, signer: Signer) -> int:
    """Link every chain anew, with the key. How many entries that was."""
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
            for row in rows:
                previous = _link(session, signer, line=ChainEntry(*row), previous=previous)
            signed, after = signed + len(rows), rows[-1][1]
        _sign_writer(session, signer, replace(head, hash=previous))
    _sign_hollow(session, signer, heads)
    for row in session.fetch("anchors"):
        _sign_anchor(session, signer, row[:3])
    for row in session.fetch("accepted"):
        names = ("writer", "seq", "what", "at_us", "note")
        said = dict(zip(names, row[:5], strict=True))
        session.run("accept", seal=sign_accepted(row[:5], signer), **said)
    return signed


def _link(session: Session, signer: Signer, *, line: ChainEntry, previous: bytes) -> bytes:
    if line.body is None:
        # What it said is gone; its hash stays what the next one links to.
        return line.hash
    found = hash_entry(previous, line, hash_link=signer.hash_link)
    session.run("set_hash", writer=line.writer, seq=line.seq, hash=found)
    return found


def _sign_writer(session: Session, signer: Signer, head: Head) -> None:
    session.run("set_writer_seal", writer=head.writer, hash=head.hash, **head.sign(signer))


def _sign_hollow(session: Session, signer: Signer, heads: Sequence[Head]) -> None:
    for head in heads:
        for row in session.fetch("hollow_lines", writer=head.writer):
            line = ChainEntry(*row)
            seal = sign_emptied(line, signer)
            if seal != line.emptied:
                session.run("set_emptied", writer=line.writer, seq=line.seq, emptied=seal)


def _sign_anchor(session: Session, signer: Signer, row: Sequence[object]) -> None:
    writer, seq, hash_ = row
    session.run("set_anchor", writer=writer, seq=seq, hash=hash_, seal=sign_anchor(row, signer))


def _sign_rows(session: Session, signer: Signer, table: str) -> list[bytes]:
    seals = []
    for _, *columns in session.fetch(f"signed_{table}", most=_ALL, skip=0):
        seals.append(signer.sign(table, *columns))
        # The key of each table stands first in its columns.
        keys = dict(zip(("one", "two", "three"), columns, strict=False))
        session.run(f"sign_{table}", seal=seals[-1], **keys)
    return seals
