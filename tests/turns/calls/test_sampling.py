from __future__ import annotations

from datetime import timedelta

from mulligan import Mulligan
from mulligan.turns.calls.sampling import MOST_KEPT, UnloggedCalls
from mulligan.turns.turn.context import Labels

DESK = Labels(tenant="elm", agent="desk", context="orders", turn=None)


def test_a_row_stands_for_the_calls_of_its_kind_that_came_before_it() -> None:
    calls = UnloggedCalls()
    till = DESK._replace(agent="till")
    for _ in range(3):
        calls.add(DESK)
    calls.add(till)

    assert calls.take(DESK._replace(turn="t1", context="other words")) == 3
    assert calls.take(DESK) == 0
    assert calls.take(till) == 1


def test_calls_without_context_are_counted_by_themselves() -> None:
    calls = UnloggedCalls()
    calls.add(DESK._replace(context=""))

    assert calls.take(DESK) == 0


def test_what_waits_is_bounded() -> None:
    calls = UnloggedCalls()
    for number in range(MOST_KEPT + 1):
        calls.add(DESK._replace(agent=str(number)))

    assert calls.take(DESK._replace(agent="0")) == 0
    assert calls.take(DESK._replace(agent="1")) == 1


def test_figures_of_a_sampled_log_are_of_every_call() -> None:
    with Mulligan("memory:", sample=0.2, recover=False) as m:

        @m.tool(effect="undeclared")
        def look(number: int) -> str:
            if number % 50 == 0:
                raise KeyError("gone")
            return "ok"

        for number in range(1000):
            try:
                look(number)
            except KeyError:
                continue
        m.flush()
        counted = m.insights.figures(timedelta(hours=2)).all_calls

    # Those after the last row wait for the next one: at five of six, hardly ever as many as forty.
    assert 960 < counted.calls <= 1000
    assert counted.failed == 20
    assert counted.succeeded.n == round(counted.calls)
