"""`mulligan replay`: what would have been caught in runs that were recorded."""

from __future__ import annotations

import argparse
import json
from collections.abc import Iterator
from contextlib import closing, nullcontext
from importlib.resources import as_file, files
from pathlib import Path

from msgspec.structs import replace
from rich.progress import Progress

from mulligan.cli import render
from mulligan.cli.options import add_json, command, option
from mulligan.cli.terminal import make_progress
from mulligan.codec import encode_json
from mulligan.evaluation.evaluate import Case
from mulligan.settings import Settings
from mulligan.types.errors import ConfigurationError
from mulligan.types.private_files import refuse_unwritable, write_private
from mulligan_replay.figures import ReplayReport
from mulligan_replay.files import list_files
from mulligan_replay.hosts import find_host
from mulligan_replay.page import list_figures, render_report, summarize
from mulligan_replay.reading import describe_own_form
from mulligan_replay.replay import PLAIN, Replayed, make_key, replay
from mulligan_replay.review import ReviewedTurn
from mulligan_replay.run_store import RunStore
from mulligan_replay.tools import Corrections, check_zone, read_corrections, write_corrections

EXAMPLE = "example.jsonl"
NOTHING = """\
No run was found. It reads OpenTelemetry spans, logs and messages of OpenAI, Anthropic, LangChain,
pydantic-ai, openai-agents and MCP, and what has their shape. Bring anything else into our own form,
a line for each request, and replay that file:

{"mulligan": "turn", "message": "Cancel order 77", "calls": [{"tool": "cancel_order",
"arguments": {"order": 77}, "result": {"state": "cancelled"}, "error": null}], "reply": "Done."}

A line may also have `at`, the time; all fields: `mulligan replay --schema`.\
"""
MOST_REASONS = 3
"""Of what could not be read, on the terminal; the page has all."""
MOST_CASES = 10_000
"""Turns that are written down for an evaluation of replies, the first."""


@command(
    "replay",
    add_json,
    option("files", nargs="*", type=Path, metavar="FILE", help="traces or logs, or folders"),
    option("-o", "--output", default="replay.html", metavar="FILE", help="where the report goes"),
    option(
        "--tools",
        type=Path,
        metavar="FILE",
        help="what each tool can do: read from this TOML file, or written there if it is new",
    ),
    option("--timezone", metavar="ZONE", help="of the people who asked (default: UTC)"),
    option("--show-values", action="store_true", help="arguments as they are, less secrets"),
    option("--learn", metavar="URL", help="put failures and their lessons into this store"),
    option(
        "--dashboard",
        type=Path,
        metavar="FILE",
        help="also write a new SQLite store, for `mulligan dashboard --store sqlite:///FILE`",
    ),
    option(
        "--replies",
        type=Path,
        metavar="FILE",
        help="also write each question, what its tools returned and the reply, as they are: for "
        "`mulligan evaluate --recorded --cases FILE`",
    ),
    option("--example", action="store_true", help="a small trace that comes with it"),
    option("--schema", action="store_true", help="print the JSON Schema of our own form, and stop"),
    examples=(
        "mulligan replay traces.jsonl",
        "mulligan replay logs/*.json --tools tools.toml --timezone Europe/Berlin",
        "mulligan replay --example --json",
    ),
    about="Show what would have been caught in runs that were recorded: silent failures, writes "
    "that were not\nwhat was asked, loops, corrections and lessons. It reads OpenTelemetry spans, "
    "logs of OpenAI, messages\nof LangChain and pydantic-ai, traces of openai-agents, MCP and a "
    "form of its own. No tool and no model\nis called, and nothing leaves the machine. It needs "
    '`pip install "mulligan[replay]"`.\nThe exit code is 1 if no run was found.',
)
def run_replay(options: argparse.Namespace, settings: Settings) -> int:  # noqa: ARG001
    """Replay, write the report and sum it up."""
    if options.schema:
        return render.answer(
            options, describe_own_form(), json.dumps(describe_own_form(), indent=2)
        )
    if options.example:
        with as_file(files(__package__) / EXAMPLE) as example:
            return _replay([*options.files, example], options)
    if not options.files:
        raise ConfigurationError("Name the files to replay, or try it with --example.")
    return _replay(options.files, options)


