"""`mulligan lessons`, `pitfalls` and `calibration`: what was learned from failures."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator
from pathlib import Path

from msgspec.structs import asdict

from mulligan.cli import render
from mulligan.cli.options import (
    Commands,
    add_command,
    add_json,
    add_limit,
    add_store,
    add_verb,
    find_user,
    parse_count,
    parse_moment,
)
from mulligan.cli.terminal import end_waiting, print_line
from mulligan.insights.insights import Insights
from mulligan.insights.lessons import BUILT_IN, LessonHistory, LessonSeen, Measured
from mulligan.settings import Settings
from mulligan.types.errors import ConfigurationError
from mulligan.types.lesson import Lesson, LessonQuery, LessonState
from mulligan.types.private_file import refuse_unwritable, write_private


def show_lesson(history: LessonHistory, *, json: bool) -> None:
    """Print it: its words, its versions, the calls it touched, and what people thought."""
    if json:
        render.print_json(
            {
                "versions": [encode_lesson(each) for each in history.versions],
                "balance": history.balance,
                "uses": history.uses,
                "rated_up": history.rated_up,
            }
        )
        return
    console, liking = render.make_console(), history.rated_up
    for line in _describe_lesson(history.lesson):
        console.print(render.build_text(line))
    rows = [(v.version, v.state.value, v.by, f"{v.learned_at:%Y-%m-%d %H:%M}", v.why)
            for v in history.versions]  # fmt: skip
    console.print(render.build_table(rows, columns=("version", "state", "by", "since", "why")))
    if history.uses:
        touched = [(u.call, u.agent, f"{u.at:%Y-%m-%d %H:%M}", u.benefit.value, u.note)
                   for u in history.uses]  # fmt: skip
        columns = ("call it touched", "agent", "at, UTC", "what it brought", "how")
        console.print(render.build_table(touched, columns=columns))
    else:
        console.print("It has touched no call.")
    if history.balance.uses > len(history.uses):
        console.print(f"These are the newest of {history.balance.uses} calls: --all lists them.")
    if liking.n:
        up = round((liking.figure or 0.0) * liking.n)
        console.print(f"People liked {up} of {liking.n} replies of those turns.")


def encode_lesson(lesson: Lesson) -> dict[str, object]:
    """One version of it, for programs."""
    built_in = lesson.by == BUILT_IN
    return {**asdict(lesson), "learned_at": lesson.learned_at.isoformat(), "built_in": built_in}


def _describe_lesson(lesson: Lesson) -> Iterator[str]:
    yield f"{lesson.id}: {lesson.statement}"
    yield f"tool: {lesson.tool or 'any'}   when: {lesson.when}"
    yield from (f"not when: {lesson.when_not}",) if lesson.when_not else ()
    yield f"mistake: {lesson.mistake}   correction: {lesson.correction}"
    yield f"failing: {lesson.example[0]}   corrected: {lesson.example[1]}"
    yield f"seen {lesson.seen} times, of {lesson.of} repairs; agents: {', '.join(lesson.agents)}"


MOST_USES = 100
"""The newest calls that a lesson touched, unless every one is asked for."""
BAR = 30
"""Characters of a bar that stands for a share of 1."""


def add_lessons(commands: Commands) -> None:
    """Add the command."""
    lessons = add_command(
        commands,
        "lessons",
        about="See the lessons drawn from failures and their repairs, approve or take out one, "
        "and move them\nbetween stores.",
    )
    verbs = lessons.add_subparsers(title="commands", metavar="COMMAND", required=True)
    _add_list(verbs)
    show = _add(
        verbs, "show", says="one lesson: its versions, and the calls it touched", run=run_show
    )
    show.add_argument("--all", action="store_true", help="every call, and not the newest 100 alone")
    for name, says, run in (
        ("approve", "use a lesson from now on, on your word", run_approve),
        ("quarantine", "let nobody use a lesson until it is approved", run_quarantine),
        ("revoke", "take a lesson out for good, and list every call it touched", run_revoke),
    ):
        _add(verbs, name, says=says, run=run).add_argument("--note", default="", help="why")
    batch = _add(
        verbs, "consolidate", says="draw lessons from all that is remembered, now",
        run=run_consolidate, lesson=False,
    )  # fmt: skip
    batch.add_argument("--undo", metavar="BATCH", help="take a consolidation back instead")
    export = _add(verbs, "export", says="lessons as JSON lines", run=run_export, lesson=False)
    _add_filters(export)
    bring = _add(
        verbs, "import", says="take lessons of a file in as candidates", run=run_import,
        lesson=False,
    )  # fmt: skip
    bring.add_argument("file", help="JSON lines as `export` writes them; - for standard input")


def add_calibration(commands: Commands) -> None:
    """Add the command."""
    calibration = add_command(
        commands,
        "calibration",
        about="Hold the probabilities that suggestions were given against what came of them, and "
        "show how much\nmore often failures are repaired where memory has its say.",
    )
    add_store(calibration)
    add_json(calibration)
    calibration.add_argument(
        "--picture", metavar="FILE", help="draw it as well, into a file of SVG"
    )
    calibration.set_defaults(run=run_calibration)


def _add(
    verbs: Commands, name: str, *, says: str, run: object, lesson: bool = True
) -> argparse.ArgumentParser:
    parser = add_verb(verbs, name, says=says, run=run)
    if lesson:
        parser.add_argument("lesson", help="its id or the beginning of it")
    return parser


def _add_list(verbs: Commands) -> None:
    parser = _add(verbs, "list", says="every lesson as it stands", run=run_list, lesson=False)
    _add_filters(parser)
    add_limit(parser, default=100)


def _add_filters(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--tool", help="only about this tool")
    parser.add_argument("--agent", help="only where the failure happened to this agent")
    parser.add_argument(
        "--state", choices=[each.value for each in LessonState], help="only in this state"
    )
    parser.add_argument("--text", default="", help="only those that share words with this")


def add_pitfalls(commands: Commands) -> None:
    """Add the command."""
    parser = add_command(
        commands,
        "pitfalls",
        about="Write what is known to go wrong with tools as a short section for a prompt, a "
        "tool's description\nor a file of skills.",
    )
    add_store(parser)
    add_json(parser)
    parser.add_argument("tool", nargs="*", help="about these tools")
    parser.add_argument(
        "--agent", help="what has failed this agent, of these tools or of every one"
    )
    parser.add_argument("--tokens", type=parse_count, default=400, help="at most (default: 400)")
    parser.add_argument("--link", default="", metavar="URL", help="where there is more")
    parser.add_argument(
        "--changed-since",
        type=parse_moment,
        metavar="TIME",
        help="list the tools whose lessons changed since then: 2h, 7d, or an ISO time",
    )
    parser.set_defaults(run=run_pitfalls)


def run_list(options: argparse.Namespace, settings: Settings) -> int:
    """List the lessons."""
    with Insights.open(settings) as insights:
        query = _build_query(options, limit=options.limit)
        learned = insights.lesson_list.list_lessons(query)
        found = [*learned, *insights.lesson_list.list_built_in(query)][: options.limit]
    if options.json:
        render.print_json({"lessons": [_encode_seen(each) for each in found]})
        return 0
    if not learned:
        narrowed = query != LessonQuery(limit=query.limit)
        said = "No learned lessons fit." if narrowed else "Nothing was learned yet."
        render.make_console().print(said)
    if found:
        columns = ("id", "tool", "state", "seen", "helped", "harmed", "what was learned")
        render.make_console().print(render.build_table(map(_format_row, found), columns=columns))
    return 0


def run_show(options: argparse.Namespace, settings: Settings) -> int:
    """Show one lesson."""
    with Insights.open(settings) as insights:
        known = insights.lesson_list
        newest = None if options.all else MOST_USES
        history = known.read_history(options.lesson, newest=newest)
        show_lesson(history, json=options.json)
    return 0


def run_approve(options: argparse.Namespace, settings: Settings) -> int:
    """Vouch for a lesson."""
    with Insights.open(settings) as insights:
        lesson = insights.lesson_list.approve(options.lesson, by=find_user(), note=options.note)
    return _say(options, lesson)


def run_quarantine(options: argparse.Namespace, settings: Settings) -> int:
    """Doubt a lesson."""
    with Insights.open(settings) as insights:
        lesson = insights.lesson_list.quarantine(options.lesson, by=find_user(), note=options.note)
    return _say(options, lesson)


def run_revoke(options: argparse.Namespace, settings: Settings) -> int:
    """Take a lesson out."""
    with Insights.open(settings) as insights:
        known = insights.lesson_list
        history = known.revoke(options.lesson, by=find_user(), note=options.note)
        show_lesson(history, json=options.json)
    return 0


def run_consolidate(options: argparse.Namespace, settings: Settings) -> int:
    """Draw lessons, or take a batch back."""
    with Insights.open(settings) as insights:
        if options.undo is not None:
            lessons = insights.lesson_list.take_back(options.undo, by=find_user())
            said = {"batch": options.undo, "episodes": 0}
        else:
            done = insights.lesson_list.consolidate()
            lessons, said = list(done.lessons), {"batch": done.batch, "episodes": done.episodes}
    if options.json:
        render.print_json({**said, "lessons": [encode_lesson(each) for each in lessons]})
        return 0
    words = "was taken back" if options.undo is not None else f"read {said['episodes']} episodes"
    console = render.make_console()
    console.print(f"Consolidation {said['batch']} {words}: {len(lessons)} lessons changed.")
    for each in lessons:
        console.print(render.build_text(f"{each.id} {each.state}: {each.statement} ({each.why})"))
    return 0


def run_export(options: argparse.Namespace, settings: Settings) -> int:
    """Write lessons as JSON lines."""
    with Insights.open(settings) as insights:
        lines = insights.lesson_list.export(_build_query(options, limit=100_000))
        for line in lines:
            end_waiting()
            print_line(line)
        insights.acts.record_export([options.tool] if options.tool else [], by=find_user())
    return 0


def run_import(options: argparse.Namespace, settings: Settings) -> int:
    """Take lessons in."""
    lines = list(_read_lines(options.file))
    with Insights.open(settings) as insights:
        new = insights.lesson_list.add(lines, tenant=settings.tenant)
    if options.json:
        render.print_json({"imported": [encode_lesson(each) for each in new]})
    else:
        known = max(0, len([line for line in lines if line.strip()]) - 1 - len(new))
        said = (
            f"{len(new)} lessons are candidates now; {known} were known. Approve those you trust."
        )
        render.make_console().print(said)
    return 0


def run_pitfalls(options: argparse.Namespace, settings: Settings) -> int:
    """Write the section, or list the tools whose section has changed."""
    if not (options.tool or options.agent or options.changed_since):
        raise ConfigurationError("Name a tool, --agent NAME or --changed-since TIME.")
    with Insights.open(settings) as insights:
        if options.changed_since is not None:
            changed = insights.lesson_list.list_changed_tools(options.changed_since)
            return _show_changed(options, changed)
        # One tenant's, or those of nobody who is named: what goes into a prompt mixes none.
        text = insights.keep_to(settings.tenant).lesson_list.describe_pitfalls(
            options.tool,
            agent=options.agent,
            tokens=options.tokens,
            link=options.link,
        )
        if options.tool:
            # So that a page can say what was learned since.
            insights.acts.record_export(options.tool, by=find_user())
    if options.json:
        render.print_json({"pitfalls": text})
    else:
        end_waiting()
        print(text or "No pitfalls are known.")
    return 0


def run_calibration(options: argparse.Namespace, settings: Settings) -> int:
    """Show the figures, and the curve."""
    if options.picture:
        refuse_unwritable(Path(options.picture))
    with Insights.open(settings) as insights:
        measured = insights.lesson_list.measure()
        drawn = insights.lesson_list.draw_calibration(measured)
    if options.picture:
        write_private(Path(options.picture), drawn)
    if options.json:
        render.print_json(measured)
    else:
        _show_curve(measured)
    return 0


def _show_changed(options: argparse.Namespace, tools: list[str]) -> int:
    if options.json:
        render.print_json({"tools": tools})
    else:
        for tool in tools or ["No lesson has changed."]:
            render.make_console().print(render.build_text(tool))
    return 0


def _show_curve(measured: Measured) -> None:
    console, found = render.make_console(), measured.calibration
    if not found.n:
        console.print("No suggestion was taken yet, so there is nothing to measure.")
    else:
        rows = [
            (f"{each.said:.2f}", f"{each.true:.2f}", each.n, "█" * round(each.true * BAR))
            for each in found.bins
        ]
        columns = ("said", "came true", "n", "0 … 1")
        console.print(render.build_table(rows, columns=columns))
        console.print(
            f"n {found.n}, calibration error {found.ece:.3f}, Brier {found.brier:.3f} "
            f"(always saying the mean: {found.base_brier:.3f})"
        )
    lift = measured.lift
    said = (
        "no failure was left alone yet to compare with"
        if lift is None
        else f"{lift.lift:+.0%} repaired ({lift.low:+.0%} to {lift.high:+.0%}), "
        f"{lift.treated} treated, {lift.control} left alone"
    )
    console.print(f"What memory is worth: {said}.")


def _build_query(options: argparse.Namespace, *, limit: int) -> LessonQuery:
    return LessonQuery(
        tool=options.tool,
        agent=options.agent,
        state=None if options.state is None else LessonState(options.state),
        text=options.text,
        limit=limit,
    )


def _read_lines(file: str) -> Iterator[str]:
    if file == "-":
        yield from sys.stdin
        return
    try:
        with Path(file).open(encoding="utf-8") as lines:
            yield from lines
    except (OSError, UnicodeDecodeError) as error:
        raise ConfigurationError(
            f"{file} cannot be read: {error}. Nothing was imported."
        ) from error


def _say(options: argparse.Namespace, lesson: Lesson) -> int:
    if options.json:
        render.print_json({"lesson": encode_lesson(lesson)})
    else:
        render.make_console().print(
            render.build_text(f"{lesson.id} is {lesson.state}: {lesson.statement}")
        )
    return 0


def _format_row(seen: LessonSeen) -> tuple[object, ...]:
    lesson, balance = seen.lesson, seen.balance
    counts = (lesson.seen, balance.helped, balance.harmed)
    state = "built in" if lesson.by == BUILT_IN else lesson.state.value
    return (lesson.id, lesson.tool or "any", state, *counts, lesson.statement)


def _encode_seen(seen: LessonSeen) -> dict[str, object]:
    return {**encode_lesson(seen.lesson), "balance": seen.balance}
