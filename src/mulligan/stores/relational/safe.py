"""Locks values away and gets them back whole, under the one key that a store has."""

from __future__ import annotations

import hashlib
from dataclasses import replace

from mulligan.core.action import Kept
from mulligan.core.errors import StoreDamagedError, StoreError
from mulligan.core.instants import to_us
from mulligan.stores.driver import Session, fetch_one
from mulligan.stores.seal import Seal, bind_to

KeptRow = dict[str, object]

_SHA256 = 32
_BOUND = b"2"
"""Stands before a checksum that also says whose the value is."""


class Safe:
    """A seal, held against the proof of the key that the store's first locked value left."""

    def __init__(self, seal: Seal) -> None:
        self._seal = seal
        self._proven = False

    def check(self, session: Session) -> None:
        """Refuse a key that is not the store's own, before anything is locked with it."""
        found = fetch_one(session, "key_check")
        if found is None:
            return
        if self._seal.proof is not None and self._seal.proof != bytes(found[0]):
            raise StoreError(
                "The vault is locked with another key than the one given: open the store with "
                "the vault_key its values were kept with."
            )
        self._proven = True

    def lock_away(self, kept: Kept) -> KeptRow:
        """A kept value as its row, encrypted when there is a key."""
        if self._proven and self._seal.proof is None:
            raise StoreError(
                f"The value {kept.name!r} of {kept.owner} is not kept in plain text, because the "
                "vault is locked with a key: pass vault_key."
            )
        value, locked = self._seal.lock(kept.value, owner=kept.owner, name=kept.name)
        expires_at = kept.expires_at
        return {
            "owner": kept.owner,
            "name": kept.name,
            "value": value,
            "locked": int(locked),
            "checksum": _BOUND + _compute_bound_checksum(replace(kept, value=value), int(locked)),
            "expires_us": None if expires_at is None else to_us(expires_at, name="expires_at"),
        }

    def keep(self, session: Session, row: KeptRow) -> int:
        """Write a row, and with the first locked one the proof of its key."""
        if row["locked"] and not self._proven:
            session.run("add_key_check", value=self._seal.proof)
        return session.run("keep", **row)

    def open(self, kept: Kept, *, locked: int, checksum: bytes) -> bytes:
        """A value as it was before it was locked away."""
        # A changed bit may have made it another type, too.
        if not isinstance(kept.value, bytes) or not isinstance(checksum, bytes):
            raise make_damage(kept.owner, kept.name)
        if checksum[:-_SHA256] == _BOUND:
            expected = _compute_bound_checksum(kept, locked)
        else:
            expected = _compute_checksum(kept.value, locked=locked)
        if checksum[-_SHA256:] != expected or checksum[:-_SHA256] not in (b"", _BOUND):
            raise make_damage(kept.owner, kept.name)
        return self._seal.unlock(kept.value, locked=bool(locked), owner=kept.owner, name=kept.name)


def make_damage(owner: str, name: str) -> StoreDamagedError:
    """What is said of a value that is not the one that was kept."""
    return StoreDamagedError(
        f"The kept value {name!r} of {owner} is not what was kept, because the "
        "store is damaged: restore it from a backup, and undo nothing with this value."
    )


def _compute_bound_checksum(kept: Kept, locked: int) -> bytes:
    """Over the value and whose it is: another row's value does not pass for this one."""
    # The length goes first, so that no owner and value run together into another pair.
    whose = bind_to(kept.owner, kept.name)
    return hashlib.sha256(f"{locked}:{len(whose)}:".encode() + whose + kept.value).digest()


def _compute_checksum(value: bytes, *, locked: int) -> bytes:
    """As rows have it that were kept before checksums said whose a value is."""
    return hashlib.sha256(f"{locked}:".encode() + value).digest()
