"""The shortest programs: a checked reply in five lines, and a task that learns in six."""

from __future__ import annotations

import json

import pytest

REPLY = """
from mulligan import Mulligan
from mulligan.replies import avoids, grounded, length

rules = [grounded(), length(at_most=500), avoids(words=["delve"])]
print(Mulligan("memory:").reply_sync(write, context="We serve 100+ clients.", rules=rules))
"""

TASK = """
from mulligan import Mulligan, Task

with Mulligan("sqlite:///orders.db", judge=model) as m:
    task = Task(description="Summarise the orders.", expected_output="The total.", reflect=True)
    done = m.run_task_sync(task, model, input="3 and 9 orders")
    print(done.output)
"""


def count_lines(program: str) -> int:
    return sum(bool(line.strip()) for line in program.splitlines())


def model(prompt: str) -> str:
    """Works, reflects and scores, as a model would."""
    if "second output" in prompt or "You score" in prompt:
        return json.dumps({"first": 8})
    if "You improve" in prompt:
        return json.dumps({"suggestions": ["State the total first."]})
    return "12 orders."


def test_a_reply_with_three_checks_takes_five_lines(capsys: pytest.CaptureFixture[str]) -> None:
    tries = iter(["We delve into it for 500 clients.", "We have 100 clients."])

    exec(REPLY, {"write": lambda brief: next(tries)})

    assert capsys.readouterr().out == "We have 100 clients.\n"
    assert count_lines(REPLY) <= 5


def test_a_task_that_learns_takes_six_lines(
    tmp_path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)

    for _ in range(6):
        shown = {"model": model}
        exec(TASK, shown)

    assert capsys.readouterr().out == "12 orders.\n" * 6
    assert shown["done"].score == 0.8
    with shown["Mulligan"]("sqlite:///orders.db") as m:
        [task] = m.insights.task_list.list_tasks()
        assert len(m.insights.task_list.read_history(task.ground.task).versions) > 1
    assert count_lines(TASK) <= 6
