"""A report as one HTML page: figures, plots, advice, and every case. It loads nothing."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from html import escape
from importlib.resources import files
from string import Template

from mulligan.evaluation.compare import Comparison
from mulligan.evaluation.plots import draw_bars, draw_columns, draw_gauge, draw_interval
from mulligan.evaluation.report import (
    ITERATIONS_TARGET,
    RATE_TARGET,
    Report,
    list_advice,
    summary,
)
from mulligan.evaluation.run import CaseResult


def render_report(report: Report) -> str:
    """The page of one run."""
    title = f"Replies: {report.name}" if report.name else "Replies"
    figures = _render_table(("", "value", "target"), summary(report))
    return _render_page(title, [figures, *_render_plots(report), _render_cases(report.results)])


def render_comparison(comparison: Comparison) -> str:
    """The page of two runs over the same cases."""
    before, after = comparison.before, comparison.after
    parts = [
        f'<p class="verdict">{escape(comparison.sentence)}</p>',
        draw_interval(
            low=100 * comparison.low,
            middle=100 * comparison.change,
            high=100 * comparison.high,
            limit=100 * comparison.limit,
            title="Change of the reflection rate in points, 95 % interval",
        ),
        _render_both(before, after),
        f"<h2>{escape(before.name or 'before')}</h2>",
        *_render_plots(before),
        f"<h2>{escape(after.name or 'after')}</h2>",
        *_render_plots(after),
        _render_changed(before, after),
    ]
    return _render_page("Replies: two configurations", parts)


def _render_plots(report: Report) -> Iterable[str]:
    yield from (f'<p class="advice">{escape(said)}</p>' for said in list_advice(report))
    low, high = RATE_TARGET
    yield draw_gauge(
        100 * report.reflection_rate,
        low=100 * low,
        high=100 * high,
        most=100,
        title=f"Reflection rate: {report.reflection_rate:.0%}",
    )
    low, high = ITERATIONS_TARGET
    most = max(4.0, *report.iteration_counts)
    yield draw_gauge(
        report.average_iterations,
        low=low,
        high=high,
        most=most,
        title=f"Average iterations: {report.average_iterations:.2f}",
    )
    yield draw_bars(report.check_rates, title="First replies that a check rejects")
    yield draw_columns(report.iteration_counts, title="Cases by number of replies written")


def _render_cases(results: Sequence[CaseResult]) -> str:
    rows = [
        (
            result.question,
            str(result.iterations),
            ", ".join(result.first_findings) or "-",
            ", ".join(result.last_findings) or "-",
            "sent although rejected" if result.bound_reached else result.standing.value,
        )
        for result in results
    ]
    columns = ("question", "replies", "found first", "left at the end", "standing")
    return f'<h2>Cases</h2><div class="wide">{_render_table(columns, rows)}</div>'


def _render_both(before: Report, after: Report) -> str:
    rows = [
        (label, old, new)
        for (label, old, _), (_, new, _) in zip(summary(before), summary(after), strict=True)
    ]
    return _render_table(("", before.name or "before", after.name or "after"), rows)


def _render_changed(before: Report, after: Report) -> str:
    first = {result.case: result for result in before.results}
    rows = [
        (
            result.question,
            ", ".join(first[result.case].first_findings) or "-",
            ", ".join(result.first_findings) or "-",
        )
        for result in after.results
        if result.reflected is not first[result.case].reflected
    ]
    head = ("question", before.name or "before", after.name or "after")
    return f"<h2>Cases that changed: {len(rows)}</h2>{_render_table(head, rows)}"


def _render_table(columns: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    head = "".join(f"<th>{escape(column)}</th>" for column in columns)
    body = "".join(
        "<tr>" + "".join(f"<td>{escape(cell)}</td>" for cell in row) + "</tr>" for row in rows
    )
    return f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"


def _render_page(title: str, parts: Iterable[str]) -> str:
    template = files(__package__).joinpath("page.html").read_text(encoding="utf-8")
    return Template(template).substitute(title=escape(title), body="\n".join(parts))
