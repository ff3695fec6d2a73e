"""Who signs in with an issuer of OpenID Connect: the official client finds it by itself."""

import asyncio
import os
import re
import time
from contextlib import asynccontextmanager
from pathlib import Path
from urllib.parse import parse_qs, urlsplit

import httpx
import pytest
from mcp import Client
from mcp.client.auth import AuthorizationCodeResult, OAuthClientProvider
from mcp.client.streamable_http import streamable_http_client
from mcp.shared._httpx_utils import create_mcp_http_client
from mcp.shared.auth import OAuthClientMetadata

from mulligan.types.errors import ConfigurationError
from mulligan_gateway.access import read_access
from mulligan_gateway.http_server import GatewayApp
from mulligan_gateway.sign_in import IssuerKeys
from tests.gateway.issuer import EC, OTHER, run_issuer, sign_in
from tests.gateway.test_serving_http import SEES, ask
from tests.gateway.web import serve_app
from tests.gateway.world import INITIALIZE, run_gateway

NPM = os.environ.get("MULLIGAN_TEST_NPM", "")
BACK = "http://127.0.0.1:3030/callback"
FILE = """
[oidc]
issuer = "{issuer}"
resource = "{resource}"

[clients.analysts]
claims = {{ groups = "analysts", scope = "mcp" }}
tools = ["one/add"]

[clients.ci]
token = "cccccccccccccccccccc"
"""


def write(tmp_path: Path, issuer: str, resource: str, text: str = FILE) -> Path:
    file = tmp_path / "clients.toml"
    file.touch(mode=0o600)
    file.write_text(text.format(issuer=issuer, resource=resource))
    return file


@asynccontextmanager
async def serve(tmp_path: Path, issuer: str, text: str = FILE):
    """The gateway before an issuer, at the address that its file names."""
    async with run_gateway(own_tools=False) as gateway:
        app = GatewayApp(
            gateway, read_access(write(tmp_path, issuer, issuer, text), servers=["one"])
        )
        async with serve_app(app, lifespan="on") as url:
            file = write(tmp_path, issuer, f"{url}/mcp", text)
            app.change_access(read_access(file, servers=["one"], keeps=gateway.keeps_label))
            yield app, f"{url}/mcp"


class Storage:
    """What a client keeps of its registration and its tokens."""

    tokens = client = None

    async def get_tokens(self):
        return self.tokens

    async def set_tokens(self, tokens):
        self.tokens = tokens

    async def get_client_info(self):
        return self.client

    async def set_client_info(self, client_info):
        self.client = client_info


def sign_in_as(login: str, url: str, storage: Storage) -> OAuthClientProvider:
    """The official client's own way in: it finds the issuer, registers, and asks with PKCE."""
    came: list[str] = []

    async def visit(address: str) -> None:
        came.append(await sign_in(address, until=BACK, login=login))

    async def take() -> AuthorizationCodeResult:
        said = {name: each[0] for name, each in parse_qs(urlsplit(came[-1]).query).items()}
        return AuthorizationCodeResult(code=said["code"], state=said["state"], iss=said.get("iss"))

    about = OAuthClientMetadata(
        client_name="tester", redirect_uris=[BACK], token_endpoint_auth_method="none"
    )
    return OAuthClientProvider(url, about, storage, redirect_handler=visit, callback_handler=take)


async def call_through(url: str, login: str, storage: Storage):
    auth = sign_in_as(login, url, storage)
    async with (
        create_mcp_http_client(auth=auth) as http,
        Client(streamable_http_client(url, http_client=http)) as client,
    ):
        listed = await client.list_tools()
        return [tool.name for tool in listed.tools], await client.call_tool("add", {"a": 1, "b": 2})


@pytest.mark.full
@pytest.mark.usefixtures("patient_client")
async def test_the_official_client_finds_the_issuer_signs_in_and_calls(tmp_path):
    async with run_issuer() as issuer, serve(tmp_path, issuer.url) as (app, url):
        tools, answer = await call_through(url, "ann", Storage())
        counted = app.write_metrics()

    assert tools == ["add"]
    assert answer.structured_content == {"result": 3}
    assert '{client="analysts:ann",server="one",tool="add",outcome="succeeded"} 1' in counted
    assert issuer.asked.count("/jwks") == 1
    assert {"/register", "/authorize", "/token"} <= set(issuer.asked)


