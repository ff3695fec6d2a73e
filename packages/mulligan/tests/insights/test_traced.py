from __future__ import annotations

import pytest

from mulligan import Mulligan
from mulligan.insights import turns
from mulligan.insights.filters import ViewFilter, ViewRequest, Window
from mulligan.insights.patterns import read_patterns
from mulligan.insights.turns import read_turns

MONTH = ViewFilter(window=Window.MONTH)


def test_patterns_can_be_narrowed_by_where_they_stand(lived: Mulligan) -> None:
    insights = lived.insights

    every = read_patterns(insights, ViewRequest(filter=MONTH))
    known = read_patterns(insights, ViewRequest(filter=MONTH, words={"life": "known"}))

    assert sum(every.lives.values()) == every.paging.total > known.paging.total
    assert {row.life.value for row in known.rows} <= {"known"}


def test_turns_are_there_with_the_newest_first(lived: Mulligan) -> None:
    view = read_turns(lived.insights, ViewRequest(filter=MONTH))

    times = [row.at for row in view.rows]
    assert times == sorted(times, reverse=True)
    assert view.paging.total > len(view.rows) == 20


def test_turns_of_one_agent_are_the_same_however_they_are_looked_for(
    lived: Mulligan, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked = ViewFilter(window=Window.MONTH, agent="analyst")
    looked_through = read_turns(lived.insights, ViewRequest(filter=asked))

    monkeypatch.setattr(turns, "MANY", 10)
    few = read_turns(lived.insights, ViewRequest(filter=asked))
    monkeypatch.setattr(turns, "MANY", 100)
    by_hour = read_turns(lived.insights, ViewRequest(filter=asked))

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

    view = read_turns(m.insights, ViewRequest(filter=ViewFilter(agent="(serve)")))

    assert [row.agent for row in view.rows] == ["(serve)"]
