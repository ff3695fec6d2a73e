"""Recorded runs, as runs of a task that its notes are proposed from."""

from __future__ import annotations

import json

import pytest

from mulligan import Mulligan, MulliganError, Reflect, Task
from mulligan.types.finding import Standing
from mulligan_replay import read_task_runs
from tests.replay.made import REPLY, otlp_json, pydantic_ai_messages

TASK = Task(description="Serve people at the desk.", expected_output="What was done.")


def test_a_run_of_a_real_library_is_a_run_of_a_task(tmp_path):
    (run,) = read_task_runs(otlp_json(tmp_path))

    assert (run.version, run.excerpt, run.standing) == (0, REPLY, Standing.ACCEPTED)
    assert run.score is not None
    assert 0.5 < run.score < 1, "it found the order only at the second try"


@pytest.fixture
def runs(tmp_path):
    folders = [tmp_path / str(number) for number in range(5)]
    for folder in folders:
        folder.mkdir()
    return read_task_runs(*(pydantic_ai_messages(folder) for folder in folders))


async def test_notes_are_proposed_from_runs_that_were_recorded_elsewhere(runs):
    asked = []

    def propose(experience):
        asked.append(experience)
        return {"suggestions": ["An order is found under its number with #."]}

    async with Mulligan("memory:") as m:
        found = await m.optimize_task(TASK, runs=runs, reflect=Reflect(strategy=propose), rounds=1)
        (summary,) = m.insights.task_list.list_tasks()

    assert (found.runs, found.proposed) == (5, (1,))
    assert [each.output for each in asked] == [REPLY]
    assert asked[0].task.description == TASK.description
    assert summary.runs == 0, "runs that were made elsewhere are evidence for no version"


def test_an_outcome_in_the_trace_is_the_score_and_secrets_are_left_out(tmp_path):
    path = tmp_path / "runs.jsonl"
    told = [("Yes.", True), ("Call bob@site.example.", False), ("Only talk.", None)]
    path.write_text(
        "".join(
            json.dumps({"mulligan": "turn", "message": "Well?", "reply": r, "correct": c}) + "\n"
            for r, c in told
        )
    )

    runs = read_task_runs(path)

    assert [run.score for run in runs] == [1.0, 0.0, None]
    assert "bob@" not in runs[1].excerpt


async def test_too_few_runs_and_a_bare_name_are_refused():
    async with Mulligan("memory:") as m:
        with pytest.raises(MulliganError, match="0 scored runs"):
            await m.optimize_task(TASK, runs=[], reflect=Reflect(strategy=lambda _: None))
        with pytest.raises(MulliganError, match="is no task"):
            await m.optimize_task("desk", runs=[], reflect=Reflect(strategy=lambda _: None))
