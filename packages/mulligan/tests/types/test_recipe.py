"""Whoever finds an action on the open list is told what to do with it."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from mulligan.types.action import SETTLED, Action, Opening, State
from mulligan.types.display import render_recipe
from mulligan.types.effect import Effect

NOW = datetime(2026, 11, 15, 9, 0, tzinfo=UTC)
SEES_TO_ITSELF = {
    State.INTENT, State.EXECUTED, State.UNKNOWN, State.UNDOING, State.PENDING_REVIEW,
}  # fmt: skip


def action(state: State) -> Action:
    opening = Opening(tool="move", effect=Effect.REVERSIBLE)
    return Action(id="0123", opening=opening, state=state, version=3, opened_at=NOW, changed_at=NOW)


@pytest.mark.parametrize("state", sorted(set(State) - SETTLED - SEES_TO_ITSELF))
def test_what_waits_for_a_person_comes_with_a_command_for_that_very_action(state: State) -> None:
    steps = render_recipe(action(state))

    assert any("mulligan " in step and "0123" in step for step in steps)


@pytest.mark.parametrize("state", sorted(SETTLED | SEES_TO_ITSELF))
def test_nobody_is_sent_where_nothing_is_owed_by_a_person(state: State) -> None:
    assert render_recipe(action(state)) == ()


def test_an_undo_that_failed_can_be_tried_again_or_made_by_hand() -> None:
    again, by_hand = render_recipe(action(State.UNDO_FAILED))

    assert "mulligan undo 0123" in again
    assert "mulligan settle 0123 --note" in by_hand
