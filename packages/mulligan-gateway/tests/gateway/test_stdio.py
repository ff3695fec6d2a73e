"""Clients and servers over standard input and output."""

import asyncio
import json
import os
import sys
from pathlib import Path
from types import SimpleNamespace

import pytest

from mulligan_gateway.servers_file import Server
from mulligan_gateway.stdio_server import serve_stdio
from mulligan_gateway.upstream import ServerProcess, build_environment
from tests.gateway.world import QUICK, run_gateway, wait_until

PING = b'{"jsonrpc":"2.0","id":%d,"method":"ping"}\n'


async def test_a_client_is_served_over_pipes_until_it_is_gone():
    ours, theirs = os.pipe(), os.pipe()
    async with run_gateway() as gateway:
        serving = asyncio.ensure_future(serve_stdio(gateway, reads=ours[0], writes=theirs[1]))
        os.write(ours[1], (PING % 1) + (PING % 2))
        first = await asyncio.to_thread(os.read, theirs[0], 65_536)
        os.close(ours[1])
        await asyncio.wait_for(serving, 60)
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
    long = b'{"jsonrpc":"2.0","method":"%b","id":7}\n' % (b"x" * 5_000_000)
    asked.write_bytes(long + PING % 8)
    async with run_gateway() as gateway:
        with asked.open() as reads, answered.open("w") as writes:
            await serve_stdio(gateway, reads=reads.fileno(), writes=writes.fileno())

    first, second = map(json.loads, answered.read_bytes().splitlines())
    assert (first["id"], first["error"]["code"]) == (7, -32600)
    assert second == {"jsonrpc": "2.0", "id": 8, "result": {}}


def test_a_server_sees_what_any_program_needs_and_what_its_file_says():
    ours = {"PATH": "/bin", "HOME": "/h", "OPENAI_API_KEY": "secret", "MULLIGAN_STORE": "x"}

    assert build_environment({"TOKEN": "t", "HOME": "/other"}, ours=ours) == {
        "PATH": "/bin",
        "HOME": "/other",
        "TOKEN": "t",
    }


def make(*command: str):
    heard: list[bytes] = []
    ended: asyncio.Future[str] = asyncio.get_running_loop().create_future()
    upstream = SimpleNamespace(
        server=Server(name="s", command=command),
        limits=QUICK,
        take_frame=heard.append,
        take_too_long=heard.append,
    )
    process = ServerProcess(upstream, lambda why: ended.done() or ended.set_result(why))
    return process, heard, ended


async def test_lines_go_in_and_come_out():
    process, heard, ended = make(sys.executable, "-c", "print(input()[::-1])")
    await process.start()

    process.send(b"abc")

    assert "code 0" in await asyncio.wait_for(ended, 60) or heard == [b"cba"]
    await process.stop()
    assert heard == [b"cba"]


DEAF = "import signal; signal.signal(signal.SIGTERM, signal.SIG_IGN)\n"
WAITS = f"{DEAF}import time; print('[]', flush=True); time.sleep(600)"
STARTS = f"""{DEAF}
import subprocess, sys, time
child = subprocess.Popen([sys.executable, "-c", {WAITS!r}])
print('{{"child": %d}}' % child.pid, flush=True)
time.sleep(600)
"""


@pytest.mark.full
async def test_one_that_will_not_end_is_killed_with_all_that_it_started():
    process, heard, _ = make(sys.executable, "-c", STARTS)
    await process.start()
    await wait_until(lambda: len(heard) >= 2)
    child = next(read["child"] for read in map(json.loads, heard) if read)

    await process.stop()

    await wait_until(lambda: not is_running(child))


def is_running(pid: int) -> bool:
    try:
        state = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
    except OSError:
        return False
    return state != "Z"
