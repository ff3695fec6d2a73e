"""Who somebody is to a store: a keyed hash of the name, and beside it what people may read of it.

What is learned, counted or bounded for one tenant, person or agent is kept under this and under
nothing else. Two names are one identity only where they are the same text, letter for letter: a
label that was cut, folded or scrubbed would make one of many.
"""

from __future__ import annotations

from enum import StrEnum
from hashlib import blake2s

from mulligan.core.runtime.late_pattern import compile_late

DIGITS = 20
"""Hexadecimal digits of the hash: nobody can find a second name for it, or guess a name's."""
MARK = "~"
_MOST_KNOWN = 4_096
_LONGEST_KNOWN = 200
_LONGEST_KEY = 32

# Frozen: what the label shows is a part of what is stored, so that it must not change with the
# rules of redaction.
_PLAIN = compile_late(r"[A-Za-z]{1,20}(?:[ ._-][A-Za-z]{1,20}){0,3}")
_SHOWN = compile_late(rf"[A-Za-z][A-Za-z ._-]{{0,82}}{MARK}[0-9a-f]{{{DIGITS}}}")


class IdentityKind(StrEnum):
    """Whose name it is: the same name of two kinds is two identities."""

    TENANT = "tenant"
    PRINCIPAL = "person"
    AGENT = "agent"


class Identities:
    """Names to identities, by one key: the same in every process that shares a store."""

    def __init__(self, key: bytes) -> None:
        self._key = key if len(key) <= _LONGEST_KEY else blake2s(key).digest()
        self._known: dict[tuple[IdentityKind, str], str] = {}

    def identify(self, name: str, kind: IdentityKind) -> str:
        """`acme~…` of a plain name, `tenant~…` of any other; nobody stays nobody."""
        if not name:
            return ""
        known = self._known.get((kind, name))
        if known is not None:
            return known
        made = self._hash_name(str.__str__(name), kind)
        if len(name) <= _LONGEST_KNOWN:
            if len(self._known) >= _MOST_KNOWN:
                self._known.clear()
            self._known[kind, name] = made
        return made

    def _hash_name(self, name: str, kind: IdentityKind) -> str:
        digest = blake2s(key=self._key, person=kind.encode())
        # Not replaced: two names that no text can carry are two names.
        digest.update(name.encode("utf-8", "surrogatepass"))
        shown = kind is not IdentityKind.PRINCIPAL and _PLAIN.fullmatch(name)
        return f"{name if shown else kind}{MARK}{digest.hexdigest()[:DIGITS]}"


def is_identity(text: str) -> bool:
    """Whether a text is an identity as a surface shows it, and not a name."""
    return _SHOWN.fullmatch(text) is not None


def read_label(identity: str) -> str:
    """What people may read of an identity: a plain name, or what kind of name it is."""
    return identity.rpartition(MARK)[0] or identity
