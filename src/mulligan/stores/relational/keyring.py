"""Which key a store has, whether it is signed, and who may therefore write to it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from mulligan.core.errors import StoreDamagedError, StoreError
from mulligan.core.instants import from_us
from mulligan.stores.driver import Session, fetch_one
from mulligan.stores.mark import Marks
from mulligan.stores.seal import Seal
from mulligan.stores.signer import Signer

KEY_GONE = (
    "The store is signed with a key, but the proof of that key is not what was written: somebody "
    "without the key has changed or removed it."
)


class KeyCheck(NamedTuple):
    """What the store says of its key."""

    value: bytes
    """Tells the key from any other."""
    signed_us: int | None
    """Since when everything is signed; `None`: only values were locked, by an earlier Mulligan."""
    trusted: int
    """How many rows were there before that, and were taken as they were."""
    seal: bytes | None


class Keyring:
    """The key we were given, held against what the store says of its own."""

    def __init__(self, seal: Seal) -> None:
        self._proof = seal.proof
        self._key_signer = seal.signer
        self._signed = False
        self._forgiven = False

    @property
    def given(self) -> Signer | None:
        """Signs with the key we were given, whether or not the store is signed yet."""
        return self._key_signer

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
        if not self._forgiven and not self.proves(session, read_key_check(session)):
            raise StoreDamagedError(
                f"{KEY_GONE} See what is left with `mulligan doctor`; go on from it with `mulligan "
                "doctor --accept-damage NOTE`."
            )

    def proves(self, session: Session, found: KeyCheck | None) -> bool:
        """Whether what a signed store says of its key is what was written there."""
        signer = self.find_signer(session)
        return signer is None or (found is not None and signer.holds(found.seal, "key", *found[:3]))

    def find_signer(self, session: Session) -> Signer | None:
        """What the store is signed with; `None` while it is not signed, or without the key."""
        if self._key_signer is None or not self.is_signed(session):
            return None
        return self._key_signer

    def is_signed(self, session: Session) -> bool:
        """Whether the store is signed; once it is, it stays so."""
        if not self._signed:
            self._signed = bool(session.fetch("signatures"))
        return self._signed

    def refuse_unsigned(self, session: Session) -> None:
        """Refuse to write without the key into a store that has one."""
        if self._key_signer is None and (self.is_signed(session) or session.fetch("locked_values")):
            raise StoreError(
                "Nothing was written, because the store is signed with a key and its values are "
                "locked with it: pass vault_key, or set MULLIGAN_VAULT_KEY."
            )

    def accept_loss(self) -> None:
        """A person takes the store as it is, also without the proof of its key."""
        self._forgiven = True

    def refuse_stripped(self, session: Session, marks: Marks) -> None:
        """Refuse to sign a store that was signed before, and then had that removed."""
        signer = self._key_signer
        signed = any(signer and mark.is_signed(signer) for mark in marks.found.values())
        if not self._forgiven and (signed or session.fetch("left_signatures")):
            raise StoreDamagedError(
                f"{KEY_GONE} See what is left with `mulligan doctor`; go on from it with `mulligan "
                "doctor --accept-damage NOTE`."
            )

    def set_key_check(self, session: Session, *, at_us: int, trusted: int) -> bytes | None:
        """Write down whose the store is, and since when. Returns the signature of that."""
        if self._key_signer is None or self._proof is None:
            return None
        about = KeyCheck(value=self._proof, signed_us=at_us, trusted=trusted, seal=None)
        seal = self._key_signer.sign("key", *about[:3])
        session.run("set_key_check", **about._replace(seal=seal)._asdict())
        return seal


def read_key_check(session: Session) -> KeyCheck | None:
    """What the store says of its key, if it ever had one."""
    row = fetch_one(session, "key_check")
    return None if row is None else KeyCheck(*row)


def find_key_caveats(session: Session, keyring: Keyring) -> Iterator[str]:
    """What the key does not prove, a sentence each."""
    found = read_key_check(session)
    if keyring.given is None and keyring.is_signed(session):
        yield (
            "The store is signed with a key that was not given, so whether somebody changed it "
            "was not checked: set MULLIGAN_VAULT_KEY."
        )
    elif found is not None and found.trusted and found.signed_us is not None:
        yield (
            f"{found.trusted} rows were there before the store was signed, on "
            f"{from_us(found.signed_us):%Y-%m-%d %H:%M} UTC, and were taken as they were."
        )
