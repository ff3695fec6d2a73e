"""Clients that sign in with OpenID Connect: the tokens of one issuer, verified by its own keys.

The gateway is a resource server of OAuth 2.1, as MCP wants it: it says where its issuer is (RFC
9728), and takes tokens that were issued for it alone. It signs nobody in and hands no token on.

A token says which key it is signed with, never where that key is: keys come from the issuer's
discovery document and from nowhere else. A key is of one algorithm, by its own type.
"""

from __future__ import annotations

import asyncio
import hashlib
import re
import time
from collections.abc import Callable, Iterable, Mapping
from typing import Any
from urllib.parse import SplitResult, urlsplit

from msgspec import Struct

from mulligan.codec import decode_json, encode_json
from mulligan.types.errors import MissingExtraError
from mulligan_gateway.party import Tasks
from mulligan_gateway.protocol import join_parts
from mulligan_gateway.toml_table import WrittenTable
from mulligan_gateway.upstream import ASKED_OF_ALL, iterate_plain

LOOPBACK = frozenset({"127.0.0.1", "localhost", "[::1]", "::1"})
ALGORITHMS: Mapping[str, str] = {"RS256": "RSA", "ES256": "EC"}
"""Those that are taken, each with the type of its keys: public ones alone."""
LEEWAY = 30.0
"""Seconds by which the clocks of the issuer and of this machine may differ."""
LONGEST = 16_384
"""Characters of a token."""
FRESH, OLDEST = 3_600.0, 86_400.0
"""Seconds after which keys are fetched again, and after which those of before count no more."""
PAUSE = 30.0
"""Seconds between two attempts to fetch them, whoever asks."""
PATIENCE = 10.0
"""Seconds that it may take in all."""
MOST_BYTES = 262_144
MOST_KEYS = 100
SHORTEST_KEY = 2_048
WELL_KNOWN = "/.well-known/oauth-protected-resource"
SEPARATOR = ":"
"""Between the client of the operator's file and the person who comes as that."""
_NAME = re.compile(r"(?!~)[!-.0-~]{1,128}")
"""What may stand in a row as a person's name, where others have a digest: a slash would end it
there, and what begins with a tilde is a digest."""
_SCOPES = frozenset({"scope", "scp"})
"""Claims that hold several words in one text."""

Claims = Mapping[str, object]


class Refusal(Struct, frozen=True):
    """Why a request is refused."""

    status: int
    """401, 403, 421 or 503."""
    said: str
    """A sentence for whoever asked."""
    challenge: str = ""
    """How to be let in, as `WWW-Authenticate` says it after `Bearer`."""
    may_be_new: bool = False
    """Whether the issuer may have published the key of the token since its keys were fetched."""


class SignIn(Struct, frozen=True, kw_only=True):
    """What the operator says of an issuer and of those whom it knows."""

    issuer: str
    resource: str
    """The address of the gateway as its clients know it: a token for another one is refused."""
    name: str
    """The claim that names the person in every row."""
    clients: Mapping[str, Mapping[str, tuple[str, ...]]]
    """Clients of the file, in its order: what a token must claim to come as that one."""
    keys: IssuerKeys
    keeps: Callable[[str], bool]
    """Whether the store shows a name as it is."""

    def find_principal(self, token: str) -> str | Refusal:
        """Who a token is of, or why it is refused."""
        try:
            claims = self.read_claims(token)
        except UnknownKeyError as unknown:
            if not self.keys.are_there:
                return Refusal(503, "The keys of the issuer are not there.", may_be_new=True)
            return self._refuse(str(unknown), may_be_new=True)
        except _jwt().PyJWTError as error:
            return self._refuse(f"{error}.")
        fitting = (n for n, wanted in self.clients.items() if fits(claims, wanted))
        client = next(fitting, None)
        if client is None:
            scopes = " ".join(self.list_scopes())
            step = f'error="insufficient_scope", scope="{scopes}", ' if scopes else ""
            said = "The token claims nothing that the operator grants anything to."
            return Refusal(403, said, f"{step}{self.challenge}")
        person = claims.get(self.name)
        if not isinstance(person, str) or not person.strip():
            return Refusal(403, f"The token names nobody in {self.name!r}.", self.challenge)
        principal = f"{client}{SEPARATOR}{person}"
        if _NAME.fullmatch(person) and self.keeps(principal):
            return principal
        # No word for a header or a row, or the store would mask it: several would be one there.
        named = f"{self.issuer}\0{person}".encode(errors="surrogatepass")
        return f"{client}{SEPARATOR}~{hashlib.sha256(named).hexdigest()[:16]}"

    def read_claims(self, token: str) -> Claims:
        """What a token says, once it is verified; a `PyJWTError` where it cannot be."""
        jwt = _jwt()
        if len(token) > LONGEST:
            raise jwt.DecodeError("It is too long")
        header = jwt.get_unverified_header(token)
        algorithm = header.get("alg")
        if algorithm not in ALGORITHMS or "crit" in header:
            raise jwt.InvalidAlgorithmError(f"Only {' and '.join(ALGORITHMS)} are taken")
        key = self.keys.find(header.get("kid"), algorithm)
        if key is None:
            raise UnknownKeyError("Its key is none of the issuer's.")
        claims: Claims = jwt.decode(
            token,
            key,
            algorithms=[algorithm],
            audience=self.resource,
            issuer=self.issuer,
            leeway=LEEWAY,
            options={"require": ["exp", "iss", "aud", "sub"]},
        )
        return claims

    def find_time_left(self, token: str) -> float:
        """Seconds until a verified token ends."""
        claims = _jwt().decode(token, options={"verify_signature": False})
        return float(claims["exp"]) + LEEWAY - time.time()

    @property
    def challenge(self) -> str:
        """How somebody without a token is let in."""
        parts = urlsplit(self.resource)
        where = f"{parts.scheme}://{parts.netloc}{WELL_KNOWN}{parts.path}"
        return f'resource_metadata="{where}"'

    def goes_on_from(self, before: SignIn) -> bool:
        """Whether names mean the same people as before; then so do the keys that were fetched."""
        same = (self.issuer, self.name) == (before.issuer, before.name)
        if same:
            self.keys.take_over(before.keys)
        return same

    def list_scopes(self) -> list[str]:
        """Scopes by which clients of the file are told apart."""
        wanted = (each.get(name, ()) for each in self.clients.values() for name in _SCOPES)
        return sorted({scope for scopes in wanted for scope in scopes})

    def is_metadata(self, path: str) -> bool:
        """Whether a path is where clients look for what is said of this resource."""
        return path in (WELL_KNOWN, f"{WELL_KNOWN}{urlsplit(self.resource).path}")

    def write_metadata(self) -> bytes:
        """What is said of this resource, for clients to find its issuer (RFC 9728)."""
        said: dict[str, object] = {
            "resource": self.resource,
            "authorization_servers": [self.issuer],
            "bearer_methods_supported": ["header"],
        }
        return encode_json(said | ({"scopes_supported": s} if (s := self.list_scopes()) else {}))

    def _refuse(self, why: str, *, may_be_new: bool = False) -> Refusal:
        said = f"This token is not taken: {why}"
        challenge = f'error="invalid_token", {self.challenge}'
        return Refusal(401, said, challenge, may_be_new=may_be_new)


