"""An issuer of OpenID Connect on a port of this machine, and a person who signs in there.

It is made here so that the tests need nothing of the network; `oidc_provider.mjs` beside it is a
real one for the long form.
"""

from __future__ import annotations

import base64
import hashlib
import json
import re
import secrets
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any
from urllib.parse import parse_qsl, urlencode, urljoin

import httpx
import jwt
from cryptography.hazmat.primitives.asymmetric import ec, rsa
from jwt.algorithms import ECAlgorithm, RSAAlgorithm
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse, RedirectResponse, Response
from starlette.routing import Route

from tests.gateway.web import serve_app

RSA = rsa.generate_private_key(public_exponent=65537, key_size=2048)
EC = ec.generate_private_key(ec.SECP256R1())
OTHER = rsa.generate_private_key(public_exponent=65537, key_size=2048)


def show_key(key: Any, kid: str | None, **more: Any) -> dict[str, Any]:
    kind = RSAAlgorithm if isinstance(key, rsa.RSAPrivateKey) else ECAlgorithm
    shown = kind.to_jwk(key.public_key(), as_dict=True)
    return {**shown, **({"kid": kid} if kid else {}), "use": "sig", **more}


class Issuer:
    """Registers clients, signs their person in without a word, and issues tokens."""

    def __init__(self) -> None:
        self.url = ""
        self.keys: dict[str, Any] = {"first": RSA, "curve": EC}
        self.claims: dict[str, Any] = {"sub": "ann", "groups": ["analysts"]}
        self.asked: list[str] = []
        """Paths of the requests that have come."""
        self.answers: dict[str, Response] = {}
        """What it answers at a path in the place of the truth."""
        self._codes: dict[str, dict[str, str]] = {}

    def mint(self, *, key: Any = RSA, kid: str | None = "first", **said: Any) -> str:
        """A token; what is `None` is left out. `header`: more fields of that."""
        now = time.time()
        header = said.pop("header", {})
        algorithm = said.pop("algorithm", "ES256" if key is EC else "RS256")
        claims = {"iss": self.url, "iat": now, "exp": now + 300, **self.claims, **said}
        claims = {name: value for name, value in claims.items() if value is not None}
        headers = {**header, **({"kid": kid} if kid else {})}
        return jwt.encode(claims, key, algorithm=algorithm, headers=headers)

    def build_app(self) -> Starlette:
        found = {
            "/.well-known/openid-configuration": self._discover,
            "/jwks": self._show_keys,
            "/register": self._register,
            "/authorize": self._authorize,
            "/token": self._give_token,
        }
        return Starlette(
            routes=[
                Route(path, self._count(answer), methods=["GET", "POST"])
                for path, answer in found.items()
            ]
        )

    def _count(self, answer: Any) -> Any:
        async def counted(request: Request) -> Response:
            self.asked.append(request.url.path)
            return self.answers.get(request.url.path) or await answer(request)

        return counted

    async def _discover(self, _: Request) -> Response:
        places = {"jwks_uri": "jwks", "registration_endpoint": "register"}
        places |= {"authorization_endpoint": "authorize", "token_endpoint": "token"}
        said = {name: f"{self.url}/{path}" for name, path in places.items()}
        able = {"response_types_supported": ["code"], "code_challenge_methods_supported": ["S256"]}
        return JSONResponse({"issuer": self.url, **said, **able})

    async def _show_keys(self, _: Request) -> Response:
        return JSONResponse({"keys": [show_key(key, kid) for kid, key in self.keys.items()]})

    async def _register(self, request: Request) -> Response:
        said = json.loads(await request.body())
        return JSONResponse({**said, "client_id": secrets.token_hex(4)}, 201)

    async def _authorize(self, request: Request) -> Response:
        code, said = secrets.token_urlsafe(), dict(request.query_params)
        self._codes[code] = said
        back = {"code": code, "state": said["state"]}
        return RedirectResponse(f"{said['redirect_uri']}?{urlencode(back)}", 302)

    async def _give_token(self, request: Request) -> Response:
        form = dict(parse_qsl((await request.body()).decode()))
        asked = self._codes.pop(str(form["code"]))
        digest = hashlib.sha256(str(form["code_verifier"]).encode()).digest()
        proof = base64.urlsafe_b64encode(digest).rstrip(b"=").decode()
        if asked["code_challenge"] != proof or asked["resource"] != form["resource"]:
            return JSONResponse({"error": "invalid_grant"}, 400)
        token = self.mint(aud=asked["resource"], scope=asked.get("scope", ""))
        return JSONResponse({"access_token": token, "token_type": "Bearer", "expires_in": 300})


@asynccontextmanager
async def run_issuer() -> AsyncIterator[Issuer]:
    issuer = Issuer()
    async with serve_app(issuer.build_app()) as issuer.url:
        yield issuer


_ACTION = re.compile(r'<form[^>]* action="([^"]+)"')
_FIELD = re.compile(r'<input[^>]*type="hidden"[^>]*name="([^"]+)"[^>]*value="([^"]*)"')


async def sign_in(url: str, *, until: str, login: str) -> str:
    """Follow a person's browser through the pages of an issuer: where it is sent in the end."""
    async with httpx.AsyncClient() as browser:
        answer = await browser.get(url)
        for _ in range(20):
            if answer.is_redirect:
                to = urljoin(str(answer.url), answer.headers["location"])
                if to.startswith(until):
                    return to
                answer = await browser.get(to)
                continue
            action = _ACTION.search(answer.text)
            assert action is not None, answer.text
            form = {**dict(_FIELD.findall(answer.text)), "login": login, "password": "any"}
            answer = await browser.post(urljoin(str(answer.url), action[1]), data=form)
    raise AssertionError("The sign-in comes to no end.")
