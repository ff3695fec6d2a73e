from __future__ import annotations

import pytest

from mulligan import Mulligan
from mulligan.app.insights.views import ViewFilter, Views
from mulligan.app.insights.views.filters import Window
from mulligan.core.action import State
from mulligan.core.errors import ConfigurationError
from tests.dashboard.stage import Stage

MONTH = ViewFilter(window=Window.MONTH)


def test_a_turn_is_told_from_the_request_to_the_second_pass(lived: Mulligan) -> None:
    traced = Views(lived.insights).traced
    turns = [
        traced.read_turn(row.turn)
        for row in traced.read_turns(ViewFilter(window=Window.MONTH, tool="move_event")).rows
    ]

    corrected = next(page for page in turns if page.standing == "corrected" and page.request)

    assert corrected.attempts == 2
    assert corrected.request.startswith("Move the ")
    states = [step.state for step in corrected.calls if step.action]
    assert {State.UNDONE, State.VERIFIED} <= set(states)
    why = [entry.said.get("why", "") for step in corrected.calls for entry in step.history]
    assert any("asked for another day" in str(each) for each in why)


def test_calls_are_counted_and_steps_of_our_own_are_not(filled: Stage) -> None:
    rows = Views(filled.m.insights).traced.read_turns(ViewFilter()).rows

    helper = next(row for row in rows if row.agent == "helper")
    assert (helper.calls, helper.failed) == (4, 2)
    assert helper.tools == ("find_events", "share_file")


def test_a_turn_that_is_not_there_is_said(filled: Stage) -> None:
    with pytest.raises(ConfigurationError, match="no calls"):
        Views(filled.m.insights).traced.read_turn("nothing")
