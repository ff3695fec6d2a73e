"""Tokens that only this server can have written: who it is for, how far, and until when.

A *link* is what somebody is given to come in by; it is swapped for a *session*, which lives in a
cookie that no script can read. Nothing is stored: who restarts the server shuts everybody out.
"""

from __future__ import annotations

import base64
import binascii
import hashlib
import hmac
import json
import math
import secrets
from collections.abc import Callable
from datetime import timedelta
from enum import StrEnum
from time import time

from mulligan.core.runtime.dataclass import dataclass
from mulligan.dashboard.security.roles import Role

LONGEST = 2_048
"""Of a token: what is longer is none, and is not looked at."""


class TokenKind(StrEnum):
    """What a token is for."""

    LINK = "link"
    SESSION = "session"


@dataclass(frozen=True, slots=True, kw_only=True)
class Visitor:
    """Whom a token was written for."""

    name: str
    """What stands on record beside what they do."""
    role: Role
    tenant: str = ""
    """Whose pages they may see, by its identity; empty: those of all."""
    nonce: str = ""
    """Tells this session from any other."""
    until: float = math.inf
    """When the token is over, in seconds since the epoch."""


class Sealer:
    """Writes and reads tokens under a secret of its own."""

    def __init__(self, secret: bytes | None = None, *, now: Callable[[], float] = time) -> None:
        self._secret = secret or secrets.token_bytes(32)
        self._now = now

    def write(self, visitor: Visitor, *, kind: TokenKind, life: timedelta) -> str:
        """A token that is good for so long."""
        said = {
            "name": visitor.name,
            "role": visitor.role.value,
            "tenant": visitor.tenant,
            "kind": kind.value,
            "until": self._now() + life.total_seconds(),
            "nonce": secrets.token_urlsafe(16),
        }
        body = base64.urlsafe_b64encode(json.dumps(said).encode()).decode().rstrip("=")
        return f"{body}.{self._sign(body)}"

    def read(self, token: str, *, kind: TokenKind) -> Visitor | None:
        """Whom a token was written for; `None`: it is none of ours, or of another kind, or over."""
        body, _, signature = token.partition(".")
        if len(token) > LONGEST or not body.isascii() or not signature.isascii():
            return None
        if not hmac.compare_digest(signature, self._sign(body)):
            return None
        try:
            said = json.loads(base64.urlsafe_b64decode(body + "=" * (-len(body) % 4)))
        except (binascii.Error, ValueError):
            return None
        if said["kind"] != kind.value or said["until"] < self._now():
            return None
        return Visitor(
            name=said["name"],
            role=Role(said["role"]),
            tenant=said["tenant"],
            nonce=said["nonce"],
            until=said["until"],
        )

    def count_left(self, visitor: Visitor) -> float:
        """Seconds that a visitor's token is still good for."""
        return visitor.until - self._now()

    def make_form_token(self, visitor: Visitor) -> str:
        """What a page of this session sends along with an act, and no other site can know."""
        return self._sign(f"form {visitor.nonce}")

    def is_form_token(self, token: str, visitor: Visitor) -> bool:
        """Whether it is that of this session."""
        return token.isascii() and hmac.compare_digest(token, self.make_form_token(visitor))

    def _sign(self, text: str) -> str:
        return hmac.new(self._secret, text.encode(), hashlib.sha256).hexdigest()
