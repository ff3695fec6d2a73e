"""The vault over a table: raw values, locked and signed under the one key of a store."""

from __future__ import annotations

import hashlib
import secrets
from collections.abc import Callable, Iterator
from copy import copy
from datetime import datetime
from functools import partial
from typing import NamedTuple

from mulligan.codec import decode_json, encode_json
from mulligan.stores.crypto import Seal, Signer, bind_to
from mulligan.stores.database import Pool, Row, Session, fetch_one
from mulligan.stores.relational.committer import JournalCommitter
from mulligan.stores.relational.transaction import Transaction
from mulligan.stores.watermarks import Watermarks
from mulligan.types.action import Kept
from mulligan.types.errors import StoreDamagedError, StoreError
from mulligan.types.interfaces import Clock
from mulligan.types.values import from_us, to_us

KEY_GONE = (
    "The store is signed with a key, but the proof of that key was changed or removed without the "
    "key."
)


_IDENTITY_BYTES = 16


class KeyCheck(NamedTuple):
    """What the store says of its key."""

    value: bytes
    """Tells the key from any other."""
    signed_us: int | None
    """Since when everything is signed."""
    trusted: int
    """How many rows were there before that, and were taken as they were."""
    identity: bytes | None = None
    """Tells it from other stores under the same key."""
    places: str | None = None
    """Its allowed locations, as JSON, each accepted with the key."""
    seal: bytes | None = None

    def list_parts(self) -> tuple[object, ...]:
        """What is signed of it."""
        return self[:5]

    def list_places(self) -> list[str]:
        """Its allowed locations; empty before the first is recorded."""
        return [str(place) for place in decode_json(self.places)] if self.places else []


class Keyring:
    """The given key, compared with the store's own."""

    def __init__(self, seal: Seal, *, place: str | None = None) -> None:
        self._proof = seal.proof
        # One of its own: it signs for this store alone.
        self.given: Signer | None = copy(seal.signer)
        """Signs with the key we were given, whether or not the store is signed yet."""
        self._place = place
        self.whole = True
        """Whether all rows are visible; from a part of them a missing one cannot be found."""
        self._signed = False
        self.forgiven = False
        """A person takes the store as it is, also without the proof of its key."""

    def check(self, session: Session) -> None:
        """Refuse a key that is not the store's own, and a store whose proof of it is gone."""
        found = read_key_check(session)
        given, own = self._proof, found.value if found else None
        if given is not None and own is not None and given != own:
            raise StoreError(
                "The vault is locked with another key than the one given: open the store with "
                "the vault_key its values were kept with."
            )
        self.require_proof(session)

    def require_proof(self, session: Session) -> None:
        """Refuse a signed store whose proof of the key is not what was written there."""
        found = read_key_check(session)
        wrong = None if self.proves(session, found) else KEY_GONE
        wrong = wrong or self.find_move(session, found)
        if wrong and not self.forgiven:
            raise StoreDamagedError(
                f"{wrong} See what is left with `mulligan doctor`; go on from it with `mulligan "
                "doctor --accept-damage NOTE`."
            )

    def find_move(self, session: Session, found: KeyCheck | None) -> str | None:
        """What is wrong with a signed store's location, as a sentence; `None`: nothing."""
        places = found.list_places() if found and self.find_signer(session) else []
        if not places or self._place is None or self._place in places:
            return None
        return (
            f"The store at {self._place} was signed as the one at {places[-1]}: it was moved, or "
            "another store was put in its place."
        )

    def settle(self, session: Session, found: KeyCheck) -> None:
        """Record the store's new location besides its earlier ones."""
        places = [*found.list_places(), self._place]
        self._write(session, found._replace(places=encode_json(places).decode()))

    def proves(self, session: Session, found: KeyCheck | None) -> bool:
        """Whether what a signed store says of its key is what was written there."""
        signer = self.find_signer(session)
        return signer is None or (found is not None and _is_sealed(found, signer))

    def find_signer(self, session: Session) -> Signer | None:
        """What the store is signed with; `None` while it is not signed, or without the key."""
        if self.given is None or not self.is_signed(session):
            return None
        return self.given

    def is_signed(self, session: Session) -> bool:
        """Whether the store is signed; once it is, it stays so."""
        if not self._signed:
            self._signed = bool(session.fetch("signatures"))
            if self._signed:
                found, signer = read_key_check(session), self.given
                if signer is not None and found is not None and _is_sealed(found, signer):
                    signer.identity = found.identity or b""
        return self._signed

    def refuse_unsigned(self, session: Session) -> None:
        """Refuse to write without the key into a store that has one."""
        if self.given is None and (self.is_signed(session) or session.fetch("locked_values")):
            raise StoreError(
                "Nothing was written, because the store is signed with a key and its values are "
                "locked with it: pass vault_key, or set MULLIGAN_VAULT_KEY."
            )

    def refuse_stripped(self, session: Session, marks: Watermarks) -> None:
        """Refuse to sign a store that was signed before, and then had that removed."""
        signer = self.given
        signed = any(signer and mark.is_signed(signer) for mark in marks.found.values())
        if not self.forgiven and (signed or session.fetch("left_signatures")):
            raise StoreDamagedError(
                f"{KEY_GONE} See what is left with `mulligan doctor`; go on from it with `mulligan "
                "doctor --accept-damage NOTE`."
            )

    def name_store(self) -> None:
        """Give the store an identity: what is signed from here on is signed for it alone."""
        if self.given is not None:
            self.given.identity = secrets.token_bytes(_IDENTITY_BYTES)

    def set_key_check(self, session: Session, *, at_us: int, trusted: int) -> bytes | None:
        """Write down whose the store is, and since when. Returns the signature of that."""
        if self.given is None or self._proof is None:
            return None
        places = None if self._place is None else encode_json([self._place]).decode()
        about = KeyCheck(
            value=self._proof,
            signed_us=at_us,
            trusted=trusted,
            identity=self.given.identity,
            places=places,
        )
        return self._write(session, about)

    def _write(self, session: Session, about: KeyCheck) -> bytes | None:
        seal = None if self.given is None else self.given.sign("key", *about.list_parts())
        session.run("set_key_check", **about._replace(seal=seal)._asdict())
        return seal


