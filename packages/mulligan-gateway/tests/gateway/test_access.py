"""What each client of a gateway may do, what it has used, and what is counted of it."""

import asyncio
import json
import re
from pathlib import Path

import pytest

from mulligan import Effect, Mode
from mulligan.types.errors import ConfigurationError
from mulligan_gateway.access import Access, Grant, RequestMeter, read_access
from mulligan_gateway.metrics import Metrics
from mulligan_gateway.tools import MOST_NAME
from tests.gateway.world import connect, run_gateway, scripted

FILE = """
[clients.ann]
token = "aaaaaaaaaaaaaaaaaaaa"
tools = ["files/*", "git/git_status"]
effects = ["read", "reversible"]
per_minute = 60
at_once = 4
bytes_per_minute = 1000000
metrics = true

[clients.bob]
token = "bbbbbbbbbbbbbbbbbbbb"
"""


def write(tmp_path, text: str):
    file = tmp_path / "clients.toml"
    file.touch(mode=0o600)
    file.write_text(text)
    return file


def test_a_file_says_what_each_client_may_do(tmp_path):
    access = read_access(write(tmp_path, FILE), servers=["files", "git", "mail"])

    assert access.tokens == {"a" * 20: "ann", "b" * 20: "bob"}
    ann, bob = access.grants["ann"], access.grants["bob"]
    assert ann == Grant(
        tools=("files/*", "git/git_status"),
        effects=frozenset({Effect.READ, Effect.REVERSIBLE}),
        per_minute=60,
        at_once=4,
        bytes_per_minute=1_000_000,
        metrics=True,
    )
    assert [ann.serves(each) for each in ("files", "git", "mail")] == [True, True, False]
    assert ann.allows("files", "write_file")
    assert not ann.allows("git", "git_commit")
    assert bob == Grant()


def test_the_file_that_the_page_shows_can_be_read(tmp_path):
    page = Path(__file__).parents[4] / "docs" / "gateway.md"
    (shown,) = re.findall(r"(?s)```toml\n(\[clients.*?)```", page.read_text())
    tokens = iter(("a" * 20, "b" * 20))
    file = write(tmp_path, re.sub("…", lambda _: next(tokens), shown))

    access = read_access(file, servers=["files", "git"])

    assert access.grants["ann"].tools == ("files/*", "git/git_status")
    assert access.grants["bob"] == Grant()


@pytest.mark.parametrize(
    ("changed", "said"),
    [
        (('token = "b', 'token = "'), "each is of one client"),
        (('"bbbbbbbbbbbbbbbbbbbb"', '"short"'), "too short"),
        (("at_once = 4", "at_onc = 4"), "Did you mean"),
        (("clients.bob", 'clients."ann/bob"'), "'ann/bob' in .* has a slash"),
        (("at_once = 4", "at_once = -4"), "below 0"),
        (('"read"', '"reads"'), "there are"),
        (('"files/*", "git/git_status"', '"filse/*"'), "fits no server"),
        (('"files/*"', '"files"'), r"write 'files/\*' for every tool of files"),
    ],
)
def test_a_file_that_says_something_else_is_refused(tmp_path, changed, said):
    text = FILE.replace("b" * 20, "a" * 20) if said == "each is of one client" else FILE
    file = write(tmp_path, text if text != FILE else FILE.replace(*changed))

    with pytest.raises(ConfigurationError, match=said):
        read_access(file, servers=["files", "git"])


def test_a_file_that_others_may_read_is_refused(tmp_path):
    file = write(tmp_path, FILE)
    file.chmod(0o644)

    with pytest.raises(ConfigurationError, match="cannot be used"):
        read_access(file, servers=["files"])


def test_a_client_has_what_it_is_granted_of_each_minute_from_its_first_request():
    now = [59.0]
    meter = RequestMeter(now=lambda: now[0])
    few, small = Grant(per_minute=2), Grant(bytes_per_minute=10)

    taken = [meter.take_request("ann", few) for _ in range(3)]
    meter.add_bytes("bob", 11)

    assert taken == [0, 0, 60]
    now[0] = 61.5
    assert meter.take_request("ann", few) == 58
    assert meter.take_request("bob", small) == 58
    assert meter.take_request("eve", few) == 0
    now[0] = 119.0
    assert meter.take_request("ann", few) == 0
    assert meter.take_request("bob", small) == 0


async def test_a_client_sees_and_reaches_only_the_servers_and_tools_that_it_is_granted(tmp_path):
    ledger = tmp_path / "ledger"
    servers = scripted("one", LEDGER=str(ledger)), scripted("two")
    async with run_gateway(*servers, own_tools=False) as gateway:
        gateway.grants = {"ann": Grant(tools=("one/a*", "one/echo")), "bob": Grant()}
        async with (
            connect(gateway, principal="ann") as ann,
            connect(gateway, principal="bob") as bob,
        ):
            listed = await ann.ask("tools/list")
            refused = await ann.call("write", {"name": "x"})
            elsewhere = await ann.call("two_add", {"a": 1, "b": 2})
            done = await ann.call("add", {"a": 1, "b": 2})
            resources = await ann.ask("resources/list")
            all_of_bob = await bob.ask("tools/list")
            allowed = await bob.call("one_write", {"name": "y"})

    assert [tool["name"] for tool in listed["result"]["tools"]] == ["add", "echo"]
    assert "does not grant write to 'ann'" in refused["result"]["content"][0]["text"]
    assert refused["result"]["isError"]
    assert "result" not in elsewhere or elsewhere["result"]["isError"]
    assert done["result"]["structuredContent"] == {"result": 3}
    assert [each["uri"] for each in resources["result"]["resources"]] == ["memo://one/1"]
    assert {each["name"][:3] for each in all_of_bob["result"]["tools"]} == {"one", "two"}
    assert allowed["result"]["content"][0]["text"] == "written"
    assert ledger.read_text().split() == ["notifications/initialized"] * 2 + ["y"]


