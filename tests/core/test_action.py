"""Where an action may go, against the diagram of the policy."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest

from mulligan.core.action import (
    HOLD_LIFE,
    SETTLED,
    Action,
    Opening,
    State,
    has_expired,
    leads_to,
)
from mulligan.core.effect import Effect

NOW = datetime(2026, 11, 15, 9, 30, tzinfo=UTC)

DIAGRAM = """
INTENT -> EXECUTED
EXECUTED -> VERIFIED | UNCHECKED | UNDOING
UNDOING -> UNDONE | CONFLICT | UNDO_FAILED
INTENT -> NOT_EXECUTED | UNKNOWN
UNKNOWN -> NEEDS_HUMAN
EXECUTED -> PENDING_REVIEW
PENDING_REVIEW -> VERIFIED | UNCHECKED | UNDOING | DISPUTED
HELD -> APPROVED | DENIED | EXPIRED
APPROVED -> INTENT | DENIED | EXPIRED
"""

RECOVERY = """
UNKNOWN -> EXECUTED | NOT_EXECUTED | UNKNOWN
INTENT -> NEEDS_HUMAN
EXECUTED -> NEEDS_HUMAN
UNDOING -> UNDOING
UNDO_FAILED -> UNDOING | UNDONE
PENDING_REVIEW -> PENDING_REVIEW
"""
"""It probes, then settles; tries an undo again; and hands over what it cannot settle."""

GIVEN_UP = """
NOT_EXECUTED -> NEEDS_HUMAN
"""
"""It came back after all, from a process that others had taken for dead."""

SECOND_REJECTION = """
EXECUTED -> DISPUTED
"""
"""By a judge alone: it stands, disputed."""

PEOPLE = """
DISPUTED -> VERIFIED | UNDOING
CONFLICT -> UNDOING
NEEDS_HUMAN -> EXECUTED | NOT_EXECUTED | UNDOING
VERIFIED -> UNDOING
UNCHECKED -> UNDOING
"""
"""A person says what a machine could not."""

CLOSED_BY_PEOPLE = [
    "HELD", "APPROVED", "INTENT", "EXECUTED", "PENDING_REVIEW", "UNKNOWN", "UNDOING", "DISPUTED",
    "CONFLICT", "UNDO_FAILED", "NEEDS_HUMAN",
]  # fmt: skip
NOTHING_OWED = [
    "VERIFIED", "UNCHECKED", "UNDONE", "NOT_EXECUTED", "DENIED", "EXPIRED", "CLOSED",
]  # fmt: skip


def arrows() -> set[tuple[str, str]]:
    drawn = {(state, "CLOSED") for state in CLOSED_BY_PEOPLE}
    for line in (DIAGRAM + RECOVERY + GIVEN_UP + SECOND_REJECTION + PEOPLE).strip().splitlines():
        before, _, after = line.partition(" -> ")
        drawn |= {(before, state) for state in after.split(" | ")}
    return drawn


@pytest.mark.parametrize("before", list(State))
@pytest.mark.parametrize("after", list(State))
def test_an_action_goes_where_the_diagram_leads_and_nowhere_else(before, after):
    assert leads_to(before, after) == ((before.name, after.name) in arrows())


@pytest.mark.parametrize("first", list(State))
def test_an_action_begins_as_an_intent_or_a_hold(first):
    assert leads_to(None, first) == (first.name in {"INTENT", "HELD"})


@pytest.mark.parametrize("state", list(State))
def test_a_state_is_settled_or_on_the_open_list(state):
    action = Action(
        id="a1",
        opening=Opening(tool="move", effect=Effect.REVERSIBLE),
        state=state,
        version=1,
        opened_at=datetime(2026, 1, 1, tzinfo=UTC),
        changed_at=datetime(2026, 1, 1, tzinfo=UTC),
    )

    assert action.settled == (state.name in NOTHING_OWED)
    assert action.settled != (state.name in CLOSED_BY_PEOPLE)


def test_from_every_open_state_there_is_a_way_to_a_settled_one_without_closing():
    reached = {state.name for state in SETTLED}
    for _ in State:
        reached |= {before for before, after in arrows() if after in reached - {"CLOSED"}}

    assert set(CLOSED_BY_PEOPLE) <= reached


@pytest.mark.parametrize(
    ("detail", "after", "over"),
    [
        ({"expires_at": NOW.isoformat()}, timedelta(), True),
        ({"expires_at": NOW.isoformat()}, timedelta(seconds=-1), False),
        ({}, HOLD_LIFE, True),
        ({}, HOLD_LIFE - timedelta(seconds=1), False),
        ({"expires_at": "soon"}, HOLD_LIFE, True),
    ],
)
def test_a_hold_ends_when_it_says_or_else_after_its_life(
    detail: dict[str, object], after: timedelta, over: bool
) -> None:
    assert has_expired(detail, changed_at=NOW, now=NOW + after) is over
