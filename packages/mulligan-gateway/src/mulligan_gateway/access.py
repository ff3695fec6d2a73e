"""Who may use a gateway over HTTP, and what each of them may do: the operator's file of clients."""

from __future__ import annotations

import hmac
import itertools
import secrets
import time
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Mapping
from fnmatch import fnmatchcase
from math import ceil
from pathlib import Path
from urllib.parse import urlsplit

from msgspec import Struct

from mulligan.types.effect import Effect
from mulligan.types.errors import ConfigurationError, StoreUnavailableError
from mulligan.types.private_files import refuse_unsafe
from mulligan.types.values import hide_fields
from mulligan_gateway.sign_in import LOOPBACK, SEPARATOR, Refusal, SignIn, read_sign_in
from mulligan_gateway.toml_table import WrittenTable, read_toml

SHORTEST = 16
"""The fewest characters of a token that cannot be guessed."""
_MINUTE = 60.0


class Grant(Struct, frozen=True, kw_only=True):
    """What one client may do; without a word, everything."""

    tools: tuple[str, ...] = ()
    """Patterns of `server/tool`, such as `files/*`; none: all tools of all servers."""
    effects: frozenset[Effect] = frozenset()
    """What its calls may do, as their tools are declared; none: anything."""
    per_minute: int = 0
    """Requests; 0: no limit, here and below."""
    at_once: int = 0
    """Requests that have no answer yet."""
    bytes_per_minute: int = 0
    """Of its requests and their answers."""
    metrics: bool = False
    """It may read `/metrics`, which names every client."""

    def serves(self, server: str) -> bool:
        """Whether it may use anything of a server."""
        heads = [pattern.partition("/")[0] for pattern in self.tools]
        return not heads or any(fnmatchcase(server, head) for head in heads)

    def allows(self, server: str, tool: str) -> bool:
        """Whether it may call a tool."""
        named = f"{server}/{tool}"
        return not self.tools or any(fnmatchcase(named, pattern) for pattern in self.tools)


EVERYTHING = Grant(metrics=True)
"""What a client may whose token stands in a file that says no more."""
NOTHING = Grant(tools=("/",))
"""What a client may that a file with grants does not name."""


@hide_fields("tokens")
class Access(Struct, frozen=True, kw_only=True):
    """What a request must show."""

    tokens: Mapping[str, str]
    """Who each token is of."""
    grants: Mapping[str, Grant] = {}
    """What each of them may do, where the file says it."""
    hosts: frozenset[str] = LOOPBACK
    """What the gateway is called: a request for another name comes from a page that lies."""
    sign_in: SignIn | None = None
    """Whose tokens are taken beside those of the file."""

    @property
    def clients(self) -> set[str]:
        """The clients of the file."""
        return {*self.tokens.values(), *(self.sign_in.clients if self.sign_in else ())}

    def find_client(self, principal: str) -> str:
        """The client of the file that a principal comes as."""
        return principal.partition(SEPARATOR)[0] if self.sign_in else principal

    def find_principal(self, headers: Mapping[str, str]) -> str | Refusal:
        """Who asks, or why they are refused."""
        host = _strip_port(headers.get("host", ""))
        if host not in self.hosts:
            return Refusal(421, "The Host header names another host.")
        origin = headers.get("origin")
        if origin is not None and _strip_port(origin.partition("://")[2]) not in self.hosts:
            return Refusal(403, "Requests from pages of other hosts are not allowed.")
        token = _read_token(headers)
        if not token:
            challenge = "" if self.sign_in is None else self.sign_in.challenge
            return Refusal(401, "A bearer token is needed.", challenge)
        given, found = token.encode(), None
        for known, principal in self.tokens.items():
            # All of them are compared, so that the time it takes tells nothing.
            if hmac.compare_digest(given, known.encode()):
                found = principal
        if found is None and self.sign_in is not None:
            return self.sign_in.find_principal(token)
        return Refusal(401, "This token is not known.") if found is None else found

    def find_time_left(self, headers: Mapping[str, str]) -> float | None:
        """Seconds until the token of a request ends that was let in; `None`: it does not."""
        token = _read_token(headers)
        if self.sign_in is None or token in self.tokens:
            return None
        return self.sign_in.find_time_left(token)


def _read_token(headers: Mapping[str, str]) -> str:
    scheme, _, token = headers.get("authorization", "").partition(" ")
    return token.strip() if scheme.lower() == "bearer" else ""


