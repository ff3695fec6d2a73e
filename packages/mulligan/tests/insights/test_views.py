from __future__ import annotations

import pytest

from mulligan.insights.filters import ActOrder, ViewFilter, ViewRequest
from mulligan.insights.open_actions import Act, decide_action, read_open
from mulligan.types.errors import ConfigurationError
from tests.dashboard.stage import Stage


def test_a_decision_is_seen_at_once(filled: Stage) -> None:
    insights = filled.m.insights
    (item, *_) = read_open(insights, ViewRequest()).items

    page = decide_action(
        insights, ActOrder(act=Act.DENY, id=item.id, by="Mum", words={"note": "no"})
    )

    assert page.settled
    assert len(insights.list_open(ViewFilter())) == 2
    assert [step.said.get("by") for step in page.history] == [None, "Mum"]


def test_a_note_is_needed_to_settle(filled: Stage) -> None:
    insights = filled.m.insights
    item = read_open(insights, ViewRequest()).items[-1]

    with pytest.raises(ConfigurationError, match="note"):
        decide_action(insights, ActOrder(act=Act.SETTLE, id=item.id, by="Mum"))

    assert len(insights.list_open(ViewFilter())) == 3


def test_the_list_can_be_narrowed_by_its_states(filled: Stage) -> None:
    page = read_open(filled.m.insights, ViewRequest(words={"state": "undo_failed"}))

    assert page.states == {"held": 2, "undo_failed": 1}
    assert [item.tool for item in page.items] == ["move_event"]


def test_what_can_be_filtered_by_is_named(filled: Stage) -> None:
    names = filled.m.insights.list_names()

    assert names["tool"] == ["find_events", "move_event", "share_file"]
    assert names["agent"] == ["helper", "planner"]
