"""The open list, one action with its history, and decisions about it."""

from __future__ import annotations

from datetime import datetime, timedelta

import pytest

from mulligan import Mulligan
from mulligan.insights import open_actions, reader
from mulligan.insights.filters import ActOrder, ViewFilter, ViewRequest
from mulligan.insights.open_actions import (
    Act,
    compare_contents,
    decide_action,
    read_done,
    read_open,
)
from mulligan.insights.overview import read_overview
from mulligan.types.action import State, leads_to
from mulligan.types.effect import Effect
from mulligan.types.errors import ConfigurationError
from mulligan_testing.fakes import FixedClock
from tests.dashboard.stage import Stage, run_apart


def test_every_choice_that_is_offered_can_be_taken(filled: Stage) -> None:
    for action in filled.m.insights.open_list.actions():
        for choice in filled.m.insights.open_list.list_choices(action):
            wanted = {
                Act.APPROVE: State.APPROVED, Act.DENY: State.DENIED,
                Act.UNDO: State.UNDOING, Act.SETTLE: State.CLOSED,
            }[choice.act]  # fmt: skip
            assert leads_to(action.state, wanted)
            assert choice.does


def test_who_approves_is_told_until_when_the_call_can_run(filled: Stage) -> None:
    listed = filled.m.insights.open_list
    [held, *_] = [each for each in listed.actions() if each.state is State.HELD]

    [said] = [each.does for each in listed.list_choices(held) if each.act is Act.APPROVE]
    approved = listed.approve(held.id, by="Mum")

    until = datetime.fromisoformat(str(approved.detail["expires_at"]))
    assert f"If it has not run by {until:%Y-%m-%d %H:%M} UTC, it expires." in said
    assert f"by {until:%Y-%m-%d %H:%M} UTC" in " ".join(listed.read_story(held.id).recipe)


def test_what_an_agent_did_is_listed_however_much_others_have_done_since(
    filled: Stage, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def act() -> None:
        for agent in ("quiet", "busy", "busy"):
            async with filled.m.turn("Move dinner to Monday", agent=agent) as turn:
                await filled.move_event("dinner", "Monday")
                await turn.review("Moved.")

    run_apart(act())
    monkeypatch.setattr(open_actions, "MOST_LISTED", 2)

    of_one = read_done(filled.m.insights, ViewRequest(filter=ViewFilter(agent="quiet")))
    of_all = read_done(filled.m.insights, ViewRequest())

    assert (len(of_one.items), of_one.paging.whole) == (1, True)
    assert (len(of_all.items), of_all.paging.whole) == (2, False)


def test_open_actions_beyond_those_that_are_read_are_not_called_all(
    filled: Stage, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert read_open(filled.m.insights, ViewRequest()).paging.whole
    filled.m.insights.cache.forget()
    monkeypatch.setattr(reader, "MOST_OPEN", 2)

    assert not read_open(filled.m.insights, ViewRequest()).paging.whole
    assert not read_overview(filled.m.insights, ViewRequest()).all_open


def test_what_cannot_be_undone_is_not_offered_to_be(filled: Stage) -> None:
    offered = {
        (action.opening.effect, choice.act)
        for action in filled.m.insights.open_list.actions()
        for choice in filled.m.insights.open_list.list_choices(action)
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