@pytest.mark.full
@pytest.mark.skipif(not NPM, reason="long form: oidc-provider from npm")
@pytest.mark.usefixtures("patient_client")
async def test_a_real_provider_serves_it_as_well_and_grants_count(tmp_path):
    command = ["node", str(Path(__file__).with_name("oidc_provider.mjs")), NPM]
    provider = await asyncio.create_subprocess_exec(*command, stdout=asyncio.subprocess.PIPE)
    try:
        issuer = (await provider.stdout.readline()).decode().strip()
        async with serve(tmp_path, issuer) as (app, url):
            storage = Storage()
            tools, answer = await call_through(url, "ann", storage)
            again = await call_through(url, "nobody", storage)
            with pytest.raises(BaseExceptionGroup) as refused:
                await call_through(url, "eve", Storage())
            counted = app.write_metrics()
    finally:
        provider.terminate()
        await provider.wait()

    assert tools == again[0] == ["add"]
    assert answer.structured_content == {"result": 3}
    assert '{client="analysts:ann",server="one",tool="add",outcome="succeeded"} 2' in counted
    assert refused.value
    assert 'client="analysts:eve"' not in counted


def test_the_file_that_the_page_shows_can_be_read(tmp_path):
    page = Path(__file__).parents[4] / "docs" / "gateway.md"
    (shown,) = re.findall(r"(?s)```toml\n(\[oidc.*?)```", page.read_text())
    file = write(tmp_path, "", "", shown.replace("{", "{{").replace("}", "}}"))

    access = read_access(file, servers=["files"])

    assert access.clients == {"analysts"}
    assert "mcp.example.com" in access.hosts


def bear(token: str) -> dict[str, str]:
    return {**SEES, "authorization": f"Bearer {token}"}


@pytest.mark.full
async def test_somebody_without_a_token_is_told_where_to_get_one(tmp_path):
    async with (
        run_issuer() as issuer,
        serve(tmp_path, issuer.url) as (_, url),
        httpx.AsyncClient() as http,
    ):
        refused = await http.post(url, content=ask("ping"), headers=SEES)
        in_api = await http.get(url.replace("/mcp", "/v1/pitfalls"))
        where = refused.headers["www-authenticate"].partition('resource_metadata="')[2][:-1]
        said = await http.get(where)
        short = await http.get(url.replace("/mcp", "/.well-known/oauth-protected-resource"))

    assert (refused.status_code, in_api.status_code) == (401, 401)
    assert where == url.replace("/mcp", "/.well-known/oauth-protected-resource/mcp")
    assert where in in_api.headers["www-authenticate"]
    assert (
        said.json()
        == short.json()
        == {
            "resource": url,
            "authorization_servers": [issuer.url],
            "bearer_methods_supported": ["header"],
            "scopes_supported": ["mcp"],
        }
    )


@pytest.mark.full
async def test_where_a_scope_is_missing_the_client_is_told_which_to_ask_for(tmp_path):
    async with (
        run_issuer() as issuer,
        serve(tmp_path, issuer.url) as (_, url),
        httpx.AsyncClient() as http,
    ):
        token = issuer.mint(aud=url, scope="openid")
        refused = await http.post(url, content=ask("ping"), headers=bear(token))

    assert refused.status_code == 403
    assert 'error="insufficient_scope", scope="mcp"' in refused.headers["www-authenticate"]


@pytest.mark.full
async def test_each_person_is_on_record_by_name_and_one_whose_name_no_row_takes_by_a_digest(
    tmp_path,
):
    people = ("ann", "ann@example.com", "bob@example.com", "jürgen", "Ann Lee", "~ann", "a/b")
    async with run_issuer() as issuer, serve(tmp_path, issuer.url) as (app, url):
        found = [
            app.find_principal(
                {"host": "localhost", **bear(issuer.mint(aud=url, scope="mcp", sub=sub))}
            )
            for sub in people
        ]
        first = await app.find_caller(
            {"host": "localhost", **bear(issuer.mint(aud=url, scope="mcp", sub="ann"))}
        )
        known = [
            app.find_principal(
                {"host": "localhost", **bear(issuer.mint(aud=url, scope=["mcp"], sub=sub))}
            )
            for sub in people
        ]
        opaque = app.find_principal({"host": "localhost", **bear("c" * 20)})

    assert {each.status for each in found} == {503}
    assert first == known[0] == "analysts:ann"
    assert len(set(known)) == len(people)
    assert all(app.gateway.keeps_label(each) and "~" in each for each in known[1:])
    assert opaque == "ci"


