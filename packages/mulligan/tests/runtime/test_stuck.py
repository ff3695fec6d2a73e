"""A call that fails again and again in the same way is stopped; one that is waited for is not."""

from __future__ import annotations

import pytest

from mulligan import Effect, Mode, Mulligan
from mulligan.types.errors import StuckError


class Desk:
    """A tool that fails, and how often it was reached."""

    def __init__(self, *said: str, default: str = "There is no such order.") -> None:
        self.said = list(said)
        self.default = default
        self.reached = 0

    def show_order(self, order: str) -> str:
        self.reached += 1
        said = self.said.pop(0) if self.said else self.default
        if said:
            raise LookupError(said)
        return f"{order} is paid."


def call_often(
    desk: Desk, times: int, *, effect: Effect = Effect.READ, **settings: object
) -> list[str]:
    """What came of each call: the name of its error, or `ok`."""
    came = []
    with Mulligan("memory:", recover=False, **settings) as m:
        tool = m.tool(effect=effect)(desk.show_order)
        with m.turn("Where is my order?"):
            for _ in range(times):
                try:
                    tool("W17")
                except (LookupError, StuckError) as error:
                    came.append(type(error).__name__)
                else:
                    came.append("ok")
    return came


@pytest.mark.parametrize("effect", [Effect.READ, Effect.UNDECLARED])
def test_the_same_call_is_not_made_after_it_failed_ten_times_in_the_same_way(
    effect: Effect,
) -> None:
    desk = Desk()

    assert call_often(desk, 12, effect=effect) == ["LookupError"] * 10 + ["StuckError"] * 2
    assert desk.reached == 10


def test_a_call_whose_answer_changes_is_waited_for() -> None:
    waiting = Desk(*(f"{share} % done" for share in range(14)), default="")
    between = Desk(*(["Not yet."] * 9), "", *(["Not yet."] * 9), default="")

    for desk in (waiting, between):
        came = call_often(desk, 20)

        assert came[-1] == "ok"
        assert "StuckError" not in came


def test_it_can_be_set_turned_off_and_is_told_alone_in_other_modes() -> None:
    early, never, watched = Desk(), Desk(), Desk()

    assert call_often(early, 4, stuck_after=3)[-1] == "StuckError"
    assert call_often(never, 12, stuck_after=0)[-1] == "LookupError"
    assert call_often(watched, 12, mode=Mode.OBSERVE)[-1] == "LookupError"


def test_other_arguments_and_other_turns_are_other_calls() -> None:
    desk = Desk()
    with Mulligan("memory:", recover=False, stuck_after=2) as m:
        tool = m.tool(effect=Effect.READ)(desk.show_order)
        for _ in range(2):
            with m.turn("Where are my orders?"):
                for order in ("W17", "W18", "W17", "W18"):
                    with pytest.raises(LookupError):
                        tool(order)
                with pytest.raises(StuckError, match="has failed 2 times in this turn"):
                    tool("W17")