def read_access(
    file: Path,
    *,
    servers: Iterable[str],
    hosts: frozenset[str] = LOOPBACK,
    keeps: Callable[[str], bool] = bool,
) -> Access:
    """A file of tokens: one a line, or TOML, which also says what each client may do.

    `keeps`: whether the store shows a name as it is.
    """
    if file.suffix != ".toml":
        return Access(tokens=read_tokens(file), hosts=hosts)
    _refuse_open(file)
    table = WrittenTable(read_toml(file), where=str(file))
    tokens: dict[str, str] = {}
    grants: dict[str, Grant] = {}
    claims: dict[str, dict[str, tuple[str, ...]]] = {}
    for name, said in table.take_tables("clients"):
        token = said.take("token", str, default="")
        if (wanted := said.take_table("claims")) is not None:
            if token:
                raise said.fail("it has a token and claims: a client comes with one or the other.")
            claims[name] = wanted.take_all_texts()
        else:
            _refuse_short(token, file)
            if token in tokens:
                raise said.fail("its token is another client's too: each is of one client.")
            tokens[token] = name
        grants[name] = _read_grant(said)
        if bare := [pattern for pattern in grants[name].tools if "/" not in pattern]:
            every = f"{bare[0]}/*"
            raise said.fail(f"tools has {bare[0]!r}: write {every!r} for every tool of {bare[0]}.")
        if not any(grants[name].serves(server) for server in servers):
            raise said.fail(f"tools fits no server; there are {', '.join(sorted(servers))}.")
    sign_in = None
    if (said_of := table.take_table("oidc")) is not None:
        sign_in = read_sign_in(said_of, claims, others=tokens.values(), keeps=keeps)
        hosts |= {_strip_port(urlsplit(sign_in.resource).netloc)}
    elif claims:
        raise table.fail(f"the client {min(claims)} has claims: the table oidc is to say of whom.")
    table.finish()
    _refuse_unusable(grants, file)
    return Access(tokens=tokens, grants=grants, hosts=hosts, sign_in=sign_in)


def _read_grant(said: WrittenTable) -> Grant:
    effects = said.take_texts("effects")
    unknown = sorted(set(effects) - set(Effect))
    if unknown:
        raise said.fail(f"effects has {unknown[0]!r}; there are {', '.join(Effect)}.")
    grant = Grant(
        tools=said.take_texts("tools"),
        effects=frozenset(map(Effect, effects)),
        per_minute=said.take("per_minute", int, default=0),
        at_once=said.take("at_once", int, default=0),
        bytes_per_minute=said.take("bytes_per_minute", int, default=0),
        metrics=said.take("metrics", bool, default=False),
    )
    said.finish()
    if min(grant.per_minute, grant.at_once, grant.bytes_per_minute) < 0:
        raise said.fail("a limit is below 0.")
    return grant


def read_tokens(file: Path) -> dict[str, str]:
    """Read tokens, one a line, each after the name of its principal: `ann 3f9c…`."""
    _refuse_open(file)
    try:
        # A name may hold what splits lines elsewhere; here only a line feed does.
        lines = file.read_text(encoding="utf-8").split("\n")
    except OSError as error:
        raise ConfigurationError(f"The tokens in {file} cannot be used: {error}") from error
    named: list[tuple[str, str]] = []
    for line in filter(str.strip, lines):
        name, _, token = line.strip().rpartition(" ")
        _refuse_short(token, file)
        named.append((name.strip(), token))
    names = [name for name, _ in named if name]
    taken = set(names)
    if len(taken) < len(names) or len({token for _, token in named}) < len(named):
        raise ConfigurationError(f"{file} has a name or a token twice: each is of one principal.")
    tokens: dict[str, str] = {}
    for at, (name, token) in enumerate(named, start=1):
        # A token without a name is a principal of its own, so that sessions stay apart.
        free = (each for n in itertools.count(at) if (each := f"client{n}") not in taken)
        tokens[token] = name or next(free)
        taken.add(tokens[token])
    _refuse_unusable(tokens.values(), file)
    return tokens


def make_token() -> str:
    """A new random token."""
    return secrets.token_urlsafe(32)


def _refuse_open(file: Path) -> None:
    try:
        refuse_unsafe(file, secret=True, linked=True)
    except (OSError, StoreUnavailableError) as error:
        raise ConfigurationError(f"The tokens in {file} cannot be used: {error}") from error


def _refuse_short(token: str, file: Path) -> None:
    if len(token) < SHORTEST:
        raise ConfigurationError(
            f"A token in {file} is too short to be a secret: {SHORTEST} characters at least."
        )


def _refuse_unusable(names: Collection[str], file: Path) -> None:
    if slashed := [name for name in names if "/" in name]:
        raise ConfigurationError(
            f"The name {slashed[0]!r} in {file} has a slash. In every row the agent's name stands "
            "after one, so another client could come to stand under it. Write the name without."
        )
    if not names:
        raise ConfigurationError(f"{file} names no client, so none could connect.")


def _strip_port(host: str) -> str:
    name, colon, port = host.rpartition(":")
    return (name if colon and port.isdigit() else host).lower()


class RequestMeter:
    """What each client has used of the current minute, which begins with its first request."""

    def __init__(self, *, now: Callable[[], float] = time.monotonic) -> None:
        self._now = now
        self._began = -_MINUTE
        self._requests, self._bytes = Counter[str](), Counter[str]()

    def take_request(self, principal: str, grant: Grant) -> int:
        """Count a request; seconds until the next is taken, where this one is not."""
        now = self._now()
        if now - self._began >= _MINUTE:
            self._began = now
            self._requests.clear()
            self._bytes.clear()
        full = 0 < grant.per_minute <= self._requests[principal]
        if full or 0 < grant.bytes_per_minute <= self._bytes[principal]:
            return ceil(self._began + _MINUTE - now)
        self._requests[principal] += 1
        return 0

    def add_bytes(self, principal: str, count: int) -> None:
        """Count what a client has sent or been sent."""
        self._bytes[principal] += count