def _replay(paths: list[Path], options: argparse.Namespace) -> int:
    paths = list_files(paths)
    output, corrections = Path(options.output), _read_options(options)
    for path in filter(None, (output, options.replies)):
        refuse_unwritable(path)
    size = sum(_measure(path) for path in paths)
    cases: list[Case] = []
    runs = RunStore(options.dashboard, key=make_key(paths)) if options.dashboard else None
    with make_progress() as shown, closing(runs) if runs else nullcontext():
        done = _run(paths, corrections, options, shown, size, cases, runs)
    write_private(output, render_report(done.report))
    if options.replies is not None:
        write_private(options.replies, "".join(f"{encode_json(c).decode()}\n" for c in cases))
    new = options.tools is not None and not options.tools.exists()
    if new:
        lines = write_corrections(done.tools, timezone=corrections.timezone)
        write_private(options.tools, "\n".join((*lines, "")))
    unread = _describe_unread(done.report)
    if not done.report.turns:
        render.answer(options, done.report, *unread, *NOTHING.splitlines())
        return 1
    said = [f"The report is in {output}."]
    said += [f"What each tool was taken for is in {options.tools}: correct it."] if new else []
    said += [f"{done.learned} lessons were written to the store."] if options.learn else []
    if runs is not None:
        said += [f"Its last 30 days: mulligan dashboard --store {runs.url}"]
    if (host := find_host(paths)) and not options.example:
        said += [f"The traces are of {host}: `mulligan init` with the same files adds Mulligan."]
    columns = ("", "figure", "rests on, 95 % interval")
    table = render.build_table(list_figures(done.report), columns=columns)
    return render.answer(options, done.report, summarize(done.report), table, *unread, *said)


def _run(
    paths: list[Path],
    corrections: Corrections,
    options: argparse.Namespace,
    shown: Progress,
    size: int,
    cases: list[Case],
    runs: RunStore | None,
) -> Replayed:
    def keep(reviewed: ReviewedTurn) -> None:
        if runs is not None:
            runs.add(reviewed)
        if options.replies is not None and len(cases) < MOST_CASES:
            cases.extend(build_cases(reviewed))

    task = shown.add_task("replaying", total=size)
    return replay(
        *paths,
        corrections=corrections,
        show_values=options.show_values,
        learn=options.learn or (runs.url if runs else None),
        told=lambda count: shown.advance(task, count),
        seen=keep,
    )


def build_cases(reviewed: ReviewedTurn) -> Iterator[Case]:
    """A turn as a case of `mulligan evaluate`: its question, what tools returned, and its reply."""
    turn = reviewed.traced
    if turn.message.strip() and turn.reply:
        results = (call.execution.result for call in reviewed.calls if not call.failed)
        context = tuple(
            each if isinstance(each, str) else encode_json(each).decode()
            for each in results
            if each is not None
        )
        yield Case(id=turn.id, question=turn.message, context=context, recorded=(turn.reply,))


def _read_options(options: argparse.Namespace) -> Corrections:
    known = options.tools is not None and options.tools.exists()
    corrections = read_corrections(options.tools) if known else PLAIN
    zone = options.timezone
    return replace(corrections, timezone=check_zone(zone)) if zone else corrections


def _measure(path: Path) -> int:
    try:
        return path.stat().st_size
    except OSError as error:
        raise ConfigurationError(f"{path} cannot be read: {error.strerror}.") from error


def _describe_unread(report: ReplayReport) -> list[str]:
    """What was left out, for a person."""
    lost, parts = sum(report.unread.values()), sum(report.unread_parts.values())
    said = [f"{lost:,} of {report.values:,} values could not be read."] if lost else []
    said += [f"{parts:,} values were read in part."] if parts else []
    ranked = sorted({**report.unread, **report.unread_parts}.items(), key=lambda it: -it[1])
    said += [f"- {why}: {count:,}" for why, count in ranked[:MOST_REASONS]]
    return [*said, *(f"  {each}" for each in report.unread_examples[:1])]