@pytest.mark.full
async def test_a_new_key_is_fetched_when_a_token_has_it_and_an_old_one_counts_no_more(tmp_path):
    async with (
        run_issuer() as issuer,
        serve(tmp_path, issuer.url) as (app, url),
        httpx.AsyncClient() as http,
    ):
        clock = [0.0]
        app.access.sign_in.keys._now = lambda: clock[0]

        async def try_with(key, kid: str) -> int:
            token = issuer.mint(key=key, kid=kid, aud=url, scope="mcp")
            answer = await http.post(
                url, content=ask("initialize", INITIALIZE), headers=bear(token)
            )
            return answer.status_code

        before = [await try_with(EC, "curve"), await try_with(OTHER, "second")]
        issuer.keys = {"second": OTHER}
        at_once = await try_with(OTHER, "second")
        clock[0] += 31
        after = [await try_with(OTHER, "second"), await try_with(EC, "curve")]

    assert before == [200, 401]
    assert at_once == 401
    assert after == [200, 401]
    assert issuer.asked.count("/jwks") == 2


@pytest.mark.full
async def test_a_token_that_names_no_key_counts_where_there_is_only_one_of_its_kind(tmp_path):
    async with run_issuer() as issuer, serve(tmp_path, issuer.url) as (app, url):
        headers = {"host": "localhost", **bear(issuer.mint(kid=None, aud=url, scope="mcp"))}
        found = await app.find_caller(headers)
        issuer.keys["second"] = OTHER
        keys = IssuerKeys(issuer.url)
        await keys.renew()

    assert found == "analysts:ann"
    assert keys.find(None, "ES256") is not None
    assert keys.find(None, "RS256") is None


@pytest.mark.full
async def test_keys_of_an_hour_ago_are_fetched_beside_and_go_on_to_count(tmp_path):
    async with run_issuer() as issuer:
        clock = [0.0]
        keys = IssuerKeys(issuer.url, now=lambda: clock[0])
        await keys.renew()
        issuer.answers["/jwks"] = httpx.Response(500)
        clock[0] += 3_601
        found = keys.find("first", "RS256")
        await keys._tasks.wait()
        clock[0] += 82_000
        late = keys.find("first", "RS256")
        await keys._tasks.wait()
        clock[0] += 1_000
        last = keys.find("first", "RS256")

    assert found is not None
    assert late is found
    assert "is" in keys.failed
    assert last is None


@pytest.mark.full
async def test_a_stream_on_which_a_client_listens_ends_with_its_token(tmp_path):
    async with (
        run_issuer() as issuer,
        serve(tmp_path, issuer.url) as (_, url),
        httpx.AsyncClient(timeout=60) as http,
    ):
        token = issuer.mint(aud=url, scope="mcp", exp=time.time() - 28)
        opened = await http.post(url, content=ask("initialize", INITIALIZE), headers=bear(token))
        session = {"mcp-session-id": opened.headers["mcp-session-id"]}
        listened = await http.get(url, headers=bear(token) | session)
        after = await http.get(url, headers=bear(token) | session)

    assert (opened.status_code, listened.status_code, after.status_code) == (200, 200, 401)
    assert "has expired" in after.text


@pytest.mark.parametrize(
    ("changed", "said"),
    [
        (('"{issuer}"', '"http://login.example.com"'), "issuer is .*https address"),
        (('"{resource}"', '"ftp://mcp.example.com"'), "resource is .*https address"),
        (("[oidc]", "[oidcs]"), "the table oidc is to say of whom"),
        (('token = "c', 'claims = {{}}\ntoken = "c'), "one or the other"),
        (("clients.analysts", 'clients."a:b"'), "':' in its name"),
        (("clients.ci", 'clients."a:b"'), "':' in its name"),
        (("clients.analysts", 'clients."a/b"'), "has a slash"),
        (
            ('claims = {{ groups = "analysts", scope = "mcp" }}', 'token = "' + "d" * 20 + '"'),
            "nobody",
        ),
        (('groups = "analysts"', "groups = 3"), "list of texts"),
    ],
)
def test_a_file_that_says_something_else_of_an_issuer_is_refused(tmp_path, changed, said):
    text = FILE.replace(*changed)
    assert text != FILE
    file = write(tmp_path, "https://login.example.com", "https://mcp.example.com/mcp", text)

    with pytest.raises(ConfigurationError, match=said):
        read_access(file, servers=["one"])
