"""The open list, one action with its history, and decisions about it."""

from __future__ import annotations

from datetime import timedelta

import pytest

from mulligan import Mulligan
from mulligan.insights.filters import ActOrder, ViewFilter, ViewRequest
from mulligan.insights.open_actions import (
    Act,
    compare_contents,
    decide_action,
    list_choices,
    read_open,
)
from mulligan.types.action import State, leads_to
from mulligan.types.effect import Effect
from mulligan.types.errors import ConfigurationError
from mulligan_testing.fakes import FixedClock
from tests.dashboard.stage import Stage


def test_every_choice_that_is_offered_can_be_taken(filled: Stage) -> None:
    for action in filled.m.insights.open_list.actions():
        for choice in list_choices(action):
            wanted = {
                Act.APPROVE: State.APPROVED, Act.DENY: State.DENIED,
                Act.UNDO: State.UNDOING, Act.SETTLE: State.CLOSED,
            }[choice.act]  # fmt: skip
            assert leads_to(action.state, wanted)
            assert choice.does


def test_what_cannot_be_undone_is_not_offered_to_be(filled: Stage) -> None:
    offered = {
        (action.opening.effect, choice.act)
        for action in filled.m.insights.open_list.actions()
        for choice in list_choices(action)
    }

    assert (Effect.REVERSIBLE, Act.UNDO) in offered
    assert (Effect.IRREVERSIBLE, Act.UNDO) not in offered


def test_versions_stand_side_by_side_where_they_differ() -> None:
    versions = {
        "before": {"title": "Dentist", "at": {"day": "Mon", "hour": 9}},
        "ours": {"title": "Dentist", "at": {"day": "Tue", "hour": 9}},
        "theirs": {"title": "Dentist, with Ben", "at": {"day": "Tue", "hour": 9}},
    }

    rows = compare_contents(versions)

    assert [(row.name, row.before, row.ours, row.theirs) for row in rows] == [
        ("title", "Dentist", "Dentist", "Dentist, with Ben"),
        ("at.day", "Mon", "Tue", "Tue"),
    ]
    assert compare_contents({}) == ()


def test_a_decision_is_seen_at_once(filled: Stage) -> None:
    insights = filled.m.insights
    (item, *_) = read_open(insights, ViewRequest()).items

    page = decide_action(
        insights, ActOrder(act=Act.DENY, id=item.id, by="Mum", words={"note": "no"})
    )

    assert page.settled
    assert len(insights.list_open(ViewFilter())) == 2
    assert [step.said.get("by") for step in page.history] == [None, "Mum"]


def test_the_list_can_be_narrowed_by_its_states(filled: Stage) -> None:
    page = read_open(filled.m.insights, ViewRequest(words={"state": "undo_failed"}))

    assert page.states == {"held": 2, "undo_failed": 1}
    assert [item.tool for item in page.items] == ["move_event"]


def test_what_can_be_filtered_by_is_named(filled: Stage) -> None:
    names = filled.m.insights.list_names()

    assert names["tool"] == ["find_events", "move_event", "share_file"]
    assert names["agent"] == ["helper", "planner"]


def test_a_hold_that_has_expired_is_not_approved() -> None:
    clock = FixedClock()
    with Mulligan("memory:", clock=clock, recover=False) as m:

        @m.tool(effect=Effect.IRREVERSIBLE)
        def send(text: str) -> None:
            raise AssertionError

        with m.turn("Send it"):
            held = send("hello")
        clock.move(m.settings.hold_life + timedelta(seconds=1))

        with pytest.raises(ConfigurationError, match="has expired"):
            m.insights.open_list.approve(held.hold.action, by="Mum")
