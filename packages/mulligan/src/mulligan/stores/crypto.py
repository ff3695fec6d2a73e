"""Encryption of kept values, signatures of rows, and the hashes that chain entries."""

from __future__ import annotations

import hashlib
import hmac
import os
from collections.abc import Callable, Iterable, Iterator
from typing import TYPE_CHECKING, NamedTuple

from mulligan.codec import encode_json
from mulligan.types.errors import ConfigurationError, MissingExtraError, StoreError

if TYPE_CHECKING:
    from cryptography.hazmat.primitives.ciphers.aead import AESGCM

WRITER = "writer"


class Signer:
    """Keyed hashes, each bound to the kind of thing it is a hash of."""

    def __init__(self, key: bytes) -> None:
        # Never the key that encrypts: what one use gives away must not help with the other.
        self._key = hmac.digest(key, b"mulligan signing key", "sha256")
        self.identity = b""
        """Of the store it signs for, where that has one: no writer of another store passes for one
        of its own, and with a writer stands all that is on its account."""

    def sign(self, kind: str, *parts: object) -> bytes:
        """32 bytes that only the key can make for these parts, in this order, of this kind."""
        named = [kind, self.identity] if self.identity and kind == WRITER else [kind]
        # In a list of its own: no text passes for the bytes that it spells.
        plain = [["bytes", p.hex()] if isinstance(p, bytes) else p for p in (*named, *parts)]
        content = encode_json(plain)
        return hmac.digest(self._key, content, "sha256")

    def holds(self, found: object, kind: str, *parts: object) -> bool:
        """Whether this is the signature of these parts."""
        if not isinstance(found, bytes):
            return False
        try:
            return hmac.compare_digest(found, self.sign(kind, *parts))
        except (TypeError, ValueError):
            # A forged value of another type cannot be encoded.
            return False

    def hash_link(self, content: bytes) -> bytes:
        """The hash of one link of a chain."""
        return hmac.digest(self._key, b"link:" + content, "sha256")


KEY_BYTES = 32
_NONCE_BYTES = 12


class Seal:
    """Locks values away under a key, and gets them back; without one they are kept as they are."""

    def __init__(self, key: bytes | None) -> None:
        self.proof: bytes | None = None
        """Tells this key from any other without giving it away."""
        self.signer: Signer | None = None
        """Signs what lies beside the values."""
        self._aes: AESGCM | None = None
        if key is None:
            return
        if len(key) != KEY_BYTES:
            raise ConfigurationError(
                f"The vault's key has {len(key)} bytes; it must have {KEY_BYTES}: "
                "make one with `secrets.token_bytes(32)`."
            )
        try:
            from cryptography.hazmat.primitives.ciphers.aead import AESGCM
        except ImportError as error:
            raise MissingExtraError(need="Encryption", extra="encryption") from error
        self._aes = AESGCM(key)
        self.proof = hmac.digest(key, b"mulligan vault key", "sha256")
        self.signer = Signer(key)

    def lock(self, value: bytes, *, owner: str, name: str) -> tuple[bytes, bool]:
        """The value as it goes to disk, and whether it is encrypted."""
        if self._aes is None:
            return value, False
        nonce = os.urandom(_NONCE_BYTES)
        return nonce + self._aes.encrypt(nonce, value, bind_to(owner, name)), True

    def unlock(self, value: bytes, *, locked: bool, owner: str, name: str) -> bytes:
        """The value as it was kept, or a `StoreError` that says what is missing."""
        if not locked:
            return value
        if self._aes is None:
            raise StoreError(
                f"The kept value {name!r} of {owner} is encrypted: open the store with its key."
            )
        from cryptography.exceptions import InvalidTag

        nonce, sealed = value[:_NONCE_BYTES], value[_NONCE_BYTES:]
        try:
            return self._aes.decrypt(nonce, sealed, bind_to(owner, name))
        except InvalidTag as error:
            raise StoreError(
                f"The kept value {name!r} of {owner} does not open with this key: "
                "open the store with the key it was kept with."
            ) from error


def bind_to(owner: str, name: str) -> bytes:
    """Whose value it is and what it is called, as bytes."""
    # The length goes first, so that no owner and name run together into another pair.
    return f"{len(owner)}:{owner}{name}".encode("utf-8", "surrogatepass")


GENESIS = bytes(32)
"""What a writer's first entry links to."""

HashLink = Callable[[bytes], bytes]
"""Hashes one link of a chain: with a key, if the store has one."""


def hash_plainly(content: bytes) -> bytes:
    """The hash of a link in a store without a key."""
    return hashlib.sha256(content).digest()


class ChainEntry(NamedTuple):
    """An entry in its writer's chain, in the order of the table's columns."""

    writer: str
    seq: int
    action: str
    version: int
    state: str
    at_us: int
    body: str | None
    """`None`: hollow. Retention took the content and left the link."""
    hash: bytes
    emptied: bytes | None = None
    """What retention signs where there is a key, so that only it can empty an entry."""


def hash_entry(previous: bytes, line: ChainEntry, *, hash_link: HashLink = hash_plainly) -> bytes:
    """The hash of an entry: over the hash before it and everything it says."""
    # An array of JSON values is unambiguous: no two different lines give the same bytes.
    return hash_link(previous + encode_json(line[:7]))


def find_breaks(
    lines: Iterable[ChainEntry],
    *,
    after: int,
    previous: bytes,
    hash_link: HashLink | None = hash_plainly,
) -> Iterator[tuple[int, str]]:
    """Every place where lines in order do not follow on `after` and `previous`, and how.

    After a break the chain is taken up again at the hash as it is stored, so that one damage is
    one break. A hollow line can only be checked by the line that follows it. Without a
    `hash_link`, because the key is not here, only what is missing shows.
    """
    expected = after + 1
    for line in lines:
        if line.seq != expected:
            lost = line.seq - expected
            entries, are = ("1 entry", "is") if lost == 1 else (f"{lost} entries", "are")
            yield expected, f"{entries} before entry {line.seq} {are} missing"
        elif (
            line.body is not None and hash_link and not follows(previous, line, hash_link=hash_link)
        ):
            yield line.seq, f"entry {line.seq} is not what was written"
        expected = line.seq + 1
        previous = line.hash


def follows(previous: bytes, line: ChainEntry, *, hash_link: HashLink = hash_plainly) -> bool:
    """Whether a line is what was written after the one with that hash."""
    try:
        return hash_entry(previous, line, hash_link=hash_link) == line.hash
    except TypeError:
        # A changed bit can make bytes of a text, which no entry holds.
        return False
