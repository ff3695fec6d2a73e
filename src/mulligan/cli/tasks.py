"""`mulligan tasks`: what was learned about tasks, a person's word on it, and better notes."""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from typing import TYPE_CHECKING

from msgspec.structs import asdict
from rich.text import Text

from mulligan.cli import render
from mulligan.cli.options import Commands, add_command, add_verb
from mulligan.cli.terminal import make_progress
from mulligan.insights.insights import Insights
from mulligan.insights.tasks import TaskHistory, TaskSummary
from mulligan.process.event_loop import run_on_own_loop
from mulligan.settings import Settings
from mulligan.types.notes import Ground, Notes, NotesState

if TYPE_CHECKING:
    from mulligan.loops.reflection import Optimized


ROUNDS = 4


def _add_optimize(parser: argparse.ArgumentParser) -> None:
    """What a search takes."""
    parser.add_argument(
        "--judge", required=True, metavar="MODEL", help="who reflects, such as anthropic:…"
    )
    parser.add_argument(
        "--rounds", type=int, default=ROUNDS, metavar="N", help=f"proposals (default {ROUNDS})"
    )
    parser.add_argument("--model", help="the model it runs on; else the one it last ran on")


def run_optimize(options: argparse.Namespace, settings: Settings) -> int:
    """Search, say what is on trial now, and fail when nothing is."""
    found = run_on_own_loop(_search_notes(options, settings))
    if options.json:
        render.print_json(found)
    else:
        _print_optimized(found)
    return 0 if found.proposed else 1


async def _search_notes(options: argparse.Namespace, settings: Settings) -> Optimized:
    # The other commands about tasks only read, and need no application.
    from mulligan.app.mulligan import Mulligan

    with make_progress() as progress:
        bar = progress.add_task("rounds", total=options.rounds)
        async with Mulligan(settings=settings, judge=options.judge) as m:
            return await m.optimize_task(
                options.task,
                rounds=options.rounds,
                model=options.model,
                tell=lambda number, _said: progress.update(bar, completed=number),
            )


def _print_optimized(found: Optimized) -> None:
    console = render.make_console()
    rows = [(each.version, each.n, f"{each.at['overall']:.2f}", each.wins) for each in found.front]
    console.print(render.build_text(f"Searched over {found.runs} scored runs. Worth building on:"))
    columns = ("version", "runs", "score", "best at")
    console.print(render.build_table(rows, columns=columns))
    for version in found.proposed:
        console.print(render.build_text(f"Version {version} is on trial: runs decide."))
    for reason in found.rejected:
        console.print(render.build_text(f"Left out: {reason}"))


BAR = 30
"""Characters of a bar that stands for a score of 1."""
LONGEST = 40
"""Characters of a name that is shown whole; a hash is longer, and its beginning will do."""


def add_tasks(commands: Commands) -> None:
    """Add the commands."""
    tasks = add_command(
        commands,
        "tasks",
        about="See how the versions of a task's instructions did, compare them, pin one, go back.",
    )
    verbs = tasks.add_subparsers(title="commands", metavar="COMMAND", required=True)
    _add(verbs, "list", says="every task that was run", run=run_list, task=False)
    _add_model(_add(verbs, "show", says="the version of a task that is on top", run=run_show))
    _add_model(_add(verbs, "history", says="every version, with its scores", run=run_history))
    diff = _add(verbs, "diff", says="what differs between two versions", run=run_diff)
    diff.add_argument("one", type=int, help="a version")
    diff.add_argument("other", type=int, help="another version")
    pin = _add(verbs, "pin", says="give one version every run", run=run_pin)
    pin.add_argument("version", type=int, nargs="?", help="left out: let runs decide again")
    _add_model(pin)
    rollback = _add(
        verbs, "rollback", says="retire the version on top and go back to 0", run=run_rollback
    )
    _add_model(rollback)
    optimize = _add(
        verbs,
        "optimize",
        says="have notes proposed from recorded runs, and put them on trial",
        run=run_optimize,
    )
    _add_optimize(optimize)
    _add(verbs, "clear", says="forget a task: its versions, evidence and runs", run=run_clear)
    _add(verbs, "reflectors", says="how often proposals helped", run=run_reflectors, task=False)
    _add(verbs, "export", says="everything that is kept about a task, as JSON", run=run_export)


def _add(
    verbs: Commands, name: str, *, says: str, run: object, task: bool = True
) -> argparse.ArgumentParser:
    parser = add_verb(verbs, name, says=says, run=run)
    if task:
        parser.add_argument("task", help="its id or the beginning of it")
    return parser


