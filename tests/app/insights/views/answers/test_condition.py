from __future__ import annotations

from mulligan.app.insights.views import ViewFilter, Views
from tests.dashboard.stage import Stage


def test_an_operator_sees_what_doctor_says(filled: Stage) -> None:
    view = Views(filled.m.insights).read_health(ViewFilter())
    diagnosis = filled.m.insights.diagnose()

    assert view.problems == diagnosis.problems
    assert view.health.open_actions == 3
    assert view.health.size_bytes > 0
    assert {each.what: each.days for each in view.retention}["Calls in the log"] == 30
    assert view.rows.stored == 5
    assert {each.tool for each in view.tools} >= {"send_mail", "move_event"}
