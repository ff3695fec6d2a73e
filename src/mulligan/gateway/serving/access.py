"""Who may speak to the gateway over HTTP: by a token, and from no page of somebody else's."""

from __future__ import annotations

import hmac
import itertools
import secrets
from collections.abc import Mapping
from dataclasses import field
from pathlib import Path

from mulligan.core.errors import ConfigurationError, StoreUnavailableError
from mulligan.core.runtime.dataclass import dataclass
from mulligan.stores.disk.private_file import refuse_unsafe

LOOPBACK = frozenset({"127.0.0.1", "localhost", "[::1]", "::1"})
SHORTEST = 16
"""Characters of a token that nobody guesses."""


@dataclass(frozen=True, slots=True)
class Refusal:
    """Why a request is not taken."""

    status: int
    said: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Access:
    """What a request must show."""

    tokens: Mapping[str, str] = field(repr=False)
    """Who each token is of."""
    hosts: frozenset[str] = LOOPBACK
    """What the gateway is called: a request for another name comes from a page that lies."""

    def find_principal(self, headers: Mapping[str, str]) -> str | Refusal:
        """Who asks, or why they are refused."""
        host = _strip_port(headers.get("host", ""))
        if host not in self.hosts:
            return Refusal(421, "This is not the host that was asked for.")
        origin = headers.get("origin")
        if origin is not None and _strip_port(origin.partition("://")[2]) not in self.hosts:
            return Refusal(403, "Pages of other hosts may not ask here.")
        scheme, _, token = headers.get("authorization", "").partition(" ")
        if scheme.lower() != "bearer":
            return Refusal(401, "A bearer token is needed.")
        given, found = token.strip().encode(), None
        for known, principal in self.tokens.items():
            # All of them are compared, so that the time it takes tells nothing.
            if hmac.compare_digest(given, known.encode()):
                found = principal
        return Refusal(401, "This token is not known.") if found is None else found


def read_tokens(file: Path) -> dict[str, str]:
    """Tokens by line, each with the name of who has it before it: `ann 3f9c…`."""
    try:
        refuse_unsafe(file, secret=True, linked=True)
        # A name may hold what splits lines elsewhere; here only a line feed does.
        lines = file.read_text(encoding="utf-8").split("\n")
    except (OSError, StoreUnavailableError) as error:
        raise ConfigurationError(f"The tokens in {file} cannot be used: {error}") from error
    named: list[tuple[str, str]] = []
    for line in filter(str.strip, lines):
        name, _, token = line.strip().rpartition(" ")
        if len(token) < SHORTEST:
            raise ConfigurationError(
                f"A token in {file} is too short to be a secret: {SHORTEST} characters at least."
            )
        named.append((name.strip(), token))
    names = [name for name, _ in named if name]
    taken = set(names)
    if len(taken) < len(names) or len({token for _, token in named}) < len(named):
        raise ConfigurationError(f"{file} has a name or a token twice: each is of one principal.")
    tokens: dict[str, str] = {}
    for at, (name, token) in enumerate(named, start=1):
        # Who is not named is nobody else: sessions are told apart by who has begun them.
        free = (each for n in itertools.count(at) if (each := f"client{n}") not in taken)
        tokens[token] = name or next(free)
        taken.add(tokens[token])
    if not tokens:
        raise ConfigurationError(f"{file} has no token: nobody could ask anything.")
    return tokens


def make_token() -> str:
    """A token that nobody knows yet."""
    return secrets.token_urlsafe(32)


def _strip_port(host: str) -> str:
    name, colon, port = host.rpartition(":")
    return (name if colon and port.isdigit() else host).lower()
