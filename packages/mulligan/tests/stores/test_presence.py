"""Who is still there."""

from __future__ import annotations

import os
from datetime import timedelta

import pytest
from msgspec.structs import replace

from mulligan.stores import process
from mulligan.stores.process import (
    Life,
    Presence,
    find_presence_caveats,
    identify_process,
    judge_presence,
)


def test_this_process_is_here_however_long_it_was_silent() -> None:
    life = judge_presence(identify_process(), silent=True, seen_from=identify_process())

    assert life is Life.LIVES


def test_where_processes_are_not_trusted_one_that_hangs_here_is_silent_too() -> None:
    life = judge_presence(
        identify_process(), silent=True, seen_from=identify_process(), trust_processes=False
    )

    assert life is Life.SILENT


def test_a_number_that_another_process_has_now_is_not_the_one_that_wrote() -> None:
    before = replace(identify_process(), started="1")

    life = judge_presence(before, silent=False, seen_from=identify_process())

    assert life is Life.GONE


def test_a_process_that_ended_is_gone_even_before_its_parent_has_noticed() -> None:
    reading, writing = os.pipe()
    child = os.fork()
    if not child:
        os.write(writing, identify_process().started.encode())
        os._exit(0)
    started = os.read(reading, 100).decode()
    os.waitid(os.P_PID, child, os.WEXITED | os.WNOWAIT)
    process = Presence(machine=identify_process().machine, pid=child, started=started)

    life = judge_presence(process, silent=False, seen_from=identify_process())

    os.waitpid(child, 0)
    assert life is Life.GONE


@pytest.mark.parametrize(("silent", "expected"), [(False, Life.LIVES), (True, Life.SILENT)])
def test_on_another_machine_only_silence_tells(silent: bool, expected: Life) -> None:
    elsewhere = replace(identify_process(), machine="elsewhere")

    life = judge_presence(elsewhere, silent=silent, seen_from=identify_process())

    assert life is expected


@pytest.mark.parametrize(("silent", "expected"), [(False, Life.LIVES), (True, Life.SILENT)])
def test_where_nobody_says_which_processes_run_only_silence_tells(
    monkeypatch, silent: bool, expected: Life
) -> None:
    monkeypatch.setattr(process, "_SEES_PROCESSES", False)
    monkeypatch.setattr(os, "kill", lambda *_: pytest.fail("a signal may end a process there"))
    another = replace(identify_process(), pid=os.getppid(), started="another")

    life = judge_presence(another, silent=silent, seen_from=identify_process())
    here = judge_presence(identify_process(), silent=True, seen_from=identify_process())

    assert (life, here) == (expected, Life.LIVES)


def test_one_with_our_number_before_us_is_gone_where_nobody_says_which_processes_run(monkeypatch):
    monkeypatch.setattr(process, "_SEES_PROCESSES", False)
    before = replace(identify_process(), started="before")

    assert judge_presence(before, silent=True, seen_from=identify_process()) is Life.SILENT


def test_what_the_system_does_not_say_is_one_sentence(monkeypatch, tmp_path) -> None:
    monkeypatch.setattr(process, "_STAT", tmp_path / "nothing")
    [began] = find_presence_caveats()
    monkeypatch.setattr(process, "_SEES_PROCESSES", False)
    [runs] = find_presence_caveats()
    [sooner] = find_presence_caveats(timedelta(seconds=5))

    assert "when a process began" in began
    assert "30 seconds without a sign of life" in runs
    assert "5 seconds without" in sooner
