"""The report as one HTML page: it loads nothing, runs nothing, and escapes everything."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from html import escape
from importlib.resources import files
from itertools import groupby

from mulligan.evaluation.page import render_page, render_shares, render_table
from mulligan.insights.figures import Estimate
from mulligan.types.display import escape as show_controls
from mulligan_replay.figures import Example, ReplayReport

TITLE = "Replay: what would have been caught"


def render_report(report: ReplayReport) -> str:
    """The whole page."""
    parts = [
        f'<p class="verdict">{escape(summarize(report))}</p>',
        *_render_about(report),
        *_render_figures(report),
        *_render_lists(report),
        *_render_examples(report.examples),
        *_render_unread(report),
        "<h2>How this was computed</h2>",
        *(f"<p>{escape(each)}</p>" for each in _load_method()),
    ]
    return render_page(TITLE, parts)


def _load_method() -> list[str]:
    text = files(__package__).joinpath("method.md").read_text(encoding="utf-8")
    return text.strip().split("\n\n")


def summarize(report: ReplayReport) -> str:
    """The result in one sentence."""
    silent = round((report.silent.figure or 0) * report.silent.n)
    rejected = round((report.rejected.figure or 0) * report.rejected.n)
    return (
        f"{report.turns:,} turns with {report.calls:,} calls: {report.silent.n:,} failed, "
        f"{silent:,} of them silently; {rejected:,} of {report.rejected.n:,} turns that changed "
        f"something would have been rejected."
    )


def list_figures(report: ReplayReport) -> list[tuple[str, str, str]]:
    """Every figure with its interval, as the page and the terminal show it."""
    irreversible = sum(report.held.values())
    shares = (
        ("calls that failed", report.failed),
        ("of these, silently", report.silent),
        ("of these, repaired by the agent itself", report.repaired),
        ("of these, with a correction at hand", report.offered),
        ("corrections that proved right", report.mended),
        ("turns with changes that would have been rejected", report.rejected),
        ("turns with changes that would have been warned of", report.warned),
        ("changes that a rejection is about", report.rejected_writes),
    )
    means = (
        ("calls saved by each right correction", report.saved_calls, ""),
        ("seconds saved by each", report.saved_seconds, " s"),
        ("tokens saved by each (an estimate)", report.saved_tokens, ""),
    )
    rows = [(name, *_show_share(each)) for name, each in shares]
    rows += [(name, *_show_mean(each, unit)) for name, each, unit in means if each.n]
    rows += [
        ("stuck loops", f"{report.loops:,}", f"{report.loop_calls:,} calls after the first"),
        ("calls that would have been held for a person", f"{irreversible:,}", ""),
    ]
    if report.judged is not None:
        judged = report.judged
        rows += [
            (name, *_show_share(each))
            for name, each in (
                ("precision of rejections, by the trace's outcomes", judged.precision),
                ("recall of rejections", judged.recall),
                ("recall with warnings", judged.recall_with_warnings),
                ("right turns rejected", judged.false_alarms),
            )
        ]
    return rows


def _show_share(estimate: Estimate) -> tuple[str, str]:
    if estimate.figure is None or estimate.low is None or estimate.high is None:
        return "none", "n = 0"
    count = round(estimate.figure * estimate.n)
    spread = f"{estimate.low:.1%} to {estimate.high:.1%}"
    return f"{estimate.figure:.1%}", f"{count:,} of {estimate.n:,}; {spread}"


def _show_mean(estimate: Estimate, unit: str) -> tuple[str, str]:
    figure = f"{estimate.figure or 0:,.2f}{unit}"
    if estimate.low is None or estimate.high is None:
        return figure, f"n = {estimate.n:,}"
    return figure, f"n = {estimate.n:,}; {estimate.low:,.2f} to {estimate.high:,.2f}"


def _render_about(report: ReplayReport) -> Iterator[str]:
    span = ""
    if report.first is not None and report.last is not None:
        span = f"{report.first:%Y-%m-%d %H:%M} to {report.last:%Y-%m-%d %H:%M} UTC"
    untimed = report.turns_without_a_time
    yield from (
        f'<p class="about">{_show(line)}</p>'
        for line in (
            ", ".join(report.files),
            span,
            f"Times are read as those of people in {report.timezone}.",
            f"{untimed:,} turns say no time." if untimed else "",
            "Redacted: texts and arguments without what may be secret or personal. Run it with "
            "--show-values to see arguments as they are, less secrets."
            if report.redacted
            else "Arguments are shown as they are, less secrets: keep this page to yourself.",
        )
        if line
    )


def _render_figures(report: ReplayReport) -> Iterator[str]:
    yield render_table(("", "figure", "rests on, 95 % interval"), list_figures(report))
    yield render_shares("Whose fault the failures are", _share_out(report.by_blame))
    yield render_shares("Failures by class", _share_out(report.by_class))


def _share_out(counts: Mapping[str, int]) -> dict[str, float]:
    total = sum(counts.values())
    ranked = sorted(counts.items(), key=lambda item: (-item[1], item[0]))
    return {f"{name} ({count:,})": count / total for name, count in ranked} if total else {}


def _render_lists(report: ReplayReport) -> Iterator[str]:
    yield from _render_list(
        "Recurring failures",
        ("pattern", "tool", "error", "class", "times", "silent", "repaired", "mended"),
        (
            (p.pattern, p.tool, p.template, p.error_class, p.count, p.silent, p.repaired, p.mended)
            for p in report.patterns
        ),
    )
    yield from _render_list(
        "What the checks say",
        ("rule", "rejected", "warned"),
        ((rule.rule, rule.rejected, rule.warned) for rule in report.rules),
    )
    yield from _render_list(
        "Lessons to review",
        ("tool", "lesson", "explains", "of repaired"),
        ((each.tool, each.statement, each.explains, each.of) for each in report.lessons),
    )
    yield from _render_list(
        "What cannot be undone today",
        ("tool", "taken for", "calls", "what would help"),
        ((each.tool, each.effect, each.calls, each.remedy) for each in report.undo),
    )
    yield from _render_list(
        "Tools, and what they were taken for",
        ("tool", "taken for", "because", "calls", "failed", "silent", "rejected"),
        (
            (each.tool, each.effect, each.why, each.calls, each.failed, each.silent, each.rejected)
            for each in report.tools
        ),
    )


def _render_list(
    title: str, columns: tuple[str, ...], rows: Iterable[tuple[object, ...]]
) -> Iterator[str]:
    shown = [[_plain(cell) for cell in row] for row in rows]
    if shown:
        yield f"<h2>{escape(title)}</h2>"
        yield render_table(columns, shown)


_TITLES = {
    "rejected": "Would have been rejected",
    "silent failure": "Silent failures",
    "mended": "Corrections that proved right",
    "loop": "Stuck loops",
    "warning": "Would have been warned of",
}


def _render_examples(examples: Iterable[Example]) -> Iterator[str]:
    ranked = sorted(examples, key=lambda each: list(_TITLES).index(each.kind))
    for kind, group in groupby(ranked, key=lambda each: each.kind):
        yield f"<h2>{escape(_TITLES[kind])}</h2>"
        yield from map(_render_example, group)


def _render_example(example: Example) -> str:
    rows = (
        ("asked", example.request),
        ("call", f"{example.tool} {example.arguments}".strip()),
        ("fix", example.fix),
        ("where", example.where),
    )
    shown = "".join(f"<p><small>{name}</small><br>{_show(text)}</p>" for name, text in rows if text)
    return f"<details><summary>{_show(example.said)}</summary>{shown}</details>"


def _render_unread(report: ReplayReport) -> Iterator[str]:
    yield "<h2>What was read</h2>"
    rows = [("read", name, f"{count:,}") for name, count in report.read.items()]
    rows += [("not read", _plain(why), f"{count:,}") for why, count in report.unread.items()]
    rows += [("in part", _plain(why), f"{n:,}") for why, n in report.unread_parts.items()]
    yield render_table(("", f"of {report.values:,} values", "count"), rows)
    yield from (f'<p class="about">{_show(each)}</p>' for each in report.unread_examples)


def _plain(value: object) -> str:
    return f"{value:,}" if isinstance(value, int) else show_controls(str(value))


def _show(text: str) -> str:
    """Foreign text: controls as signs, HTML as text."""
    return escape(show_controls(text))