class UnknownKeyError(Exception):
    """No key that is known is the one of a token."""


def fits(claims: Claims, wanted: Mapping[str, tuple[str, ...]]) -> bool:
    """Whether a token claims all that a client of the file must."""
    return all(
        set(values) <= _list_values(name, claims.get(name)) for name, values in wanted.items()
    )


def _list_values(name: str, value: object) -> set[str]:
    if isinstance(value, str):
        return set(value.split()) if name in _SCOPES else {value}
    return {each for each in value if isinstance(each, str)} if isinstance(value, list) else set()


def read_sign_in(
    said: WrittenTable,
    clients: Mapping[str, Mapping[str, tuple[str, ...]]],
    *,
    others: Iterable[str],
    keeps: Callable[[str], bool],
) -> SignIn:
    """The table `oidc` of a file of clients. `others`: those with a token."""
    issuer = said.take("issuer", str, default="")
    resource = said.take("resource", str, default="")
    name = said.take("name", str, default="sub")
    said.finish()
    for key, url in (("issuer", issuer), ("resource", resource)):
        if not is_private(url):
            raise said.fail(f"{key} is {url!r}; it is an https address, or http on this machine.")
    if not clients:
        raise said.fail("no client has claims, so nobody could sign in. An empty table takes all.")
    if alike := [each for each in (*clients, *others) if SEPARATOR in each]:
        why = f"the client {alike[0]!r} has {SEPARATOR!r} in its name. Who signs in has it there: "
        raise said.fail(f"{why}another name, please.")
    _jwt()
    return SignIn(
        issuer=issuer,
        resource=resource,
        name=name,
        clients=clients,
        keys=IssuerKeys(issuer),
        keeps=keeps,
    )


def is_private(url: str) -> bool:
    """Whether nobody between here and there can read what is sent."""
    parts = _split(url)
    return parts is not None and (parts.scheme == "https" or _is_near(parts))


def _split(url: str) -> SplitResult | None:
    try:
        parts = urlsplit(url)
        fine = bool(parts.hostname) and parts.port != 0
    except ValueError:
        return None
    plain = not (parts.query or parts.fragment or "@" in parts.netloc or '"' in url)
    return parts if fine and plain and url.isascii() and url.isprintable() else None


def _is_near(parts: SplitResult) -> bool:
    return parts.scheme == "http" and parts.hostname in LOOPBACK


