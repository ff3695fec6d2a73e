"""`mulligan evaluate`: how often replies are written again, and whether a change is safe."""

from __future__ import annotations

import argparse
import asyncio
import sys
from collections.abc import Callable
from pathlib import Path
from typing import cast

from rich.console import Console
from rich.progress import Progress

from mulligan.adapters.writers.pydantic_ai import build_asker
from mulligan.app.insights import Insights
from mulligan.app.loading import load_object
from mulligan.app.settings import Settings
from mulligan.cli import render
from mulligan.cli.options import Commands, add_command, add_json, add_store, parse_count
from mulligan.core.errors import ConfigurationError
from mulligan.evaluation.cases import Case, load_golden_cases, read_cases
from mulligan.evaluation.compare import ChangeSafety, Comparison
from mulligan.evaluation.evaluate import evaluate, evaluate_both, write_page
from mulligan.evaluation.report import Report, list_advice, summary
from mulligan.evaluation.writers import (
    ReplyFunction,
    ScriptedWriter,
    build_model_writer,
    build_replay_writer,
)


def add_to(commands: Commands) -> None:
    """Add the command."""
    parser = add_command(
        commands,
        "evaluate",
        help="how often replies are written again, and whether a change of checks is safe",
        about="Run a golden set through a writer and the checks, and report how often a reply was "
        "rejected, by\nwhich check, and how many tries it took; or compare two sets of checks on "
        "the same cases.",
    )
    add_store(parser)
    add_json(parser)
    parser.add_argument(
        "checks",
        nargs="?",
        default="marketing",
        help="a preset or a TOML file (default: marketing)",
    )
    parser.add_argument(
        "--compare", nargs=2, metavar=("A", "B"), help="two presets or files, on the same cases"
    )
    parser.add_argument(
        "--cases", type=Path, metavar="FILE", help="JSON lines; else the set we ship"
    )
    parser.add_argument(
        "--recorded",
        action="store_true",
        help="replay replies that were written: those in --cases, else the latest of the store",
    )
    parser.add_argument(
        "--model", metavar="NAME", help="a live model writes the replies, such as openai:gpt-5"
    )
    parser.add_argument(
        "--writer",
        metavar="MODULE:NAME",
        help="an async function of yours writes them, from a case and what was wrong before",
    )
    parser.add_argument("--limit", type=parse_count, metavar="N", help="only the first cases")
    parser.add_argument("--html", type=Path, metavar="FILE", help="write a page with plots there")
    parser.set_defaults(run=run)


def run(options: argparse.Namespace, settings: Settings) -> int:
    """Evaluate or compare. Exit code 1 when a change is not safe."""
    cases = _load_cases(options, settings)
    runs = 2 if options.compare else 1
    with Progress(console=Console(stderr=True), disable=not sys.stderr.isatty()) as progress:
        bar = progress.add_task("cases", total=runs * len(cases[: options.limit]))
        outcome = asyncio.run(_run_evaluation(options, cases, step=lambda _: progress.advance(bar)))
    if options.html is not None:
        write_page(outcome, options.html)
    if options.json:
        render.print_json(outcome.as_plain())
    else:
        _show(render.make_console(), outcome)
    return 1 if isinstance(outcome, Comparison) and outcome.verdict is not ChangeSafety.SAFE else 0


def _load_cases(options: argparse.Namespace, settings: Settings) -> tuple[Case, ...]:
    if options.cases is not None:
        return read_cases(options.cases)
    if not options.recorded:
        return load_golden_cases()
    with Insights.open(settings) as insights:
        cases = insights.list_recorded(limit=options.limit)
    if not cases:
        raise ConfigurationError(
            "The store has kept no replies. Those of m.reply(…), and of m.act(…) with "
            f"Mulligan(replies=…), are kept for {settings.retention.kept.days} days."
        )
    return cases


def _choose_writer(options: argparse.Namespace) -> Callable[[], ReplyFunction]:
    """Makes the writer of one run: a replay, a live model, a function, or the script we ship."""
    chosen = [name for name in ("recorded", "model", "writer") if getattr(options, name)]
    if len(chosen) > 1:
        both = " and ".join(f"--{name}" for name in chosen)
        raise ConfigurationError(f"{both} both say who writes the replies: choose one.")
    if options.recorded:
        return build_replay_writer
    if options.model:
        return lambda: build_model_writer(build_asker(options.model))
    if options.writer:
        found = load_object(options.writer, option="--writer", example="shop.agent:reply")
        if not callable(found):
            raise ConfigurationError(
                f"--writer {options.writer!r} is a {type(found).__name__}; name an async function."
            )
        return lambda: cast("ReplyFunction", found)
    return ScriptedWriter


async def _run_evaluation(
    options: argparse.Namespace, cases: tuple[Case, ...], *, step: Callable[[Case], None]
) -> Report | Comparison:
    write = _choose_writer(options)
    if options.compare:
        before, after = options.compare
        return await evaluate_both(
            before, after, cases=cases, write=write, limit=options.limit, step=step
        )
    return await evaluate(
        options.checks, cases=cases, write=write(), limit=options.limit, step=step
    )


def _show(console: Console, outcome: Report | Comparison) -> None:
    reports = [outcome] if isinstance(outcome, Report) else [outcome.before, outcome.after]
    for report in reports:
        columns = ("figure", "value", "target")
        console.print(render.build_table(summary(report), columns=columns, title=report.name))
        rows = [(name, f"{share:.1%}") for name, share in report.check_rates.items()]
        if rows:
            console.print(render.build_table(rows, columns=("check", "share of cases")))
        for said in list_advice(report):
            console.print(render.build_text(said))
    if isinstance(outcome, Comparison):
        console.print(render.build_text(outcome.sentence), style="bold")
