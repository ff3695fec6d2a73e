from __future__ import annotations

from mulligan.insights.views import list_new_rows, read_change_token
from tests.dashboard.stage import Stage, run_apart


def test_a_pulse_stays_until_something_happens(stage: Stage) -> None:
    insights = stage.m.insights
    first = read_change_token(insights)
    assert read_change_token(insights) == first

    run_apart(stage.hold())
    held = read_change_token(insights)
    run_apart(stage.fail(repaired=0))
    stage.m.flush()
    called = read_change_token(insights)

    assert held.open_mark != first.open_mark
    assert called.last_row != held.last_row
    new = list_new_rows(insights, after=held.last_row)
    assert [row.tool for row in new] == ["find_events", "share_file"]
