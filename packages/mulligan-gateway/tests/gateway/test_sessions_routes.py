import json

import pytest
from msgspec import Raw

from mulligan_gateway.protocol import Frame
from mulligan_gateway.tool_list import write_for_server
from mulligan_gateway.tools import PROMPTS, RESOURCES, ListedItem
from tests.gateway.world import connect, run_gateway, scripted

GREET = ListedItem(server="a", kind=PROMPTS, name="greet")
MEMO = ListedItem(server="a", kind=RESOURCES, name="memo://1")


@pytest.mark.parametrize(
    ("method", "item", "said", "sent"),
    [
        ("prompts/get", GREET, {"name": "a_greet", "y": 2}, {"name": "greet", "y": 2}),
        (
            "completion/complete",
            GREET,
            {"ref": {"type": "ref/prompt", "name": "a_greet"}},
            {"ref": {"type": "ref/prompt", "name": "greet"}},
        ),
        ("resources/read", MEMO, {"uri": "memo://1"}, {"uri": "memo://1"}),
    ],
)
def test_a_server_reads_its_own_names(method, item, said, sent):
    frame = Frame(method=method, params=Raw(json.dumps(said).encode()))

    assert json.loads(bytes(write_for_server(frame, item))) == sent


async def test_of_one_server_everything_is_for_it_as_it_came():
    async with run_gateway() as gateway, connect(gateway) as client:
        answer = await client.ask("odd/method", {"x": 1})

    assert answer["result"]["odd"] == {"x": 1}


async def test_of_several_a_request_goes_by_the_name_or_resource_that_it_has():
    servers = [scripted("a", SERVER_NAME="a"), scripted("b", SERVER_NAME="b")]
    async with run_gateway(*servers) as gateway, connect(gateway) as client:
        prompt = await client.ask("prompts/get", {"name": "b_greet"})
        resource = await client.ask("resources/read", {"uri": "memo://b/1"})
        completed = await client.ask("completion/complete", {"ref": {"name": "a_greet"}})

    assert prompt["result"]["messages"][0]["content"]["text"] == "greet"
    assert resource["result"]["contents"][0]["uri"] == "memo://b/1"
    assert completed["result"]["completion"]["values"] == ["greet"]


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
