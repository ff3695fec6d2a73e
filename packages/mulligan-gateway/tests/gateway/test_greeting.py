from mulligan_gateway.client_session import merge_greetings
from tests.gateway.world import connect, run_gateway, scripted


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


async def test_of_one_server_the_greeting_is_its_own():
    async with run_gateway() as gateway, connect(gateway, greets=False) as client:
        said = await client.greet()

    assert said["serverInfo"] == {"name": "scripted", "version": "1"}


async def test_where_one_server_is_of_an_earlier_revision_all_are_greeted_that_way():
    async with (
        run_gateway(scripted("a"), scripted("b")) as gateway,
        connect(gateway, greets=False) as client,
    ):
        answer = await client.ask("server/discover", {})
        said = await client.greet()

    assert answer["error"]["code"] == -32601
    assert said["serverInfo"]["name"] == "mulligan"
