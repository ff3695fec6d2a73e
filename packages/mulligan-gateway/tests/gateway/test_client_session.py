"""One client and its servers: what passes, and what happens when a server misbehaves."""

import asyncio
import json
import os
import signal
import sys
from pathlib import Path

import pytest
from msgspec.structs import replace

from mulligan import Mode, Mulligan
from mulligan.types.errors import ConfigurationError
from mulligan_gateway.client_session import merge_greetings
from mulligan_gateway.servers_file import Server
from mulligan_gateway.tools import TOOLS, ToolFailedError
from tests.gateway.world import INITIALIZE, QUICK, connect, run_gateway, scripted, wait_until


async def test_whatever_the_gateway_does_not_know_passes_in_both_directions():
    async with run_gateway() as gateway, connect(gateway) as client:
        answer = await client.ask("odd/method", {"b": 1, "a": [1.50]})

        assert client.lines[-1].endswith(b'"result":{"odd": {"b": 1, "a": [1.5]}, "n": 1.5}}')
        assert answer["result"]["odd"] == {"b": 1, "a": [1.5]}


async def test_ids_come_back_as_they_were_given():
    async with run_gateway() as gateway, connect(gateway) as client:
        for key in (0, -7, "7", "a b", 12345678901234567890):
            answer = await client.ask("ping", key=key)

            assert answer["id"] == key
            assert type(answer["id"]) is type(key)


async def test_a_server_may_ask_its_client_and_gets_its_answer():
    async with run_gateway() as gateway, connect(gateway) as client:
        client.say("tools/call", {"name": "sample"}, key="c")
        asked = await client.wait_for(lambda m: m.get("method") == "sampling/createMessage")
        said = {"jsonrpc": "2.0", "id": asked["id"], "result": {"role": "assistant"}}
        client.session.take_line(json.dumps(said).encode())
        answer = await client.wait_for(lambda m: m.get("id") == "c")

    assert json.loads(answer["result"]["content"][0]["text"]) == {"role": "assistant"}


async def test_progress_is_told_under_the_clients_own_token():
    async with run_gateway() as gateway, connect(gateway) as client:
        await client.call("progress", {"steps": 3}, progressToken="mine")

    told = [m["params"] for m in client.heard if m.get("method") == "notifications/progress"]
    assert told == [{"progressToken": "mine", "progress": n} for n in (1, 2, 3)]


def count_hung(ledger: Path) -> int:
    """Calls that a server has got and never answers."""
    return ledger.read_text().split().count("hang") if ledger.exists() else 0


async def test_a_cancelled_call_is_cancelled_at_its_server_too(tmp_path):
    ledger = tmp_path / "ledger"
    server = scripted(LEDGER=str(ledger))
    async with run_gateway(server) as gateway, connect(gateway) as client:
        client.say("tools/call", {"name": "hang"}, key="c")
        await wait_until(lambda: count_hung(ledger) == 1)
        client.say("notifications/cancelled", {"requestId": "c"})
        await client.ask("ping")

    assert ledger.read_text().splitlines() == [
        "notifications/initialized",
        "hang",
        "notifications/cancelled",
    ]
    assert not [m for m in client.heard if m.get("id") == "c"]


async def test_what_a_server_says_by_itself_reaches_its_client():
    async with run_gateway() as gateway, connect(gateway) as client:
        await client.call("shout")

        await client.wait_for(lambda m: m.get("method") == "notifications/message")


async def test_two_clients_have_servers_of_their_own():
    async with (
        run_gateway() as gateway,
        connect(gateway) as one,
        connect(gateway) as other,
    ):
        await asyncio.gather(*(one.call("shout") for _ in range(5)))
        answers = await asyncio.gather(*(other.ask("ping", key=n) for n in range(5)))

    assert [answer["id"] for answer in answers] == list(range(5))
    assert not [m for m in other.heard if m.get("method") == "notifications/message"]


