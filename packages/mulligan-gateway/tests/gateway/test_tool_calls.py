import json

import pytest

from mulligan import Effect, Memory, Mode, Mulligan
from mulligan.stores.opening import open_store
from mulligan.types.lesson import LessonQuery
from mulligan.types.log import LogQuery
from tests.gateway.world import connect, run_gateway, scripted, wait_until

ODD = (
    '{"z": 1.10, "content": [{"type": "text", "text": "\\u00e9", "x": {"b": 1, "a": 2}}], "a": []}'
)


def bare(line: bytes) -> bytes:
    """A result without the id it came under."""
    return line.partition(b'"result":')[2]


@pytest.mark.parametrize("mode", list(Mode))
async def test_a_success_is_handed_on_byte_for_byte(mode):
    async with run_gateway(mode=mode) as gateway, connect(gateway) as client:
        await client.call("raw", {"text": ODD})

    assert bare(client.lines[-1]) == ODD.encode() + b"}"


@pytest.mark.parametrize("mode", list(Mode))
async def test_arguments_reach_the_server_as_they_were_written(mode):
    async with run_gateway(mode=mode) as gateway, connect(gateway) as client:
        params = b'{"arguments":{"value":{"n":1.0,"z":[true,null],"a":"x"}},"name":"echo","q":1}'
        line = b'{"jsonrpc":"2.0","id":1,"method":"tools/call","params":%b}' % params
        client.session.take_line(line)
        answer = await client.wait_for(lambda m: m.get("id") == 1)

    got = json.loads(answer["result"]["content"][0]["text"])
    assert got == {"got": {"value": {"n": 1.0, "z": [True, None], "a": "x"}}, "meta": None}


async def test_a_failure_keeps_everything_and_gets_a_marked_block():
    async with run_gateway(mode=Mode.SUGGEST) as gateway, connect(gateway) as client:
        answer = await client.call("fail", {"why": "404: no such event"})

    result = answer["result"]
    assert result["isError"] is True
    assert result["odd"] == {"z": 1, "a": 2}
    assert result["content"][0] == {"type": "text", "text": "404: no such event"}
    assert [part["_meta"] for part in result["content"][1:]] == [{"mulligan/note": True}]


async def test_in_the_mode_that_only_watches_a_failure_is_as_it_came():
    async with run_gateway() as gateway, connect(gateway) as client:
        answer = await client.call("fail", {"why": "404: no such event"})

    assert answer["result"]["content"] == [{"type": "text", "text": "404: no such event"}]


@pytest.mark.parametrize("mode", list(Mode))
async def test_an_error_of_the_protocol_is_handed_on_as_it_came(mode):
    async with run_gateway(mode=mode) as gateway, connect(gateway) as client:
        answer = await client.call("refuse")

    assert answer["error"] == {"code": -32050, "message": "Not today.", "data": {"why": "rain"}}


async def test_every_call_is_in_the_log_with_its_server_and_agent(tmp_path):
    m = Mulligan(f"sqlite:///{tmp_path}/log.db")
    async with run_gateway(m=m) as gateway, connect(gateway) as client:
        await client.call("add", {"a": 1, "b": 2})
        await client.call("fail", {"why": "no"})
        await client.session.finish()
        m.flush()
        from mulligan.types.log import LogQuery

        rows = m.insights.log(LogQuery())

    assert [(r.tool, r.server, r.agent, r.outcome) for r in rows] == [
        ("fail", "one", "tester", "failure"),
        ("add", "one", "tester", "success"),
    ]


async def test_what_the_client_says_to_us_goes_no_further():
    async with run_gateway() as gateway, connect(gateway) as client:
        answer = await client.call(
            "echo", {}, mulligan__message="private", mulligan__turn="t", other=1
        )

    got = json.loads(answer["result"]["content"][0]["text"])
    assert got["meta"] == {"other": 1}


async def test_a_stated_intent_is_asked_for_and_stripped():
    async with run_gateway(intent=True) as gateway, connect(gateway) as client:
        listed = await client.ask("tools/list")
        answer = await client.call("echo", {"value": 1, "why_this_call": "to try it"})

    assert "why_this_call" in listed["result"]["tools"][0]["inputSchema"]["properties"]
    assert json.loads(answer["result"]["content"][0]["text"])["got"] == {"value": 1}


async def test_a_call_of_a_tool_that_cannot_be_undone_waits_for_a_person(tmp_path):
    ledger = tmp_path / "ledger"
    m = Mulligan(f"sqlite:///{tmp_path}/log.db")
    m.declare("write", server="one", effect=Effect.IRREVERSIBLE)
    server = scripted(LEDGER=str(ledger))
    async with run_gateway(server, m=m) as gateway, connect(gateway) as client:
        client.say("tools/call", {"name": "write", "arguments": {"name": "x"}}, key="c")
        asked = await client.wait_for(lambda m: m.get("method") == "elicitation/create")
        before = ledger.read_text()
        said = {"action": "accept", "content": {"approve": True}}
        answer = {"jsonrpc": "2.0", "id": asked["id"], "result": said}
        client.session.take_line(json.dumps(answer).encode())
        result = await client.wait_for(lambda m: m.get("id") == "c" and "result" in m)

    assert "x" not in before.split()
    assert "write" in asked["params"]["message"].lower()
    assert result["result"]["content"][0]["text"] == "written"
    assert ledger.read_text().split().count("x") == 1