async def test_a_client_makes_only_calls_with_the_effects_that_it_is_granted():
    async with run_gateway(own_tools=False, mode=Mode.SUGGEST) as gateway:
        gateway.m.declare("add", server="one", effect=Effect.READ)
        gateway.grants = {"ann": Grant(effects=frozenset({Effect.READ}))}
        async with connect(gateway, principal="ann") as ann:
            read = await ann.call("add", {"a": 1, "b": 2})
            written = await ann.call("write", {"name": "x"})

    assert read["result"]["structuredContent"] == {"result": 3}
    assert (
        "it is undeclared, and 'ann' is granted only read"
        in written["result"]["content"][0]["text"]
    )


async def test_every_call_is_counted_and_logged_by_who_made_it_and_how_it_ended():
    logged = []
    async with run_gateway(own_tools=False) as gateway:
        gateway.log = logged.append
        gateway.grants = {"ann": Grant(tools=("one/*l*", "one/add"))}
        async with connect(gateway, principal="ann") as ann:
            for name, arguments in (("add", {"a": 1, "b": 2}), ("fail", {"why": "x"}), ("raw", {})):
                await ann.call(name, arguments)
            await ann.session.ends.own.record.answered.wait()
        written = gateway.metrics.write({"sessions": ("Sessions.", 2)})

    ended = [(each["client"], each["tool"], each["outcome"]) for each in logged]
    assert sorted(ended) == [
        ("ann", "add", "succeeded"), ("ann", "fail", "failed"), ("ann", "raw", "refused")
    ]  # fmt: skip
    series = (
        'mulligan_gateway_calls_total{client="ann",server="one",tool="fail",outcome="failed"} 1'
    )
    assert series in written.splitlines()
    assert "mulligan_gateway_sessions 2" in written.splitlines()


async def test_a_mode_that_an_operator_takes_back_holds_calls_again(tmp_path):
    ledger = tmp_path / "ledger"
    server = scripted(LEDGER=str(ledger))
    async with run_gateway(server, own_tools=False, mode=Mode.SUGGEST) as gateway:
        gateway.m.declare("write", server="one", effect=Effect.IRREVERSIBLE)
        toolbox = gateway.host.parts.toolbox
        async with connect(gateway, can=()) as client:
            toolbox.limit({"": Mode.OBSERVE})
            made = await client.call("write", {"name": "x"})
            toolbox.limit({"": Mode.AUTO})
            held = await client.call("write", {"name": "y"})

    assert made["result"]["content"][0]["text"] == "written"
    assert held["result"]["isError"]
    assert ledger.read_text().split() == ["notifications/initialized", "x"]


async def test_names_that_a_client_makes_up_are_counted_as_one_once_there_are_too_many():
    async with run_gateway(own_tools=False) as gateway:
        async with connect(gateway, principal="ann") as ann:
            for number in range(3):
                await ann.call(f"{number}" * (MOST_NAME + 1))
        written = gateway.metrics.write({})

    series = 'mulligan_gateway_calls_total{client="ann",server="one",tool="",outcome="refused"} 3'
    assert [line for line in written.splitlines() if "calls_total{" in line] == [series]


def test_a_label_cannot_end_its_line():
    metrics = Metrics()
    metrics.add("server_ends_total", 'a"\\\n# b')

    assert r'{server="a\"\\\n# b"} 1' in metrics.write({})


async def test_a_changed_file_counts_at_once_and_a_call_under_way_ends_where_it_began(tmp_path):
    ledger = tmp_path / "ledger"
    one, two = scripted("one", LEDGER=str(ledger)), scripted("two")
    changed = scripted("one", LEDGER=str(ledger), DESCRIBED="Another.")
    async with run_gateway(one, own_tools=False) as gateway, connect(gateway) as client:
        calling = asyncio.ensure_future(client.call("elicit"))
        asked = await client.wait_for(lambda m: m.get("method") == "elicitation/create")
        gateway.change_servers([changed, two])
        client.session.change_servers()
        listed = await client.ask("tools/list")
        told = [each.get("method") for each in client.heard]
        called = await client.call("two_add", {"a": 1, "b": 2})
        answer = {"jsonrpc": "2.0", "id": asked["id"], "result": {"action": "accept"}}
        client.session.take_line(json.dumps(answer).encode())
        ended = await calling
        gateway.change_servers([two])
        client.session.change_servers()
        alone = await client.ask("tools/list")

    names = {tool["name"]: tool.get("description") for tool in listed["result"]["tools"]}
    assert names["one_add"] == "Another."
    assert "two_add" in names
    assert "notifications/tools/list_changed" in told
    assert called["result"]["structuredContent"] == {"result": 3}
    assert "accept" in ended["result"]["content"][0]["text"]
    assert "add" in {tool["name"] for tool in alone["result"]["tools"]}


def test_a_client_that_is_removed_is_not_heard_any_more():
    headers = {"host": "localhost", "authorization": f"Bearer {'a' * 20}"}
    before = Access(tokens={"a" * 20: "ann"}).find_principal(headers)
    after = Access(tokens={"b" * 20: "bob"}).find_principal(headers)

    assert before == "ann"
    assert getattr(after, "status", 0) == 401
