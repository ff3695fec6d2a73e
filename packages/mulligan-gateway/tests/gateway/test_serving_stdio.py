import asyncio
import json
import os

from mulligan_gateway.stdio_server import serve_stdio
from tests.gateway.world import run_gateway

PING = b'{"jsonrpc":"2.0","id":%d,"method":"ping"}\n'


async def test_a_client_is_served_over_pipes_until_it_is_gone():
    ours, theirs = os.pipe(), os.pipe()
    async with run_gateway() as gateway:
        serving = asyncio.ensure_future(serve_stdio(gateway, reads=ours[0], writes=theirs[1]))
        os.write(ours[1], (PING % 1) + (PING % 2))
        first = await asyncio.to_thread(os.read, theirs[0], 65_536)
        os.close(ours[1])
        await asyncio.wait_for(serving, 20)
    os.close(theirs[1])
    rest = os.read(theirs[0], 65_536)

    said = [json.loads(line) for line in (first + rest).splitlines()]
    assert [each["id"] for each in said] == [1, 2]


async def test_files_are_served_too(tmp_path):
    asked, answered = tmp_path / "in", tmp_path / "out"
    asked.write_bytes(PING % 1)
    async with run_gateway() as gateway:
        with asked.open() as reads, answered.open("w") as writes:
            await serve_stdio(gateway, reads=reads.fileno(), writes=writes.fileno())

    assert json.loads(answered.read_bytes())["id"] == 1


async def test_a_message_that_is_too_long_is_answered_by_its_id(tmp_path):
    asked, answered = tmp_path / "in", tmp_path / "out"
    long = b'{"jsonrpc":"2.0","id":7,"method":"%b"}\n' % (b"x" * 5_000_000)
    asked.write_bytes(long + PING % 8)
    async with run_gateway() as gateway:
        with asked.open() as reads, answered.open("w") as writes:
            await serve_stdio(gateway, reads=reads.fileno(), writes=writes.fileno())

    first, second = map(json.loads, answered.read_bytes().splitlines())
    assert (first["id"], first["error"]["code"]) == (7, -32600)
    assert second == {"jsonrpc": "2.0", "id": 8, "result": {}}
