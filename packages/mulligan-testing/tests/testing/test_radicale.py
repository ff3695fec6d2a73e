"""Programs for tests: up when they say so, and gone with whoever started them."""

from __future__ import annotations

import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from mulligan_testing.radicale import radicale_server

pytestmark = pytest.mark.full

TIMEOUT = 120
HOLDS_ONE = """
import sys
from mulligan_testing.radicale import radicale_server
with radicale_server() as server:
    print(server.folder, flush=True)
    sys.stdin.read()
"""
"""A program that has a server, and no time to end it."""


def test_a_server_is_up_while_it_is_needed_and_leaves_nothing_behind() -> None:
    with radicale_server() as server:
        calendar, another = server.calendar(), server.calendar()
        text = (
            "BEGIN:VCALENDAR\r\nVERSION:2.0\r\nPRODID:-//X//EN\r\nBEGIN:VEVENT\r\nUID:u\r\n"
            "DTSTAMP:20261101T080000Z\r\nDTSTART:20261118T170000Z\r\nEND:VEVENT\r\n"
            "END:VCALENDAR\r\n"
        )
        server.put(calendar, text, name="u.ics")

        exported = server.export(calendar)

        assert [name.rpartition("/")[2] for name in exported] == ["u.ics"]
        assert server.export(another) == {}

    assert server.process.poll() is not None
    assert not server.folder.exists()


def start_program() -> tuple[subprocess.Popen[str], Path]:
    program = subprocess.Popen(
        [sys.executable, "-c", HOLDS_ONE],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    folder = Path(program.stdout.readline().strip())
    assert folder.is_dir()
    return program, folder


def test_ctrl_c_ends_the_server_before_its_program() -> None:
    program, folder = start_program()

    program.send_signal(signal.SIGINT)
    _, complaint = program.communicate(timeout=TIMEOUT)

    assert "KeyboardInterrupt" in complaint
    assert not folder.exists()


def test_a_server_ends_with_a_program_that_was_killed() -> None:
    program, folder = start_program()

    program.kill()
    program.communicate()

    # The server is nobody's child any more: that its folder goes is all there is to wait for.
    until = time.monotonic() + TIMEOUT
    while folder.exists() and time.monotonic() < until:
        time.sleep(0.02)
    assert not folder.exists()
