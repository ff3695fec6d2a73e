from __future__ import annotations

from mulligan import Mulligan
from mulligan.app.insights.views import ViewFilter, Views
from tests.dashboard.stage import Stage


def test_every_lesson_is_measured_or_said_not_to_be(lived: Mulligan) -> None:
    view = Views(lived.insights).learned.read_worth(ViewFilter())

    assert view.lessons
    for each in view.lessons:
        assert (each.lift is None) == (min(each.treated, each.control) < 5)
        assert each.treated_repaired <= each.treated


def test_without_a_control_group_nothing_is_said(stage: Stage) -> None:
    view = Views(stage.m.insights).learned.read_worth(ViewFilter())

    assert (view.lift, view.enough, view.calibration.n) == (None, False, 0)
