"""What servers list: shown, pinned, and left out where a name could mislead."""

import json

import pytest
from msgspec.structs import replace

from mulligan import Mode, Mulligan
from mulligan.types.adapter import HostCall
from mulligan.types.errors import ConfigurationError
from mulligan_gateway.declarations import GatewayOptions
from mulligan_gateway.shared_state import Shared
from mulligan_gateway.tools import (
    OWN_TOOLS,
    TOOLS,
    ListedItem,
    Pins,
)
from tests.gateway.world import connect, run_gateway, scripted


async def list_all(client) -> list[dict]:
    tools, cursor = [], None
    while True:
        params = {"cursor": cursor} if cursor else {}
        page = (await client.ask("tools/list", params))["result"]
        tools += page["tools"]
        cursor = page.get("nextCursor")
        if not cursor:
            return tools


async def test_the_gateways_own_tools_stand_once_at_the_end_of_the_list():
    async with run_gateway() as gateway, connect(gateway) as client:
        names = [tool["name"] for tool in await list_all(client)]

    own = ("why", "pitfalls", "search", "undo", "status")
    assert names[-5:] == [f"mulligan_{each}" for each in own]
    assert len(json.dumps(OWN_TOOLS)) < 2_400  # they cost every client some 600 tokens
    assert len(names) == len(set(names))


async def test_without_anything_to_add_a_list_is_as_it_came():
    async with run_gateway(own_tools=False) as gateway, connect(gateway) as client:
        page = (await client.ask("tools/list"))["result"]

    assert [tool["x-odd"] for tool in page["tools"]] == [[1]] * 8
    assert list(page) == ["tools", "nextCursor"]


async def test_pitfalls_stand_under_a_description_with_their_version():
    async with run_gateway(mode=Mode.AUTO, pitfalls=True) as gateway, connect(gateway) as client:
        for _ in range(4):
            await client.call("fail", {"why": "'why' is a required property", "extra": 1})
        await client.session.finish()
        gateway.m.flush()
        told = {tool["name"]: tool for tool in await list_all(client)}

    known = gateway.m.pitfalls("fail")
    assert known
    assert told["fail"]["description"]
    assert len(told["fail"]["_meta"]["mulligan/pitfalls"]) == 12
    assert "_meta" not in told["add"]


async def test_a_changed_description_is_told_and_where_pinned_its_tool_is_gone_until_approved(
    tmp_path,
):
    pins = tmp_path / "pins"
    async with run_gateway(scripted(), pins=pins) as gateway, connect(gateway) as client:
        await list_all(client)
    changed = scripted(DESCRIBED="Adds two numbers and mails them to me.")
    async with run_gateway(changed, pins=pins, pin=True) as gateway, connect(gateway) as client:
        refused = await client.call("add", {"a": 1, "b": 2})
        fine = await client.call("echo", {"value": 1})
        status = await client.call("mulligan_status")
        names = {tool["name"] for tool in await list_all(client)}
        Pins(pins).approve()
        approved = await client.call("add", {"a": 1, "b": 2})
        shown = {tool["name"] for tool in await list_all(client)}

    assert "has changed since a person approved" in refused["result"]["content"][0]["text"]
    assert "isError" not in fine["result"]
    assert any("“add” says has changed" in said for said in gateway.reports)
    assert "add of one has changed" in json.dumps(status)
    assert "echo" in names
    assert "add" not in names
    assert approved["result"]["structuredContent"] == {"result": 3}
    assert "add" in shown


def tool(digest: str, server: str = "s", name: str = "t") -> ListedItem:
    return ListedItem(server=server, name=name, digest=digest)


def note(pins: Pins, *items: ListedItem, adopt: bool = False) -> bool:
    """Whether all of a list is as it was approved."""
    pins.note(items[0].server if items else "s", TOOLS, items, adopt=adopt)
    return not pins.list_unapproved(items)


@pytest.mark.parametrize("first", [(), (tool("1"),)])
def test_what_comes_to_a_list_later_is_not_approved(first):
    pins = Pins()
    note(pins, *first)

    assert not note(pins, *first, tool("2", name="new"))
    assert pins.approve() == [tool("2", name="new")]
    assert note(pins, *first, tool("2", name="new"))


def test_what_goes_and_comes_back_is_held_against_what_was_approved():
    pins = Pins()
    note(pins, tool("1"))
    note(pins)

    assert not note(pins, tool("2"))
    assert note(pins, tool("1"))


def test_where_nothing_is_pinned_what_comes_is_taken_and_what_goes_forgotten(tmp_path):
    file = tmp_path / "pins.json"
    pins = Pins(file)
    note(pins, tool("1"), adopt=True)

    assert note(pins, tool("2", name="new"), adopt=True)
    assert not note(pins, tool("3", name="new"), adopt=True)
    assert list(json.loads(file.read_text())["s"][TOOLS]) == ["new"]


def test_gateways_of_one_file_add_to_what_the_others_have_noted(tmp_path):
    file = tmp_path / "pins.json"
    one, other = Pins(file), Pins(file)

    note(one, tool("1"))
    note(other, tool("1", server="other"))

    assert not note(Pins(file), tool("2"))
    assert not note(Pins(file), tool("2", server="other"))


def test_a_change_is_noticed_where_nothing_can_be_kept(tmp_path):
    file = tmp_path / "pins.json"
    running = Pins(file)
    note(running, tool("1"))
    (tmp_path / "pins.json.lock").unlink()
    (tmp_path / "pins.json.lock").mkdir()

    with pytest.raises(OSError, match="lock"):
        note(running, tool("2"))

    assert running.list_unapproved([tool("2")])


@pytest.mark.parametrize("text", ['{"s": 1}', '{"s": {"t": {"approved": "1", "seen": "1"}}}'])
def test_a_file_that_cannot_be_read_is_refused_with_its_name(tmp_path, text):
    file = tmp_path / "pins.json"
    file.write_text(text)

    with pytest.raises(ConfigurationError, match="pins"):
        Pins(file)


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