async def test_a_message_that_cannot_be_read_is_answered_if_it_has_an_id():
    async with run_gateway() as gateway, connect(gateway) as client:
        before = len(client.heard)
        client.session.take_line(b'{"jsonrpc":"2.0","id":5,"method":7}')
        client.session.take_line(b"[" * 1000)
        client.session.take_line(b'[{"jsonrpc":"2.0","id":6,"method":"ping"}]')
        client.session.take_line(b"hello")
        await client.ask("ping")

    codes = [(m["id"], m["error"]["code"]) for m in client.heard[before:] if "error" in m]
    assert codes == [(5, -32600)]
    assert client.session.client.dropped == 4


async def test_several_servers_are_one_with_their_names_before_their_tools():
    servers = scripted("a", SERVER_NAME="a"), scripted("b", SERVER_NAME="b")
    async with run_gateway(*servers) as gateway, connect(gateway) as client:
        page = (await client.ask("tools/list"))["result"]
        rest = (await client.ask("tools/list", {"cursor": page["nextCursor"]}))["result"]
        names = {tool["name"] for tool in (*page["tools"], *rest["tools"])}
        called = await client.call("b_add", {"a": 1, "b": 2})
        listed = (await client.ask("resources/list"))["result"]["resources"]
        read = await client.ask("resources/read", {"uri": listed[1]["uri"]})
        prompt = await client.ask("prompts/get", {"name": "a_greet"})
        ref = {"type": "ref/prompt", "name": "b_greet"}
        completed = await client.ask("completion/complete", {"ref": ref})

    assert {"a_add", "b_add", "a_shout", "b_shout", "mulligan_why"} <= names
    assert "nextCursor" not in rest
    assert called["result"]["structuredContent"] == {"result": 3}
    assert [each["uri"] for each in listed] == ["memo://a/1", "memo://b/1"]
    assert read["result"]["contents"][0]["text"] == "read memo://b/1"
    assert prompt["result"]["messages"][0]["content"]["text"] == "greet"
    assert completed["result"]["completion"]["values"] == ["greet"]


async def test_one_of_several_servers_that_cannot_start_takes_no_other_with_it():
    from mulligan_gateway.servers_file import Server

    servers = scripted("a"), Server(name="b", command=("/there/is/no/such/program",))
    async with run_gateway(*servers) as gateway, connect(gateway) as client:
        called = await client.call("a_add", {"a": 1, "b": 2})
        refused = await client.call("b_add", {"a": 1, "b": 2})

    assert called["result"]["structuredContent"] == {"result": 3}
    assert "cannot be started" in json.dumps(refused)
    assert any("'b' cannot be started" in said for said in gateway.reports)


def read_pid(client) -> int:
    upstream = next(iter(client.session.upstreams.values()))
    return upstream._life._process.get_pid()


@pytest.mark.parametrize("mode", [Mode.OBSERVE, Mode.SUGGEST])
async def test_a_call_whose_server_dies_ends_and_the_next_one_is_answered(mode, tmp_path):
    server = scripted(LEDGER=str(tmp_path / "ledger"))
    async with run_gateway(server, mode=mode) as gateway, connect(gateway) as client:
        died = await client.call("die")
        again = await client.call("add", {"a": 1, "b": 2})

    assert "is gone" in json.dumps(died)
    assert again["result"]["structuredContent"] == {"result": 3}
    assert (tmp_path / "ledger").read_text().split().count("die") == 1
    assert (tmp_path / "ledger").read_text().split().count("notifications/initialized") == 2


@pytest.mark.full
@pytest.mark.parametrize("mode", [Mode.OBSERVE, Mode.AUTO])
async def test_a_call_that_hangs_is_given_up_and_cancelled_at_its_server(mode, tmp_path):
    server, limits = scripted(LEDGER=str(tmp_path / "ledger")), replace(QUICK, answer=0.5)
    async with (
        run_gateway(server, mode=mode, limits=limits) as gateway,
        connect(gateway) as client,
    ):
        hung = await client.call("hang")
        again = await client.call("add", {"a": 1, "b": 2})
        await client.ask("ping")

    assert "has not answered within 0.5 seconds" in json.dumps(hung)
    assert again["result"]["structuredContent"] == {"result": 3}
    words = (tmp_path / "ledger").read_text().split()
    assert words.count("hang") == 1
    assert words.count("notifications/cancelled") == 1


