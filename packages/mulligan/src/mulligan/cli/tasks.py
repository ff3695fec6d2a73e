"""`mulligan tasks`: the learned notes of tasks: list, compare, pin, optimize."""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from functools import partial
from typing import TYPE_CHECKING

from msgspec.structs import asdict
from rich.text import Text

from mulligan.cli import render
from mulligan.cli.options import define_group, find_user, option, verb
from mulligan.cli.terminal import make_progress
from mulligan.insights.insights import Insights
from mulligan.insights.tasks import TaskHistory, TaskSummary
from mulligan.process.event_loop import run_on_own_loop
from mulligan.settings import Settings
from mulligan.types.notes import Ground, Notes, NotesState

if TYPE_CHECKING:
    from mulligan.loops.reflection import Optimized


ROUNDS = 4
BAR = 30
"""Characters of a bar that stands for a score of 1."""
LONGEST = 40
"""Characters of a name that is shown whole; a hash is longer, and its beginning will do."""

define_group(
    "tasks",
    about="List the versions of a task's notes, compare their scores, pin one, roll back.",
)

_TASK = option("task", help="its id or the beginning of it")
_MODEL = option("--model", help="the model it runs on; else the one it last ran on")


@verb("tasks", "list", says="list the tasks")
def run_list(options: argparse.Namespace, settings: Settings) -> int:
    """List the tasks."""
    with Insights.open(settings) as insights:
        tasks = insights.task_list.list_tasks()
    rows = [
        (
            _describe_ground(task.ground),
            task.runs,
            task.versions,
            _format_top(task),
            render.format_figure(task.mean, ".2f"),
        )
        for task in tasks
    ]
    columns = ("task", "runs", "versions", "active", "score")
    return render.answer(options, {"tasks": tasks}, render.build_table(rows, columns=columns))


@verb("tasks", "show", _TASK, _MODEL, says="show the active version of a task")
def run_show(options: argparse.Namespace, settings: Settings) -> int:
    """Show the active version."""
    with Insights.open(settings) as insights:
        history = insights.task_list.read_history(options.task, model=options.model)
        summary = insights.task_list.summarize(history.ground)
    on_top = next(notes for notes in history.versions if notes.version == summary.on_top)
    return render.answer(
        options,
        {"task": summary, "notes": on_top},
        f"{_describe_ground(summary.ground)}: version {_format_top(summary)} is active.",
        *_describe_notes(on_top, static=history.versions[0]),
    )


@verb("tasks", "history", _TASK, _MODEL, says="list every version with its scores")
def run_history(options: argparse.Namespace, settings: Settings) -> int:
    """Show every version and how it did."""
    with Insights.open(settings) as insights:
        history = insights.task_list.read_history(options.task, model=options.model)
    facts = {
        "task": history.ground,
        "versions": history.versions,
        "results": history.results,
    }
    rows = [_format_row(notes, history) for notes in history.versions]
    columns = ("version", "state", "runs", "score", "0 … 1, with its interval", "what changed")
    table = render.build_table(rows, columns=columns)
    return render.answer(options, facts, _describe_ground(history.ground), table)


@verb(
    "tasks",
    "diff",
    _TASK,
    option("one", type=int, help="a version"),
    option("other", type=int, help="another version"),
    says="show the difference between two versions",
)
def run_diff(options: argparse.Namespace, settings: Settings) -> int:
    """Compare two versions."""
    with Insights.open(settings) as insights:
        lines = insights.task_list.diff(options.task, one=options.one, other=options.other)
    styles = {"+": "green", "-": "red"}
    said: list[str | Text] = [
        Text(render.escape_text(line), style=styles.get(line[:1], "")) for line in lines
    ]
    return render.answer(options, {"diff": lines}, *(said or ["They are the same."]))


@verb(
    "tasks",
    "pin",
    _TASK,
    option("version", type=int, nargs="?", help="the version; without one, runs decide again"),
    _MODEL,
    says="use one version for every run",
)
def run_pin(options: argparse.Namespace, settings: Settings) -> int:
    """Pin a version, or none."""
    with Insights.open(settings) as insights:
        pin = partial(
            insights.task_list.pin, options.task, version=options.version, model=options.model
        )
        act = f"unpin task {options.task}"
        if options.version is not None:
            act = f"pin task {options.task} to {options.version}"
        ground = insights.acts.record(pin, by=find_user(), what=act)
        top = insights.task_list.summarize(ground).on_top
    pinned = "no version" if options.version is None else f"version {options.version}"
    sentence = f"{_describe_ground(ground)}: {pinned} is pinned, version {top} is active."
    return render.answer(options, {"pinned": options.version, "on_top": top}, sentence)


@verb("tasks", "rollback", _TASK, _MODEL, says="retire the active version and return to version 0")
def run_rollback(options: argparse.Namespace, settings: Settings) -> int:
    """Go back to version 0."""
    with Insights.open(settings) as insights:
        left = insights.acts.record(
            lambda: insights.task_list.roll_back(options.task, model=options.model),
            by=find_user(),
            what=f"roll back task {options.task}",
        )
    what = (
        "Version 0 was already active."
        if left is None
        else f"Version {left} is retired: the next run uses version 0, or a trial."
    )
    return render.answer(options, {"retired": left, "on_top": 0}, what)


