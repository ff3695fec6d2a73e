from __future__ import annotations

from datetime import timedelta

from mulligan.app.insights.views.keeper import MOST, SHORT, Keeper
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
