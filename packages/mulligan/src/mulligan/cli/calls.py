"""`mulligan log`, `stats`, `patterns` and `suggest`: calls, how they go, and what would help."""

from __future__ import annotations

import argparse
from collections.abc import Iterable, Iterator

from rich.table import Table
from rich.text import Text

from mulligan.cli import render
from mulligan.cli.options import (
    LATELY,
    add_span,
    add_store_and_json,
    command,
    complete_id,
    limit,
    one_of,
    option,
    suggest_name,
)
from mulligan.insights.cost import CostView, read_cost
from mulligan.insights.figures import Estimate, SeriesStep, Share
from mulligan.insights.filters import ViewFilter, ViewRequest, Window
from mulligan.insights.insights import Insights
from mulligan.insights.overview import Criterion, Figures
from mulligan.insights.texts import TextFigures
from mulligan.redaction import Capture
from mulligan.redaction.redactor import hide_secrets
from mulligan.settings import Settings
from mulligan.types.call import Outcome
from mulligan.types.errors import ConfigurationError
from mulligan.types.failure import ErrorClass
from mulligan.types.lesson import shorten_pattern
from mulligan.types.log import LogQuery, PatternSeen


@command(
    "log",
    add_store_and_json,
    option("--tool", help="only this tool"),
    option("--agent", help="only this agent"),
    option("--server", help="only this server"),
    option("--turn", metavar="ID", help="only this turn"),
    option("--id", metavar="PREFIX", default="", help="only calls whose id starts with this"),
    option("--outcome", choices=[o.value for o in Outcome], help="only this outcome"),
    option("--error-class", choices=[c.value for c in ErrorClass], help="only this class of error"),
    add_span,
    limit(50),
    option("-f", "--follow", action="store_true", help="keep printing new calls"),
    about="Show calls, newest last. Values are redacted: a string is shown as its type, length "
    "and keyed hash.\nEqual values have equal hashes; nothing can be read.",
)
def run_log(options: argparse.Namespace, settings: Settings) -> int:
    """Show the rows that fit."""
    with Insights.open(settings) as insights:
        lately = LogQuery(limit=LATELY)
        query = LogQuery(
            id_prefix=options.id.replace("-", "").lower(),
            agent=options.agent,
            server=options.server,
            tool=options.tool,
            outcome=options.outcome,
            error_class=options.error_class,
            turn=complete_id(options.turn, lambda: (row.turn for row in insights.log(lately))),
            since=options.since,
            until=options.until,
            limit=options.limit,
        )
        if options.follow:
            return _follow_log(insights, query, as_json=options.json)
        rows = list(reversed(insights.log(query)))
        became = insights.open_list.read_states(row.id for row in rows)
        hint = suggest_name(options.tool or "", [each.tool for each in insights.tools()])
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
        console.print(render.build_text(f"No calls match.{hint}"))
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


@command(
    "stats",
    add_store_and_json,
    option("--window", choices=Window, help="how far back (default: 24h; 30d with --goals)"),
    one_of(
        option(
            "--series",
            choices=[step.value for step in SeriesStep],
            help="figures by hour or day",
        ),
        option(
            "--goals",
            action="store_true",
            help="each goal with its figure",
        ),
        option(
            "--cost",
            action="store_true",
            help="what judges, retries and approvals took, and the results",
        ),
    ),
    option("--tool", help="with --series: only this tool"),
    option("--agent", help="with --series: only this agent"),
    about="Summarize the log by call, not by try: what failed at first, what was repaired and "
    "how fast, and what\nwas given up, by tool and agent; the most frequent failure patterns; "
    "and what reviews found. Each share\nis shown with its confidence interval and n.",
)
def run_stats(options: argparse.Namespace, settings: Settings) -> int:
    """Show the figures, a series over time, or the goals."""
    if (options.tool or options.agent) and not options.series:
        raise ConfigurationError("--tool and --agent filter a series: add --series day.")
    window = Window(options.window or ("30d" if options.goals else "24h"))
    with Insights.open(settings) as insights:
        if options.goals:
            goals = insights.progress.read_goals(window.length)
            columns = ("goal", "target", f"figure, last {window}", "met")
            rows = [row for each in goals for row in _format_criterion(each)]
            table = render.build_table(rows, columns=columns)
            return render.answer(options, {"window": window, "goals": goals}, table)
        if options.cost:
            asked = ViewRequest(filter=ViewFilter(window=window))
            cost = read_cost(insights, asked)
            return render.answer(options, cost, *_describe_cost(cost, window=window))
        if options.series:
            series = insights.progress.read_series(
                window.length,
                step=SeriesStep(options.series),
                tool=options.tool,
                agent=options.agent,
            )
            shares = [_format_row(part.share) for part in series.parts if part.share.tries]
            table = render.build_table(shares, columns=(f"{series.step}, UTC", *_SHARE))
            return render.answer(options, series, table if shares else "No call was made.")
        figures = insights.figures(window.length)
    return render.answer(options, figures, *_describe_stats(figures, window=window))


