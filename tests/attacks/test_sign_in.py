"""Who tries to come in as somebody else, or with more, where people sign in with OpenID Connect."""

from __future__ import annotations

import asyncio
import base64
import hashlib
import hmac
import json
import re
import time
from collections.abc import Callable
from typing import Any

import httpx
import pytest
from cryptography.hazmat.primitives.asymmetric import rsa
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat
from starlette.responses import JSONResponse, RedirectResponse, Response

from mulligan_gateway.access import read_access
from mulligan_gateway.sign_in import IssuerKeys
from tests.gateway.issuer import EC, OTHER, RSA, Issuer, run_issuer, show_key
from tests.gateway.test_serving_http import SEES, ask
from tests.gateway.test_sign_in import FILE, bear, serve, write
from tests.gateway.web import serve_app
from tests.gateway.world import INITIALIZE

pytestmark = pytest.mark.full

HELLO = ask("initialize", INITIALIZE)
WEAK = rsa.generate_private_key(public_exponent=65537, key_size=1024)
TENANTS = FILE.replace('groups = "analysts"', 'groups = "analysts", org = "acme"')
Forge = Callable[[Issuer, dict[str, Any]], str]


def encode(said: object) -> str:
    raw = said if isinstance(said, bytes) else json.dumps(said).encode()
    return base64.urlsafe_b64encode(raw).rstrip(b"=").decode()


def sign_with_public_key(issuer: Issuer, good: dict[str, Any]) -> str:
    """HS256, whose secret is what everybody can read."""
    head, body, _ = issuer.mint(**good).split(".")
    head = encode({"alg": "HS256", "typ": "JWT", "kid": "first"})
    shown = RSA.public_key().public_bytes(Encoding.PEM, PublicFormat.SubjectPublicKeyInfo)
    proof = hmac.new(shown, f"{head}.{body}".encode(), hashlib.sha256).digest()
    return f"{head}.{body}.{encode(proof)}"


def tamper(issuer: Issuer, good: dict[str, Any]) -> str:
    head, _, proof = issuer.mint(**good).split(".")
    said = {**issuer.claims, **good, "iss": issuer.url, "exp": time.time() + 300, "sub": "root"}
    return f"{head}.{encode(said)}.{proof}"


def sign_nothing(spelling: str) -> Forge:
    def forge(issuer: Issuer, good: dict[str, Any]) -> str:
        _, body, _ = issuer.mint(**good).split(".")
        return f"{encode({'alg': spelling, 'kid': 'first'})}.{body}."

    return forge


def change(**changed: Any) -> Forge:
    return lambda issuer, good: issuer.mint(**{**good, **changed})


def point_elsewhere(name: str) -> Forge:
    """A header that says where the key is to be had: it is the forger's own."""

    def forge(issuer: Issuer, good: dict[str, Any]) -> str:
        key = show_key(OTHER, "mine")
        value = {"jwk": key, "x5c": ["AAAA"]}.get(name, f"{issuer.url}/mine")
        return issuer.mint(**good, key=OTHER, kid="mine", header={name: value})

    return forge


def write_header(**header: Any) -> Forge:
    """A header as no library would write it, and a good body."""

    def forge(issuer: Issuer, good: dict[str, Any]) -> str:
        _, body, proof = issuer.mint(**good).split(".")
        return f"{encode({'alg': 'RS256', **header})}.{body}.{proof}"

    return forge


FORGED: dict[str, Forge] = {
    "for another resource": change(aud="https://other.example/mcp"),
    "for its own client": change(aud="client-7"),
    "for nobody": change(aud=None),
    "of another issuer": change(iss="https://evil.example"),
    "of an issuer with a slash more": lambda issuer, good: issuer.mint(
        **good, iss=f"{issuer.url}/"
    ),
    "expired": lambda issuer, good: issuer.mint(**good, exp=time.time() - 40),
    "without an end": change(exp=None),
    "not valid yet": lambda issuer, good: issuer.mint(**good, nbf=time.time() + 40),
    "from the future": lambda issuer, good: issuer.mint(**good, iat=time.time() + 40),
    "of nobody": change(sub=None),
    "unsigned": sign_nothing("none"),
    "unsigned in capitals": sign_nothing("NONE"),
    "signed with the public key": sign_with_public_key,
    "signed with another key of the same name": change(key=OTHER),
    "signed with a key of another kind": lambda i, good: i.mint(**good, key=EC, kid="first"),
    "with a key of its own in a jwk": point_elsewhere("jwk"),
    "with a key of its own at a jku": point_elsewhere("jku"),
    "with a key of its own at an x5u": point_elsewhere("x5u"),
    "with a key of its own in an x5c": point_elsewhere("x5c"),
    "with a kid that is a path": write_header(kid="../../../../dev/null"),
    "with a kid that is a query": write_header(kid="first' UNION SELECT 'x"),
    "with a kid that is a list": write_header(kid=["first"]),
    "with what must be understood": change(header={"crit": ["ours"], "ours": 1}),
    "without a kid, of several keys": change(kid=None, key=OTHER),
    "tampered with": tamper,
    "huge": lambda issuer, good: issuer.mint(**good, more="x" * 20_000),
    "signed with a weak key": change(key=WEAK, kid="weak"),
    "signed with a key for encryption": change(key=OTHER, kid="sealing"),
    "no token at all": lambda issuer, good: "a.b.c",
    "with too many parts": lambda issuer, good: f"{issuer.mint(**good)}.x.y",
}


