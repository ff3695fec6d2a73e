"""Who gets in, and how far: tokens, roles, the guard, and where the server may listen."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import ExitStack, closing
from datetime import timedelta
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from starlette.applications import Starlette
from starlette.routing import Mount, Route

from mulligan import Mulligan
from mulligan.types.errors import ConfigurationError
from mulligan_dashboard.sections import ACTS, SECTIONS, SINGLE
from mulligan_dashboard.security import POLICY, SAFE, Role, Sealer, TokenKind, Visitor
from mulligan_dashboard.serving import DashboardServer, PageAddress, is_loopback, refuse_exposure
from tests.dashboard.conftest import Door
from tests.dashboard.stage import Stage

VIEWS = [path for each in (*SECTIONS, *SINGLE) for path in (each.path, each.json_path)]

READS = [
    *(path.replace("{id}", "0") for path in VIEWS),
    "/stream",
    "/api/v1/openapi.json",
]  # fmt: skip

WRITES = [(act.path.replace("{id}", "0"), act.role) for act in ACTS]

JSON = {"content-type": "application/json"}


def wrong_keys(door: Door) -> dict[str, dict[str, str]]:
    """Every way not to be known."""
    mum = Visitor(name="Mum", role=Role.ADMIN)
    session = door.sealer.write(mum, kind=TokenKind.SESSION, life=timedelta(hours=1))
    over = door.sealer.write(mum, kind=TokenKind.SESSION, life=timedelta(seconds=-1))
    link = door.sealer.write(mum, kind=TokenKind.LINK, life=timedelta(seconds=-1))
    foreign = Sealer().write(mum, kind=TokenKind.LINK, life=timedelta(hours=1))
    cookie = door.access.cookie
    return {
        "no token": {},
        "an empty one": {"authorization": "Bearer "},
        "another scheme": {"authorization": f"Basic {door.link()}"},
        "one of another server": {"authorization": f"Bearer {foreign}"},
        "a link that is over": {"authorization": f"Bearer {link}"},
        "a session as a link": {"authorization": f"Bearer {session}"},
        "a session that is over": {"cookie": f"{cookie}={over}"},
        "a link as a session": {"cookie": f"{cookie}={door.link()}"},
        "a session that was touched": {"cookie": f"{cookie}={session[:-1]}"},
        "a cookie of another name": {"cookie": f"other={session}"},
        "a cookie that is none": {"cookie": "\x01=;;="},
    }


@pytest.mark.parametrize(("path", "role"), WRITES)
def test_nothing_is_done_for_a_lesser_role(door: Door, path: str, role: Role) -> None:
    lesser = [each for each in Role if not each.covers(role)]

    codes = [door.client.post(path, json={}, headers=door.key(each)).status_code for each in lesser]

    assert lesser
    assert codes == [403] * len(lesser)


def list_routes(door: Door) -> Iterator[tuple[str, str]]:
    """Every method and path that the application itself answers to, whoever declared it."""
    for route in find_starlette(door.client.app).routes:
        if isinstance(route, Mount):
            assert route.path == "/static"
            continue
        assert isinstance(route, Route)
        assert route.methods
        path = re.sub(r"{[^}]*}", "0", route.path)
        yield from ((method, path) for method in route.methods)


def find_starlette(app: Any) -> Starlette:
    while not isinstance(app, Starlette):
        app = app._app
    return app


@pytest.mark.full
def test_no_route_that_there_is_answers_to_who_is_not_known(door: Door) -> None:
    routes = list(list_routes(door))
    answers = {
        (method, path, why): door.client.request(
            method, path, content=b"{}", headers={**JSON, **headers}
        ).status_code
        for method, path in routes
        for why, headers in wrong_keys(door).items()
        if path != "/enter"
    }

    assert answers == dict.fromkeys(answers, 401)
    assert len(answers) > 500
    assert {path for method, path in routes if method in SAFE} == {*READS, "/enter"}
    assert {path for method, path in routes if method not in SAFE} == {path for path, _ in WRITES}


@pytest.mark.parametrize("path", ["/enterprise", "/enter/0", "/staticky", "/static"])
def test_a_path_that_begins_like_an_open_one_is_not_open(door: Door, path: str) -> None:
    assert door.client.get(path).status_code == 401


def enter(door: Door, role: Role = Role.DECIDE) -> dict[str, str]:
    """Come in by a link, and have all that a page would send."""
    answer = door.client.get("/enter", params={"token": door.link(role)})
    key = answer.headers["location"].removeprefix("/#key=")
    return {"origin": "http://127.0.0.1", "x-form-token": key}


def test_a_link_is_swapped_for_a_cookie_that_no_script_can_read(door: Door) -> None:
    answer = door.client.get("/enter", params={"token": door.link()})

    cookie = answer.headers["set-cookie"].lower()
    assert (answer.status_code, answer.headers["location"][:6]) == (303, "/#key=")
    assert all(part in cookie for part in ("httponly", "samesite=lax", "path=/"))
    assert door.link() not in cookie
    assert door.client.get("/api/v1/open").status_code == 200


@pytest.mark.parametrize(
    ("asked", "lands"),
    [
        ("/open/1a2b?window=24h", "/open/1a2b?window=24h#key="),
        ("//evil.example/", "/#key="),
        ("/\\evil.example", "/#key="),
        ("https://evil.example", "/#key="),
        ("/open#key=ab", "/#key="),
    ],
)
def test_a_link_leads_to_the_page_it_names_and_nowhere_else(
    door: Door, asked: str, lands: str
) -> None:
    answer = door.client.get("/enter", params={"token": door.link(), "next": asked})

    assert answer.headers["location"].startswith(lands)


def test_who_had_to_sign_in_first_lands_on_the_page_they_wanted(door: Door) -> None:
    page = {"accept": "text/html"}
    refused = door.client.get("/open/1a2b?window=24h", headers=page)

    entered = door.client.get("/enter", params={"token": door.link()})
    again = door.client.get("/enter", params={"token": door.link()})

    assert refused.status_code == 401
    assert entered.headers["location"].startswith("/open/1a2b?window=24h#key=")
    assert again.headers["location"].startswith("/#key=")


def test_a_page_that_others_had_asked_for_leads_nowhere_else(door: Door) -> None:
    for wanted in ("%2F%2Fevil.example%2F", "https%3A%2F%2Fevil.example", "%2F%5Cevil.example"):
        door.client.cookies.set("mulligan_wanted", wanted)
        answer = door.client.get("/enter", params={"token": door.link()})
        assert answer.headers["location"].startswith("/#key=")


def test_what_changed_after_it_was_shown_is_not_approved(door: Door, filled: Stage) -> None:
    hold, headers = filled.m.insights.open_list.actions()[0].id, enter(door)
    shown = door.client.get(f"/api/v1/open/{hold}").json()["item"]["version"]

    late = {"version": str(shown - 1)}
    refused = door.client.post(f"/api/v1/open/{hold}/approve", json=late, headers=headers)
    wrong = door.client.post(f"/api/v1/open/{hold}/approve", json={"version": "x"}, headers=headers)

    assert "has changed since" in refused.json()["error"]
    assert "is no version" in wrong.json()["error"]
    assert filled.sent == []


def test_a_page_of_ours_may_act(door: Door, filled: Stage) -> None:
    hold = filled.m.insights.open_list.actions()[0].id

    done = door.client.post(f"/api/v1/open/{hold}/approve", json={}, headers=enter(door))

    assert done.status_code == 200
    assert filled.sent == ["Picnic"]


@pytest.mark.parametrize(
    ("changed", "status"),
    [
        ({"x-form-token": ""}, 403),
        ({"x-form-token": "0" * 64}, 403),
        ({"origin": "http://evil.example"}, 403),
        ({"origin": "null"}, 403),
        ({"origin": "http://127.0.0.1:9999"}, 403),
        ({"origin": None}, 403),
        ({"sec-fetch-site": "cross-site"}, 403),
        ({"content-type": "text/plain"}, 415),
        ({"content-type": "application/x-www-form-urlencoded"}, 415),
        ({"host": "evil.example"}, 421),
        ({"host": "127.0.0.1.evil.example"}, 421),
        ({"host": ""}, 421),
    ],
)
def test_a_page_of_another_site_can_do_nothing(
    door: Door, filled: Stage, changed: dict[str, str | None], status: int
) -> None:
    hold = filled.m.insights.open_list.actions()[0].id
    headers = {**JSON, **enter(door), **changed}

    answer = door.client.post(
        f"/api/v1/open/{hold}/approve",
        content=b"{}",
        headers={name: value for name, value in headers.items() if value is not None},
    )

    assert answer.status_code == status
    assert filled.sent == []


@pytest.mark.full
@pytest.mark.parametrize(
    "name", ["evil.example", "localhost.evil.example", "127.0.0.1@evil", "[::1]"]
)
@pytest.mark.parametrize("path", ["/", "/enter", "/static/app.js", "/stream"])
def test_another_name_for_this_server_is_refused(door: Door, name: str, path: str) -> None:
    assert door.client.get(path, headers={**door.key(), "host": name}).status_code == 421


def test_what_is_sent_has_an_end(door: Door) -> None:
    key = {**JSON, **door.key(Role.DECIDE)}

    long = door.client.post("/api/v1/open/0/settle", content=b" " * 70_000, headers=key)
    endless = door.client.post("/api/v1/open/0/settle", content=iter([b"{}"]), headers=key)
    beyond = door.client.post(
        "/api/v1/open/0/settle", headers={**key, "content-length": "9" * 5_000}
    )

    assert [each.status_code for each in (long, endless, beyond)] == [413] * 3


@pytest.mark.parametrize(
    "path", ["/", "/nowhere", "/api/v1/overview", "/static/style.css", "/enter"]
)
def test_every_answer_says_what_a_page_may_load(door: Door, path: str) -> None:
    answer = door.client.get(path, headers=door.key())

    assert answer.headers["content-security-policy"] == POLICY
    assert answer.headers["x-frame-options"] == "DENY"
    assert answer.headers["x-content-type-options"] == "nosniff"
    assert (answer.headers.get("cache-control") == "no-store") is not path.startswith("/static/")


def test_a_person_who_is_not_known_reads_how_to_come_in(door: Door) -> None:
    answer = door.client.get("/", headers={"accept": "text/html"})

    assert answer.status_code == 401
    assert "mulligan dashboard" in answer.text


MUM = Visitor(name="Mum", role=Role.DECIDE)

HOUR = timedelta(hours=1)


def test_two_sessions_of_one_link_are_two() -> None:
    sealer = Sealer()
    tokens = [sealer.write(MUM, kind=TokenKind.SESSION, life=HOUR) for _ in range(2)]

    one, other = (sealer.read(token, kind=TokenKind.SESSION) for token in tokens)

    assert one is not None
    assert other is not None
    assert sealer.is_form_token(sealer.make_form_token(one), one)
    assert not sealer.is_form_token(sealer.make_form_token(one), other)


@given(at=st.integers(0, 400), sign=st.characters())
def test_a_token_that_was_touched_is_none(at: int, sign: str) -> None:
    sealer = Sealer(b"x" * 32)
    token = sealer.write(MUM, kind=TokenKind.LINK, life=HOUR)
    at %= len(token)

    touched = token[:at] + sign + token[at + 1 :]

    assert touched == token or sealer.read(touched, kind=TokenKind.LINK) is None


SEALER = Sealer()


@given(st.text())
def test_any_text_is_no_token(text: str) -> None:
    assert SEALER.read(text, kind=TokenKind.SESSION) is None


def test_a_visitor_knows_how_long_its_token_lasts() -> None:
    now = 1_000.0
    sealer = Sealer(now=lambda: now)
    read = sealer.read(sealer.write(MUM, kind=TokenKind.LINK, life=HOUR), kind=TokenKind.LINK)
    assert read is not None

    now = 2_000.0

    assert sealer.count_left(read) == 2_600.0
    assert sealer.count_left(MUM) > 1e300


@pytest.mark.parametrize(
    ("role", "may"),
    [
        (Role.LOOK, {Role.LOOK}),
        (Role.DECIDE, {Role.LOOK, Role.DECIDE}),
        (Role.ADMIN, set(Role)),
    ],
)
def test_a_role_may_all_that_those_before_it_may(role: Role, may: set[Role]) -> None:
    assert {each for each in Role if role.covers(each)} == may


@pytest.fixture
def start_server(m: Mulligan) -> Iterator:
    with ExitStack() as stack:
        yield lambda **said: stack.enter_context(
            closing(DashboardServer(m.insights, PageAddress(**said)))
        )


@pytest.mark.parametrize("host", ["0.0.0.0", "::", "10.0.0.1"])
def test_where_others_can_come_the_server_has_a_name(host: str) -> None:
    with pytest.raises(ConfigurationError, match="--name dashboard"):
        refuse_exposure(PageAddress(host=host))
    refuse_exposure(PageAddress(host=host, names=("dash.example.com",)))


@pytest.mark.parametrize(
    ("host", "alone"),
    [("127.0.0.1", True), ("127.9.9.9", True), ("localhost", True), ("::1", True),
     ("0.0.0.0", False), ("localhost.example.com", False), ("1", False)],
)  # fmt: skip
def test_which_addresses_are_this_machine_alone(host: str, alone: bool) -> None:
    assert is_loopback(host) is alone


def test_a_link_holds_a_token_and_the_address_does_not(start_server) -> None:
    server = start_server(port=0, name="Mum")

    link = server.make_link(Role.LOOK)

    assert server.url == f"http://127.0.0.1:{server.port}/"
    assert link.startswith(f"{server.url}enter?token=")
    assert link != server.make_link(Role.LOOK)


def test_without_tokens_a_link_is_the_address(start_server) -> None:
    server = start_server(port=0, open=Role.ADMIN)

    assert server.make_link(Role.ADMIN) == server.url


def test_a_port_that_is_taken_is_named(start_server) -> None:
    first = start_server(port=0)

    with pytest.raises(ConfigurationError, match="--port"):
        start_server(port=first.port)


def test_behind_a_proxy_the_address_is_its_name(start_server) -> None:
    server = start_server(port=0, names=("dash.example.com",), secure=True)

    assert server.url == "https://dash.example.com/"
    assert server.access.secure
