"""`mulligan log`, `stats`, `patterns` and `suggest`: calls, how they go, and what would help."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Iterable, Iterator

from rich.console import Console

from mulligan.cli import render
from mulligan.cli.options import (
    LATELY,
    Commands,
    add_command,
    add_json,
    add_limit,
    add_span,
    add_store,
    complete_id,
    suggest_name,
)
from mulligan.insights.figures import WINDOWS, Estimate, Series, SeriesStep, Share
from mulligan.insights.insights import Insights
from mulligan.insights.overview import Criterion, Figures
from mulligan.insights.texts import ReplyShare, TextFigures
from mulligan.redaction import Capture
from mulligan.redaction.redactor import hide_secrets
from mulligan.settings import Settings
from mulligan.types.call import Outcome
from mulligan.types.errors import ConfigurationError
from mulligan.types.failure import Advice, ErrorClass
from mulligan.types.finding import FindingCount
from mulligan.types.lesson import shorten_pattern
from mulligan.types.log import LogQuery, PatternSeen


def add_log(commands: Commands) -> None:
    """Add the command."""
    parser = add_command(
        commands,
        "log",
        about="Show calls, newest last. Values are redacted: a string is its type, its length and "
        "a keyed hash,\nso that equal values can be seen to be equal and nothing can be read.",
    )
    add_store(parser)
    add_json(parser)
    parser.add_argument("--tool", help="only this tool")
    parser.add_argument("--agent", help="only this agent")
    parser.add_argument("--server", help="only this server")
    parser.add_argument("--turn", metavar="ID", help="only this turn")
    parser.add_argument("--id", metavar="PREFIX", default="", help="calls whose id starts so")
    parser.add_argument("--outcome", choices=[o.value for o in Outcome], help="only this outcome")
    parser.add_argument(
        "--error-class", choices=[c.value for c in ErrorClass], help="only this class of error"
    )
    add_span(parser)
    add_limit(parser, default=50)
    parser.add_argument("-f", "--follow", action="store_true", help="go on as calls are made")
    parser.set_defaults(run=run_log)


def run_log(options: argparse.Namespace, settings: Settings) -> int:
    """Show the rows that fit."""
    with Insights.open(settings) as insights:
        turn = complete_id(
            options.turn, lambda: (row.turn for row in insights.log(LogQuery(limit=LATELY)))
        )
        return _show_log(
            insights, _build_log_query(options, turn), options=options, settings=settings
        )


def _build_log_query(options: argparse.Namespace, turn: str | None) -> LogQuery:
    return LogQuery(
        id_prefix=options.id.replace("-", "").lower(),
        agent=options.agent,
        server=options.server,
        tool=options.tool,
        outcome=options.outcome,
        error_class=options.error_class,
        turn=turn,
        since=options.since,
        until=options.until,
        limit=options.limit,
    )


def _show_log(
    insights: Insights, query: LogQuery, *, options: argparse.Namespace, settings: Settings
) -> int:
    if options.follow:
        return _follow_log(insights, query, as_json=options.json)
    rows = list(reversed(insights.log(query)))
    became = insights.open_list.read_states(row.id for row in rows)
    known = [each.tool for each in insights.tools()]
    if options.json:
        shown = [{**render.encode_log_row(row), "action": became.get(row.id)} for row in rows]
        render.print_json({"rows": shown})
        return 0
    console = render.make_console()
    if settings.redaction.capture is Capture.FULL:
        console.print("capture is 'full': raw values are being logged", style="bold red")
    if rows:
        render.print_log(console, rows, became=became)
    else:
        hint = suggest_name(options.tool or "", known)
        console.print(render.build_text(f"No calls fit.{hint}"))
    return 0


def _follow_log(insights: Insights, query: LogQuery, *, as_json: bool) -> int:
    console = render.make_console()
    for row in insights.follow(query):
        if as_json:
            render.print_json(render.encode_log_row(row))
        else:
            console.print(render.format_log_line(row))
        console.file.flush()
    return 0


def add_patterns(commands: Commands) -> None:
    """Add the command."""
    patterns = add_command(
        commands,
        "patterns",
        about="Group failures by what they say, their values masked, the most frequent first.",
    )
    _add_window(patterns)
    add_limit(patterns, default=20)
    patterns.set_defaults(run=run_patterns)


def add_suggest(commands: Commands) -> None:
    """Add the command."""
    suggest = add_command(
        commands,
        "suggest",
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


def add_stats(commands: Commands) -> None:
    """Add the command."""
    stats = add_command(
        commands,
        "stats",
        about="Add up what the log knows, by call and not by try: what failed at first, was "
        "repaired and how\nfast, or given up, by tool and agent; the patterns that fail most, and "
        "what reviews found. Shares\nstand with the interval that holds the true one, and with n.",
    )
    _add_window(stats, default=None, says="how far back (default: 24h; 30d with --goals)")
    shown = stats.add_mutually_exclusive_group()
    shown.add_argument(
        "--series",
        choices=[step.value for step in SeriesStep],
        help="how it went by the hour or day",
    )
    shown.add_argument(
        "--goals", action="store_true", help="what was promised of the loop, with a figure for each"
    )
    stats.add_argument("--tool", help="with --series: only of this tool")
    stats.add_argument("--agent", help="with --series: only of this agent")
    stats.set_defaults(run=run_stats)


def _add_window(
    parser: argparse.ArgumentParser,
    *,
    default: str | None = "24h",
    says: str = "how far back (default: 24h)",
) -> None:
    add_store(parser)
    add_json(parser)
    parser.add_argument("--window", choices=list(WINDOWS), default=default, help=says)


def run_stats(options: argparse.Namespace, settings: Settings) -> int:
    """Show the figures, how they went over time, or what became of the goals."""
    if (options.tool or options.agent) and not options.series:
        raise ConfigurationError("--tool and --agent say of whom a series is: add --series day.")
    with Insights.open(settings) as insights:
        if options.goals:
            return _show_goals(options, insights)
        window = options.window or "24h"
        if options.series:
            series = insights.progress.read_series(
                WINDOWS[window],
                step=SeriesStep(options.series),
                tool=options.tool,
                agent=options.agent,
            )
            return _answer_stats(
                options, series, show=lambda console: _show_series(console, series)
            )
        figures = insights.figures(WINDOWS[window])
    return _answer_stats(
        options, figures, show=lambda console: _show_stats(console, figures, window=window)
    )


def _show_goals(options: argparse.Namespace, insights: Insights) -> int:
    window = options.window or "30d"
    criteria = insights.progress.read_goals(WINDOWS[window])
    if options.json:
        render.print_json({"window": window, "goals": criteria})
    else:
        columns = ("what was promised", "goal", f"figure, last {window}", "met")
        rows = [row for each in criteria for row in _format_criterion(each)]
        table = render.build_table(rows, columns=columns)
        render.make_console().print(table)
    return 0


def _answer_stats(
    options: argparse.Namespace, found: Figures | Series, *, show: Callable[[Console], None]
) -> int:
    if options.json:
        render.print_json(found)
    else:
        show(render.make_console())
    return 0


def run_patterns(options: argparse.Namespace, settings: Settings) -> int:
    """Show the patterns."""
    with Insights.open(settings) as insights:
        patterns = insights.patterns(WINDOWS[options.window], limit=options.limit)
    if options.json:
        render.print_json({"patterns": patterns})
    elif patterns:
        render.make_console().print(_build_pattern_table(patterns))
    else:
        render.make_console().print("Nothing failed.", style="green")
    return 0


def run_suggest(options: argparse.Namespace, settings: Settings) -> int:
    """Say what would help."""
    # The readers of what models write, which no other command of figures needs.
    from mulligan.insights.insights import read_arguments

    arguments = read_arguments(options.args, tool=options.tool)
    with Insights.open(settings) as insights:
        advice, found, like = insights.suggest(
            options.tool, arguments=arguments, error=options.error
        )
    if options.json:
        render.print_json({"advice": advice, "suggestions": found, "like": like})
        return 0
    console = render.make_console()
    console.print(render.build_text(_format_advice(advice)))
    if like is not None:
        console.print(render.build_text(f"Nobody knows this error; it is most like {like}."))
    rows = [
        (
            hide_secrets(str(s.patch), s.patch.changes),
            s.source.value,
            f"{s.probability:.0%}",
            s.n,
            s.evidence,
        )
        for s in found
    ]
    if rows:
        columns = ("change", "from", "probability", "n", "because")
        console.print(render.build_table(rows, columns=columns))
    return 0


def _format_advice(advice: Advice) -> str:
    ask = f" Ask the person: {advice.ask}" if advice.ask else ""
    return f"{advice.decision}: {advice.why}{ask}"


def _show_stats(console: Console, figures: Figures, *, window: str) -> None:
    total = figures.all_calls
    rows = [
        (f"calls, last {window}", f"{total.calls:.0f}"),
        ("succeeded", _format_estimate(total.succeeded)),
        ("failed at first", f"{total.failed:.0f}"),
        ("repaired on a later try", f"{total.repaired:.0f}"),
        ("repaired, of those that failed", _format_estimate(total.repaired_share)),
        ("given up", f"{total.given_up:.0f}"),
        ("failures that their turn got over", _format_estimate(figures.recovered)),
        ("seconds to repair, median", _format_seconds(total.seconds_to_repair)),
        ("repaired more often with memory", _format_lift(figures)),
        ("with agent and context", _format_estimate(figures.with_context)),
        ("the same, derived", _format_estimate(figures.derived_context)),
        ("latency of a try, p50 and p95", f"{total.p50_ms:.1f} ms, {total.p95_ms:.1f} ms"),
    ]
    console.print(render.build_table(rows, columns=("what", "figure")))
    _show_texts(console, figures.texts)
    for what, shares in (("tool", figures.tools), ("agent", figures.agents)):
        table = map(_format_row, shares)
        console.print(render.build_table(table, columns=(what, *_SHARE)))
    if figures.patterns:
        console.print(_build_pattern_table(figures.patterns))
    if figures.findings:
        console.print(_build_finding_table(figures.findings))


def _show_texts(console: Console, texts: TextFigures) -> None:
    """Replies, drafts and runs, where there were any."""
    shared = texts.replies
    rows = [
        ("replies", str(shared.replies)),
        ("written again", _format_estimate(shared.reflected)),
        ("tries of a reply", f"{shared.tries:.2f}"),
        ("sent although rejected", _format_estimate(shared.bound)),
        ("drafts", str(texts.drafts)),
        ("drafts that were good enough", _format_estimate(texts.accepted)),
        ("tries of a draft", f"{texts.drafted.all.tries:.2f}"),
        ("runs of tasks", str(texts.tasks.all.n)),
        ("runs with notes", _format_estimate(texts.tasks.noted)),
        ("runs that were rejected", _format_estimate(texts.tasks.all.bound)),
        ("rated up", _format_estimate(texts.rated_up)),
    ]
    if not (shared.replies or texts.drafts or texts.tasks.all.n or texts.rated_up.n):
        return
    console.print(render.build_table(rows, columns=("texts", "figure")))
    if len(texts.by_agent) > 1:
        columns = ("agent", "replies", "written again", "tries", "sent although rejected")
        console.print(render.build_table(map(_format_replies, texts.by_agent), columns=columns))
    if texts.by_check:
        checks = [(rule, f"{share:.0%}") for rule, share in texts.by_check.items()]
        console.print(render.build_table(checks, columns=("check", "of first tries")))
    if texts.health:
        console.print(render.build_text(texts.health))
    for proposal in texts.proposals:
        console.print(render.build_text(proposal.text))


def _format_replies(share: ReplyShare) -> tuple[str, ...]:
    again, bound = _format_estimate(share.reflected), _format_estimate(share.bound)
    return share.name, str(share.replies), again, f"{share.tries:.2f}", bound


def _show_series(console: Console, series: Series) -> None:
    rows = [_format_row(part.share) for part in series.parts if part.share.tries]
    if rows:
        console.print(render.build_table(rows, columns=(f"{series.step}, UTC", *_SHARE)))
    else:
        console.print("No call was made.")


_SHARE = ("calls", "failed", "repaired", "given up", "succeeded", "p50 ms", "p95 ms")


def _format_row(share: Share) -> tuple[object, ...]:
    counts = (share.calls, share.failed, share.repaired, share.given_up)
    latency = (f"{share.p50_ms:.1f}", f"{share.p95_ms:.1f}")
    succeeded = _format_estimate(share.succeeded)
    return (share.name, *(f"{count:.0f}" for count in counts), succeeded, *latency)


def _format_estimate(share: Estimate) -> str:
    if share.figure is None or share.low is None or share.high is None:
        return "-"
    return f"{share.figure:.0%} ({share.low:.0%} to {share.high:.0%}, n {share.n})"


def _format_seconds(times: Estimate) -> str:
    if times.figure is None or times.low is None or times.high is None:
        return "-"
    return f"{times.figure:.1f} ({times.low:.1f} to {times.high:.1f}, n {times.n})"


def _format_lift(figures: Figures) -> str:
    lift = figures.lift
    if lift is None:
        return "- (nothing was left alone yet to compare with)"
    n = f"{lift.treated} treated, {lift.control} left alone"
    return f"{lift.lift:+.0%} ({lift.low:+.0%} to {lift.high:+.0%}, {n})"


def _build_pattern_table(patterns: Iterable[PatternSeen]) -> object:
    rows = [
        (shorten_pattern(s.pattern.fingerprint), s.pattern.count, s.pattern.tool,
         s.pattern.error_class.value, _format_template(s), ", ".join(s.agents),
         f"{s.last_at:%m-%d %H:%M}")
        for s in patterns
    ]  # fmt: skip
    columns = ("pattern", "times", "tool", "class", "what it says", "agents", "last, UTC")
    return render.build_table(rows, columns=columns)


def _build_finding_table(findings: Iterable[FindingCount]) -> object:
    rows = [(f.count, f.severity.value, f.rule, f.tool, f.agent) for f in findings]
    return render.build_table(rows, columns=("times", "found", "rule", "tool", "agent"))


def _format_template(seen: PatternSeen) -> str:
    like = "" if seen.like is None else f"; most like {seen.like}"
    return f"{seen.pattern.template}{like}"


_MET = {True: "yes", False: "no", None: "-"}


def _format_criterion(criterion: Criterion) -> Iterator[tuple[object, ...]]:
    figure = _format_estimate(criterion.estimate)
    yield criterion.what, f"{criterion.goal:.0%}", figure, _MET[criterion.met]
    for name, estimate in criterion.parts.items():
        yield f"  of them {name}", "", _format_estimate(estimate), ""