@pytest.mark.filterwarnings("ignore:The RSA key is 1024 bits")
async def test_a_forged_token_lets_nobody_in(tmp_path):
    async with (
        run_issuer() as issuer,
        serve(tmp_path, issuer.url) as (app, url),
        httpx.AsyncClient() as http,
    ):
        listed = [show_key(RSA, "first"), show_key(EC, "curve"), show_key(WEAK, "weak")]
        listed.append(show_key(OTHER, "sealing") | {"use": "enc"})
        issuer.answers["/jwks"] = JSONResponse({"keys": listed})
        good = {"aud": url, "scope": "mcp"}
        fine = await http.post(url, content=HELLO, headers=bear(issuer.mint(**good)))
        statuses, challenges = {}, {}
        for name, forge in FORGED.items():
            headers = bear(forge(issuer, good))
            refused = await http.post(url, content=HELLO, headers=headers)
            in_api = await http.get(url.replace("/mcp", "/v1/pitfalls"), headers=headers)
            statuses[name] = refused.status_code, in_api.status_code
            challenges[name] = refused.headers.get("www-authenticate", "").partition(",")[0]
        sessions = app.clients.count

    assert fine.status_code == 200
    assert statuses == dict.fromkeys(FORGED, (401, 401))
    assert challenges == dict.fromkeys(FORGED, 'Bearer error="invalid_token"')
    assert sessions == 1
    assert "/mine" not in issuer.asked


async def test_clocks_that_differ_by_half_a_minute_keep_nobody_out(tmp_path):
    async with (
        run_issuer() as issuer,
        serve(tmp_path, issuer.url) as (_, url),
        httpx.AsyncClient() as http,
    ):
        said = {"aud": url, "scope": "mcp"}
        late = issuer.mint(**said, exp=time.time() - 20)
        early = issuer.mint(**said, nbf=time.time() + 20, iat=time.time() + 20)
        found = [await http.post(url, content=HELLO, headers=bear(each)) for each in (late, early)]

    assert [each.status_code for each in found] == [200, 200]


async def test_a_flood_of_unknown_keys_asks_the_issuer_once(tmp_path):
    async with (
        run_issuer() as issuer,
        serve(tmp_path, issuer.url) as (_, url),
        httpx.AsyncClient() as http,
    ):
        good = issuer.mint(aud=url, scope="mcp")
        await http.post(url, content=HELLO, headers=bear(good))
        flood = [issuer.mint(aud=url, kid=f"kid-{number}", key=OTHER) for number in range(200)]
        found = await asyncio.gather(
            *(http.post(url, content=HELLO, headers=bear(each)) for each in flood)
        )
        fine = await http.post(url, content=HELLO, headers=bear(good))

    assert {each.status_code for each in found} == {401}
    assert fine.status_code == 200
    assert issuer.asked.count("/jwks") == 1


async def test_a_token_counts_in_one_header_and_nowhere_else(tmp_path):
    async with (
        run_issuer() as issuer,
        serve(tmp_path, issuer.url) as (_, url),
        httpx.AsyncClient() as http,
    ):
        token = issuer.mint(aud=url, scope="mcp")
        twice = [*SEES.items(), *[("authorization", f"Bearer {token}")] * 2]
        found = [
            await http.post(url, content=HELLO, headers=twice),
            await http.post(f"{url}?access_token={token}", content=HELLO, headers=SEES),
            await http.post(url, content=HELLO, headers=SEES | {"cookie": f"access_token={token}"}),
            await http.post(url, content=HELLO, headers=SEES | {"authorization": f"DPoP {token}"}),
        ]

    assert [each.status_code for each in found] == [400, 401, 401, 401]