@command(
    "patterns",
    add_store_and_json,
    option("--window", choices=Window, default="24h", help="how far back (default: 24h)"),
    limit(20),
    about="Group failures by their message with values masked, most frequent first.",
)
def run_patterns(options: argparse.Namespace, settings: Settings) -> int:
    """Show the patterns."""
    with Insights.open(settings) as insights:
        patterns = insights.patterns(Window(options.window).length, limit=options.limit)
    nothing = Text("Nothing failed.", style="green")
    said = _build_pattern_table(patterns) if patterns else nothing
    return render.answer(options, {"patterns": patterns}, said)


@command(
    "suggest",
    add_store_and_json,
    option("--tool", required=True, help="the tool that failed"),
    option(
        "--args",
        required=True,
        metavar="TEXT",
        help="its arguments: JSON, or the text the model wrote",
    ),
    option("--error", required=True, metavar="TEXT", help="its error message"),
    about="Say what to do about a failed call, and which changed arguments would repair it. "
    "The tool's\nschema is the one its application declared.",
)
def run_suggest(options: argparse.Namespace, settings: Settings) -> int:
    """Print suggestions for a failed call."""
    # The readers of what models write, which no other command of figures needs.
    from mulligan.insights.insights import read_arguments

    arguments = read_arguments(options.args, tool=options.tool)
    with Insights.open(settings) as insights:
        advice, found, like = insights.suggest(
            options.tool, arguments=arguments, error=options.error
        )
    ask = f" Ask the person: {advice.ask}" if advice.ask else ""
    said: list[str | Table] = [f"{advice.decision}: {advice.why}{ask}"]
    if like is not None:
        said.append(f"This error is unknown; the most similar known one is {like}.")
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
        said.append(render.build_table(rows, columns=columns))
    return render.answer(options, {"advice": advice, "suggestions": found, "like": like}, *said)


def _describe_cost(cost: CostView, *, window: str) -> Iterator[str | Table]:
    rows = [
        (
            each.what,
            f"{each.times:.0f}",
            *(render.format_figure(n, ",.0f") for n in (each.seconds, *each.tokens)),
        )
        for each in cost.spent
    ]
    columns = (f"spent, last {window}", "times", "seconds", "tokens in", "tokens out")
    yield render.build_table(rows, columns=columns)
    if cost.waited is not None:
        yield f"A held call waited {cost.waited:,.0f} seconds for a person, at the median."
    saved = [(each.what, f"{each.times:.0f}") for each in cost.saved]
    yield render.build_table(saved, columns=("result", "times"))
    if not cost.whole:
        yield "There are older actions that were not counted."


def _describe_stats(figures: Figures, *, window: str) -> Iterator[str | Table]:
    total, lift = figures.all_calls, figures.lift
    memory = (
        "- (no control group yet)"
        if lift is None
        else f"{lift.lift:+.0%} ({lift.low:+.0%} to {lift.high:+.0%}, "
        f"{lift.treated} treated, {lift.control} in the control group)"
    )
    rows = [
        (f"calls, last {window}", f"{total.calls:.0f}"),
        ("succeeded", _format_estimate(total.succeeded)),
        ("failed at first", f"{total.failed:.0f}"),
        ("repaired on a later try", f"{total.repaired:.0f}"),
        ("repaired, of those that failed", _format_estimate(total.repaired_share)),
        ("given up", f"{total.given_up:.0f}"),
        ("failures their turn recovered from", _format_estimate(figures.recovered)),
        ("seconds to repair, median", _format_estimate(total.seconds_to_repair, form=".1f")),
        ("repaired more often with memory", memory),
        ("with agent and context", _format_estimate(figures.with_context)),
        ("with derived agent and context", _format_estimate(figures.derived_context)),
        ("latency of a try, p50 and p95", f"{total.p50_ms:.1f} ms, {total.p95_ms:.1f} ms"),
    ]
    yield render.build_table(rows, columns=("what", "figure"))
    yield from _describe_texts(figures.texts)
    for what, shares in (("tool", figures.tools), ("agent", figures.agents)):
        yield render.build_table(map(_format_row, shares), columns=(what, *_SHARE))
    if figures.patterns:
        yield _build_pattern_table(figures.patterns)
    if figures.findings:
        found = [(f.count, f.severity.value, f.rule, f.tool, f.agent) for f in figures.findings]
        yield render.build_table(found, columns=("times", "found", "rule", "tool", "agent"))


