"""`mulligan tasks`: what was learned about tasks, and a person's word on it."""

from __future__ import annotations

import argparse
from dataclasses import asdict

from rich.text import Text

from mulligan.app.insights import Insights
from mulligan.app.insights.task_list import TaskHistory
from mulligan.app.settings import Settings
from mulligan.cli import render
from mulligan.cli.options import Commands, add_command, add_json, add_store
from mulligan.core.notes import Notes
from mulligan.learning.versions import Result

BAR = 30
"""Characters of a bar that stands for a score of 1."""


def add_to(commands: Commands) -> None:
    """Add the commands."""
    tasks = add_command(
        commands,
        "tasks",
        help="what was learned about tasks, version by version",
        about="See how the versions of a task's instructions did, compare them, pin one, go back.",
    )
    verbs = tasks.add_subparsers(title="commands", metavar="COMMAND", required=True)
    _add(verbs, "list", says="every task that was run", run=run_list, task=False)
    _add(verbs, "show", says="the version of a task that is on top", run=run_show)
    _add_model(_add(verbs, "history", says="every version, with its scores", run=run_history))
    diff = _add(verbs, "diff", says="what differs between two versions", run=run_diff)
    diff.add_argument("one", type=int, help="a version")
    diff.add_argument("other", type=int, help="another version")
    pin = _add(verbs, "pin", says="give one version every run", run=run_pin)
    pin.add_argument("version", type=int, nargs="?", help="left out: let evidence decide again")
    _add_model(pin)
    rollback = _add(verbs, "rollback", says="retire the version on top", run=run_rollback)
    _add_model(rollback)
    _add(verbs, "export", says="everything that is kept about a task, as JSON", run=run_export)


def _add(
    verbs: Commands, name: str, *, says: str, run: object, task: bool = True
) -> argparse.ArgumentParser:
    parser = add_command(verbs, name, help=says, about=f"{says[0].upper()}{says[1:]}.")
    add_store(parser)
    add_json(parser)
    if task:
        parser.add_argument("task", help="its id or the beginning of it")
    parser.set_defaults(run=run)
    return parser


def _add_model(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--model", help="the model it ran on, where there are several")


def run_list(options: argparse.Namespace, settings: Settings) -> int:
    """List the tasks."""
    with Insights.open(settings) as insights:
        tasks = insights.task_list.tasks()
    if options.json:
        render.print_json({"tasks": [asdict(task) for task in tasks]})
        return 0
    rows = [
        (t.ground.task[:24], t.ground.model, t.runs, t.versions, t.on_top, _score(t.mean))
        for t in tasks
    ]
    columns = ("task", "model", "runs", "versions", "on top", "its score")
    render.console().print(render.table_of(rows, columns=columns))
    return 0


def run_show(options: argparse.Namespace, settings: Settings) -> int:
    """Show the version on top."""
    with Insights.open(settings) as insights:
        history = insights.task_list.history(options.task)
        [summary] = [t for t in insights.task_list.tasks() if t.ground == history.ground]
    on_top = next(notes for notes in history.versions if notes.version == summary.on_top)
    if options.json:
        render.print_json({"task": asdict(summary), "notes": _notes(on_top)})
        return 0
    console = render.console()
    console.print(render.plain(f"{summary.ground.task}: version {on_top.version} is on top."))
    said = on_top.refinement
    parts = {
        "description": said.description.splitlines(),
        "expected output": said.expected_output.splitlines(),
        "observations": [f"- {line}" for line in said.observations],
        "suggestions": [f"- {line}" for line in said.suggestions],
    }
    for name, lines in parts.items():
        for line in ["", f"{name}:", *lines] if lines else []:
            console.print(render.plain(line))
    return 0


def run_history(options: argparse.Namespace, settings: Settings) -> int:
    """Show every version and how it did."""
    with Insights.open(settings) as insights:
        history = insights.task_list.history(options.task, model=options.model)
    if options.json:
        render.print_json(
            {
                "task": asdict(history.ground),
                "versions": [_notes(notes) for notes in history.versions],
                "results": [asdict(result) for result in history.results],
            }
        )
        return 0
    _plot(history)
    return 0


def run_diff(options: argparse.Namespace, settings: Settings) -> int:
    """Compare two versions."""
    with Insights.open(settings) as insights:
        lines = insights.task_list.diff(options.task, one=options.one, other=options.other)
    if options.json:
        render.print_json({"diff": lines})
        return 0
    console = render.console()
    for line in lines or ["They are the same."]:
        style = {"+": "green", "-": "red"}.get(line[:1], "")
        console.print(Text(render.harmless(line), style=style))
    return 0


def run_pin(options: argparse.Namespace, settings: Settings) -> int:
    """Pin a version, or none."""
    with Insights.open(settings) as insights:
        ground = insights.task_list.pin(options.task, version=options.version, model=options.model)
    pinned = "no version" if options.version is None else f"version {options.version}"
    return _say(options, f"{ground.task}: {pinned} is pinned.", pinned=options.version)


def run_rollback(options: argparse.Namespace, settings: Settings) -> int:
    """Go back to version 0."""
    with Insights.open(settings) as insights:
        left = insights.task_list.roll_back(options.task, model=options.model)
    what = "Version 0 was on top already." if left is None else f"Version {left} is retired."
    return _say(options, what, retired=left)


def run_export(options: argparse.Namespace, settings: Settings) -> int:
    """Print everything as JSON."""
    with Insights.open(settings) as insights:
        render.print_json(insights.task_list.export(options.task))
    return 0


def _say(options: argparse.Namespace, sentence: str, **facts: object) -> int:
    if options.json:
        render.print_json(facts)
    else:
        render.console().print(render.plain(sentence))
    return 0


def _plot(history: TaskHistory) -> None:
    console = render.console()
    console.print(render.plain(f"{history.ground.task} on {history.ground.model or 'any model'}"))
    done = {result.card.version: result for result in history.results}
    rows = [_row(notes, done.get(notes.version)) for notes in history.versions]
    columns = ("version", "state", "runs", "score", "0 … 1, with its interval", "what changed")
    console.print(render.table_of(rows, columns=columns))


def _row(notes: Notes, result: Result | None) -> tuple[object, ...]:
    changed = "; ".join(notes.changes) or "the static definition"
    if result is None:
        return (notes.version, "not run", 0, "-", "", changed)
    card = result.card
    score = _score(result.mean)
    return (notes.version, card.state.value, card.runs, score, _bar(result), changed)


def _bar(result: Result) -> str:
    """The mean as a bar, its interval as a thinner one."""
    if result.mean is None:
        return ""
    mean, high = round(result.mean * BAR), round(result.high * BAR)
    return "█" * mean + "░" * max(0, high - mean)


def _score(mean: float | None) -> str:
    return "-" if mean is None else f"{mean:.2f}"


def _notes(notes: Notes) -> dict[str, object]:
    shown = asdict(notes)
    return {**shown, "at": shown["at"].isoformat()}
