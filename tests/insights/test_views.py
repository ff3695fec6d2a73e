from __future__ import annotations

import pytest

from mulligan.insights.filters import ViewFilter
from mulligan.insights.open_actions import Act
from mulligan.insights.views import Views
from mulligan.types.errors import ConfigurationError
from tests.dashboard.stage import Stage


def test_a_decision_is_seen_at_once(filled: Stage) -> None:
    views = Views(filled.m.insights)
    (item, *_) = views.read_open(ViewFilter()).items

    page = views.decide(Act.DENY, item.id, by="Mum", note="no")

    assert page.settled
    assert views.count_open() == 2
    assert [step.said.get("by") for step in page.history] == [None, "Mum"]


def test_a_note_is_needed_to_settle(filled: Stage) -> None:
    views = Views(filled.m.insights)
    item = views.read_open(ViewFilter()).items[-1]

    with pytest.raises(ConfigurationError, match="note"):
        views.decide(Act.SETTLE, item.id, by="Mum")

    assert views.count_open() == 3


def test_the_list_can_be_narrowed_by_its_states(filled: Stage) -> None:
    page = Views(filled.m.insights).read_open(ViewFilter(), state="undo_failed")

    assert page.states == {"held": 2, "undo_failed": 1}
    assert [item.tool for item in page.items] == ["move_event"]


def test_what_can_be_filtered_by_is_named(filled: Stage) -> None:
    names = Views(filled.m.insights).list_names()

    assert names["tool"] == ["find_events", "move_event", "share_file"]
    assert names["agent"] == ["helper", "planner"]
