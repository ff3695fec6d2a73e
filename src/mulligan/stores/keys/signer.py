"""Signs rows with a key of its own, drawn from the vault's: who does not have it makes no row."""

from __future__ import annotations

import hmac

from mulligan.codec.json_text import encode_json

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
        content = encode_json([_make_plain(part) for part in (*named, *parts)])
        return hmac.digest(self._key, content, "sha256")

    def holds(self, found: object, kind: str, *parts: object) -> bool:
        """Whether what is found is the signature of these parts."""
        if not isinstance(found, bytes):
            return False
        try:
            return hmac.compare_digest(found, self.sign(kind, *parts))
        except (TypeError, ValueError):
            # What somebody put there in place of a number or a text cannot even be written down.
            return False

    def hash_link(self, content: bytes) -> bytes:
        """The hash of one link of a chain."""
        return hmac.digest(self._key, b"link:" + content, "sha256")


def _make_plain(part: object) -> object:
    # In a list of its own: no text passes for the bytes that it spells.
    return ["bytes", part.hex()] if isinstance(part, bytes) else part
