from mulligan import Effect, Mulligan
from mulligan_gateway.peers import APPROVAL
from tests.gateway.world import connect, run_gateway, scripted

VERSION = "io.modelcontextprotocol/protocolVersion"
CAN = "io.modelcontextprotocol/clientCapabilities"


async def test_where_a_server_cannot_ask_its_client_asks_again_with_the_answer(tmp_path):
    ledger = tmp_path / "ledger"
    m = Mulligan(f"sqlite:///{tmp_path}/m.db")
    m.declare("write", server="one", effect=Effect.IRREVERSIBLE)
    params = {"name": "write", "arguments": {"name": "x"}}
    params["_meta"] = {VERSION: "2026-07-28", CAN: {"elicitation": {}}}
    server = scripted(LEDGER=str(ledger))
    async with run_gateway(server, m=m) as gateway, connect(gateway, greets=False) as client:
        asked = (await client.ask("tools/call", params))["result"]
        answer = {"action": "accept", "content": {"approve": True}}
        more = {"inputResponses": {APPROVAL: answer}, "requestState": asked["requestState"]}
        done = (await client.ask("tools/call", {**params, **more}))["result"]

    assert asked["resultType"] == "input_required"
    assert asked["inputRequests"][APPROVAL]["method"] == "elicitation/create"
    assert done["content"][0]["text"] == "written"
    assert ledger.read_text().split().count("x") == 1


async def test_a_client_that_cannot_ask_gets_the_id_of_what_waits(tmp_path):
    m = Mulligan(f"sqlite:///{tmp_path}/m.db")
    m.declare("write", server="one", effect=Effect.IRREVERSIBLE)
    async with run_gateway(m=m) as gateway, connect(gateway, can=()) as client:
        held = (await client.call("write", {"name": "x"}))["result"]

    assert held["isError"] is True
    assert "person" in held["content"][0]["text"]
