import pytest
from msgspec.structs import replace

from mulligan import Mode, Mulligan
from mulligan.types.adapter import HostCall
from mulligan.types.errors import ConfigurationError
from mulligan_gateway.declarations import GatewayOptions
from mulligan_gateway.shared_state import Shared
from mulligan_gateway.tools import TOOLS, ListedItem
from tests.gateway.world import scripted


async def make(arguments: object) -> object:
    return arguments


def call(tool: str, server: str = "one") -> HostCall:
    return HostCall(tool=tool, arguments={}, make=make, server=server)


def test_a_gateway_before_no_server_is_refused():
    with pytest.raises(ConfigurationError, match="names no server"):
        Shared(Mulligan("memory:"), [])


def test_what_somebody_has_said_of_a_tool_wins_over_the_mode_of_all():
    m = Mulligan("memory:")
    m.declare("write", server="one", mode=Mode.AUTO)
    servers, options = [scripted(), scripted("two")], GatewayOptions(modes={"two": Mode.SUGGEST})
    shared = Shared(m, servers, options=options)

    assert shared.find_mode(call("write")) is Mode.AUTO
    assert shared.find_mode(call("read")) is Mode.OBSERVE
    assert shared.find_mode(call("read", "two")) is Mode.SUGGEST


def test_a_change_is_reported_once():
    reports: list[str] = []
    shared = Shared(Mulligan("memory:"), [scripted()], report=reports.append)
    tool = ListedItem(server="one", name="t", digest="1")

    for digest in ("1", "2", "2"):
        shared.note_pins("one", TOOLS, [replace(tool, digest=digest)])

    assert reports == ["one: what the tool “t” says has changed."]
