"""What people see of a task's versions, and what they may decide."""

from __future__ import annotations

import json
from datetime import UTC, datetime

import pytest

from mulligan.learning.task_versions import (
    compare,
    describe_changes,
    export,
    list_results,
    pin,
    roll_back,
    unpin,
)
from mulligan.stores.opening import open_store
from mulligan.types.errors import ConfigurationError
from mulligan.types.finding import Standing
from mulligan.types.interfaces import Archive
from mulligan.types.notes import Ground, Notes, NotesState, Refinement, TaskRun

NOW = datetime(2026, 11, 16, tzinfo=UTC)
GROUND = Ground(task="report")
TRIAL, CHAMPION, PINNED, RETIRED = NotesState


def notes(version: int, **said: object) -> Notes:
    return Notes(task="report", version=version, refinement=Refinement(**said), at=NOW)


@pytest.fixture
def archive() -> Archive:
    made = open_store("memory:").archive
    for version in range(3):
        made.append(notes(version, description=f"Version {version}."))
    for version, score in ((0, 0.5), (0, 1.0), (1, 1.0)):
        run = TaskRun(version=version, at=NOW, score=score, standing=Standing.ACCEPTED)
        made.count(GROUND, run=run)
    return made


def states(archive: Archive) -> dict[int, NotesState]:
    return {card.version: card.state for card in archive.list_scorecards(GROUND)}


def test_changes_are_told_in_a_few_words():
    before = Refinement(description="abc", observations=("a", "b"))
    after = Refinement(description="ab", expected_output="x", observations=("b", "c", "d"))

    assert describe_changes(before, after) == (
        "description: reworded, 3 → 2 characters",
        "expected output: new",
        "observations: 2 new, 1 gone",
    )
    assert describe_changes(after, after) == ()
    assert describe_changes(after, Refinement())[:2] == (
        "description: gone",
        "expected output: gone",
    )


def test_two_versions_can_be_compared_line_by_line():
    one = notes(1, description="Add up.\nWrite.", suggestions=("Sum first.",))
    other = notes(2, description="Add up.\nWrite a table.", suggestions=("Sum first.",))

    lines = compare(one, other)

    assert lines[:2] == ["--- version 1", "+++ version 2"]
    assert [line for line in lines[2:] if line[0] in "+-"] == ["-Write.", "+Write a table."]


def test_beside_the_static_text_notes_are_only_ever_added():
    static = notes(0, description="Count the orders.", expected_output="One line.")
    first = notes(1, description="Count this week's orders.", suggestions=("Total first.",))

    lines = compare(static, first)

    assert lines[2:] == [
        "@@ -0,0 +1,4 @@",
        "+Description:",
        "+Count this week's orders.",
        "+Suggestions:",
        "+- Total first.",
    ]


def test_results_say_how_each_version_did_and_how_sure_that_is(archive):
    archive.move(GROUND, version=2, state=TRIAL, was=None)

    static, first, second = list_results(archive, GROUND)

    assert (static.mean, first.mean, second.mean) == (0.75, 1.0, None)
    assert 0 <= static.low < 0.75 < static.high <= 1
    assert (second.low, second.high) == (0.0, 1.0)
    assert first.low < 0.6


@pytest.mark.parametrize(("version", "after"), [(0, TRIAL), (1, CHAMPION), (2, CHAMPION)])
def test_a_pinned_version_is_on_top_still_when_it_is_let_go(archive, version, after):
    pin(archive, GROUND, version=version)
    pinned = states(archive)

    let_go = unpin(archive, GROUND)

    assert pinned[version] is PINNED
    assert let_go == version
    assert states(archive)[version] is after
    assert unpin(archive, GROUND) is None


def test_a_retired_version_can_be_brought_back_by_hand(archive):
    archive.move(GROUND, version=1, state=RETIRED, was=TRIAL)

    pin(archive, GROUND, version=1)

    assert states(archive)[1] is PINNED


def test_a_version_that_is_not_there_cannot_be_pinned(archive):
    with pytest.raises(ConfigurationError, match="has no version 9: it has 0, 1, 2"):
        pin(archive, GROUND, version=9)
    with pytest.raises(ConfigurationError, match="none yet"):
        pin(archive, Ground(task="unknown"), version=0)


@pytest.mark.parametrize("top", [CHAMPION, PINNED])
def test_rolling_back_by_hand_retires_what_was_on_top(archive, top):
    archive.move(GROUND, version=1, state=top, was=TRIAL)

    left = roll_back(archive, GROUND)

    assert left == 1
    assert states(archive) == {0: TRIAL, 1: RETIRED}
    assert roll_back(archive, GROUND) is None


def test_an_export_is_everything_as_json(archive):
    archive.count(
        Ground(task="report", tenant="other"),
        run=TaskRun(version=0, at=NOW, score=1.0, standing=Standing.ACCEPTED),
    )

    exported = json.loads(json.dumps(export(archive, "report")))

    assert [version["version"] for version in exported["versions"]] == [0, 1, 2]
    assert exported["versions"][2]["refinement"]["description"] == "Version 2."
    assert exported["versions"][0]["at"] == "2026-11-16T00:00:00+00:00"
    [ground] = exported["grounds"]
    assert [(card["version"], card["runs"]) for card in ground["scorecards"]] == [(0, 2), (1, 1)]
