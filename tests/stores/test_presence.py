"""Who is still there."""

from __future__ import annotations

import os
from dataclasses import replace

import pytest

from mulligan.stores import presence
from mulligan.stores.presence import (
    Presence,
    find_presence_caveats,
    identify_process,
    is_gone,
)

SECOND = 1_000_000


def test_this_process_is_here_however_long_it_was_silent() -> None:
    gone = is_gone(identify_process(), silent_us=10**15, seen_from=identify_process())

    assert not gone


def test_a_number_that_another_process_has_now_is_not_the_one_that_wrote() -> None:
    before = replace(identify_process(), started="1")

    gone = is_gone(before, silent_us=0, seen_from=identify_process())

    assert gone


def test_a_process_that_ended_is_gone_even_before_its_parent_has_noticed() -> None:
    reading, writing = os.pipe()
    child = os.fork()
    if not child:
        os.write(writing, identify_process().started.encode())
        os._exit(0)
    started = os.read(reading, 100).decode()
    os.waitid(os.P_PID, child, os.WEXITED | os.WNOWAIT)
    presence = Presence(machine=identify_process().machine, pid=child, started=started)

    gone = is_gone(presence, silent_us=0, seen_from=identify_process())

    os.waitpid(child, 0)
    assert gone


@pytest.mark.parametrize(("seconds", "expected"), [(0, False), (29, False), (31, True)])
def test_on_another_machine_only_silence_tells(seconds: int, expected: bool) -> None:
    elsewhere = replace(identify_process(), machine="elsewhere")

    gone = is_gone(elsewhere, silent_us=seconds * SECOND, seen_from=identify_process())

    assert gone is expected


@pytest.mark.parametrize(("seconds", "expected"), [(0, False), (29, False), (31, True)])
def test_where_nobody_says_which_processes_run_only_silence_tells(
    monkeypatch, seconds: int, expected: bool
) -> None:
    monkeypatch.setattr(presence, "_SEES_PROCESSES", False)
    monkeypatch.setattr(os, "kill", lambda *_: pytest.fail("a signal may end a process there"))
    another = replace(identify_process(), pid=os.getppid(), started="another")

    gone = is_gone(another, silent_us=seconds * SECOND, seen_from=identify_process())
    here = is_gone(identify_process(), silent_us=10**15, seen_from=identify_process())

    assert (gone, here) == (expected, False)


def test_one_with_our_number_before_us_is_gone_where_nobody_says_which_processes_run(monkeypatch):
    monkeypatch.setattr(presence, "_SEES_PROCESSES", False)
    before = replace(identify_process(), started="before")

    assert is_gone(before, silent_us=31 * SECOND, seen_from=identify_process())


def test_what_the_system_does_not_say_is_one_sentence(monkeypatch, tmp_path) -> None:
    monkeypatch.setattr(presence, "_STAT", tmp_path / "nothing")
    [began] = find_presence_caveats()
    monkeypatch.setattr(presence, "_SEES_PROCESSES", False)
    [runs] = find_presence_caveats()

    assert "when a process began" in began
    assert "30 seconds without a sign of life" in runs