@verb(
    "tasks",
    "optimize",
    _TASK,
    option(
        "--judge",
        required=True,
        metavar="MODEL",
        help="the model that proposes notes, such as anthropic:…",
    ),
    option("--rounds", type=int, default=ROUNDS, metavar="N", help=f"proposals (default {ROUNDS})"),
    _MODEL,
    says="propose notes from recorded runs, and put them on trial",
)
def run_optimize(options: argparse.Namespace, settings: Settings) -> int:
    """Search, say what is on trial now, and fail when nothing is."""
    found = run_on_own_loop(_search_notes(options, settings))
    rows = [(each.version, each.n, f"{each.at['overall']:.2f}", each.wins) for each in found.front]
    render.answer(
        options,
        found,
        f"Searched over {found.runs} scored runs. Worth building on:",
        render.build_table(rows, columns=("version", "runs", "score", "best at")),
        *(f"Version {version} is on trial: runs decide." for version in found.proposed),
        *(f"Left out: {reason}" for reason in found.rejected),
    )
    return 0 if found.proposed else 1


async def _search_notes(options: argparse.Namespace, settings: Settings) -> Optimized:
    # The other commands about tasks only read, and need no application.
    from mulligan.app.mulligan import Mulligan

    with make_progress() as progress:
        bar = progress.add_task("rounds", total=options.rounds)
        # A mistyped URL is refused, as by every other command, and no new store.
        async with Mulligan(settings=settings, judge=options.judge, migrate=False) as m:
            return await m.optimize_task(
                options.task,
                rounds=options.rounds,
                model=options.model,
                tell=lambda number, _said: progress.update(bar, completed=number),
            )


@verb("tasks", "clear", _TASK, says="delete a task: its versions, evidence and runs")
def run_clear(options: argparse.Namespace, settings: Settings) -> int:
    """Forget a task."""
    with Insights.open(settings) as insights:
        gone = insights.task_list.clear(options.task)
    said = f"Forgotten, with {gone} versions."
    return render.answer(options, {"versions": gone}, said)


@verb("tasks", "reflectors", says="show how often proposals helped")
def run_reflectors(options: argparse.Namespace, settings: Settings) -> int:
    """List who proposed notes, and how often that helped."""
    with Insights.open(settings) as insights:
        found = insights.task_list.list_reflectors()
    facts = [{**asdict(each), "trust": each.record.trust} for each in found]
    rows = [
        (
            each.by,
            each.proposals,
            each.helped,
            f"{each.record.mean:+.3f} ± {each.record.spread:.3f}",
            f"{each.record.trust:.2f}",
        )
        for each in found
    ]
    columns = ("reflector", "proposals", "helped", "effect on the score", "trust")
    return render.answer(options, {"reflectors": facts}, render.build_table(rows, columns=columns))


@verb("tasks", "export", _TASK, says="export everything stored about a task, as JSON")
def run_export(options: argparse.Namespace, settings: Settings) -> int:
    """Print everything as JSON."""
    with Insights.open(settings) as insights:
        render.print_json(insights.task_list.export(options.task))
    return 0


def _describe_ground(ground: Ground) -> str:
    """A task as people name it, and what it ran on."""
    name = ground.task if len(ground.task) <= LONGEST else f"{ground.task[:12]}…"
    of = f" of {ground.tenant}" if ground.tenant else ""
    return f"{name}{of} on {ground.model}" if ground.model else f"{name}{of}"


def _format_top(task: TaskSummary) -> str:
    return f"{task.on_top} (pinned)" if task.pinned else str(task.on_top)


def _describe_notes(notes: Notes, *, static: Notes) -> Iterator[str]:
    """What a run is told, part by part: the notes, then what the owner wrote."""
    said, owners = notes.advice, static.refinement
    parts = {
        "refined instructions": said.description.splitlines(),
        "output guidance": said.expected_output.splitlines(),
        "observations": [f"- {line}" for line in said.observations],
        "suggestions": [f"- {line}" for line in said.suggestions],
        "the task, as its owner wrote it": owners.description.splitlines(),
        "expected output, as its owner wrote it": owners.expected_output.splitlines(),
    }
    for name, lines in parts.items():
        yield from ["", f"{name}:", *lines] if lines else []


def _format_row(notes: Notes, history: TaskHistory) -> tuple[object, ...]:
    changed = "; ".join(notes.changes) or "what its owner wrote"
    result = history.find_result(notes.version)
    if result is None:
        return (notes.version, "not run", 0, "-", "", changed)
    bar = ""
    if result.mean is not None:
        # The mean as a bar, its interval as a thinner one.
        full = round(result.mean * BAR)
        bar = "█" * full + "░" * max(0, round(result.high * BAR) - full)
    state = result.card.state
    if notes.version == history.on_top and state is NotesState.TRIAL:
        state = NotesState.CHAMPION  # Version 0 is active without being made champion.
    return (
        notes.version,
        state.value,
        result.card.runs,
        render.format_figure(result.mean, ".2f"),
        bar,
        changed,
    )
