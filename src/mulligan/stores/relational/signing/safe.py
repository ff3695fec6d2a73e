"""Locks values away and gets them back whole, under the one key that a store has."""

from __future__ import annotations

import hashlib

from mulligan.core.action import Kept
from mulligan.core.errors import StoreDamagedError, StoreError
from mulligan.core.storage.instants import to_us
from mulligan.stores.database.driver import Row, Session
from mulligan.stores.keys.seal import Seal, bind_to
from mulligan.stores.keys.signer import Signer
from mulligan.stores.relational.signing.keyring import Keyring
from mulligan.stores.relational.writing.transaction import Transaction

KeptRow = dict[str, object]

TABLE = "kept"

_SHA256 = 32
_BOUND = b"2"
"""Stands before a checksum that also says whose the value is."""


class Safe:
    """A seal, held against what the store says of its key."""

    def __init__(self, seal: Seal, *, keyring: Keyring) -> None:
        self._seal = seal
        self.keyring = keyring
        self._locked = False

    def check(self, session: Session) -> None:
        """Refuse a key that is not the store's own, before anything is locked with it."""
        self._locked = bool(session.fetch("locked_values") or session.fetch("signatures"))
        self.keyring.check(session)

    def lock_away(self, kept: Kept) -> KeptRow:
        """A kept value as its row, encrypted when there is a key."""
        if self._locked and self._seal.proof is None:
            raise StoreError(
                f"The value {kept.name!r} of {kept.owner} is not kept in plain text, because the "
                "vault is locked with a key: pass vault_key."
            )
        owner, name = kept.owner, kept.name
        value, locked = self._seal.lock(kept.value, owner=owner, name=name)
        bound = _compute_bound_checksum(value, owner=owner, name=name, locked=int(locked))
        expires_at = kept.expires_at
        return {
            "owner": owner,
            "name": name,
            "value": value,
            "locked": int(locked),
            "checksum": _BOUND + bound,
            "expires_us": None if expires_at is None else to_us(expires_at, name="expires_at"),
        }

    def lock_again(self, row: Row) -> KeptRow:
        """A row as the query `unsealed_kept` has it, encrypted if it was not yet."""
        owner, name, value, locked, checksum, _ = row
        if not locked and is_intact(row):
            value, now_locked = self._seal.lock(value, owner=owner, name=name)
            locked = int(now_locked)
            bound = _compute_bound_checksum(value, owner=owner, name=name, locked=locked)
            checksum = _BOUND + bound
        whose = {"owner": owner, "name": name}
        return {**whose, "value": value, "locked": locked, "checksum": checksum}

    def keep(self, transaction: Transaction, row: KeptRow) -> int:
        """Write a row; the same owner and name is replaced."""
        session = transaction.session
        if transaction.signer is None:
            session.run_later("replace_kept", **row)
            return 1
        signed = [row[part] for part in ("owner", "name", "checksum", "expires_us")]
        seal = transaction.sign_row(TABLE, *signed)
        # Almost always it is the first of its name. Where not, whoever was quicker is replaced.
        while not session.run("keep", seal=seal, **row):
            gone = session.fetch("drop_kept", owner=row["owner"], name=row["name"])
            transaction.drop(TABLE, (seal for (seal,) in gone))
        return 1

    def expire(self, transaction: Transaction, owner: str, *, at_us: int, settled: bool) -> None:
        """Let everything of an owner end then; after settlement, only what has no end yet."""
        session, signer = transaction.session, transaction.signer
        if signer is None:
            query = "expire_after_settlement" if settled else "expire"
            session.run_later(query, owner=owner, at_us=at_us)
            return
        gone, come = [], []
        for name, checksum, expires_us, was in session.fetch("seals_of_owner", owner=owner):
            if settled and expires_us is not None:
                continue
            if not signer.holds(was, TABLE, owner, name, checksum, expires_us):
                # Not ours: signed anew, it would pass for what was kept.
                continue
            seal = signer.sign(TABLE, owner, name, checksum, at_us)
            whose = {"owner": owner, "name": name, "was": was}
            # One that another writer has just replaced or expired is as that writer left it.
            if session.run("reseal_kept", expires_us=at_us, seal=seal, **whose):
                gone.append(was)
                come.append(seal)
        transaction.drop(TABLE, gone)
        transaction.add_seals(TABLE, come)

    def shred(self, transaction: Transaction, *, now_us: int, most: int, skip: int) -> list[bool]:
        """Delete what has expired, a few at a time: whether each went, or is not ours and stays."""
        session, signer = transaction.session, transaction.signer
        if signer is None:
            return [True] * len(session.fetch("shred", now_us=now_us, most=most))
        gone = []
        for row in session.fetch("expired", now_us=now_us, most=most, skip=skip):
            owner, name, checksum, expires_us, seal = row
            # An end that somebody without the key has set is none, and `verify` says so.
            ours = signer.holds(seal, TABLE, owner, name, checksum, expires_us)
            # With many workers, only the one that deletes it has it gone from its account.
            if ours and session.run("drop_sealed", owner=owner, name=name, seal=seal):
                transaction.drop(TABLE, [seal])
            gone.append(ours)
        return gone

    def open(self, row: Row, *, signer: Signer | None) -> bytes:
        """A value as it was before it was locked away, from the columns of the query `kept`."""
        owner, name, value, locked, *_ = row
        if signer is not None and not is_sealed(row, signer):
            # Whoever has no key can write neither: an unlocked value is none of ours.
            raise make_damage(owner, name)
        if not is_intact(row):
            raise make_damage(owner, name)
        return self._seal.unlock(value, locked=bool(locked), owner=owner, name=name)


def is_intact(row: Row) -> bool:
    """Whether a row, as the query `kept` has it, holds the value that its checksum is of."""
    owner, name, value, locked, checksum, *_ = row
    # A changed bit may have made it another type, too.
    if not isinstance(value, bytes) or not isinstance(checksum, bytes):
        return False
    if checksum[:-_SHA256] == _BOUND:
        expected = _compute_bound_checksum(value, owner=owner, name=name, locked=locked)
    else:
        expected = _compute_checksum(value, locked=locked)
    return checksum[-_SHA256:] == expected and checksum[:-_SHA256] in (b"", _BOUND)


def is_sealed(row: Row, signer: Signer) -> bool:
    """Whether a row, as the query `kept` has it, is locked and signed with the store's key."""
    owner, name, _, locked, checksum, expires_us, seal = row
    return bool(locked) and signer.holds(seal, TABLE, owner, name, checksum, expires_us)


def make_damage(owner: str, name: str) -> StoreDamagedError:
    """What is said of a value that is not the one that was kept."""
    return StoreDamagedError(
        f"The kept value {name!r} of {owner} is not what was kept, because the "
        "store is damaged: restore it from a backup, and undo nothing with this value."
    )


def _compute_bound_checksum(value: bytes, *, owner: str, name: str, locked: int) -> bytes:
    """Over the value and whose it is: another row's value does not pass for this one."""
    # The length goes first, so that no owner and value run together into another pair.
    whose = bind_to(owner, name)
    return hashlib.sha256(f"{locked}:{len(whose)}:".encode() + whose + value).digest()


def _compute_checksum(value: bytes, *, locked: int) -> bytes:
    """As rows have it that were kept before checksums said whose a value is."""
    return hashlib.sha256(f"{locked}:".encode() + value).digest()
