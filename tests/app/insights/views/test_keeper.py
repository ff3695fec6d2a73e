from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta

import pytest

from mulligan.app.insights.views.keeper import LONG, MOST, SHORT, Keeper
from mulligan.testing.fakes import FixedClock


def test_an_answer_is_kept_for_a_while_and_no_longer() -> None:
    clock, answers = FixedClock(), iter(range(9))
    keeper = Keeper(clock)

    def read() -> int:
        return next(answers)

    first = [keeper.keep("x", read), keeper.keep("x", read), keeper.keep("y", read)]
    clock.move(SHORT + timedelta(seconds=1))
    later = keeper.keep("x", read)
    keeper.forget()

    assert (first, later, keeper.keep("x", read)) == ([0, 0, 1], 2, 3)


def test_what_is_kept_has_an_end() -> None:
    keeper = Keeper(FixedClock())

    for number in range(MOST * 3):
        keeper.keep(number, lambda: "x")

    assert len(keeper._kept) <= MOST


def test_news_outlive_only_what_is_kept_for_long() -> None:
    keeper, answers = Keeper(FixedClock()), iter(range(9))

    def read() -> int:
        return next(answers)

    before = keeper.keep("open", read), keeper.keep("month", read, life=LONG)
    keeper.forget_short()
    after = keeper.keep("open", read), keeper.keep("month", read, life=LONG)

    assert (before, after) == ((0, 1), (2, 1))


@pytest.mark.parametrize("change", [Keeper.forget, Keeper.forget_short])
def test_what_was_read_before_a_change_is_shown_to_nobody_after_it(
    change: Callable[[Keeper], None],
) -> None:
    keeper = Keeper(FixedClock())

    def read_slowly() -> str:
        change(keeper)
        return "before"

    asked = keeper.keep("open", read_slowly)
    later = keeper.keep("open", lambda: "after")

    assert (asked, later) == ("before", "after")
