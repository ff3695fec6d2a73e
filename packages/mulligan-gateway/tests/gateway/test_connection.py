import asyncio
import json
import os
import signal
from pathlib import Path

import pytest
from msgspec.structs import replace

from mulligan import Mode, Mulligan
from mulligan_gateway.servers_file import Server
from tests.gateway.world import QUICK, connect, run_gateway, scripted, wait_until


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


async def test_an_answer_that_cannot_be_read_or_is_too_long_ends_its_call():
    async with run_gateway() as gateway, connect(gateway) as client:
        garbled = client.call("garble")
        answers = await asyncio.gather(garbled, client.call("long"))
        again = await client.call("add", {"a": 1, "b": 2})

    assert "too long" in json.dumps(answers[1])
    assert again["result"]["structuredContent"] == {"result": 3}


async def test_every_request_of_a_killed_server_has_an_end():
    async with run_gateway() as gateway, connect(gateway) as client:
        asked = [client.call("hang") for _ in range(20)]
        asked += [client.ask("odd/method", {"n": n}) for n in range(5)]
        waiting = asyncio.gather(*asked)
        await asyncio.sleep(0.3)
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


async def test_one_that_says_nothing_any_more_is_started_anew():
    limits = replace(QUICK, answer=0.3)
    async with run_gateway(limits=limits) as gateway, connect(gateway) as client:
        os.kill(read_pid(client), signal.SIGSTOP)
        await asyncio.gather(*(client.call("add", {"a": 1, "b": n}) for n in range(3)))
        again = await client.call("add", {"a": 1, "b": 2})

    assert again["result"]["structuredContent"] == {"result": 3}
