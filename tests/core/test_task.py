"""What a task is known by."""

from __future__ import annotations

from mulligan.core.task import Task

ABC = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"


def test_a_task_without_an_id_is_known_by_the_sha256_of_its_description():
    assert Task(description="abc").identity == ABC


def test_an_explicit_id_wins_over_the_description():
    assert Task(description="abc", id="weekly-report").identity == "weekly-report"


def test_the_expected_output_does_not_change_who_a_task_is():
    assert Task(description="abc", expected_output="a table").identity == ABC