@pytest.mark.full
async def test_an_answer_that_cannot_be_read_or_is_too_long_ends_its_call():
    limits = replace(QUICK, server_frame=4_194_304)
    async with run_gateway(limits=limits) as gateway, connect(gateway) as client:
        garbled = client.call("garble")
        answers = await asyncio.gather(garbled, client.call("long"))
        again = await client.call("add", {"a": 1, "b": 2})

    assert "cannot be read" in json.dumps(answers[0])
    assert "is longer than 4194304 bytes" in json.dumps(answers[1])
    assert again["result"]["structuredContent"] == {"result": 3}


async def test_an_answer_that_is_too_long_ends_its_call_also_where_its_id_stands_last():
    limits = replace(QUICK, server_frame=20_000)
    async with run_gateway(limits=limits) as gateway, connect(gateway) as client:
        answer = await client.call("long", {"size": 30_000, "id_last": True})

    said = "is longer than 20000 bytes, the most that is taken (--max-message)."
    assert said in json.dumps(answer)


async def test_a_request_of_a_server_that_is_too_long_is_refused_and_ends_no_call():
    limits = replace(QUICK, server_frame=20_000)
    async with run_gateway(limits=limits) as gateway, connect(gateway) as client:
        answer = await client.ask("tools/call", {"name": "ask_long", "arguments": {}}, key="ask-1")

    assert "is longer than 20000 bytes" in answer["result"]["content"][0]["text"]


async def test_every_request_of_a_killed_server_has_an_end(tmp_path):
    ledger = tmp_path / "ledger"
    server = scripted(LEDGER=str(ledger))
    async with run_gateway(server) as gateway, connect(gateway) as client:
        asked = [client.call("hang") for _ in range(20)]
        asked += [client.ask("odd/method", {"n": n}) for n in range(5)]
        waiting = asyncio.gather(*asked)
        await wait_until(lambda: count_hung(ledger) == 20)
        os.kill(read_pid(client), signal.SIGKILL)
        answers = await waiting

    assert len(answers) == 25
    assert sum("is gone" in json.dumps(each) for each in answers) == 20


async def test_one_that_dies_at_once_again_and_again_is_left_alone_for_a_while():
    server = Server(name="s", command=("/bin/sh", "-c", "exit 3"))
    async with run_gateway(server) as gateway, connect(gateway, greets=False) as client:
        for _ in range(QUICK.restarts):
            await client.ask("initialize", {})
        before = client.session.upstreams["s"].lives
        answer = await client.ask("initialize", {})
        refused = await client.ask("initialize", {})

        assert "times in a row" in json.dumps([answer, refused])
        assert client.session.upstreams["s"].lives <= before + 1


async def test_no_process_is_left_when_a_client_is_gone():
    async with run_gateway() as gateway:
        async with connect(gateway) as client:
            await client.call("add", {"a": 1, "b": 2})
            pid = read_pid(client)
        await wait_until(lambda: not Path(f"/proc/{pid}").exists())


async def test_a_call_to_a_server_that_cannot_start_is_known_not_to_have_been_made(tmp_path):
    m = Mulligan(f"sqlite:///{tmp_path}/log.db")
    server = Server(name="s", command=("/there/is/no/such/program",))
    async with run_gateway(server, m=m) as gateway, connect(gateway, greets=False) as client:
        answer = await client.call("add", {})
        m.flush()
        from mulligan.types.log import LogQuery

        (row,) = m.insights.log(LogQuery())

    assert "cannot be started" in answer["result"]["content"][0]["text"]
    assert row.error_class == "not_sent"


@pytest.mark.full
async def test_one_that_says_nothing_any_more_is_started_anew():
    limits = replace(QUICK, answer=1.0)
    async with run_gateway(limits=limits) as gateway, connect(gateway) as client:
        os.kill(read_pid(client), signal.SIGSTOP)
        await asyncio.gather(*(client.call("add", {"a": 1, "b": n}) for n in range(3)))
        again = await client.call("add", {"a": 1, "b": 2})

    assert again["result"]["structuredContent"] == {"result": 3}


