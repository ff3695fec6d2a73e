"""Which versions are worth building on."""

from __future__ import annotations

from datetime import UTC, datetime

from mulligan.learning.task_selection import find_front, pick_lesson, pick_parent
from mulligan.types.finding import Standing
from mulligan.types.notes import TaskRun

NOW = datetime(2026, 11, 16, tzinfo=UTC)


def ran(version: int, score: float | None, problem: str = "") -> TaskRun:
    return TaskRun(
        version=version, at=NOW, score=score, standing=Standing.ACCEPTED, problem=problem
    )


def test_who_is_worse_at_everything_is_not_on_the_front():
    front = find_front([ran(0, 0.5, "late"), ran(1, 0.9), ran(2, 0.4, "late")])

    assert [each.version for each in front] == [1]


def test_who_is_best_at_one_kind_of_trouble_stays():
    """Version 1 is better overall, and version 2 alone is never late."""
    runs = [
        ran(1, 0.9),
        ran(1, 0.8, "late"),
        ran(2, 0.6),
        ran(2, 0.5, "vague"),
        ran(0, 0.1, "late"),
    ]

    front = find_front(runs)

    assert {each.version for each in front} == {1, 2}
    assert all(each.wins for each in front)


def test_runs_without_a_score_say_nothing():
    assert find_front([ran(0, None), ran(1, None)]) == []


def test_each_is_built_on_as_often_as_it_is_best():
    runs = [ran(1, 0.9), ran(1, 0.8, "late"), ran(2, 0.6), ran(2, 0.5, "vague")]
    front = find_front(runs)

    picked = [pick_parent(front, turn=turn).version for turn in range(sum(f.wins for f in front))]

    assert {version: picked.count(version) for version in (1, 2)} == {
        each.version: each.wins for each in front
    }


def test_the_worst_run_is_learned_from_first_beside_the_best_of_all():
    runs = [ran(1, 0.9), ran(1, 0.2, "late"), ran(2, 1.0)]
    [parent] = [each for each in find_front(runs) if each.version == 2] or find_front(runs)

    lesson, others = pick_lesson(runs, parent=parent, turn=0)

    assert lesson.version == parent.version
    assert others[0].score == max(run.score or 0 for run in runs if run is not lesson)
