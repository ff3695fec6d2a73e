"""Who may see and do what: sealed tokens, roles, and the guard in front of every route.

A *link* gives access; it is exchanged for a *session*, which lives in a
cookie that no script can read. Nothing is stored: restarting the server ends all sessions.
"""

from __future__ import annotations

import base64
import binascii
import hashlib
import hmac
import json
import math
import secrets
from collections.abc import Callable, Mapping
from datetime import timedelta
from enum import StrEnum
from http.cookies import CookieError, SimpleCookie
from time import time
from typing import Any

from msgspec import Struct, field
from starlette.datastructures import Headers, MutableHeaders
from starlette.responses import JSONResponse, RedirectResponse, Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send


class Role(StrEnum):
    """What a visitor may do."""

    LOOK = "look"
    """See every page."""
    DECIDE = "decide"
    """Also approve, deny, undo and settle: about one action each."""
    ADMIN = "admin"
    """Also change what every agent does from now on: lessons, and the versions of tasks."""

    def covers(self, needed: Role) -> bool:
        """Whether this role may what that one may."""
        order = list(Role)
        return order.index(self) >= order.index(needed)


LONGEST_TOKEN = 2_048
"""Of a token: what is longer is none, and is not looked at."""


class TokenKind(StrEnum):
    """What a token is for."""

    LINK = "link"
    SESSION = "session"


class Visitor(Struct, frozen=True, kw_only=True):
    """Whom a token was written for."""

    name: str
    """Recorded with their acts."""
    role: Role
    tenant: str = ""
    """The identity of the tenant whose pages they may see; empty: all."""
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
        """The visitor of a token; `None`: forged, of another kind, or expired."""
        body, _, signature = token.partition(".")
        if len(token) > LONGEST_TOKEN or not body.isascii() or not signature.isascii():
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


POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; "
    "connect-src 'self'; font-src 'self'; form-action 'self'; frame-ancestors 'none'; "
    "base-uri 'none'"
)
HEADERS: Mapping[str, str] = {
    "content-security-policy": POLICY,
    "x-content-type-options": "nosniff",
    "x-frame-options": "DENY",
    "referrer-policy": "no-referrer",
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
    "permissions-policy": "camera=(), geolocation=(), microphone=()",
}
SAFE = frozenset({"GET", "HEAD"})
OPEN_PATHS = frozenset({"/enter", "/favicon.ico"})
"""Paths without data that need no token; so is everything under `STATIC`."""
STATIC = "/static/"
MOST_BYTES = 64 * 1024
"""Of what is sent to us."""
SESSION = timedelta(hours=12)


class PageAccess(Struct, frozen=True, kw_only=True):
    """How visitors sign in, and the server's host names."""

    sealer: Sealer = field(default_factory=Sealer)
    hosts: frozenset[str] = frozenset({"127.0.0.1", "localhost", "[::1]", "testserver"})
    """What a request's Host may say, without the port."""
    visitor: Visitor | None = None
    """The visitor for every request without a token; only on this machine."""
    cookie: str = "mulligan_session"
    """Browsers do not tell the ports of a machine apart, so two servers need two names."""
    secure: bool = False
    """Behind TLS: the cookie is sent over nothing else."""


def get_visitor(scope: Mapping[str, Any]) -> Visitor:
    """The visitor of a request that passed the guard."""
    found: Visitor = scope["mulligan.visitor"]
    return found