class IssuerKeys:
    """The keys with which an issuer signs, as it published them last."""

    def __init__(self, issuer: str, *, now: Callable[[], float] = time.monotonic) -> None:
        self.issuer = issuer
        self._now = now
        self._keys: dict[tuple[str, str], Any] = {}
        self._fetched_at = self._tried_at = float("-inf")
        self._fetching = asyncio.Lock()
        self._tasks = Tasks()
        self.failed = ""
        """Why they could not be fetched the last time; empty: they could."""

    @property
    def are_there(self) -> bool:
        """Whether there are some that still count."""
        return bool(self._keys) and self._now() - self._fetched_at < OLDEST

    def find(self, kid: str | None, algorithm: str) -> Any:
        """The key of that name; without a name, the only one of its kind. `None`: none."""
        if not self.are_there:
            return None
        if self._now() - self._fetched_at >= FRESH and not self._tasks:
            self._tasks.run(self._renew())
        if kid is not None:
            return self._keys.get((algorithm, kid))
        fitting = [key for (of, _), key in self._keys.items() if of == algorithm]
        return fitting[0] if len(fitting) == 1 else None

    def take_over(self, before: IssuerKeys) -> None:
        """Go on with what the same issuer has published already."""
        self._keys, self._fetched_at = before._keys, before._fetched_at
        self._tried_at = before._tried_at

    async def renew(self) -> bool:
        """Fetch them again, unless that was tried a moment ago; whether they are newer now."""
        before = self._fetched_at
        async with self._fetching:
            if self._fetched_at == before:
                await self._renew()
        return self._fetched_at != before

    async def _renew(self) -> None:
        if self._now() - self._tried_at < PAUSE:
            return
        self._tried_at = self._now()
        try:
            async with asyncio.timeout(PATIENCE):
                self._keys = await self._fetch()
        except Exception as error:  # noqa: BLE001 - whatever is wrong there, nobody is let in by it
            self.failed = f"{error}" or type(error).__name__
        else:
            self._fetched_at, self.failed = self._now(), ""

    async def _fetch(self) -> dict[tuple[str, str], Any]:
        import httpx

        issuer = urlsplit(self.issuer)
        # On this machine no proxy of the environment stands between.
        near = _is_near(issuer)
        async with httpx.AsyncClient(
            headers=ASKED_OF_ALL | {"accept": "application/json"},
            follow_redirects=False,
            trust_env=not near,
            timeout=PATIENCE,
        ) as http:
            about: Any = None
            for url in _list_documents(self.issuer):
                about = await _get(http, url)
                if about is not None:
                    break
            if not isinstance(about, dict) or about.get("issuer") != self.issuer:
                raise ConnectionError(f"{self.issuer} has no discovery document of its own")
            where = _split(str(about.get("jwks_uri")))
            if where is None or not (where.scheme == "https" or (near and _is_near(where))):
                raise ConnectionError("its jwks_uri is no https address")
            found = await _get(http, where.geturl())
        keys = read_keys(found.get("keys") if isinstance(found, dict) else None)
        if not keys:
            raise ConnectionError(f"there is no key for {' or '.join(ALGORITHMS)} among its own")
        return keys


def _list_documents(issuer: str) -> Iterable[str]:
    """Where an issuer says what it is: OpenID Connect Discovery, then RFC 8414."""
    parts = urlsplit(issuer)
    yield f"{issuer.rstrip('/')}/.well-known/openid-configuration"
    path = parts.path.rstrip("/")
    yield f"{parts.scheme}://{parts.netloc}/.well-known/oauth-authorization-server{path}"


async def _get(http: Any, url: str) -> object:
    """A document of JSON; `None` where there is none. A redirect is none."""
    async with http.stream("GET", url) as response:
        if response.status_code != 200:
            return None
        body = await join_parts(iterate_plain(response), most=MOST_BYTES)
    if body is None:
        raise ConnectionError(f"what it answers is longer than {MOST_BYTES} bytes")
    return decode_json(body)


def read_keys(listed: object) -> dict[tuple[str, str], Any]:
    """The public keys of a set that sign in an algorithm that is taken, by that and their name."""
    keys: dict[tuple[str, str], Any] = {}
    for at, each in enumerate(listed[:MOST_KEYS] if isinstance(listed, list) else ()):
        if not isinstance(each, dict) or each.get("use", "sig") != "sig":
            continue
        for algorithm, kind in ALGORITHMS.items():
            if each.get("kty") == kind and each.get("alg", algorithm) == algorithm:
                key = _read_key(each, algorithm)
                if key is not None:
                    keys[algorithm, str(each.get("kid", f"\0{at}"))] = key
    return keys


def _read_key(said: Mapping[str, Any], algorithm: str) -> Any:
    jwt = _jwt()
    public = {name: said[name] for name in ("kty", "n", "e", "crv", "x", "y") if name in said}
    try:
        key = jwt.PyJWK(public, algorithm=algorithm)
    except (jwt.PyJWTError, ValueError, TypeError):
        return None
    strong = key.key.key_size >= SHORTEST_KEY if "n" in public else public.get("crv") == "P-256"
    return key if strong else None


def _jwt() -> Any:
    try:
        import jwt
        import jwt.algorithms
    except ModuleNotFoundError as missing:
        raise MissingExtraError(need="Sign-in with OpenID Connect", extra="oidc") from missing
    if not jwt.algorithms.has_crypto:
        raise MissingExtraError(need="Sign-in with OpenID Connect", extra="oidc")
    return jwt
