"""Which key a store has, whether it is signed, and who may therefore write to it."""

from __future__ import annotations

import secrets
from collections.abc import Iterator
from copy import copy
from typing import NamedTuple

from mulligan.codec.json_text import decode_json, encode_json
from mulligan.core.errors import StoreDamagedError, StoreError
from mulligan.core.storage.instants import from_us
from mulligan.stores.database.driver import Session, fetch_one
from mulligan.stores.disk.mark import Marks
from mulligan.stores.keys.seal import Seal
from mulligan.stores.keys.signer import Signer

KEY_GONE = (
    "The store is signed with a key, but the proof of that key is not what was written: somebody "
    "without the key has changed or removed it."
)


_IDENTITY_BYTES = 16


class KeyCheck(NamedTuple):
    """What the store says of its key."""

    value: bytes
    """Tells the key from any other."""
    signed_us: int | None
    """Since when everything is signed; `None`: only values were locked, by an earlier Mulligan."""
    trusted: int
    """How many rows were there before that, and were taken as they were."""
    identity: bytes | None = None
    """Tells it from other stores under the same key; `None`: signed by an earlier Mulligan."""
    places: str | None = None
    """Where it lies, as JSON: all places that somebody with the key has said it may lie at."""
    seal: bytes | None = None

    def list_parts(self) -> tuple[object, ...]:
        """What is signed of it."""
        if self.identity is None and self.places is None:
            return self[:3]
        return self[:5]

    def list_places(self) -> list[str]:
        """Where it may lie; nowhere in particular, if nobody has said so yet."""
        return [str(place) for place in decode_json(self.places)] if self.places else []


class Keyring:
    """The key we were given, held against what the store says of its own."""

    def __init__(self, seal: Seal, *, place: str | None = None) -> None:
        self._proof = seal.proof
        # One of its own: it signs for this store alone.
        self._key_signer = copy(seal.signer)
        self._place = place
        self.whole = True
        """Whether all rows are seen. Of some of them nobody can tell whether any is missing."""
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
        found = read_key_check(session)
        wrong = None if self.proves(session, found) else KEY_GONE
        wrong = wrong or self.find_move(session, found)
        if wrong and not self._forgiven:
            raise StoreDamagedError(
                f"{wrong} See what is left with `mulligan doctor`; go on from it with `mulligan "
                "doctor --accept-damage NOTE`."
            )

    def find_move(self, session: Session, found: KeyCheck | None) -> str | None:
        """What is wrong with where a signed store lies, as a sentence; `None`: nothing is."""
        places = found.list_places() if found and self.find_signer(session) else []
        if not places or self._place is None or self._place in places:
            return None
        return (
            f"The store at {self._place} was signed as the one at {places[-1]}: you have moved it, "
            "or somebody has put another in its place."
        )

    def may_settle(self, session: Session) -> bool:
        """Whether a signed store has not said yet where it lies."""
        found = read_key_check(session)
        signed = found is not None and self.find_signer(session) is not None
        return signed and found is not None and found.places is None and self._place is not None

    def settle(self, session: Session) -> tuple[bytes | None, bytes | None]:
        """Write down where the store lies, besides where it lay. Its signature before, and now."""
        found = read_key_check(session)
        if found is None or self._key_signer is None:
            return None, None
        places = [*found.list_places(), *([self._place] if self._place else [])]
        about = found._replace(places=encode_json(list(dict.fromkeys(places))).decode())
        return found.seal, self._write(session, about)

    def proves(self, session: Session, found: KeyCheck | None) -> bool:
        """Whether what a signed store says of its key is what was written there."""
        signer = self.find_signer(session)
        return signer is None or (found is not None and _is_sealed(found, signer))

    def find_signer(self, session: Session) -> Signer | None:
        """What the store is signed with; `None` while it is not signed, or without the key."""
        if self._key_signer is None or not self.is_signed(session):
            return None
        return self._key_signer

    def is_signed(self, session: Session) -> bool:
        """Whether the store is signed; once it is, it stays so."""
        if not self._signed:
            self._signed = bool(session.fetch("signatures"))
            if self._signed:
                self._take_identity(read_key_check(session))
        return self._signed

    def _take_identity(self, found: KeyCheck | None) -> None:
        signer = self._key_signer
        if signer is not None and found is not None and _is_sealed(found, signer):
            signer.identity = found.identity or b""

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

    def name_store(self) -> None:
        """Give the store an identity: what is signed from here on is signed for it alone."""
        if self._key_signer is not None:
            self._key_signer.identity = secrets.token_bytes(_IDENTITY_BYTES)

    def set_key_check(self, session: Session, *, at_us: int, trusted: int) -> bytes | None:
        """Write down whose the store is, and since when. Returns the signature of that."""
        if self._key_signer is None or self._proof is None:
            return None
        places = None if self._place is None else encode_json([self._place]).decode()
        about = KeyCheck(
            value=self._proof,
            signed_us=at_us,
            trusted=trusted,
            identity=self._key_signer.identity,
            places=places,
        )
        return self._write(session, about)

    def _write(self, session: Session, about: KeyCheck) -> bytes | None:
        seal = (
            None if self._key_signer is None else self._key_signer.sign("key", *about.list_parts())
        )
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
            "The store is signed with a key that was not given, so whether somebody changed it "
            "was not checked: set MULLIGAN_VAULT_KEY."
        )
    elif found is not None and found.trusted and found.signed_us is not None:
        yield (
            f"{found.trusted} rows were there before the store was signed, on "
            f"{from_us(found.signed_us):%Y-%m-%d %H:%M} UTC, and were taken as they were."
        )
