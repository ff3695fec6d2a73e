"""One lesson in a terminal."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict

from mulligan.app.insights.estimates import Estimate
from mulligan.app.insights.lesson_list import BUILT_IN, LessonHistory
from mulligan.cli.terminal import render
from mulligan.core.failures.lesson import Lesson


def show_lesson(history: LessonHistory, *, liking: Estimate, json: bool) -> None:
    """Print it: its words, its versions, the calls it touched, and what people thought."""
    if json:
        render.print_json(
            {
                "versions": [encode_lesson(each) for each in history.versions],
                "balance": asdict(history.balance),
                "uses": [asdict(each) for each in history.uses],
                "rated_up": asdict(liking),
            }
        )
        return
    console, lesson = render.make_console(), history.lesson
    for line in _describe_lesson(lesson):
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