def test_several_servers_speak_the_oldest_revision_and_can_what_one_can():
    one = {"protocolVersion": "2025-11-25", "capabilities": {"tools": {"listChanged": True}}}
    other = {
        "protocolVersion": "2025-06-18",
        "capabilities": {"tools": {}, "prompts": {}},
        "instructions": "Be brief.",
    }

    merged = merge_greetings([one, other], version="1")

    assert merged == {
        "protocolVersion": "2025-06-18",
        "capabilities": {"tools": {"listChanged": True}, "prompts": {}},
        "serverInfo": {"name": "mulligan", "version": "1"},
        "instructions": "Be brief.",
    }


def test_without_a_handshake_only_what_all_speak_is_offered():
    one = {"supportedVersions": ["2026-07-28", "2027-01-01"], "capabilities": {}}
    other = {"supportedVersions": ["2026-07-28"], "capabilities": {"tools": {}}}

    assert merge_greetings([one, other], version="1")["supportedVersions"] == ["2026-07-28"]


async def test_where_one_server_is_of_an_earlier_revision_all_are_greeted_that_way():
    async with (
        run_gateway(scripted("a"), scripted("b")) as gateway,
        connect(gateway, greets=False) as client,
    ):
        answer = await client.ask("server/discover", {})
        said = await client.greet()

    assert answer["error"]["code"] == -32601
    assert said["serverInfo"]["name"] == "mulligan"


async def test_beside_a_server_of_an_earlier_revision_the_tools_of_a_newer_one_are_there_too():
    async with (
        run_gateway(scripted("new", MODERN="1"), scripted("old")) as gateway,
        connect(gateway, greets=False) as client,
    ):
        probed = await client.ask("server/discover", {})
        await client.greet()
        listed = await client.ask("tools/list")
        called = await client.call("new_add", {"a": 1, "b": 2})

    assert probed["error"]["code"] == -32601
    names = {tool["name"] for tool in listed["result"]["tools"]}
    assert {"new_add", "old_add"} <= names
    assert called["result"]["structuredContent"] == {"result": 3}


async def test_a_server_that_is_not_there_is_not_taken_for_one_of_an_earlier_revision():
    servers = scripted("new", MODERN="only"), Server(name="gone", command=("/no/such/program",))
    async with run_gateway(*servers) as gateway, connect(gateway, greets=False) as client:
        probed = await client.ask("server/discover", {})

    assert probed["result"]["supportedVersions"] == ["2026-07-28"]


async def test_no_client_waits_for_a_slow_server_and_its_tools_come_once_it_is_there(tmp_path):
    gate = tmp_path / "gate"
    slow = scripted("slow", STARTS_WITH=str(gate), MODERN="yes")
    limits = replace(QUICK, greeting=0.0)
    async with (
        run_gateway(slow, scripted("old"), limits=limits) as gateway,
        connect(gateway, greets=False) as client,
    ):
        client.say("server/discover", {}, key="probe")
        greeting = await client.greet()
        before = await client.ask("tools/list")
        status = await client.call("mulligan_status")
        gate.touch()
        await client.wait_for(lambda m: m.get("method") == "notifications/tools/list_changed")
        after = await client.ask("tools/list")
        made = await client.call("slow_add", {"a": 1, "b": 2})
        later = await client.call("mulligan_status")

    names = [{tool["name"] for tool in each["result"]["tools"]} for each in (before, after)]
    assert greeting["capabilities"]["tools"]["listChanged"] is True
    assert "old_add" in names[0]
    assert "slow_add" not in names[0]
    assert names[1] >= {"old_add", "slow_add"}
    assert made["result"]["structuredContent"] == {"result": 3}
    assert "The server 'slow' is still starting." in json.dumps(status)
    assert "slow" not in json.dumps(later)