def _describe_texts(texts: TextFigures) -> Iterator[str | Table]:
    """Replies, drafts and runs, where there were any."""
    replies, drafts, runs = texts.replies.all, texts.drafts.all, texts.tasks.all
    if not (replies.n or drafts.n or runs.n or texts.rated_up.n):
        return
    rows = [
        ("replies", str(replies.n)),
        ("written again", _format_estimate(replies.reflected)),
        ("tries of a reply", f"{replies.tries:.2f}"),
        ("sent although rejected", _format_estimate(replies.bound)),
        ("drafts", str(drafts.n)),
        ("drafts that were good enough", _format_estimate(texts.accepted)),
        ("tries of a draft", f"{drafts.tries:.2f}"),
        ("runs of tasks", str(runs.n)),
        ("runs with notes", _format_estimate(runs.noted)),
        ("runs that were rejected", _format_estimate(runs.bound)),
        ("rated up", _format_estimate(texts.rated_up)),
    ]
    yield render.build_table(rows, columns=("texts", "figure"))
    if len(texts.replies.by_agent) > 1:
        columns = ("agent", "replies", "written again", "tries", "sent although rejected")
        agents = [
            (
                share.name,
                share.n,
                _format_estimate(share.reflected),
                f"{share.tries:.2f}",
                _format_estimate(share.bound),
            )
            for share in texts.replies.by_agent
        ]
        yield render.build_table(agents, columns=columns)
    if texts.replies.by_check:
        checks = [(rule, f"{share:.0%}") for rule, share in texts.replies.by_check.items()]
        yield render.build_table(checks, columns=("check", "of first tries"))
    if texts.health:
        yield texts.health
    yield from (proposal.text for proposal in texts.proposals)


_SHARE = ("calls", "failed", "repaired", "given up", "succeeded", "p50 ms", "p95 ms")


def _format_row(share: Share) -> tuple[object, ...]:
    counts = (share.calls, share.failed, share.repaired, share.given_up)
    latency = (f"{share.p50_ms:.1f}", f"{share.p95_ms:.1f}")
    succeeded = _format_estimate(share.succeeded)
    return (share.name, *(f"{count:.0f}" for count in counts), succeeded, *latency)


def _format_estimate(found: Estimate, *, form: str = ".0%") -> str:
    if found.figure is None or found.low is None or found.high is None:
        return "-"
    figure, low, high = (format(each, form) for each in (found.figure, found.low, found.high))
    return f"{figure} ({low} to {high}, n {found.n})"


def _build_pattern_table(patterns: Iterable[PatternSeen]) -> Table:
    rows = [
        (
            shorten_pattern(s.pattern.fingerprint),
            s.pattern.count,
            s.pattern.tool,
            s.pattern.error_class.value,
            s.pattern.template + ("" if s.like is None else f"; similar to {s.like}"),
            ", ".join(s.agents),
            f"{s.last_at:%m-%d %H:%M}",
        )
        for s in patterns
    ]
    columns = ("pattern", "times", "tool", "class", "message", "agents", "last, UTC")
    return render.build_table(rows, columns=columns)


_MET = {True: "yes", False: "no", None: "-"}


def _format_criterion(criterion: Criterion) -> Iterator[tuple[object, ...]]:
    figure = _format_estimate(criterion.estimate)
    yield criterion.what, f"{criterion.goal:.0%}", figure, _MET[criterion.met]
    for name, estimate in criterion.parts.items():
        yield f"  of them {name}", "", _format_estimate(estimate), ""