def _add_model(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--model", help="the model it runs on; else the one it last ran on")


def run_list(options: argparse.Namespace, settings: Settings) -> int:
    """List the tasks."""
    with Insights.open(settings) as insights:
        tasks = insights.task_list.list_tasks()
    if options.json:
        render.print_json({"tasks": tasks})
        return 0
    rows = [
        (
            _describe_ground(task.ground),
            task.runs,
            task.versions,
            _format_top(task),
            _format_score(task.mean),
        )
        for task in tasks
    ]
    columns = ("task", "runs", "versions", "on top", "its score")
    render.make_console().print(render.build_table(rows, columns=columns))
    return 0


def run_show(options: argparse.Namespace, settings: Settings) -> int:
    """Show the version on top."""
    with Insights.open(settings) as insights:
        history = insights.task_list.read_history(options.task, model=options.model)
        summary = insights.task_list.summarize(history.ground)
    on_top = next(notes for notes in history.versions if notes.version == summary.on_top)
    if options.json:
        render.print_json({"task": summary, "notes": _encode_notes(on_top)})
        return 0
    console = render.make_console()
    console.print(
        render.build_text(
            f"{_describe_ground(summary.ground)}: version {_format_top(summary)} is on top."
        )
    )
    for line in _describe_notes(on_top, static=history.versions[0]):
        console.print(render.build_text(line))
    return 0


def run_history(options: argparse.Namespace, settings: Settings) -> int:
    """Show every version and how it did."""
    with Insights.open(settings) as insights:
        history = insights.task_list.read_history(options.task, model=options.model)
    if options.json:
        render.print_json(
            {
                "task": history.ground,
                "versions": [_encode_notes(notes) for notes in history.versions],
                "results": history.results,
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
    console = render.make_console()
    for line in lines or ["They are the same."]:
        style = {"+": "green", "-": "red"}.get(line[:1], "")
        console.print(Text(render.escape_text(line), style=style))
    return 0


def run_pin(options: argparse.Namespace, settings: Settings) -> int:
    """Pin a version, or none."""
    with Insights.open(settings) as insights:
        ground = insights.task_list.pin(options.task, version=options.version, model=options.model)
        summary = insights.task_list.summarize(ground)
    pinned = "no version" if options.version is None else f"version {options.version}"
    sentence = (
        f"{_describe_ground(ground)}: {pinned} is pinned, version {summary.on_top} is on top."
    )
    return _say(options, sentence, pinned=options.version, on_top=summary.on_top)


def run_rollback(options: argparse.Namespace, settings: Settings) -> int:
    """Go back to version 0."""
    with Insights.open(settings) as insights:
        left = insights.task_list.roll_back(options.task, model=options.model)
    what = (
        "Version 0 was on top already."
        if left is None
        else f"Version {left} is retired: the next run gets what its owner wrote, or a trial."
    )
    return _say(options, what, retired=left, on_top=0)


def run_clear(options: argparse.Namespace, settings: Settings) -> int:
    """Forget a task."""
    with Insights.open(settings) as insights:
        gone = insights.task_list.clear(options.task)
    return _say(options, f"Forgotten, with {gone} versions.", versions=gone)


def run_reflectors(options: argparse.Namespace, settings: Settings) -> int:
    """List who proposed notes, and how often that helped."""
    with Insights.open(settings) as insights:
        found = insights.task_list.list_reflectors()
    if options.json:
        told = [{**asdict(each), "trust": each.record.trust} for each in found]
        render.print_json({"reflectors": told})
        return 0
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
    render.make_console().print(render.build_table(rows, columns=columns))
    return 0


def run_export(options: argparse.Namespace, settings: Settings) -> int:
    """Print everything as JSON."""
    with Insights.open(settings) as insights:
        render.print_json(insights.task_list.export(options.task))
    return 0


def _say(options: argparse.Namespace, sentence: str, **facts: object) -> int:
    if options.json:
        render.print_json(facts)
    else:
        render.make_console().print(render.build_text(sentence))
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


def _plot(history: TaskHistory) -> None:
    console = render.make_console()
    console.print(render.build_text(_describe_ground(history.ground)))
    rows = [_format_row(notes, history) for notes in history.versions]
    columns = ("version", "state", "runs", "score", "0 … 1, with its interval", "what changed")
    console.print(render.build_table(rows, columns=columns))


def _format_row(notes: Notes, history: TaskHistory) -> tuple[object, ...]:
    changed = "; ".join(notes.changes) or "what its owner wrote"
    result = history.find_result(notes.version)
    if result is None:
        return (notes.version, "not run", 0, "-", "", changed)
    bar = "" if result.mean is None else _draw_bar(result.mean, high=result.high)
    state = result.card.state
    if notes.version == history.on_top and state is NotesState.TRIAL:
        state = NotesState.CHAMPION  # Version 0 needs no crown to be on top.
    return (notes.version, state.value, result.card.runs, _format_score(result.mean), bar, changed)


def _draw_bar(mean: float, *, high: float) -> str:
    """The mean as a bar, its interval as a thinner one."""
    full = round(mean * BAR)
    return "█" * full + "░" * max(0, round(high * BAR) - full)


def _format_score(mean: float | None) -> str:
    return "-" if mean is None else f"{mean:.2f}"


def _encode_notes(notes: Notes) -> dict[str, object]:
    return {**asdict(notes), "at": notes.at.isoformat()}
