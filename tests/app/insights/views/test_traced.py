from __future__ import annotations

from mulligan import Mulligan
from mulligan.app.insights.views import ViewFilter, Views
from mulligan.app.insights.views.filters import Window

MONTH = ViewFilter(window=Window.MONTH)


def test_patterns_can_be_narrowed_by_where_they_stand(lived: Mulligan) -> None:
    traced = Views(lived.insights).traced

    every = traced.read_patterns(MONTH)
    known = traced.read_patterns(MONTH, life="known")

    assert sum(every.lives.values()) == every.paging.total > known.paging.total
    assert {row.life.value for row in known.rows} <= {"known"}


def test_turns_are_there_with_the_newest_first(lived: Mulligan) -> None:
    view = Views(lived.insights).traced.read_turns(MONTH)

    times = [row.at for row in view.rows]
    assert times == sorted(times, reverse=True)
    assert view.paging.total > len(view.rows) == 50