async def test_the_session_of_another_person_is_as_unknown_as_none(tmp_path):
    """Also of one with the same name whom the file takes for another client."""
    text = FILE + '\n[clients.guests]\nclaims = {{ groups = "guests" }}\n'
    async with (
        run_issuer() as issuer,
        serve(tmp_path, issuer.url, text) as (_, url),
        httpx.AsyncClient() as http,
    ):
        said = {"aud": url, "scope": "mcp"}
        ann = bear(issuer.mint(**said))
        opened = await http.post(url, content=HELLO, headers=ann)
        session = {"mcp-session-id": opened.headers["mcp-session-id"]}
        others = [
            issuer.mint(**said, sub="bob"),
            issuer.mint(**said, sub="ann", groups=["guests"]),
            "c" * 20,
        ]
        found = [
            await http.request(method, url, content=ask("tools/list"), headers=bear(each) | session)
            for each in others
            for method in ("POST", "GET", "DELETE")
        ]
        own = await http.post(url, content=ask("tools/list"), headers=ann | session)

    assert {each.status_code for each in found} == {404}
    assert own.status_code == 200


async def test_a_grant_that_is_removed_ends_what_came_by_it(tmp_path):
    async with (
        run_issuer() as issuer,
        serve(tmp_path, issuer.url) as (app, url),
        httpx.AsyncClient() as http,
    ):
        token = bear(issuer.mint(aud=url, scope="mcp"))
        opened = await http.post(url, content=HELLO, headers=token)
        session = {"mcp-session-id": opened.headers["mcp-session-id"]}
        text = FILE.replace("[clients.analysts]", "[clients.others]").replace('"mcp"', '"else"')
        file = write(tmp_path, issuer.url, url, text)
        app.change_access(read_access(file, servers=["one"]))
        refused = await http.post(url, content=ask("tools/list"), headers=token | session)
        left, sessions = app.gateway.find_grant("analysts:ann"), app.clients.count

    assert refused.status_code == 403
    assert sessions == 0
    assert not left.serves("one")


async def test_another_issuer_gives_nobody_the_sessions_of_the_one_before(tmp_path):
    async with (
        run_issuer() as issuer,
        run_issuer() as other,
        serve(tmp_path, issuer.url) as (app, url),
        httpx.AsyncClient() as http,
    ):
        said = {"aud": url, "scope": "mcp"}
        opened = await http.post(url, content=HELLO, headers=bear(issuer.mint(**said)))
        session = {"mcp-session-id": opened.headers["mcp-session-id"]}
        app.change_access(read_access(write(tmp_path, other.url, url), servers=["one"]))
        same = bear(other.mint(**said)) | session
        found = await http.post(url, content=ask("tools/list"), headers=same)

    assert found.status_code == 404


async def test_a_claim_that_the_operator_does_not_name_says_nothing(tmp_path):
    """The tenant, the groups and the scope, each where they do not count."""
    async with (
        run_issuer() as issuer,
        serve(tmp_path, issuer.url, TENANTS) as (_, url),
        httpx.AsyncClient() as http,
    ):
        said = {"aud": url, "scope": "mcp", "org": "acme"}
        forged = [
            {"org": "other", "tenant": "acme", "org_id": "acme"},
            {"org": None, "orgs": ["acme"], "extra": {"org": "acme"}},
            {"org": "acme other"},
            {"org": {"acme": True}},
            {"groups": "the analysts", "roles": ["analysts"]},
            {"scope": "mcpx xmcp", "scp": "mcp"},
            {"groups": [["analysts"]]},
        ]
        found = [
            await http.post(url, content=HELLO, headers=bear(issuer.mint(**{**said, **each})))
            for each in forged
        ]
        fine = await http.post(url, content=HELLO, headers=bear(issuer.mint(**said)))

    assert {each.status_code for each in found} == {403}
    assert fine.status_code == 200


@pytest.mark.parametrize("sub", ["", " "])
async def test_who_has_no_name_is_refused(tmp_path, sub):
    async with (
        run_issuer() as issuer,
        serve(tmp_path, issuer.url) as (_, url),
        httpx.AsyncClient() as http,
    ):
        token = issuer.mint(aud=url, scope="mcp", sub=sub)
        refused = await http.post(url, content=HELLO, headers=bear(token))

    assert refused.status_code == 403


