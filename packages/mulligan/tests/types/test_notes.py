"""How a scorecard adds up, and what a change of standing leaves on it."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from mulligan.types.errors import ConfigurationError
from mulligan.types.finding import Standing
from mulligan.types.notes import (
    NotesState,
    Refinement,
    Scorecard,
    TaskRun,
    add_run,
    change_state,
    check_move,
    find_needed_versions,
    may_enter,
)

NOW = datetime(2026, 11, 16, tzinfo=UTC)


def run(score: float | None, tokens: int | None = None) -> TaskRun:
    return TaskRun(
        version=1, at=NOW, score=score, standing=Standing.ACCEPTED, tokens=tokens, seconds=2.0
    )


def test_a_run_without_a_score_counts_as_a_run_and_not_as_evidence():
    card = add_run(add_run(Scorecard(version=1), run(None, tokens=7)), run(0.5))

    assert (card.runs, card.scored, card.score) == (2, 1, 0.5)
    assert (card.metered, card.tokens, card.seconds) == (1, 7.0, 4.0)


def test_what_is_seen_of_a_champion_is_counted_since_it_became_one():
    card = add_run(Scorecard(version=1), run(1.0))

    crowned = add_run(change_state(card, NotesState.CHAMPION), run(0.25))

    assert (crowned.scored, crowned.score) == (2, 1.25)
    assert (crowned.since_scored, crowned.since_score) == (1, 0.25)


def test_a_champion_that_falls_keeps_only_what_was_seen_since():
    crowned = change_state(add_run(Scorecard(version=1), run(1.0)), NotesState.CHAMPION)

    fallen = change_state(add_run(crowned, run(0.25)), NotesState.TRIAL)

    assert (fallen.runs, fallen.scored, fallen.score, fallen.since_scored) == (2, 1, 0.25, 0)


def test_who_was_on_trial_keeps_everything():
    card = add_run(Scorecard(version=1), run(1.0))

    assert change_state(card, NotesState.RETIRED).scored == 1


def test_version_0_can_be_pinned_and_nothing_else():
    check_move(0, NotesState.PINNED)
    check_move(0, NotesState.TRIAL)

    for state in (NotesState.CHAMPION, NotesState.RETIRED):
        with pytest.raises(ConfigurationError, match="never goes away"):
            check_move(0, state)


def test_lists_are_taken_for_what_they_mean():
    assert Refinement(suggestions=["Add up first."]).suggestions == ("Add up first.",)


def test_a_pinned_version_makes_room_for_no_champion_but_itself():
    champion, trial = NotesState.CHAMPION, NotesState.TRIAL

    assert may_enter(champion, version=2, pinned=None)
    assert may_enter(champion, version=2, pinned=2)
    assert may_enter(trial, version=2, pinned=0)
    assert not may_enter(champion, version=2, pinned=0)


def test_retention_leaves_what_the_belief_in_a_version_rests_on():
    line = {0: None} | {version: version - 1 for version in range(1, 101)}

    assert find_needed_versions(line, in_play={0}) == {0, 100}
    assert find_needed_versions(line, in_play={50}) == {0, 100, *range(30, 51)}
    assert find_needed_versions({0: None, 1: 9}, in_play={1}) == {0, 1, 9}
    assert find_needed_versions({}, in_play=()) == {0}
