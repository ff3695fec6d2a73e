from __future__ import annotations

from datetime import timedelta

from mulligan.insights.filters import ViewFilter, ViewRequest, Window
from mulligan.insights.overview import read_overview
from tests.dashboard.stage import Stage


def test_the_figures_are_those_of_the_command(filled: Stage) -> None:
    view = read_overview(filled.m.insights, ViewRequest())
    figures = filled.m.insights.figures(timedelta(days=7)).all_calls

    week = next(each.now for each in view.windows if each.window is Window.WEEK)
    assert (week.calls, week.failed, week.repaired) == (
        figures.calls, figures.failed, figures.repaired,
    )  # fmt: skip
    assert week.succeeded == figures.succeeded
    assert view.goals == filled.m.insights.progress.read_goals(timedelta(days=30))


def test_what_needs_a_person_is_there_with_the_oldest_first(filled: Stage) -> None:
    view = read_overview(filled.m.insights, ViewRequest())

    assert view.open_actions == 3
    assert [item.state.value for item in view.waiting] == ["held", "held", "undo_failed"]


def test_a_filter_leaves_the_rest_out(filled: Stage) -> None:
    view = read_overview(
        filled.m.insights, ViewRequest(filter=ViewFilter(agent="helper", window=Window.DAY))
    )

    assert view.open_actions == 0
    assert [each.now.calls for each in view.windows] == [3, 3, 3]
    assert len(view.trend) == 25
    assert sum(point.calls for point in view.trend) == 3
    assert [seen.pattern.tool for seen in view.patterns] == ["find_events", "share_file"]


def test_an_empty_store_has_an_overview_too(stage: Stage) -> None:
    view = read_overview(stage.m.insights, ViewRequest())

    assert [each.now.calls for each in view.windows] == [0, 0, 0]
    assert len(view.trend) == 31
    assert all(point.succeeded is None for point in view.trend)