async def test_a_name_by_which_rows_would_be_another_persons_is_never_written(tmp_path):
    odd = ["ann/claude", "a b", "a\nb", "аnn", "x" * 129]
    async with (
        run_issuer() as issuer,
        serve(tmp_path, issuer.url) as (app, url),
        httpx.AsyncClient() as http,
    ):

        async def enter(sub):
            headers = bear(issuer.mint(aud=url, scope="mcp", sub=sub))
            assert (await http.post(url, content=HELLO, headers=headers)).status_code == 200
            return app.find_principal({"host": "localhost", **headers})

        known = [await enter(sub) for sub in odd]
        # Who takes the digest of another person for a name comes under the digest of that.
        forged = await enter(known[0].partition(":")[2])

    assert all(re.fullmatch(r"analysts:~[0-9a-f]{16}", each) for each in [*known, forged])
    assert len({*known, forged}) == len(odd) + 1


def answer_huge() -> Response:
    return JSONResponse({"keys": [{"kty": "RSA", "n": "x" * 300_000}]})


async def test_keys_that_are_not_there_or_are_no_keys_let_nobody_in_and_those_known_go_on(tmp_path):
    async with (
        run_issuer() as issuer,
        run_issuer() as evil,
        serve(tmp_path, issuer.url) as (app, url),
        httpx.AsyncClient() as http,
    ):
        clock = [0.0]
        keys = app.access.sign_in.keys
        keys._now = lambda: clock[0]
        good = issuer.mint(aud=url, scope="mcp")
        document = "/.well-known/openid-configuration"
        theirs = {"issuer": issuer.url, "jwks_uri": f"{evil.url}/jwks"}
        # Another host by its name, and the same machine.
        near = {"issuer": issuer.url, "jwks_uri": f"{evil.url}/jwks".replace("127.0.0.1", "127.1")}
        bad = [
            ("/jwks", Response("", 500)),
            ("/jwks", answer_huge()),
            ("/jwks", Response("no json")),
            ("/jwks", Response("[]" * 10)),
            ("/jwks", JSONResponse({"keys": [{"kty": "oct", "k": "c2VjcmV0", "kid": "first"}]})),
            ("/jwks", RedirectResponse(f"{evil.url}/jwks")),
            ("/jwks", Response(b"x", headers={"content-encoding": "gzip"})),
            (document, RedirectResponse(f"{evil.url}{document}")),
            (document, JSONResponse(theirs | {"issuer": evil.url})),
            (document, JSONResponse(near)),
            (document, JSONResponse({"issuer": issuer.url, "jwks_uri": "file:///etc/passwd"})),
        ]
        found = []
        for path, answer in bad:
            issuer.answers = {path: answer}
            clock[0] += 31
            found.append(await http.post(url, content=HELLO, headers=bear(good)))
        issuer.answers = {}
        clock[0] += 31
        fine = await http.post(url, content=HELLO, headers=bear(good))
        issuer.answers = {"/jwks": Response("", 500)}
        clock[0] += 31
        unknown = issuer.mint(aud=url, kid="new", key=OTHER)
        refused = await http.post(url, content=HELLO, headers=bear(unknown))
        still = await http.post(url, content=HELLO, headers=bear(good))
        reports = "\n".join(app.gateway.reports)

    assert {each.status_code for each in found} == {503}
    assert {each.headers["retry-after"] for each in found} == {"30"}
    assert (fine.status_code, refused.status_code, still.status_code) == (200, 401, 200)
    assert "cannot be fetched: what it answers is longer than 262144 bytes." in reports
    assert evil.asked == []


async def test_an_issuer_that_does_not_answer_holds_up_nobody_else(tmp_path, monkeypatch):
    asked, over = asyncio.Event(), asyncio.Event()

    async def hang(scope, receive, send):
        asked.set()
        await over.wait()
        await Response("", 500)(scope, receive, send)

    async with (
        run_issuer() as issuer,
        serve_app(hang) as hanging,
        serve(tmp_path, hanging) as (_, url),
        httpx.AsyncClient(timeout=60) as http,
    ):
        token = issuer.mint(aud=url)
        waits = asyncio.ensure_future(http.post(url, content=HELLO, headers=bear(token)))
        await asked.wait()
        other = await http.post(url, content=HELLO, headers=bear("c" * 20))
        waited = not waits.done()
        monkeypatch.setattr("mulligan_gateway.sign_in.PATIENCE", 0.01)
        given_up = IssuerKeys(hanging)
        renewed = await given_up.renew()
        over.set()
        refused = await waits

    assert other.status_code == 200
    assert waited
    assert (renewed, given_up.failed) == (False, "TimeoutError")
    assert refused.status_code == 503
