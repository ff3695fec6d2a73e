"""Where an action may go, by whose hand, and what the docs say of it."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from mulligan.types.action import (
    HOLD_LIFE,
    JOURNAL,
    SETTLED,
    By,
    State,
    check_step,
    find_takers,
    has_expired,
)
from mulligan.types.errors import IllegalTransitionError

NOW = datetime(2026, 11, 15, 9, 30, tzinfo=UTC)

PAGE = Path(__file__).parents[4] / "docs" / "journal.md"


def draw(state: State | None) -> str:
    """The row of a state as the page has it."""
    row = JOURNAL[state]
    name = f"`{state.name}`" if state else "nothing yet"
    name += f", then the {row.sends} is sent" if row.sends else ""
    steps = [
        f"`{after.name}` {', '.join(str(by.name).lower() for by in By if by in takers)}"
        for after, takers in row.to.items()
    ]
    return f"| {name} | {'; '.join(steps)} |"


def test_the_picture_in_the_docs_is_the_table_that_the_code_reads() -> None:
    _, _, below = PAGE.read_text().partition("| from | to, and by whom |\n|---|---|\n")
    drawn, _, _ = below.partition("\n\n")

    assert drawn.splitlines() == [draw(state) for state, row in JOURNAL.items() if row.to]


def test_every_state_is_in_the_table_and_is_led_to() -> None:
    led_to = {after for row in JOURNAL.values() for after in row.to} | {State.CLOSED}

    assert set(JOURNAL) == {None, *State}
    assert led_to == set(State)


def test_only_a_person_closes_what_is_open_and_nobody_what_is_settled() -> None:
    closed = {state: find_takers(state, State.CLOSED) for state in (None, *State)}

    assert {state for state, by in closed.items() if by is By.PERSON} == set(State) - SETTLED
    assert not any(closed[state] for state in (None, *SETTLED))


def test_from_every_open_state_there_is_a_way_to_a_settled_one_without_closing() -> None:
    reached = set(SETTLED - {State.CLOSED})
    for _ in State:
        reached |= {state for state in State if reached & set(JOURNAL[state].to)}

    assert set(State) - SETTLED <= reached


def test_a_step_is_refused_to_whoever_may_not_take_it() -> None:
    with pytest.raises(IllegalTransitionError, match="cannot become not_executed by its recovery"):
        check_step("a1", State.INTENT, State.NOT_EXECUTED, by=By.RECOVERY)

    check_step("a1", State.INTENT, State.NOT_EXECUTED, by=By.OWNER)


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
