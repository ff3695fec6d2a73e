"""Encryption of kept values: AES-GCM, bound to whose value it is and what it is called."""

from __future__ import annotations

import hmac
import os
from typing import Protocol

from mulligan.core.errors import ConfigurationError, MissingExtraError, StoreError
from mulligan.stores.keys.signer import Signer

KEY_BYTES = 32
_NONCE_BYTES = 12


class Seal(Protocol):
    """Locks values away, and gets them back."""

    @property
    def proof(self) -> bytes | None:
        """Tells this key from any other without giving it away; `None` when there is no key."""

    @property
    def signer(self) -> Signer | None:
        """Signs what lies beside the values; `None` when there is no key."""

    def lock(self, value: bytes, *, owner: str, name: str) -> tuple[bytes, bool]:
        """The value as it goes to disk, and whether it is encrypted."""

    def unlock(self, value: bytes, *, locked: bool, owner: str, name: str) -> bytes:
        """The value as it was kept, or a `StoreError` that says what is missing."""


def make_seal(key: bytes | None) -> Seal:
    """A seal for the key; without one, values are kept as they are."""
    if key is None:
        return _Plain()
    if len(key) != KEY_BYTES:
        raise ConfigurationError(
            f"The vault's key has {len(key)} bytes; it must have {KEY_BYTES}: "
            "make one with `secrets.token_bytes(32)`."
        )
    return _Aes(key)


class _Plain:
    proof: bytes | None = None
    signer: Signer | None = None

    def lock(self, value: bytes, *, owner: str, name: str) -> tuple[bytes, bool]:  # noqa: ARG002
        return value, False

    def unlock(self, value: bytes, *, locked: bool, owner: str, name: str) -> bytes:
        if locked:
            raise StoreError(
                f"The kept value {name!r} of {owner} is encrypted: open the store with its key."
            )
        return value


class _Aes:
    def __init__(self, key: bytes) -> None:
        try:
            from cryptography.exceptions import InvalidTag
            from cryptography.hazmat.primitives.ciphers.aead import AESGCM
        except ImportError as error:
            raise MissingExtraError(need="Encryption", extra="encryption") from error
        self._aes = AESGCM(key)
        self.proof: bytes | None = hmac.digest(key, b"mulligan vault key", "sha256")
        self.signer: Signer | None = Signer(key)
        self._invalid = InvalidTag

    def lock(self, value: bytes, *, owner: str, name: str) -> tuple[bytes, bool]:
        nonce = os.urandom(_NONCE_BYTES)
        return nonce + self._aes.encrypt(nonce, value, bind_to(owner, name)), True

    def unlock(self, value: bytes, *, locked: bool, owner: str, name: str) -> bytes:
        if not locked:
            return value
        nonce, sealed = value[:_NONCE_BYTES], value[_NONCE_BYTES:]
        try:
            return self._aes.decrypt(nonce, sealed, bind_to(owner, name))
        except self._invalid as error:
            raise StoreError(
                f"The kept value {name!r} of {owner} does not open with this key: "
                "open the store with the key it was kept with."
            ) from error


def bind_to(owner: str, name: str) -> bytes:
    """Whose value it is and what it is called, as bytes."""
    # The length goes first, so that no owner and name run together into another pair.
    return f"{len(owner)}:{owner}{name}".encode("utf-8", "surrogatepass")