def _is_sealed(found: KeyCheck, signer: Signer) -> bool:
    return signer.holds(found.seal, "key", *found.list_parts())


def read_key_check(session: Session) -> KeyCheck | None:
    """What the store says of its key, if it ever had one."""
    row = fetch_one(session, "key_check")
    if row is None:
        return None
    value, signed_us, trusted, identity, places, seal = row
    named = bytes(identity) if isinstance(identity, (bytes, memoryview)) else None
    return KeyCheck(value, signed_us, trusted, named, places, seal)


def find_key_caveats(session: Session, keyring: Keyring) -> Iterator[str]:
    """What the key does not prove, a sentence each."""
    found = read_key_check(session)
    if keyring.given is None and keyring.is_signed(session):
        yield (
            "The store is signed with a key that was not given, so it was not checked for changes: "
            "set MULLIGAN_VAULT_KEY."
        )
    elif found is not None and found.trusted and found.signed_us is not None:
        yield (
            f"{found.trusted} rows were there before the store was signed, on "
            f"{from_us(found.signed_us):%Y-%m-%d %H:%M} UTC, and were taken as they were."
        )


KeptRow = dict[str, object]

TABLE = "kept"

_FORM = b"2"
"""Stands before a checksum, and says how it is made."""


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
        expires_at = kept.expires_at
        expires_us = None if expires_at is None else to_us(expires_at, name="expires_at")
        return self._lock(kept.owner, kept.name, kept.value) | {"expires_us": expires_us}

    def lock_again(self, row: Row) -> KeptRow:
        """A row as the query `unsealed_kept` has it, encrypted if it was not yet."""
        owner, name, value, locked, checksum, _ = row
        if not locked and is_intact(row):
            return self._lock(owner, name, value)
        whose = {"owner": owner, "name": name}
        return {**whose, "value": value, "locked": locked, "checksum": checksum}

    def _lock(self, owner: str, name: str, value: bytes) -> KeptRow:
        value, encrypted = self._seal.lock(value, owner=owner, name=name)
        locked = int(encrypted)
        checksum = _compute_checksum(value, owner=owner, name=name, locked=locked)
        whose = {"owner": owner, "name": name}
        return {**whose, "value": value, "locked": locked, "checksum": checksum}

    def keep(self, transaction: Transaction, row: KeptRow) -> None:
        """Write a row; the same owner and name is replaced."""
        session = transaction.session
        if transaction.signer is None:
            session.run_later("replace_kept", **row)
            return
        signed = [row[part] for part in ("owner", "name", "checksum", "expires_us")]
        seal = transaction.sign_row(TABLE, *signed)
        # Almost always it is the first of its name. Where not, whoever was quicker is replaced.
        while not session.run("keep", seal=seal, **row):
            gone = session.fetch("drop_kept", owner=row["owner"], name=row["name"])
            transaction.drop(TABLE, (seal for (seal,) in gone))

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
            # An expiry set without the key does not count, and `verify` reports it.
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
            # Writing either needs the key: an unlocked value is not ours.
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
    return checksum == _compute_checksum(value, owner=owner, name=name, locked=locked)


