"""Two instances of a gateway with one store: a hold of one is decided and made at the other."""

import asyncio

import pytest

from mulligan import Mode, Mulligan
from mulligan.types.action import ActionQuery, State
from mulligan_gateway.gateway import Gateway
from tests.gateway.world import connect, run_gateway, scripted

pytestmark = pytest.mark.full


def read_names(ledger) -> list[str]:
    if not ledger.exists():
        return []
    return [name for name in ledger.read_text().split() if name.startswith("w")]


def find_held(gateway: Gateway) -> list[str]:
    return [
        each.id
        for each in gateway.insights.open_list.search(ActionQuery())
        if each.state is State.HELD
    ]


@pytest.fixture
def ledger(tmp_path):
    return tmp_path / "ledger"


async def test_a_hold_of_one_instance_is_approved_and_made_through_the_other(postgres_url, ledger):
    server = scripted(LEDGER=str(ledger), DESTROYS="write")
    async with (
        run_gateway(server, m=Mulligan(postgres_url), mode=Mode.SUGGEST) as first,
        run_gateway(server, m=Mulligan(postgres_url), mode=Mode.SUGGEST) as second,
        connect(first, principal="ann") as here,
        connect(second, principal="ann") as there,
        connect(second, principal="bob") as stranger,
    ):
        held = await here.call("write", {"name": "w1"})
        status = await there.call("mulligan_status")
        unknown = await stranger.call("mulligan_status")
        (hold,) = find_held(second)
        await asyncio.to_thread(second.insights.open_list.approve, hold, by="eve")
        made = await there.call("write", {"name": "w1"})
        again = await here.call("write", {"name": "w1"})

    assert held["result"]["isError"]
    assert hold in status["result"]["content"][0]["text"]
    assert hold not in unknown["result"]["content"][0]["text"]
    assert made["result"]["content"][0]["text"] == "written"
    assert again["result"]["isError"]  # it is another call, which is held anew
    assert read_names(ledger) == ["w1"]


async def test_an_approved_call_is_made_once_where_both_instances_get_it(postgres_url, ledger):
    server = scripted(LEDGER=str(ledger), DESTROYS="write")
    names = [f"w{number}" for number in range(5)]
    async with (
        run_gateway(server, m=Mulligan(postgres_url), mode=Mode.SUGGEST) as first,
        run_gateway(server, m=Mulligan(postgres_url), mode=Mode.SUGGEST) as second,
        connect(first, principal="ann") as here,
        connect(second, principal="ann") as there,
    ):
        for name in names:
            await here.call("write", {"name": name})
        for hold in find_held(first):
            await asyncio.to_thread(first.insights.open_list.approve, hold, by="eve")
        asked = [each.call("write", {"name": name}) for name in names for each in (here, there)]
        answers = await asyncio.gather(*asked)

    # The other one waits, and has the same answer, or holds what it takes for another call.
    assert not [each for each in answers if "error" in each], [*first.reports, *second.reports]
    told = [each["result"]["content"][0]["text"] for each in answers]
    assert told.count("written") >= len(names)
    assert sorted(read_names(ledger)) == names
