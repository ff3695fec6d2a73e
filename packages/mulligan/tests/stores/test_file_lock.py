"""Locks of files, and an application where there are none, and no fork either."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from mulligan.types.private_files import CAN_LOCK, hold_lock, read_at, write_at

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture
def opened(tmp_path):
    """Opens the same file again and again."""
    files: list[int] = []

    def open_again() -> int:
        files.append(os.open(tmp_path / "family.db.mark", os.O_RDWR | os.O_CREAT, 0o600))
        return files[-1]

    yield open_again
    for file in files:
        os.close(file)


@pytest.mark.skipif(not CAN_LOCK, reason="this system has no file locks")
def test_whoever_comes_second_waits_until_the_first_has_gone(opened):
    order: list[str] = []
    begun = threading.Event()

    def come_second() -> None:
        begun.set()
        with hold_lock(opened()):
            order.append("second")

    second = threading.Thread(target=come_second)
    with hold_lock(opened()):
        second.start()
        begun.wait()
        second.join(timeout=0.2)
        order.append("first")
    second.join()

    assert order == ["first", "second"]


@pytest.mark.parametrize("without", [(), ("pread", "pwrite")], ids=["posix", "elsewhere"])
def test_bytes_are_put_and_found_at_their_place(opened, monkeypatch, without):
    for name in without:
        monkeypatch.delattr(os, name)
    file = opened()

    write_at(file, b"later", offset=64)
    write_at(file, b"first", offset=0)

    assert read_at(file, 5, offset=64) == b"later"
    assert read_at(file, 100, offset=3) == b"st" + bytes(59) + b"later"


@pytest.mark.full
def test_an_application_works_without_file_locks_and_fork_and_doctor_says_what_that_costs(tmp_path):
    done = subprocess.run(
        [sys.executable, "-W", "error", "-m", "tests.stores.without_posix", str(tmp_path)],
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )

    assert (done.returncode, done.stderr) == (0, "")
    first, second, log, told, doctor, ended = done.stdout.splitlines()
    assert first == second == "done: Moved. accepted 2026-11-20"
    assert [row["tool"] for row in json.loads(log)["rows"]] == ["move"] * 4
    health = json.loads(doctor)["health"]
    assert (health["open_actions"], health["problems"]) == (0, [])
    [caveat] = [each for each in health["caveats"] if "no file locks" in each]
    assert caveat.count(".") == 1
    assert (told, ended) == ("log: 0", "doctor: 0")