async def test_a_person_who_says_no_is_heard(tmp_path):
    ledger = tmp_path / "ledger"
    m = Mulligan(f"sqlite:///{tmp_path}/log.db")
    m.declare("write", server="one", effect=Effect.IRREVERSIBLE)
    server = scripted(LEDGER=str(ledger))
    async with run_gateway(server, m=m) as gateway, connect(gateway) as client:
        client.say("tools/call", {"name": "write", "arguments": {"name": "x"}}, key="c")
        asked = await client.wait_for(lambda m: m.get("method") == "elicitation/create")
        answer = {"jsonrpc": "2.0", "id": asked["id"], "result": {"action": "decline"}}
        client.session.take_line(json.dumps(answer).encode())
        result = await client.wait_for(lambda m: m.get("id") == "c" and "result" in m)

    assert result["result"]["isError"] is True
    assert "denied" in result["result"]["content"][0]["text"]
    assert "x" not in ledger.read_text().split()


async def test_a_tool_that_no_server_has_is_refused():
    servers = scripted("a"), scripted("b")
    async with run_gateway(*servers) as gateway, connect(gateway) as client:
        answer = await client.call("c_add", {})

    assert answer["error"]["code"] == -32602


async def test_calls_of_one_named_turn_belong_together(tmp_path):
    m = Mulligan(f"sqlite:///{tmp_path}/log.db")
    async with run_gateway(m=m) as gateway, connect(gateway) as client:
        await client.call("add", {"a": 1, "b": 2}, mulligan__turn="t")
        await client.call("add", {"a": 1, "b": 3}, mulligan__turn="t", mulligan__done=True)
        await client.call("add", {"a": 1, "b": 4})
        await client.session.finish()
        m.flush()
        from mulligan.types.log import LogQuery

        rows = m.insights.log(LogQuery())

    assert len(rows) == 3
    assert len({row.turn for row in rows}) == 2


async def test_a_call_reaches_its_server_under_the_id_and_token_of_its_client():
    async with run_gateway(mode=Mode.SUGGEST) as gateway, connect(gateway) as client:
        sent = []
        upstream = client.session.upstreams["one"]
        upstream.way = SeenWay(upstream.way, sent)
        params = {"name": "add", "arguments": {"a": 1, "b": 2}, "_meta": {"progressToken": "t"}}
        await client.ask("tools/call", params, key="mine")

    (called,) = [each for each in map(json.loads, sent) if each["method"] == "tools/call"]
    assert called["id"] == "mine"
    assert called["params"] == params


class SeenWay:
    """A way to a server, and what goes there."""

    def __init__(self, way, sent: list[bytes]) -> None:
        self._way = way
        self._sent = sent

    def send(self, frame: bytes) -> None:
        self._sent.append(frame)
        self._way.send(frame)

    def __getattr__(self, name: str):
        return getattr(self._way, name)


@pytest.mark.parametrize("mode", [Mode.OBSERVE, Mode.SUGGEST])
async def test_what_mended_a_call_of_one_client_is_known_to_the_next_gateway(tmp_path, mode):
    url = f"sqlite:///{tmp_path}/log.db"
    for number in range(2):
        m = Mulligan(url, memory=Memory(control=0, seeds=False))
        m.declare("find_order", server="one", effect=Effect.READ, mode=mode)
        async with run_gateway(scripted(ORDERS="1"), m=m) as gateway, connect(gateway) as client:
            await client.call("find_order", {"order_id": f"W{number}"})
            # What is only watched is looked at once its client has its answer.
            await wait_until(lambda ends=client.session.ends: ends.failed)
            await client.call("find_order", {"order_id": f"#W{number}"})
            await wait_until(lambda ends=client.session.ends: not ends.failed)

    store = open_store(url)
    [lesson] = store.casebook.list_lessons(LessonQuery(tool="find_order"))
    store.close()
    assert lesson.seen == 2


async def test_calls_without_a_name_are_turns_of_their_own_where_none_failed():
    m = Mulligan("memory:")
    m.declare("find_order", server="one", effect=Effect.READ)
    async with run_gateway(scripted(ORDERS="1"), m=m) as gateway, connect(gateway) as client:
        for order in ("#W1", "#W2", "W3", "#W3", "#W4"):
            await client.call("find_order", {"order_id": order})
        m.flush()
        rows = m.insights.log(LogQuery(oldest_first=True))

    turns = [row.turn for row in rows if row.try_number == 1]
    first, second, failed, mended, last = turns
    assert failed == mended
    assert len({first, second, failed, last}) == 4


@pytest.mark.parametrize("key", ["mulligan/context", "io.modelcontextprotocol/clientInfo"])
async def test_a_call_of_another_agent_or_for_something_else_is_no_next_try(key):
    m = Mulligan("memory:")
    m.declare("find_order", server="one", effect=Effect.READ)
    async with run_gateway(scripted(ORDERS="1"), m=m) as gateway, connect(gateway) as client:
        client.session.ends.said.pop("clientInfo", None)
        for order, said in (("W3", "a"), ("#W3", "b")):
            meta = {key: said if key == "mulligan/context" else {"name": said}}
            await client.call("find_order", {"order_id": order}, **meta)
        m.flush()
        rows = m.insights.log(LogQuery(oldest_first=True))

    failed, mended = [row for row in rows if row.try_number == 1]
    assert failed.turn != mended.turn
