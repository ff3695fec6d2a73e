"""What a version may become, and which are kept."""

from __future__ import annotations

import pytest

from mulligan.types.errors import ConfigurationError
from mulligan.types.notes import (
    NotesState,
    Refinement,
    check_move,
    find_needed_versions,
    may_enter,
)


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