@pytest.mark.parametrize("revision", ["only", "yes", ""])
async def test_who_asks_what_servers_can_waits_for_a_slow_one_no_longer_than_a_handshake(
    tmp_path, revision
):
    gate, ledger = tmp_path / "gate", tmp_path / "ledger"
    slow = scripted("slow", STARTS_WITH=str(gate), MODERN=revision, LEDGER=str(ledger))
    limits = replace(QUICK, greeting=0.0)
    async with (
        run_gateway(slow, scripted("new", MODERN="yes"), limits=limits) as gateway,
        connect(gateway, greets=False) as client,
    ):
        first = await client.ask("server/discover", {})
        again = await client.ask("server/discover", {})
        status = await client.call("mulligan_status")
        greeting = await client.greet()
        gate.touch()
        await client.wait_for(lambda m: m.get("method") == "notifications/tools/list_changed")
        made = await client.call("slow_add", {"a": 1, "b": 2})

    assert first["error"]["code"] == -32601
    assert "slow may only know the handshake" in first["error"]["message"]
    assert again["result"]["supportedVersions"] == ["2026-07-28"]
    assert "The server 'slow' is still starting." in json.dumps(status)
    assert greeting["serverInfo"]["name"] == "mulligan"
    assert made["result"]["structuredContent"] == {"result": 3}
    introduced = ["notifications/initialized"] if not revision else []
    assert (ledger.read_text() if ledger.exists() else "").split() == introduced


async def test_a_slow_server_that_the_operator_replaces_is_waited_for_no_more(tmp_path):
    slow = scripted("slow", STARTS_WITH=str(tmp_path / "never"))
    limits = replace(QUICK, greeting=0.0)
    async with (
        run_gateway(slow, scripted("old"), limits=limits) as gateway,
        connect(gateway) as client,
    ):
        gateway.change_servers([scripted("slow"), scripted("old")])
        client.session.change_servers()
        listed = await client.ask("tools/list")

    assert {"old_add", "slow_add"} <= {tool["name"] for tool in listed["result"]["tools"]}


async def test_a_client_is_told_which_server_is_not_there_and_why():
    broken = Server(name="broken", command=("/there/is/no/such/program",))
    async with run_gateway(broken, scripted("old")) as gateway, connect(gateway) as client:
        status = await client.call("mulligan_status")

    assert "The server 'broken' cannot be started: " in json.dumps(status)


@pytest.mark.parametrize("beside", [(), ("old",), ("other",)])
async def test_a_server_that_takes_no_handshake_serves_a_client_that_makes_one(beside, tmp_path):
    ledger = tmp_path / "ledger"
    newest = scripted("new", MODERN="only", LEDGER=str(ledger))
    others = [scripted(name, **{"MODERN": "only"} if name == "other" else {}) for name in beside]
    prefix = "new_" if beside else ""
    async with run_gateway(newest, *others) as gateway, connect(gateway) as client:
        client.say("notifications/roots/list_changed")
        await client.ask("logging/setLevel", {"level": "debug"})
        listed = await client.ask("tools/list")
        echoed = await client.call(f"{prefix}echo", {"value": 1}, progressToken="p")
        pinged = await client.ask("ping")

    names = {tool["name"] for tool in listed["result"]["tools"]}
    assert {f"{prefix}add", *(f"{each}_add" for each in beside)} <= names
    meta = json.loads(echoed["result"]["content"][0]["text"])["meta"]
    assert meta["io.modelcontextprotocol/protocolVersion"] == "2026-07-28"
    assert meta["io.modelcontextprotocol/clientInfo"] == INITIALIZE["clientInfo"]
    assert meta["io.modelcontextprotocol/logLevel"] == "debug"
    assert pinged["result"] == {}
    assert not ledger.exists()  # it was told nothing that its revision does not know


async def test_what_such_a_server_asks_in_its_answer_is_asked_of_an_older_client_as_a_request():
    async with (
        run_gateway(scripted(MODERN="only"), mode=Mode.SUGGEST) as gateway,
        connect(gateway) as client,
    ):
        calling = asyncio.ensure_future(client.call("elicit"))
        asked = await client.wait_for(lambda m: m.get("method") == "elicitation/create")
        answer = {"jsonrpc": "2.0", "id": asked["id"], "result": {"action": "accept"}}
        client.session.take_line(json.dumps(answer).encode())
        answered = await calling
        again = asyncio.ensure_future(client.call("elicit"))
        asked = await client.wait_for(
            lambda m: m.get("method") == "elicitation/create" and m["id"] != asked["id"]
        )
        refusal = {"jsonrpc": "2.0", "id": asked["id"], "error": {"code": -1, "message": "Nobody"}}
        client.session.take_line(json.dumps(refusal).encode())
        refused = await again

    said = json.loads(answered["result"]["content"][0]["text"])
    assert said == {"said": {"one": {"action": "accept"}}, "state": "s-1"}
    assert refused["error"] == {"code": -1, "message": "Nobody"}


