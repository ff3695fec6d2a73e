"""`mulligan lessons`, `pitfalls` and `calibration`: what was learned from failures."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator
from pathlib import Path

from msgspec.structs import asdict
from rich.console import RenderableType
from rich.table import Table

from mulligan.cli import render
from mulligan.cli.options import (
    add_store_and_json,
    command,
    define_group,
    find_user,
    limit,
    option,
    parse_count,
    parse_moment,
    verb,
)
from mulligan.cli.terminal import end_waiting, print_line
from mulligan.insights.insights import Insights
from mulligan.insights.lessons import BUILT_IN, LessonHistory, LessonSeen, Measured
from mulligan.settings import Settings
from mulligan.types.errors import ConfigurationError
from mulligan.types.lesson import Lesson, LessonQuery, LessonState

MOST_USES = 100
"""The newest calls that a lesson touched, unless every one is asked for."""
BAR = 30
"""Characters of a bar that stands for a share of 1."""

define_group(
    "lessons",
    about="List the lessons drawn from failures and their repairs, approve or revoke them, "
    "and move them\nbetween stores.",
)

_LESSON = option("lesson", help="its id or the beginning of it")
_DECIDED = (_LESSON, option("--note", default="", help="why"))
_FILTERS = (
    option("--tool", help="only about this tool"),
    option("--agent", help="only where the failure happened to this agent"),
    option("--state", choices=[each.value for each in LessonState], help="only in this state"),
    option("--text", default="", help="only lessons that share words with this"),
)


@verb("lessons", "list", *_FILTERS, limit(100), says="list the lessons")
def run_list(options: argparse.Namespace, settings: Settings) -> int:
    """List the lessons."""
    with Insights.open(settings) as insights:
        query = _build_query(options, limit=options.limit)
        learned = insights.lesson_list.list_lessons(query)
        found = [*learned, *insights.lesson_list.list_built_in(query)][: options.limit]
    said: list[RenderableType] = []
    if not learned:
        narrowed = query != LessonQuery(limit=query.limit)
        said.append("No learned lessons match." if narrowed else "Nothing was learned yet.")
    if found:
        columns = ("id", "tool", "state", "seen", "helped", "harmed", "what was learned")
        said.append(render.build_table(map(_format_row, found), columns=columns))
    facts = [{**encode_lesson(each.lesson), "balance": each.balance} for each in found]
    return render.answer(options, {"lessons": facts}, *said)


@verb(
    "lessons",
    "show",
    _LESSON,
    option("--all", action="store_true", help="every call, not only the newest 100"),
    says="show one lesson: its versions, and the calls it affected",
)
def run_show(options: argparse.Namespace, settings: Settings) -> int:
    """Show one lesson."""
    newest = None if options.all else MOST_USES
    with Insights.open(settings) as insights:
        return _show(options, insights.lesson_list.read_history(options.lesson, newest=newest))


@verb(
    "lessons", "revoke", *_DECIDED, says="remove a lesson for good, and list every call it affected"
)
@verb("lessons", "quarantine", *_DECIDED, says="stop using a lesson until it is approved")
@verb("lessons", "approve", *_DECIDED, says="use a lesson from now on, whatever the evidence")
def run_decision(options: argparse.Namespace, settings: Settings) -> int:
    """Vouch for a lesson, doubt it, or take it out."""
    with Insights.open(settings) as insights:
        decide, by = getattr(insights.lesson_list, options.verb), find_user()
        decided = insights.acts.record(
            lambda: decide(options.lesson, by=by, note=options.note),
            by=by,
            what=f"{options.verb} lesson {options.lesson}",
        )
    show = isinstance(decided, LessonHistory)
    return _show(options, decided) if show else _say(options, decided)


@verb(
    "lessons",
    "consolidate",
    option("--undo", metavar="BATCH", help="undo a consolidation instead"),
    says="draw lessons from all episodes now",
)
def run_consolidate(options: argparse.Namespace, settings: Settings) -> int:
    """Draw lessons, or undo a batch."""
    with Insights.open(settings) as insights:
        if options.undo is not None:
            lessons = insights.lesson_list.undo_consolidation(options.undo, by=find_user())
            batch, episodes, words = options.undo, 0, "was undone"
        else:
            done = insights.lesson_list.consolidate()
            lessons, batch, episodes = list(done.lessons), done.batch, done.episodes
            words = f"read {episodes} episodes"
    changed = [encode_lesson(each) for each in lessons]
    return render.answer(
        options,
        {"batch": batch, "episodes": episodes, "lessons": changed},
        f"Consolidation {batch} {words}: {len(lessons)} lessons changed.",
        *(f"{each.id} {each.state}: {each.statement} ({each.why})" for each in lessons),
    )


@verb("lessons", "export", *_FILTERS, says="export lessons as JSON lines")
def run_export(options: argparse.Namespace, settings: Settings) -> int:
    """Write lessons as JSON lines."""
    with Insights.open(settings) as insights:
        lines = insights.lesson_list.export(_build_query(options, limit=100_000))
        for line in lines:
            end_waiting()
            print_line(line)
        # So that a page can say what was learned since.
        insights.acts.record_export([options.tool] if options.tool else [], by=find_user())
    return 0


@verb(
    "lessons",
    "import",
    option("file", help="JSON lines as `export` writes them; - for standard input"),
    says="import lessons from a file as candidates",
)
def run_import(options: argparse.Namespace, settings: Settings) -> int:
    """Take lessons in."""
    lines = list(_read_lines(options.file))
    with Insights.open(settings) as insights:
        new = insights.lesson_list.add(lines, tenant=settings.tenant)
    known = max(0, len([line for line in lines if line.strip()]) - 1 - len(new))
    return render.answer(
        options,
        {"imported": [encode_lesson(each) for each in new]},
        f"{len(new)} lessons are candidates now; {known} were known. Approve those you trust.",
    )


@command(
    "pitfalls",
    add_store_and_json,
    option("tool", nargs="*", help="the tools"),
    option("--agent", help="only pitfalls this agent met, with these tools or all"),
    option("--tokens", type=parse_count, default=400, help="at most (default: 400)"),
    option("--link", default="", metavar="URL", help="a link for more"),
    option(
        "--changed-since",
        type=parse_moment,
        metavar="TIME",
        help="list the tools whose lessons changed since then: 2h, 7d, or an ISO time",
    ),
    about="Write the known pitfalls of tools as a short section for a prompt, a tool's "
    "description\nor a skill file.",
)
def run_pitfalls(options: argparse.Namespace, settings: Settings) -> int:
    """Write the section, or list the tools whose section has changed."""
    if not (options.tool or options.agent or options.changed_since):
        raise ConfigurationError("Name a tool, --agent NAME or --changed-since TIME.")
    with Insights.open(settings) as insights:
        if options.changed_since is not None:
            tools = insights.lesson_list.list_changed_tools(options.changed_since)
            return render.answer(options, {"tools": tools}, *(tools or ["No lesson has changed."]))
        # One tenant's, or those without a tenant: a prompt never mixes tenants.
        text = insights.keep_to(settings.tenant).lesson_list.describe_pitfalls(
            options.tool, agent=options.agent, tokens=options.tokens, link=options.link
        )
        if options.tool:
            insights.acts.record_export(options.tool, by=find_user())
    if options.json:
        render.print_json({"pitfalls": text})
    else:
        end_waiting()
        print(text or "No pitfalls are known.")
    return 0


@command(
    "calibration",
    add_store_and_json,
    about="Compare the stated probabilities of suggestions with their results, and show how "
    "much more often\nfailures are repaired with memory than in the control group.",
)
def run_calibration(options: argparse.Namespace, settings: Settings) -> int:
    """Show the figures, and the curve."""
    with Insights.open(settings) as insights:
        measured = insights.lesson_list.measure()
    return render.answer(options, measured, *_describe_curve(measured))


def _describe_curve(measured: Measured) -> Iterator[str | Table]:
    found, lift = measured.calibration, measured.lift
    if found.n:
        rows = [
            (f"{each.said:.2f}", f"{each.true:.2f}", each.n, "█" * round(each.true * BAR))
            for each in found.bins
        ]
        yield render.build_table(rows, columns=("predicted", "observed", "n", "0 … 1"))
        yield (
            f"n {found.n}, calibration error {found.ece:.3f}, Brier {found.brier:.3f} "
            f"(always predicting the mean: {found.base_brier:.3f})"
        )
    else:
        yield "No suggestion was taken yet, so there is nothing to measure."
    said = (
        "no control group yet"
        if lift is None
        else f"{lift.lift:+.0%} repaired ({lift.low:+.0%} to {lift.high:+.0%}), "
        f"{lift.treated} treated, {lift.control} in the control group"
    )
    yield f"What memory is worth: {said}."


def _show(options: argparse.Namespace, history: LessonHistory) -> int:
    facts = {
        "versions": [encode_lesson(each) for each in history.versions],
        "balance": history.balance,
        "uses": history.uses,
        "rated_up": history.rated_up,
    }
    return render.answer(options, facts, *_describe_lesson(history))


def encode_lesson(lesson: Lesson) -> dict[str, object]:
    """One version of it, for programs."""
    return {**asdict(lesson), "built_in": lesson.by == BUILT_IN}


def _describe_lesson(history: LessonHistory) -> Iterator[str | Table]:
    """Its words, its versions, the calls it touched, and what people thought."""
    lesson, liking = history.lesson, history.rated_up
    yield f"{lesson.id}: {lesson.statement}"
    yield f"tool: {lesson.tool or 'any'}   when: {lesson.when}"
    yield from (f"not when: {lesson.when_not}",) if lesson.when_not else ()
    yield f"mistake: {lesson.mistake}   correction: {lesson.correction}"
    yield f"failing: {lesson.example[0]}   corrected: {lesson.example[1]}"
    yield f"seen {lesson.seen} times, of {lesson.of} repairs; agents: {', '.join(lesson.agents)}"
    rows = [
        (v.version, v.state.value, v.by, f"{v.learned_at:%Y-%m-%d %H:%M}", v.why)
        for v in history.versions
    ]
    yield render.build_table(rows, columns=("version", "state", "by", "since", "why"))
    if history.uses:
        touched = [
            (u.call, u.agent, f"{u.at:%Y-%m-%d %H:%M}", u.benefit.value, u.note)
            for u in history.uses
        ]
        columns = ("call it affected", "agent", "at, UTC", "result", "how")
        yield render.build_table(touched, columns=columns)
    else:
        yield "It has affected no call."
    if history.balance.uses > len(history.uses):
        yield f"These are the newest of {history.balance.uses} calls: --all lists them."
    if liking.n:
        up = round((liking.figure or 0.0) * liking.n)
        yield f"People liked {up} of {liking.n} replies of those turns."


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
    said = f"{lesson.id} is {lesson.state}: {lesson.statement}"
    return render.answer(options, {"lesson": encode_lesson(lesson)}, said)


def _format_row(seen: LessonSeen) -> tuple[object, ...]:
    lesson, balance = seen.lesson, seen.balance
    counts = (lesson.seen, balance.helped, balance.harmed)
    state = "built in" if lesson.by == BUILT_IN else lesson.state.value
    return (lesson.id, lesson.tool or "any", state, *counts, lesson.statement)
