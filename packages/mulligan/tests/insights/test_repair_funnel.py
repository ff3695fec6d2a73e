from __future__ import annotations

from mulligan.insights.filters import ViewFilter
from mulligan.insights.tools import build_repairs
from mulligan.types.log import Rollup, Slot

SLOTS = {
    Slot(0, "", "", "find", "planner"): Rollup(
        calls=100, failures=20, retried=15, repaired=10, suggested=8, suggested_right=6
    ),
    Slot(0, "", "", "find", "helper"): Rollup(calls=50),
}


def test_the_funnel_narrows_from_failures_to_repairs() -> None:
    view = build_repairs(ViewFilter(), SLOTS, trend=())

    assert [(step.name, step.count) for step in view.funnel] == [
        ("failed", 20), ("corrected", 8), ("retried", 15), ("repaired", 10),
    ]  # fmt: skip
    assert view.funnel[-1].share.figure == 0.5
    assert (view.wasted, view.suggestions_right.figure) == (5, 0.75)


def test_who_leans_on_repairs_comes_first() -> None:
    first, second = build_repairs(ViewFilter(), SLOTS, trend=()).agents

    assert (first.agent, first.repaired, first.wasted) == ("planner", 10, 5)
    assert first.needed.figure == 10 / 90
    assert second.needed.figure == 0


def test_nothing_is_nothing() -> None:
    view = build_repairs(ViewFilter(), {}, trend=())

    assert view.funnel[0].count == 0
    assert view.wasted_share.figure is None
