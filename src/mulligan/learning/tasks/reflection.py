"""The strategy of those who bring none: a judge says how the task could be put better."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterator, Sequence

from mulligan.core.display.question import Question
from mulligan.core.display.quoted import Ours
from mulligan.core.interfaces import Judge
from mulligan.core.notes import Notes, Refinement, TaskRun
from mulligan.core.task import Experience, Reflect

PROMPT = "reflect_task"
_CONTRASTED = 2
"""Runs of each kind that are shown."""


def ask_judge(judge: Judge) -> Callable[[Experience], Awaitable[Refinement | None]]:
    """A strategy that asks a judge; what runs and notes say is shown to it as written by others."""

    async def propose(experience: Experience) -> Refinement | None:
        return await judge.ask(build_question(experience))

    return propose


def build_question(experience: Experience) -> Question[Refinement]:
    """What the judge is asked after a run."""
    task = experience.task
    return Question(
        prompt=PROMPT,
        values={
            "description": Ours(task.description),
            "expected_output": Ours(task.expected_output or "(not stated)"),
            "runs": Ours(str(experience.runs)),
            "standing": Ours(str(experience.standing)),
        },
        untrusted=dict(_list_untrusted(experience)),
        answer=Refinement,
        purpose="reflect on a task",
        timeout=(task.settings or Reflect()).timeout,
    )


def choose_contrasting(runs: Sequence[TaskRun]) -> tuple[TaskRun, ...]:
    """Of the latest runs, the best and the worst, the best first; none when all were alike."""
    scored = [run for run in runs if run.score is not None and run.excerpt]
    ranked = sorted(scored, key=lambda run: run.score or 0.0, reverse=True)
    if not ranked or ranked[0].score == ranked[-1].score:
        return ()
    half = min(_CONTRASTED, len(ranked) // 2)
    return (*ranked[:half], *ranked[-half:])


def _list_untrusted(experience: Experience) -> Iterator[tuple[str, str]]:
    yield "what this run produced", experience.output
    if experience.prior is not None:
        yield "notes from earlier runs", _as_text(experience.prior)
    for number, run in enumerate(experience.contrast, start=1):
        trouble = f", {run.problem}" if run.problem else ""
        yield f"earlier run {number}, score {run.score:.2f}{trouble}", run.excerpt


def _as_text(notes: Notes) -> str:
    said = notes.refinement
    return "\n".join(
        [
            f"Description: {said.description}",
            f"Expected output: {said.expected_output}",
            *(f"Observation: {item}" for item in said.observations),
            *(f"Suggestion: {item}" for item in said.suggestions),
        ]
    )
