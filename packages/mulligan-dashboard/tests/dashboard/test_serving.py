from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack, closing

import pytest

from mulligan import Mulligan
from mulligan.types.errors import ConfigurationError
from mulligan_dashboard.security import Role
from mulligan_dashboard.serving import DashboardServer, PageAddress, is_loopback, refuse_exposure


@pytest.fixture
def serve(m: Mulligan) -> Iterator:
    with ExitStack() as stack:
        yield lambda **said: stack.enter_context(
            closing(DashboardServer(m.insights, PageAddress(**said)))
        )


@pytest.mark.parametrize("host", ["0.0.0.0", "192.168.1.5", "::", "example.com"])
def test_where_others_can_come_a_token_is_needed(host: str) -> None:
    with pytest.raises(ConfigurationError, match="ssh -L"):
        refuse_exposure(PageAddress(host=host, open=True, names=("dash.example.com",)))


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


def test_a_link_holds_a_token_and_the_address_does_not(serve) -> None:
    server = serve(port=0, name="Mum")

    link = server.make_link(Role.LOOK)

    assert server.url == f"http://127.0.0.1:{server.port}/"
    assert link.startswith(f"{server.url}enter?token=")
    assert link != server.make_link(Role.LOOK)


def test_without_tokens_a_link_is_the_address(serve) -> None:
    server = serve(port=0, open=True)

    assert server.make_link(Role.ADMIN) == server.url


def test_a_port_that_is_taken_is_named(serve) -> None:
    first = serve(port=0)

    with pytest.raises(ConfigurationError, match="--port"):
        serve(port=first.port)


def test_behind_a_proxy_the_address_is_its_name(serve) -> None:
    server = serve(port=0, names=("dash.example.com",), secure=True)

    assert server.url == "https://dash.example.com/"
    assert server.access.secure
