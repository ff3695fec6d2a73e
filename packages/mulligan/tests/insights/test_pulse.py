from __future__ import annotations

from tests.dashboard.stage import Stage, run_apart


def test_a_pulse_stays_until_something_happens(stage: Stage) -> None:
    insights = stage.m.insights
    first = insights.read_change_token()
    assert insights.read_change_token() == first

    run_apart(stage.hold())
    held = insights.read_change_token()
    run_apart(stage.fail(repaired=0))
    stage.m.flush()
    called = insights.read_change_token()

    assert held.open_mark != first.open_mark
    assert called.last_row != held.last_row
    new = insights.list_new_rows(after=held.last_row)
    assert [row.tool for row in new] == ["find_events", "share_file"]
