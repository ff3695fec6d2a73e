"""`mulligan stats`, `patterns` and `suggest`: how calls go, what fails alike, what would help."""

from __future__ import annotations

import argparse
from collections.abc import Iterable
from dataclasses import asdict

from rich.console import Console

from mulligan.app.insights import Insights
from mulligan.app.insights.figures import WINDOWS, Criterion, Figures, Share
from mulligan.app.insights.written_call import read_arguments
from mulligan.app.settings import Settings
from mulligan.cli import render
from mulligan.cli.options import Commands, add_command, add_json, add_store, parse_count
from mulligan.core.advice import Advice
from mulligan.core.finding import FindingCount
from mulligan.core.log_query import PatternSeen


def add_to(commands: Commands) -> None:
    """Add the commands."""
    stats = add_command(
        commands,
        "stats",
        help="how calls go: success, repairs, latency, what fails most",
        about="Add up what the log knows: by tool and agent, what was repaired and how fast, the "
        "patterns that\nfail most, what reviews found, and the goals of the loop with a figure for "
        "each.",
    )
    _add_window(stats)
    stats.set_defaults(run=run_stats)
    patterns = add_command(
        commands,
        "patterns",
        help="failures that are one and the same",
        about="Group failures by what they say, their values masked, the most frequent first.",
    )
    _add_window(patterns)
    patterns.add_argument(
        "-n", "--limit", type=parse_count, default=20, help="how many (default: 20)"
    )
    patterns.set_defaults(run=run_patterns)
    suggest = add_command(
        commands,
        "suggest",
        help="what would mend a call that failed",
        about="Say what to do about a failed call, and which change of its arguments would help. "
        "The tool's\nschema is the one its application declared.",
    )
    add_store(suggest)
    add_json(suggest)
    suggest.add_argument("--tool", required=True, help="the tool that failed")
    suggest.add_argument(
        "--args",
        required=True,
        metavar="TEXT",
        help="what it was given: JSON, or what the model wrote",
    )
    suggest.add_argument("--error", required=True, metavar="TEXT", help="what it said")
    suggest.set_defaults(run=run_suggest)


def _add_window(parser: argparse.ArgumentParser) -> None:
    add_store(parser)
    add_json(parser)
    parser.add_argument(
        "--window", choices=list(WINDOWS), default="24h", help="how far back (default: 24h)"
    )


def run_stats(options: argparse.Namespace, settings: Settings) -> int:
    """Show the figures."""
    with Insights.open(settings) as insights:
        figures = insights.figures(WINDOWS[options.window])
    if options.json:
        render.print_json(asdict(figures))
    else:
        _show(render.make_console(), figures, window=options.window)
    return 0


def run_patterns(options: argparse.Namespace, settings: Settings) -> int:
    """Show the patterns."""
    with Insights.open(settings) as insights:
        patterns = insights.patterns(WINDOWS[options.window], limit=options.limit)
    if options.json:
        render.print_json({"patterns": [asdict(pattern) for pattern in patterns]})
    elif patterns:
        render.make_console().print(_build_pattern_table(patterns))
    else:
        render.make_console().print("Nothing failed.", style="green")
    return 0


def run_suggest(options: argparse.Namespace, settings: Settings) -> int:
    """Say what would help."""
    arguments = read_arguments(options.args, tool=options.tool)
    with Insights.open(settings) as insights:
        advice, found = insights.suggest(options.tool, arguments=arguments, error=options.error)
        like = insights.find_alike(options.tool, arguments=arguments, error=options.error)
    if options.json:
        told = [asdict(suggestion) for suggestion in found]
        known = None if like is None else asdict(like)
        render.print_json({"advice": asdict(advice), "suggestions": told, "like": known})
        return 0
    console = render.make_console()
    console.print(render.build_text(_format_advice(advice)))
    if like is not None:
        console.print(render.build_text(f"Nobody knows this error; it is most like {like}."))
    rows = [(s.patch, s.source.value, f"{s.probability:.0%}", s.n, s.evidence) for s in found]
    if rows:
        columns = ("change", "from", "probability", "n", "because")
        console.print(render.build_table(rows, columns=columns))
    return 0


def _format_advice(advice: Advice) -> str:
    ask = f" Ask the person: {advice.ask}" if advice.ask else ""
    return f"{advice.decision}: {advice.why}{ask}"


def _show(console: Console, figures: Figures, *, window: str) -> None:
    total = figures.all_calls
    seconds = figures.seconds_to_repair
    rows = [
        (f"calls, last {window}", f"{total.calls:.0f}"),
        ("succeeded", _format_percent(total.success)),
        ("repaired on a later try", f"{total.repaired:.0f}"),
        ("seconds to repair", "-" if seconds is None else f"{seconds:.1f}"),
        ("latency, p50 and p95", f"{total.p50_ms:.1f} ms, {total.p95_ms:.1f} ms"),
    ]
    console.print(render.build_table(rows, columns=("what", "figure")))
    for what, shares in (("tool", figures.tools), ("agent", figures.agents)):
        console.print(render.build_table(_format_shares(shares), columns=(what, *_SHARE)))
    if figures.patterns:
        console.print(_build_pattern_table(figures.patterns))
    if figures.findings:
        console.print(_build_finding_table(figures.findings))
    columns = ("what was promised", "goal", "figure", "n")
    console.print(render.build_table(map(_format_criterion, figures.criteria), columns=columns))


_SHARE = ("calls", "succeeded", "repaired", "p50 ms", "p95 ms")


def _format_shares(shares: Iterable[Share]) -> Iterable[tuple[object, ...]]:
    for each in shares:
        success = _format_percent(each.success)
        latency = (f"{each.p50_ms:.1f}", f"{each.p95_ms:.1f}")
        yield (each.name, f"{each.calls:.0f}", success, f"{each.repaired:.0f}", *latency)


def _build_pattern_table(patterns: Iterable[PatternSeen]) -> object:
    rows = [
        (s.pattern.count, s.pattern.tool, s.pattern.error_class.value, _format_template(s),
         ", ".join(s.agents), f"{s.last_at:%m-%d %H:%M}")
        for s in patterns
    ]  # fmt: skip
    columns = ("times", "tool", "class", "what it says", "agents", "last, UTC")
    return render.build_table(rows, columns=columns)


def _build_finding_table(findings: Iterable[FindingCount]) -> object:
    rows = [(f.count, f.severity.value, f.rule, f.tool, f.agent) for f in findings]
    return render.build_table(rows, columns=("times", "found", "rule", "tool", "agent"))


def _format_template(seen: PatternSeen) -> str:
    like = "" if seen.like is None else f"\nmost like {seen.like}"
    return f"{seen.pattern.template}{like}"


def _format_criterion(criterion: Criterion) -> tuple[object, ...]:
    figures = _format_percent(criterion.goal), _format_percent(criterion.figure)
    return (criterion.what, *figures, criterion.n)


def _format_percent(share: float | None) -> str:
    return "-" if share is None else f"{share:.0%}"
