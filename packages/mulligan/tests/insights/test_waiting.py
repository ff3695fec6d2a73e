from __future__ import annotations

import pytest

from mulligan.insights.filters import ViewRequest
from mulligan.insights.open_actions import (
    Act,
    compare_contents,
    flatten_value,
    list_choices,
    read_action,
    read_open,
)
from mulligan.types.action import State, leads_to
from mulligan.types.effect import Effect
from mulligan.types.errors import ConfigurationError
from tests.dashboard.stage import Stage, run_apart


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


def test_one_action_has_all_it_takes_to_decide(filled: Stage) -> None:
    insights = filled.m.insights
    (item, *_) = read_open(insights, ViewRequest()).items

    page = read_action(insights, ViewRequest(id=item.id))

    assert page.request == "Tell them: Picnic"
    assert page.arguments == {"subject": "Picnic", "text": "We start at eight"}
    assert [step.state for step in page.history] == [State.HELD]
    assert any("mulligan approve" in line for line in page.commands)


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


def test_what_is_not_there_is_nothing() -> None:
    rows = compare_contents({"before": None, "ours": {"a": 1}, "theirs": None})

    assert {row.name for row in rows} == {"value", "a"}
    assert flatten_value([{"a": 1}, {"a": None}]) == {"[0].a": "1", "[1].a": "nothing"}


def test_a_secret_is_not_shown(stage: Stage) -> None:
    run_apart(stage.hold(text="The password is hunter2-swordfish, api_key=sk-ant-abcdefgh12345678"))
    insights = stage.m.insights
    (item,) = read_open(insights, ViewRequest()).items

    assert "sk-ant-abcdefgh12345678" not in str(read_action(insights, ViewRequest(id=item.id)))


def test_what_is_not_there_is_said(filled: Stage) -> None:
    with pytest.raises(ConfigurationError, match="no such action"):
        read_action(filled.m.insights, ViewRequest(id="ffff"))
