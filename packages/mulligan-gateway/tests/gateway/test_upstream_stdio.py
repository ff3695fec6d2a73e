import asyncio
import json
import sys
from pathlib import Path
from types import SimpleNamespace

from mulligan_gateway.servers_file import Server
from mulligan_gateway.upstream import ServerProcess, build_environment
from tests.gateway.world import QUICK, wait_until


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
        take_unread=heard.append,
    )
    process = ServerProcess(upstream, lambda why: ended.done() or ended.set_result(why))
    return process, heard, ended


async def test_lines_go_in_and_come_out():
    process, heard, ended = make(sys.executable, "-c", "print(input()[::-1])")
    await process.start()

    process.send(b"abc")

    assert "code 0" in await asyncio.wait_for(ended, 20) or heard == [b"cba"]
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
