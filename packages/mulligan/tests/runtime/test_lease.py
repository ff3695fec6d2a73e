from __future__ import annotations

import threading
import time
from datetime import timedelta
from itertools import pairwise

from mulligan.runtime.timer import LeaseRenewer


def find_renewers(*, but: set[threading.Thread]) -> list[threading.Thread]:
    others = set(threading.enumerate()) - but
    return [each for each in others if each.name == "mulligan-lease"]


def test_a_lease_is_renewed_until_that_is_stopped_whatever_the_store_says() -> None:
    before, beats, thrice = set(threading.enumerate()), [], threading.Event()

    def beat() -> None:
        beats.append(1)
        if len(beats) == 3:
            thrice.set()
        raise OSError("no store")

    renewer = LeaseRenewer(beat, lease=timedelta(milliseconds=3))

    renewer.start()
    renewer.start()
    came, [thread] = thrice.wait(5), find_renewers(but=before)
    renewer.stop()
    thread.join(5)
    renewer.start()

    assert came
    assert find_renewers(but=before) == []


def test_a_lease_is_renewed_three_times_and_is_silent_once_stopped() -> None:
    beats: list[float] = []
    enough = threading.Event()

    def beat() -> None:
        beats.append(time.monotonic())
        if len(beats) >= 6:
            enough.set()

    renewer = LeaseRenewer(beat, lease=timedelta(seconds=0.5))
    began = time.monotonic()
    renewer.start()
    in_time = enough.wait(10)
    renewer.stop()
    took = beats[5] - began
    time.sleep(0.4)
    left = len(beats)
    time.sleep(0.4)

    assert in_time
    assert 0.95 <= took < 3
    assert len(beats) == left


def test_a_slow_beat_does_not_make_the_next_one_late() -> None:
    beats: list[float] = []

    def beat() -> None:
        beats.append(time.monotonic())
        time.sleep(0.08)

    renewer = LeaseRenewer(beat, lease=timedelta(seconds=0.3))
    renewer.start()
    end = time.monotonic() + 10
    while len(beats) < 8 and time.monotonic() < end:
        time.sleep(0.02)
    renewer.stop()

    gaps = [later - before for before, later in pairwise(beats)]
    # One after the other they would be 0.18 s apart; a busy machine makes none come sooner.
    assert min(gaps) < 0.15


def test_a_beat_that_fails_is_not_the_last(caplog) -> None:
    beats: list[int] = []

    def beat() -> None:
        beats.append(1)
        raise RuntimeError("the store is away")

    renewer = LeaseRenewer(beat, lease=timedelta(seconds=0.15))
    renewer.start()
    end = time.monotonic() + 10
    while len(beats) < 3 and time.monotonic() < end:
        time.sleep(0.02)
    renewer.stop()

    assert len(beats) > 2
    assert "No sign of life" in caplog.text