def is_sealed(row: Row, signer: Signer) -> bool:
    """Whether a row, as the query `kept` has it, is locked and signed with the store's key."""
    owner, name, _, locked, checksum, expires_us, seal = row
    return bool(locked) and signer.holds(seal, TABLE, owner, name, checksum, expires_us)


def make_damage(owner: str, name: str) -> StoreDamagedError:
    """The message for a value that is not the one that was kept."""
    return StoreDamagedError(
        f"The kept value {name!r} of {owner} is not what was kept, because the "
        "store is damaged: restore it from a backup, and undo nothing with this value."
    )


def _compute_checksum(value: bytes, *, owner: str, name: str, locked: int) -> bytes:
    """Over the value and whose it is: another row's value does not pass for this one."""
    # The length goes first, so that no owner and value run together into another pair.
    whose = bind_to(owner, name)
    content = f"{locked}:{len(whose)}:".encode() + whose + value
    return _FORM + hashlib.sha256(content).digest()


_ROWS_AT_A_TIME = 500
_VALUES_AT_A_TIME = 50


class VaultTables:
    """Values that expire; writing goes through the journal's group commit."""

    def __init__(
        self,
        pool: Pool,
        *,
        committer: JournalCommitter,
        safe: Safe,
        clock: Clock,
        erase: Callable[[], None],
    ) -> None:
        self._pool = pool
        self._committer = committer
        self._safe = safe
        self._keyring = safe.keyring
        self._clock = clock
        self._erase = erase

    def put(self, kept: Kept) -> None:
        """Keep a value; the same owner and name replaces it."""
        row = self._safe.lock_away(kept)
        self._committer.run(lambda transaction: self._safe.keep(transaction, row))

    def get(self, owner: str, name: str) -> bytes | None:
        """A kept value, or `None` when there is none or it has expired."""

        def find(session: Session) -> tuple[Row | None, Signer | None]:
            row = fetch_one(session, "kept", owner=owner, name=name)
            return row, self._keyring.find_signer(session)

        row, signer = self._pool.read(find)
        if row is None:
            return None
        if row[:2] != (owner, name):
            # A damaged index could lead to another row's value.
            raise make_damage(owner, name)
        expires_us = row[5]
        if expires_us is not None and expires_us <= to_us(self._clock(), name="The clock's time"):
            if signer is not None and not is_sealed(row, signer):
                # Its expiry was set without the key.
                raise make_damage(owner, name)
            return None
        return self._safe.open(row, signer=signer)

    def expire(self, owner: str, *, at: datetime) -> None:
        """Let everything of an owner end at the given time."""
        at_us = to_us(at, name="at")
        self._committer.run(
            lambda transaction: self._safe.expire(transaction, owner, at_us=at_us, settled=False)
        )

    def shred(self, *, now: datetime) -> int:
        """Delete what has expired, so that it is gone from the disk too."""
        now_us = to_us(now, name="now")
        shredded = skipped = 0
        while gone := self._committer.run(
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
        while rows := self._pool.fetch(
            "kept_after", owner=owner, name=name, most=_VALUES_AT_A_TIME
        ):
            for row in rows:
                owner, name = row[:2]
                if not is_intact(row):
                    yield str(make_damage(owner, name))
