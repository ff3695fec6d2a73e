"""`mulligan evaluate`: how often replies are written again, and whether a change is safe."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, cast

from rich.console import RenderableType

from mulligan.app.application import load_application, load_code
from mulligan.app.mulligan import Mulligan
from mulligan.cli import render
from mulligan.cli.options import add_store_and_json, app_option, command, option, parse_count
from mulligan.cli.terminal import make_progress
from mulligan.evaluation.evaluate import (
    AnyWriter,
    Case,
    Metric,
    ReplyFunction,
    ScriptedWriter,
    build_replay_writer,
    evaluate,
    evaluate_both,
    evaluate_writers,
    load_golden_cases,
    read_cases,
    write_page,
)
from mulligan.evaluation.report import (
    Comparison,
    Report,
    compare,
    list_advice,
    list_doubts,
    read_report,
    summary,
)
from mulligan.hosts.writers import find_agent
from mulligan.insights.insights import Insights
from mulligan.loops.replies import ReplyRules
from mulligan.process.event_loop import run_on_own_loop
from mulligan.process.user_functions import takes_arguments
from mulligan.settings import Settings
from mulligan.types.errors import ConfigurationError
from mulligan.types.private_files import refuse_unwritable


@command(
    "evaluate",
    add_store_and_json,
    option(
        "checks",
        nargs="?",
        help="a preset or a TOML file (default: the application's with --app, else marketing)",
    ),
    option(
        "--compare", nargs=2, metavar=("A", "B"), help="two presets or files, on the same cases"
    ),
    option("--cases", type=Path, metavar="FILE", help="JSON lines; else the set we ship"),
    option(
        "--recorded",
        action="store_true",
        help="replay replies that were written: those in --cases, else the latest of the store",
    ),
    option("--model", metavar="NAME", help="a live model writes the replies, such as openai:gpt-5"),
    option(
        "--writer",
        metavar="MODULE:NAME",
        help="a function of yours writes them, from a case and what was wrong before; or an "
        "agent, a runnable or a model",
    ),
    option(
        "--against",
        metavar="NAME",
        help="a second writer, named as the first by --model or --writer: both are compared on the "
        "same cases",
    ),
    option(
        "--judge", metavar="NAME", help="a model verifies claims, where the checks ask for that"
    ),
    app_option("your Mulligan: its judge verifies, and its rules for replies are the checks"),
    option(
        "--metric",
        action="append",
        default=[],
        metavar="MODULE:NAME",
        help="a function of yours that says from 0 to 1 how good a sent text is, from a case and "
        "the text; may be given again",
    ),
    option(
        "--baseline",
        type=Path,
        metavar="FILE",
        help="what an earlier run printed with --json: this one is compared with it",
    ),
    option("--limit", type=parse_count, metavar="N", help="only the first cases"),
    option("--html", type=Path, metavar="FILE", help="write a page with every case there"),
    about="Run a golden set through a writer and the checks, and report how often a reply was "
    "rejected, by\nwhich check, and how many tries it took; or compare two sets of checks, or two "
    "writers, on the\nsame cases.",
)
def run_evaluate(options: argparse.Namespace, settings: Settings) -> int:
    """Evaluate or compare. Exit code 1 when a change is not safe, or nothing can be told."""
    if options.html is not None:
        refuse_unwritable(options.html)
    cases = _load_cases(options, settings)
    runs = 2 if options.compare or options.against else 1
    with make_progress() as progress:
        bar = progress.add_task("cases", total=runs * len(cases[: options.limit]))
        outcome = run_on_own_loop(
            _run_evaluation(options, cases, settings=settings, step=lambda _: progress.advance(bar))
        )
    render.answer(options, outcome.as_plain(), *_describe(outcome))
    # Last: whatever becomes of the page, what the run has come to is told.
    if options.html is not None:
        write_page(outcome, options.html)
    if isinstance(outcome, Report):
        return 0 if outcome.gaps.tells else 1
    return 0 if outcome.safe else 1


def _load_cases(options: argparse.Namespace, settings: Settings) -> tuple[Case, ...]:
    if options.cases is not None:
        return read_cases(options.cases)
    if not options.recorded:
        return load_golden_cases()
    with Insights.open(settings) as insights:
        cases = insights.text_list.list_cases(limit=options.limit)
    if not cases:
        raise ConfigurationError(
            "The store has kept no replies. Those of m.reply(…), and of m.act(…) with "
            f"Mulligan(replies=…), are kept for {settings.retention.kept.days} days."
        )
    return cases


def _choose_writer(options: argparse.Namespace) -> Callable[[], AnyWriter]:
    """Makes the writer of one run: a replay, a live model, a function, or the script we ship."""
    chosen = [name for name in ("recorded", "model", "writer") if getattr(options, name)]
    if len(chosen) > 1:
        both = " and ".join(f"--{name}" for name in chosen)
        raise ConfigurationError(f"{both} both say who writes the replies: choose one.")
    if options.recorded:
        return build_replay_writer
    if options.model or options.writer:
        writer = _load_writer(options)
        return lambda: writer
    if options.cases is not None:
        raise ConfigurationError(
            "Your set has no writer: add --writer module:name, --model NAME, or --recorded for "
            "the replies in it. The built-in writer knows only the set that ships."
        )
    return ScriptedWriter


def _load_writer(options: argparse.Namespace, named: str | None = None) -> AnyWriter:
    if options.model:
        return cast("AnyWriter", find_agent(named or options.model))
    name = named or options.writer
    option = "--against" if named else "--writer"
    found = load_code(name, option=option, example="shop.agent:reply")
    agent = None if isinstance(found, str | type) else find_agent(found)
    if agent is None and (not callable(found) or isinstance(found, type)):
        raise ConfigurationError(
            f"{option} {name!r} is a {type(found).__name__}; name a function, an agent, "
            "a runnable or a model."
        )
    if agent is None and not takes_arguments(cast("ReplyFunction", found), 2):
        raise ConfigurationError(
            f"{option} {name!r} must take two values: the case, and what was wrong with "
            "the reply before, or None."
        )
    return agent or cast("ReplyFunction", found)


def _load_rules(options: argparse.Namespace, settings: Settings) -> list[str | ReplyRules]:
    """The rules of each run, with the judge that production would ask."""
    named: list[str | None] = options.compare or [options.checks]
    if options.app:
        application = load_application(options.app)
        return [application.load_rules(name) for name in named]
    names = [name or "marketing" for name in named]
    if not options.judge:
        return list(names)
    with Mulligan("memory:", judge=options.judge, settings=settings) as mine:
        return [mine.load_rules(name) for name in names]


async def _run_evaluation(
    options: argparse.Namespace,
    cases: tuple[Case, ...],
    *,
    settings: Settings,
    step: Callable[[Case], None],
) -> Report | Comparison:
    write, rules = _choose_writer(options), _load_rules(options, settings)
    metrics = [
        cast("Metric", load_code(name, option="--metric", example="shop.metrics:polite"))
        for name in options.metric
    ]
    shared: dict[str, Any] = {
        "cases": cases,
        "limit": options.limit,
        "metrics": metrics,
        "step": step,
    }
    if options.baseline:
        if options.compare or options.against:
            raise ConfigurationError("--baseline compares by itself: leave the other out.")
        before = read_report(options.baseline)
        return compare(before, await evaluate(*rules, write=write(), **shared))
    if options.against:
        if options.compare or not (options.model or options.writer):
            raise ConfigurationError(
                "--against compares two writers under one set of checks: name the first by --model "
                "or --writer, and leave --compare out."
            )
        second = _load_writer(options, options.against)
        return await evaluate_writers(write(), second, checks=rules[0], **shared)
    if options.compare:
        return await evaluate_both(*rules, write=write, **shared)
    return await evaluate(*rules, write=write(), **shared)


def _describe(outcome: Report | Comparison) -> Iterator[RenderableType]:
    reports = [outcome] if isinstance(outcome, Report) else [outcome.before, outcome.after]
    for report in reports:
        title = f"{report.name or 'replies'}, written by {report.writer}"
        columns = ("figure", "value", "target")
        yield render.build_table(summary(report), columns=columns, title=title)
        rows = [(name, f"{share:.1%}") for name, share in report.check_rates.items()]
        if rows:
            yield render.build_table(rows, columns=("check", "share of cases"))
        yield from (*report.notes, *list_doubts(report), *list_advice(report))
    if isinstance(outcome, Comparison):
        yield render.build_text(outcome.sentence, style="bold")
        yield from filter(None, [outcome.expected_sentence])
