"""How much a person writes for a checked reply and for a task, beside guardrails-ai and DSPy."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path

import pytest

PEERS = Path(__file__).resolve().parents[2] / ".venv-peers" / "bin" / "python"
"""Made by `python -m bench text`; DSPy is added by hand. Without it, theirs is counted only."""

REPLY = """
from mulligan import Mulligan
from mulligan.replies import avoids, grounded, length

rules = [grounded(), length(at_most=500), avoids(words=["delve"])]
print(Mulligan("memory:").reply_sync(write, context="We serve 100+ clients.", rules=rules))
"""

GUARDRAILS = """
import re
from guardrails import Guard, OnFailAction
from guardrails.validators import FailResult, PassResult, Validator, register_validator

@register_validator(name="own/at_most", data_type="string")
class AtMost(Validator):
    def _validate(self, value, metadata):
        if len(value) > 500:
            return FailResult(error_message="Write at most 500 characters.")
        return PassResult()

@register_validator(name="own/avoids", data_type="string")
class Avoids(Validator):
    def _validate(self, value, metadata):
        if "delve" in value.lower():
            return FailResult(error_message="Do not use: delve.")
        return PassResult()

@register_validator(name="own/grounded", data_type="string")
class Grounded(Validator):
    def _validate(self, value, metadata):
        new = set(re.findall(r"\\d+", value)) - set(re.findall(r"\\d+", metadata["context"]))
        return FailResult(error_message=f"Not in the context: {new}.") if new else PassResult()

checks = [check(on_fail=OnFailAction.REASK) for check in (AtMost, Avoids, Grounded)]
asked = [{"role": "user", "content": "How many clients? Context: We serve 100+ clients."}]
context = {"context": "We serve 100+ clients."}
done = Guard().use(*checks)(write, messages=asked, num_reasks=2, metadata=context)
print(done.validated_output)
"""

GUARDRAILS_HUB = """
from guardrails import Guard, OnFailAction
from guardrails.hub import BanList, ProvenanceLLM, ValidLength

checks = [
    ProvenanceLLM(llm_callable=model, on_fail=OnFailAction.REASK),
    ValidLength(max=500, on_fail=OnFailAction.REASK),
    BanList(banned_words=["delve"], on_fail=OnFailAction.REASK),
]
asked = [{"role": "user", "content": "How many clients? Context: We serve 100+ clients."}]
sources = {"sources": ["We serve 100+ clients."], "embed_function": embed}
done = Guard().use(*checks)(write, messages=asked, num_reasks=2, metadata=sources)
print(done.validated_output)
"""
"""With checks of its hub, each installed by a command of its own with a token: counted, not run."""

TASK = """
from mulligan import Mulligan, Task

with Mulligan("sqlite:///orders.db", judge=model) as m:
    task = Task(description="Summarise the orders.", expected_output="The total.", reflect=True)
    done = m.run_task_sync(task, model, input="3 and 9 orders")
    print(done.output)
"""

DSPY = """
import dspy

dspy.configure(lm=lm)
examples = [dspy.Example(orders="3 and 9", total="12 orders.").with_inputs("orders")]

def score(example, made, trace=None):
    return float(example.total in made.total)

task = dspy.ChainOfThought("orders -> total")
task = dspy.BootstrapFewShot(metric=score).compile(task, trainset=examples)
task.save("orders.json")
print(task(orders="3 and 9").total)
"""

WRITES = """
tries = iter(["We delve into it for 500 clients.", "We have 100 clients."])

def write(*_, messages=None, **__):
    return next(tries)
"""
"""The same fake model for ours and theirs: wrong at first, right once told what was wrong."""

ANSWERS = """
from dspy.utils import DummyLM

lm = DummyLM([{"reasoning": "3 + 9", "total": "12 orders."}] * 20)
"""
"""Its own fake, because it asks in a form of its own; the answer is that of ours."""


def count_lines(program: str) -> int:
    return sum(bool(line.strip()) for line in program.splitlines())


def model(prompt: str) -> str:
    """Works, reflects and scores, as a model would."""
    if "second output" in prompt or "You score" in prompt:
        return json.dumps({"first": 8})
    if "You improve" in prompt:
        return json.dumps({"suggestions": ["State the total first."]})
    return "12 orders."


def run_program(program: str, folder: Path, *, python: Path) -> str:
    """What a program prints, in an empty folder, with nothing sent anywhere."""
    (folder / ".guardrailsrc").write_text("id=none\nenable_metrics=false\n")
    quiet = {"HOME": str(folder), "OTEL_SDK_DISABLED": "true", "PATH": ""}
    done = subprocess.run(
        [str(python), "-W", "ignore", "-c", program],
        cwd=folder, env=quiet, capture_output=True, text=True, check=False, timeout=300,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_a_reply_with_three_checks_takes_five_lines_and_fewer_than_elsewhere(
    capsys: pytest.CaptureFixture[str],
) -> None:
    shown: dict[str, object] = {}
    exec(WRITES, shown)

    exec(REPLY, shown)

    assert capsys.readouterr().out == "We have 100 clients.\n"
    assert count_lines(REPLY) <= 5 < count_lines(GUARDRAILS_HUB) < count_lines(GUARDRAILS)


def test_a_task_that_learns_takes_six_lines_and_fewer_than_elsewhere(
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
    assert count_lines(TASK) <= 6 < count_lines(DSPY)


@pytest.mark.full
@pytest.mark.skipif(not PEERS.exists(), reason="the peers' environment is not there")
@pytest.mark.parametrize(
    ("needs", "program", "said"),
    [
        ("guardrails", WRITES + GUARDRAILS, "We have 100 clients."),
        ("dspy", ANSWERS + DSPY, "12 orders."),
    ],
)
def test_what_is_counted_of_the_others_runs_and_gives_the_same_answer(
    needs: str, program: str, said: str, tmp_path: Path
) -> None:
    if subprocess.run(
        [PEERS, "-c", f"import {needs}"], capture_output=True, check=False
    ).returncode:
        pytest.skip(f"{needs} is not installed beside us")

    assert run_program(program, tmp_path, python=PEERS).splitlines()[-1] == said