async def test_a_server_that_takes_no_handshake_is_introduced_anew_when_it_comes_back(tmp_path):
    ledger = tmp_path / "ledger"
    newest = scripted(MODERN="only", LEDGER=str(ledger))
    async with run_gateway(newest) as gateway, connect(gateway) as client:
        await client.call("die")
        answer = await client.call("echo", {"value": 1})

    assert "2026-07-28" in answer["result"]["content"][0]["text"]
    assert ledger.read_text().split() == ["die"]


async def test_where_no_server_can_be_started_its_client_hears_why():
    servers = [Server(name=name, command=(f"/no/such/{name}",)) for name in ("a", "b")]
    async with run_gateway(*servers) as gateway, connect(gateway, greets=False) as client:
        refused = await client.ask("initialize", INITIALIZE)

    assert "/no/such/a" in refused["error"]["message"]
    assert "/no/such/b" in refused["error"]["message"]


async def test_a_cursor_that_is_none_of_ours_is_answered_as_an_error():
    async with run_gateway(scripted("a"), scripted("b")) as gateway, connect(gateway) as client:
        answers = [
            await client.ask("tools/list", {"cursor": written})
            for written in ("8", "e30=", "bm9uc2Vuc2U=", "WzFd", "eyJhIjogMX0=")
        ]

    assert [each["error"]["code"] for each in answers] == [-32602] * 5


async def test_a_client_that_never_lists_is_served_by_the_schema_all_the_same():
    async with run_gateway() as gateway, connect(gateway) as client:
        await client.call("add", {"a": 1, "b": 2})

        known = client.session.ends.known[TOOLS, "one"]["add"]
        assert known.schema["properties"]["a"] == {"type": "integer"}


@pytest.mark.full
async def test_a_list_that_has_changed_is_asked_for_anew():
    async with run_gateway() as gateway, connect(gateway) as client:
        await client.call("shout")

        assert client.session.ends.known == {}


@pytest.mark.parametrize(
    ("method", "params"),
    [
        ("odd/method", {}),
        ("prompts/get", {"name": "c_greet"}),
        ("prompts/get", {"name": 7}),
        ("resources/read", {"uri": "memo://9"}),
        ("resources/read", {}),
    ],
)
async def test_what_nobody_can_place_goes_to_nobody(method, params):
    async with run_gateway(scripted("a"), scripted("b")) as gateway, connect(gateway) as client:
        answer = await client.ask(method, params)

    assert answer["error"]["code"] == -32602


async def test_the_gateway_reaches_a_server_with_no_client_there():
    async with run_gateway() as gateway:
        listed = await gateway.own.list_tools("one")
        added = await gateway.own.call("one", "add", {"a": 1, "b": 2})
        with pytest.raises(ToolFailedError, match="no such event"):
            await gateway.own.call("one", "fail", {"why": "no such event"})
        with pytest.raises(ToolFailedError, match="Not today"):
            await gateway.own.call("one", "refuse", {})
        with pytest.raises(ConfigurationError, match="no server 'two'"):
            await gateway.own.call("two", "add", {})
        await gateway.stop()

    assert added == 3
    assert len(listed) == 15


async def test_a_server_that_dies_under_it_may_have_done_it_and_is_there_the_next_time():
    async with run_gateway() as gateway:
        with pytest.raises(ConnectionError, match="is gone"):
            await gateway.own.call("one", "die", {})
        again = await gateway.own.call("one", "add", {"a": 1, "b": 2})
        await gateway.stop()

    assert again == 3


async def test_a_server_that_ends_at_its_first_word_is_not_waited_for():
    dead = Server(name="one", command=(sys.executable, "-c", "input()"))
    async with run_gateway(dead) as gateway:
        with pytest.raises(ConnectionError, match="cannot be started: The server 'one' is gone"):
            await asyncio.wait_for(gateway.own.list_tools("one"), 30)
        await gateway.stop()
