"""A report as one HTML page: figures, plots, advice, and every case. It loads nothing."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from html import escape
from importlib.resources import files
from string import Template

from mulligan.core.text import ITERATIONS_TARGET, RATE_TARGET
from mulligan.evaluation.compare import Comparison
from mulligan.evaluation.plots import draw_bars, draw_columns, draw_gauge, draw_interval
from mulligan.evaluation.report import CaseResult, Report, list_advice, list_doubts, summary


def render_report(report: Report) -> str:
    """The page of one run."""
    title = f"Replies: {report.name}" if report.name else "Replies"
    figures = _render_table(("", "value", "target"), summary(report))
    parts = [_render_about(report), figures, *_render_plots(report), _render_cases(report.results)]
    return _render_page(title, parts)


def _render_about(report: Report) -> str:
    """Who wrote, when it was run, and what was left out."""
    when = "" if report.at is None else f"{report.at:%Y-%m-%d %H:%M} UTC"
    by = f"written by {report.writer}" if report.writer else ""
    said = [" · ".join(part for part in (when, by) if part), *report.notes]
    return "".join(f'<p class="about">{escape(each)}</p>' for each in said if each)


def render_comparison(comparison: Comparison) -> str:
    """The page of two runs over the same cases."""
    before, after = comparison.before, comparison.after
    parts = [
        _render_about(after),
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
    said = (*list_doubts(report), *list_advice(report))
    yield from (f'<p class="advice">{escape(each)}</p>' for each in said)
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
    if report.warning_rates:
        yield draw_bars(report.warning_rates, title="First replies that a check only remarks on")
    yield draw_columns(report.iteration_counts, title="Cases by number of replies written")


def _render_cases(results: Sequence[CaseResult]) -> str:
    return "<h2>Cases</h2>" + "".join(map(_render_case, results))


def _render_case(result: CaseResult) -> str:
    """One case that unfolds: the first reply and the one that goes out, side by side."""
    rejected = "no reply" if result.silent else "sent although rejected"
    standing = rejected if result.bound_reached else result.standing.value
    tries = "1 reply" if result.iterations == 1 else f"{result.iterations} replies"
    said = f"{standing}, {tries}" + (f", out of {result.limit}" if result.limit else "")
    if result.iterations == 1:
        texts = _render_texts(("The reply", result.text, result.last_findings))
    else:
        first = (*result.first_findings, *result.first_warnings)
        texts = _render_texts(
            ("First reply", result.first_text, first),
            ("Sent", result.text, result.last_findings),
        )
    mark = ' class="bad"' if result.bound_reached else ""
    return (
        f"<details{mark}><summary>{escape(result.question)} "
        f"<small>{escape(said)}</small></summary>{texts}</details>"
    )


def _render_texts(*texts: tuple[str, str, Sequence[str]]) -> str:
    """Texts beside each other, each with its title and what was found in it."""
    columns = "".join(
        f"<div><h3>{escape(title)}</h3><pre>{escape(text) or '(nothing)'}</pre>"
        f"<p class='found'>{escape(', '.join(found)) or 'nothing found'}</p></div>"
        for title, text, found in texts
    )
    return f'<div class="beside">{columns}</div>'


def _render_both(before: Report, after: Report) -> str:
    rows = [
        (label, old, new)
        for (label, old, _), (_, new, _) in zip(summary(before), summary(after), strict=True)
    ]
    return _render_table(("", before.name or "before", after.name or "after"), rows)


def _render_changed(before: Report, after: Report) -> str:
    first = {result.case: result for result in before.results}
    names = (before.name or "before", after.name or "after")
    changed = [each for each in after.results if each.reflected is not first[each.case].reflected]
    shown = "".join(
        f"<details><summary>{escape(result.question)}</summary>"
        + _render_texts(
            (names[0], first[result.case].text, first[result.case].first_findings),
            (names[1], result.text, result.first_findings),
        )
        + "</details>"
        for result in changed
    )
    return f"<h2>Cases that changed: {len(changed)}</h2>{shown}"


def _render_table(columns: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    head = "".join(f"<th>{escape(column)}</th>" for column in columns)
    body = "".join(
        "<tr>" + "".join(f"<td>{escape(cell)}</td>" for cell in row) + "</tr>" for row in rows
    )
    return f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"


def _render_page(title: str, parts: Iterable[str]) -> str:
    template = files(__package__).joinpath("page.html").read_text(encoding="utf-8")
    return Template(template).substitute(title=escape(title), body="\n".join(parts))