class Guard:
    """Lets requests through to an application, or answers them itself."""

    def __init__(
        self, app: ASGIApp, *, access: PageAccess, refusal: ASGIApp, tenant: str = ""
    ) -> None:
        self._app = app
        self._access = access
        self._tenant = tenant
        """Whose pages they are; empty: those of all."""
        self._refusal = refusal
        """The page for unknown visitors."""

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request."""
        if scope["type"] == "lifespan":
            await self._app(scope, receive, send)
            return
        if scope["type"] != "http":
            # There are no web sockets here; to be silent is to refuse.
            await send({"type": "websocket.close", "code": 1008})
            return
        headers = Headers(scope=scope)
        refused = self._refuse(scope, headers)
        await (refused or self._app)(scope, receive, _with_headers(send, scope["path"]))

    def _refuse(self, scope: Scope, headers: Headers) -> ASGIApp | None:
        """The refusal of a request; `None`: it may pass."""
        if _read_host(headers.get("host", "")) not in self._access.hosts:
            return _say(421, "Unknown Host header. Open the address that the server printed.")
        if _is_foreign(headers):
            return _say(403, "The request comes from a page of another site.")
        if scope["path"] in OPEN_PATHS or scope["path"].startswith(STATIC):
            return None
        visitor, by_cookie = self._find_visitor(headers)
        if visitor is None or visitor.tenant != self._tenant:
            shown = "text/html" in headers.get("accept", "")
            return self._refusal if shown else _say(401, "A token is required.")
        scope["mulligan.visitor"] = visitor
        if scope["method"] in SAFE:
            return None
        return self._refuse_act(headers, visitor, by_cookie=by_cookie)

    def _find_visitor(self, headers: Headers) -> tuple[Visitor | None, bool]:
        access = self._access
        if access.visitor is not None:
            return access.visitor, True
        scheme, _, token = headers.get("authorization", "").partition(" ")
        if scheme.lower() == "bearer":
            return access.sealer.read(token.strip(), kind=TokenKind.LINK), False
        cookie = _read_cookie(headers.get("cookie", ""), access.cookie)
        return access.sealer.read(cookie, kind=TokenKind.SESSION), True

    def _refuse_act(
        self, headers: Headers, visitor: Visitor, *, by_cookie: bool
    ) -> JSONResponse | None:
        """What changes something is JSON, small, and of a page of ours."""
        length = headers.get("content-length", "")
        if not (length.isdecimal() and len(length) < 9) or int(length) > MOST_BYTES:
            return _say(413, f"Content-Length is required, at most {MOST_BYTES} bytes.")
        if headers.get("content-type", "").partition(";")[0].strip() != "application/json":
            return _say(415, "Only JSON is accepted.")
        if not by_cookie:
            return None
        if headers.get("origin") is None:
            return _say(403, "The Origin header is missing.")
        if not self._access.sealer.is_form_token(headers.get("x-form-token", ""), visitor):
            return _say(403, "This page belongs to another session. Open your link again.")
        return None


def refuse_role(scope: Mapping[str, Any], needed: Role) -> JSONResponse | None:
    """The refusal of a visitor without the role; `None`: they have it."""
    role = get_visitor(scope).role
    if role.covers(needed):
        return None
    return _say(403, f"Your link has the role {role}; this needs {needed}.")


def swap_token(access: PageAccess, token: str, *, to: str = "/") -> Response | None:
    """Exchange a link for a session and redirect to a page of ours; `None`: not a valid link.

    A browser sends a cookie to every port of a machine, so the cookie alone opens pages and no
    more. What acts also take is handed to the page behind `#`, which no server is sent, and is kept
    where only pages of this very port can read it.
    """
    visitor = access.sealer.read(token, kind=TokenKind.LINK)
    if visitor is None:
        return None
    session = access.sealer.write(visitor, kind=TokenKind.SESSION, life=SESSION)
    entered = access.sealer.read(session, kind=TokenKind.SESSION) or visitor
    key = access.sealer.make_form_token(entered)
    ours = to.startswith("/") and not to.startswith(("//", "/\\")) and "#" not in to
    answer = RedirectResponse(f"{to if ours else '/'}#key={key}", status_code=303)
    answer.set_cookie(
        access.cookie,
        session,
        max_age=round(SESSION.total_seconds()),
        httponly=True,
        # A link in a chat or a mail opens the page; acts also take the key that only pages have.
        samesite="lax",
        secure=access.secure,
    )
    return answer


def _say(status: int, why: str) -> JSONResponse:
    return JSONResponse({"error": why}, status_code=status)


def _read_host(header: str) -> str:
    host, colon, port = header.rpartition(":")
    return (host if colon and port.isdecimal() else header).lower()


def _is_foreign(headers: Headers) -> bool:
    """Whether another site's page asks: it would not see the answer, but the act would be done."""
    origin = headers.get("origin")
    if origin is not None and origin.partition("://")[2].lower() != headers.get("host", "").lower():
        return True
    return headers.get("sec-fetch-site", "none") == "cross-site" and (
        headers.get("sec-fetch-mode") != "navigate"
    )


def _read_cookie(header: str, name: str) -> str:
    try:
        found = SimpleCookie(header).get(name)
    except CookieError:
        return ""
    return found.value if found is not None else ""


def _with_headers(send: Send, path: str) -> Send:
    async def send_with_headers(message: Message) -> None:
        if message["type"] == "http.response.start":
            headers = MutableHeaders(scope=message)
            for name, value in HEADERS.items():
                headers[name] = value
            if not path.startswith("/static/"):
                headers["cache-control"] = "no-store"
        await send(message)

    return send_with_headers
