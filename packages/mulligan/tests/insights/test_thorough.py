from __future__ import annotations

import threading
from datetime import timedelta

from mulligan.insights.cache import LOOK_LIFE, LOOK_REST, ThoroughLook
from mulligan.types.errors import StoreUnavailableError
from mulligan.types.interfaces import Health
from mulligan_testing.fakes import FixedClock

LONG = 30.0


def count_rows(rows: int) -> Health:
    return Health(
        url="", kind="", version="", schemas={}, rows=rows, open_actions=0, size_bytes=0
    )  # fmt: skip


def test_a_page_never_waits_for_what_takes_long() -> None:
    may_end = threading.Event()

    def read() -> Health:
        may_end.wait(LONG)
        return count_rows(5)

    look = ThoroughLook(read, clock=FixedClock())

    first = look.read_latest(patience=0.01)
    may_end.set()
    later = look.read_latest(patience=None)

    assert first is None
    assert later is not None
    assert later.rows == 5


def test_who_comes_while_one_looks_does_not_look_too() -> None:
    may_end, looks = threading.Event(), []

    def read() -> Health:
        looks.append(1)
        may_end.wait(LONG)
        return count_rows(5)

    look = ThoroughLook(read, clock=FixedClock())

    for _ in range(5):
        look.read_latest(patience=0.001)
    may_end.set()
    look.read_latest(patience=None)

    assert len(looks) == 1


def test_a_look_grows_old_the_later_the_longer_it_took() -> None:
    clock, counts = FixedClock(), iter(range(9))
    look = ThoroughLook(lambda: count_rows(next(counts)), clock=clock)

    seen = [look.read_latest(patience=None), look.read_latest(patience=None)]
    assert seen[0] is not None
    clock.move(max(LOOK_LIFE, seen[0].took * LOOK_REST) + timedelta(seconds=1))
    seen.append(look.read_latest(patience=None))

    assert [each.rows for each in seen if each] == [0, 0, 1]


def test_a_store_that_cannot_be_read_is_a_problem_and_no_end() -> None:
    def read() -> Health:
        raise StoreUnavailableError("The store is gone.")

    found = ThoroughLook(read, clock=FixedClock()).read_latest(patience=None)

    assert found is not None
    assert (found.rows, found.problems) == (None, ("The store is gone.",))
