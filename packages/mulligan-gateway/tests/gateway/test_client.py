import asyncio
import json

from tests.gateway.world import connect, run_gateway, scripted


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


async def test_a_cancelled_call_is_cancelled_at_its_server_too(tmp_path):
    server = scripted(LEDGER=str(tmp_path / "ledger"))
    async with run_gateway(server) as gateway, connect(gateway) as client:
        client.say("tools/call", {"name": "hang"}, key="c")
        await asyncio.sleep(0.5)
        client.say("notifications/cancelled", {"requestId": "c"})
        await client.ask("ping")

    assert (tmp_path / "ledger").read_text().splitlines() == [
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
