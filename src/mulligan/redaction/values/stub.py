"""What stands in the log for a value that must not be there: type, length and a keyed hash."""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from hashlib import blake2s

from mulligan.core.errors import ConfigurationError
from mulligan.redaction.scrub import scrub
from mulligan.redaction.secrets.names import looks_like_field

_WHOLE = 65_536
_END = 4_096
_SHORTEST_KEY = 16
_LONGEST_KEY = 32
_MOST_DIGITS_BITS = 512
UUID_LENGTH = 36
"""A string of this length may be an id, which is shown where its name says so."""
SHORT = 1_024
OPENINGS = tuple(f"<str {size} #" for size in range(SHORT + 1))
"""How the stubs of short strings begin, by length."""

class_name: Callable[[type], str] = type.__dict__["__name__"].__get__
"""The real name of a class, whatever its metaclass says."""


@lru_cache(maxsize=1024)
def _format_name(name: str) -> str:
    return name if looks_like_field(name) and scrub(name) == name else "object"


def format_class(kind: type) -> str:
    """The name of a class as it may be logged."""
    name = class_name(kind)
    return _format_name(name) if len(name) <= 64 else "object"


def fit_key(key: bytes) -> bytes:
    """The key as the hash takes it; one that is too short to be safe is refused."""
    if len(key) < _SHORTEST_KEY:
        raise ConfigurationError(
            f"The redaction key has {len(key)} bytes; with fewer than {_SHORTEST_KEY} its "
            "hashes could be guessed. Pass the store's secret()."
        )
    return blake2s(key).digest() if len(key) > _LONGEST_KEY else key


class Stubs:
    """Makes stubs. Same value and key, same stub, in every process."""

    __slots__ = ("_keyed", "copy")

    def __init__(self, key: bytes) -> None:
        self._keyed = blake2s(key=fit_key(key), digest_size=6)
        # The key is mixed in once; each hash starts from a copy.
        self.copy = self._keyed.copy

    def hash_short(self, value: str) -> str:
        """A stub of a string of at most `SHORT` characters: `text`, for the loops."""
        digest = self.copy()
        try:
            digest.update(value.encode())
        except UnicodeEncodeError:
            digest.update(value.encode("utf-8", "surrogatepass"))
        return OPENINGS[len(value)] + digest.hexdigest() + ">"

    def hash_text(self, value: str, *, name: str = "str") -> str:
        """A stub of text, or of what is known by its text. Very long text counts by its ends."""
        size = len(value)
        if size > _WHOLE:
            value = f"{size} {value[:_END]}{value[-_END:]}"
        digest = self.copy()
        digest.update(value.encode("utf-8", "surrogatepass"))
        return f"<{name} {size} #{digest.hexdigest()}>"

    def hash_bytes(self, value: bytes, *, name: str) -> str:
        """A stub of bytes."""
        size = len(value)
        digest = self.copy()
        if size > _WHOLE:
            digest.update(b"%d " % size + value[:_END] + value[-_END:])
        else:
            digest.update(value)
        return f"<{name} {size} #{digest.hexdigest()}>"

    def hash_integer(self, value: int) -> str:
        """A stub of a number with many digits; no decimal form is made of a huge one."""
        bits = value.bit_length()
        if bits <= _MOST_DIGITS_BITS:
            return self.hash_text(str(value), name="int")
        ends = (value & ((1 << _MOST_DIGITS_BITS) - 1), abs(value) >> (bits - _MOST_DIGITS_BITS))
        digest = self.copy()
        digest.update(f"{bits} {ends[0]:x} {ends[1]:x}".encode())
        return f"<int {bits} bits #{digest.hexdigest()}>"
