"""Pages that never read their news: memory stays, and who reads is not kept waiting."""

from __future__ import annotations

import os
import socket
import threading
import time
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import parse_qs, urlsplit

import pytest

from mulligan import Mulligan
from mulligan.types.call import LogRow
from mulligan.types.log import Batch, roll_up
from mulligan.types.values import make_uuid7
from mulligan_dashboard.live import MOST_CLIENTS
from mulligan_dashboard.security import Role
from tests.dashboard.conftest import serve

pytestmark = pytest.mark.full

SECONDS = int(os.environ.get("MULLIGAN_TEST_STREAM_SECONDS", "6"))
"""300 for the long form."""
EVERY_SECOND = 500
MOST_GROWTH = 32 * 1024 * 1024


@dataclass
class Heard:
    """What a client was told, counted and let go: it is in the process whose memory is measured."""

    rows: int = 0
    resyncs: int = 0
    rest: bytes = b""

    def add(self, some: bytes) -> None:
        whole, _, self.rest = (self.rest + some).rpartition(b"\n\n")
        self.rows += whole.count(b'"outcome":')
        self.resyncs += whole.count(b"event: resync")


def read_memory() -> int:
    pages = Path("/proc/self/statm").read_text().split()[1]
    return int(pages) * os.sysconf("SC_PAGE_SIZE")


def listen(url: str, token: str, *, room: int = 4_096) -> socket.socket:
    place = urlsplit(url)
    line = socket.create_connection((place.hostname, place.port), timeout=60)
    line.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, room)
    asked = f"GET /stream HTTP/1.1\r\nHost: {place.netloc}\r\nAuthorization: Bearer {token}\r\n\r\n"
    line.sendall(asked.encode())
    return line


def log_rows(m: Mulligan, number: int) -> None:
    now = time.time_ns() // 1000
    rows = [
        LogRow(
            id=make_uuid7(now + n, number * EVERY_SECOND + n), at_us=now + n, tenant="",
            agent="planner", server="", tool=f"find_{'x' * 200}", parameters="{}", context="many",
            outcome="success", duration_us=1_000, error_class=None, error_type=None,
            error_message=None, error_code=None, error_at=None, result=None, try_number=1,
            parent=None, turn=None, weight=1.0,
        )
        for n in range(EVERY_SECOND)
    ]  # fmt: skip
    m.insights.store.log.write(Batch(rows=rows, rollups=roll_up(rows)))


def test_who_never_reads_costs_nothing_and_hinders_nobody(tmp_path: Path) -> None:
    heard = Heard()
    with ExitStack() as stack:
        m = stack.enter_context(Mulligan(f"sqlite:///{tmp_path}/office.db", recover=False))
        server = stack.enter_context(serve(m))
        token = parse_qs(urlsplit(server.make_link(Role.LOOK)).query)["token"][0]
        for _ in range(MOST_CLIENTS - 1):
            stack.enter_context(listen(server.url, token))
        healthy = stack.enter_context(listen(server.url, token, room=1_000_000))
        reading = threading.Thread(target=read_all, args=(healthy, heard), daemon=True)
        reading.start()
        log_rows(m, 0)
        time.sleep(2)
        before = read_memory()

        for number in range(1, SECONDS + 1):
            began = time.monotonic()
            log_rows(m, number)
            time.sleep(max(0.0, 1 - (time.monotonic() - began)))
        time.sleep(2)
        grown = read_memory() - before

    wanted = SECONDS * EVERY_SECOND
    print(f"grown by {grown / 2**20:.1f} MiB; {heard.rows} of {wanted} rows heard")
    assert grown <= MOST_GROWTH
    assert heard.rows >= wanted * 0.9
    assert heard.resyncs == 0


def read_all(line: socket.socket, heard: Heard) -> None:
    try:
        while some := line.recv(65_536):
            heard.add(some)
    except OSError:
        # The test is over, and has closed the line.
        return
