from __future__ import annotations

import pytest

from mulligan import Mulligan
from mulligan.insights import views
from mulligan.insights.filters import ViewFilter, Window
from mulligan.insights.views import Views

MONTH = ViewFilter(window=Window.MONTH)


def test_patterns_can_be_narrowed_by_where_they_stand(lived: Mulligan) -> None:
    views = Views(lived.insights).traced

    every = views.read_patterns(MONTH)
    known = views.read_patterns(MONTH, life="known")

    assert sum(every.lives.values()) == every.paging.total > known.paging.total
    assert {row.life.value for row in known.rows} <= {"known"}


def test_turns_are_there_with_the_newest_first(lived: Mulligan) -> None:
    view = Views(lived.insights).traced.read_turns(MONTH)

    times = [row.at for row in view.rows]
    assert times == sorted(times, reverse=True)
    assert view.paging.total > len(view.rows) == 20


def test_turns_of_one_agent_are_the_same_however_they_are_looked_for(
    lived: Mulligan, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked = ViewFilter(window=Window.MONTH, agent="analyst")
    looked_through = Views(lived.insights).traced.read_turns(asked)

    monkeypatch.setattr(views, "MANY", 10)
    few = Views(lived.insights).traced.read_turns(asked)
    monkeypatch.setattr(views, "MANY", 100)
    by_hour = Views(lived.insights).traced.read_turns(asked)

    assert 0 < few.paging.total < by_hour.paging.total <= looked_through.paging.total
    assert {row.agent for row in by_hour.rows} == {"analyst"}
    assert by_hour.rows[:5] == looked_through.rows[:5]


def test_turns_of_agents_that_nobody_named_can_be_asked_for(m: Mulligan) -> None:
    @m.tool
    def find() -> str:
        return "found"

    def serve() -> None:
        for agent in ("", "planner"):
            with m.turn("Find it", agent=agent):
                find()

    serve()
    m.flush()

    view = Views(m.insights).traced.read_turns(ViewFilter(agent="(serve)"))

    assert [row.agent for row in view.rows] == ["(serve)"]
