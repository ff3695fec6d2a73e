"""A report as one HTML page: figures, plots as inline SVG, advice, and every case. It loads
nothing.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from html import escape
from importlib.resources import files
from string import Template

from mulligan.evaluation.report import (
    CaseResult,
    Comparison,
    Report,
    list_advice,
    list_doubts,
    summary,
)
from mulligan.types.reply import ITERATIONS_TARGET, RATE_TARGET

WIDTH = 640
ROW = 26
LABEL = 230
VALUE = 60


def draw_bars(shares: Mapping[str, float], *, title: str) -> str:
    """Horizontal bars of shares from 0 to 1, one to a line, with the share as a number."""
    if not shares:
        return f"<p>{escape(title)}: nothing to show.</p>"
    room = WIDTH - LABEL - VALUE
    rows = []
    for index, (name, share) in enumerate(shares.items()):
        top = index * ROW
        length = max(1.0, room * share)
        rows.append(
            f'<text x="{LABEL - 8}" y="{top + 17}" text-anchor="end">{escape(name)}</text>'
            f'<rect class="bar" x="{LABEL}" y="{top + 5}" width="{length:.1f}" height="16"/>'
            f'<text x="{LABEL + length + 6:.1f}" y="{top + 17}">{share:.0%}</text>'
        )
    return _draw_figure("".join(rows), title=title, height=len(shares) * ROW)


def draw_columns(counts: Mapping[int, int], *, title: str) -> str:
    """A histogram: one column for each value, its count above it."""
    most = max(counts.values(), default=0)
    if not most:
        return f"<p>{escape(title)}: nothing to show.</p>"
    tall, wide = 140, min(80, WIDTH // len(counts))
    drawn = []
    for index, (value, count) in enumerate(counts.items()):
        height = tall * count / most
        left, top = index * wide + 8, tall - height + 20
        middle = left + (wide - 16) / 2
        drawn.append(
            f'<rect class="bar" x="{left}" y="{top:.1f}" width="{wide - 16}" '
            f'height="{height:.1f}"/>'
            f'<text x="{middle}" y="{top - 5:.1f}" text-anchor="middle">{count}</text>'
            f'<text x="{middle}" y="{tall + 38}" text-anchor="middle">{value}</text>'
        )
    return _draw_figure("".join(drawn), title=title, height=tall + 46)


def draw_gauge(value: float, *, low: float, high: float, most: float, title: str) -> str:
    """A figure on its scale, with the range it should be in."""
    room = WIDTH - 20
    at = 10 + room * min(max(value / most, 0.0), 1.0)
    left, right = 10 + room * low / most, 10 + room * high / most
    drawn = (
        f'<rect class="track" x="10" y="14" width="{room}" height="10"/>'
        f'<rect class="target" x="{left:.1f}" y="14" width="{right - left:.1f}" height="10"/>'
        f'<rect class="mark" x="{at - 2:.1f}" y="8" width="4" height="22"/>'
        f'<text x="{left:.1f}" y="44" text-anchor="middle">{low:g}</text>'
        f'<text x="{right:.1f}" y="44" text-anchor="middle">{high:g}</text>'
    )
    return _draw_figure(drawn, title=title, height=50)


def draw_interval(*, low: float, middle: float, high: float, limit: float, title: str) -> str:
    """A change with its interval, beside zero and the limit; all in points."""
    reach = 1.15 * max(abs(low), abs(high), abs(limit), 1.0)

    def place(value: float) -> float:
        return WIDTH / 2 + (WIDTH / 2 - 10) * value / reach

    drawn = (
        f'<line class="axis" x1="{place(0):.1f}" y1="6" x2="{place(0):.1f}" y2="46"/>'
        f'<line class="limit" x1="{place(limit):.1f}" y1="6" x2="{place(limit):.1f}" y2="46"/>'
        f'<line class="range" x1="{place(low):.1f}" y1="26" x2="{place(high):.1f}" y2="26"/>'
        f'<circle class="mark" cx="{place(middle):.1f}" cy="26" r="6"/>'
        f'<text x="{place(0):.1f}" y="62" text-anchor="middle">0</text>'
        f'<text x="{place(limit):.1f}" y="62" text-anchor="middle">limit {limit:g}</text>'
    )
    return _draw_figure(drawn, title=title, height=68)


def _draw_figure(drawn: str, *, title: str, height: float) -> str:
    return (
        f'<figure><figcaption>{escape(title)}</figcaption><svg role="img" '
        f'aria-label="{escape(title)}" viewBox="0 0 {WIDTH} {height:g}" '
        f'width="{WIDTH}" height="{height:g}">{drawn}</svg></figure>'
    )


def render_report(report: Report) -> str:
    """The page of one run."""
    title = f"Replies: {report.name}" if report.name else "Replies"
    figures = render_table(("", "value", "target"), summary(report))
    cases = map(_render_case, report.results)
    parts = [_render_about(report), figures, *_render_plots(report), "<h2>Cases</h2>", *cases]
    return render_page(title, parts)


def _render_about(report: Report) -> str:
    """The writer, the time of the run, and what was skipped."""
    when = "" if report.at is None else f"{report.at:%Y-%m-%d %H:%M} UTC"
    by = f"written by {report.writer}" if report.writer else ""
    said = [" · ".join(part for part in (when, by) if part), *report.notes]
    return "".join(f'<p class="about">{escape(each)}</p>' for each in said if each)


def render_comparison(comparison: Comparison) -> str:
    """The page of two runs over the same cases."""
    before, after = comparison.before, comparison.after
    names = (before.name or "before", after.name or "after")
    figures = [
        (label, old, new)
        for (label, old, _), (_, new, _) in zip(summary(before), summary(after), strict=True)
    ]
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
        render_table(("", *names), figures),
        f"<h2>{escape(names[0])}</h2>",
        *_render_plots(before),
        f"<h2>{escape(names[1])}</h2>",
        *_render_plots(after),
        _render_changed(before, after, names=names),
    ]
    return render_page("Replies: two configurations", parts)


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
    yield draw_bars(report.check_rates, title="First replies rejected by a check")
    if report.warning_rates:
        yield draw_bars(report.warning_rates, title="First replies with warnings only")
    yield draw_columns(report.iteration_counts, title="Cases by number of replies written")


def _render_case(result: CaseResult) -> str:
    """One expandable case: the first reply and the sent one, side by side."""
    rejected = "no reply" if result.silent else "sent although rejected"
    standing = rejected if result.bound_reached else result.standing.value
    tries = "1 reply" if result.iterations == 1 else f"{result.iterations} replies"
    said = f"{standing}, {tries}" + (f", limit reached: {result.limit}" if result.limit else "")
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
    """Texts side by side, each with its title and findings."""
    columns = "".join(
        f"<div><h3>{escape(title)}</h3><pre>{escape(text) or '(nothing)'}</pre>"
        f"<p class='found'>{escape(', '.join(found)) or 'nothing found'}</p></div>"
        for title, text, found in texts
    )
    return f'<div class="beside">{columns}</div>'


def _render_changed(before: Report, after: Report, *, names: tuple[str, str]) -> str:
    first = {result.case: result for result in before.results}
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


def render_table(columns: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """A table of texts, each escaped."""
    head = "".join(f"<th>{escape(column)}</th>" for column in columns)
    body = "".join(
        "<tr>" + "".join(f"<td>{escape(cell)}</td>" for cell in row) + "</tr>" for row in rows
    )
    return f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"


def render_page(title: str, parts: Iterable[str]) -> str:
    """A page that loads nothing and runs nothing, of parts that are HTML."""
    template = files(__package__).joinpath("page.html").read_text(encoding="utf-8")
    return Template(template).substitute(title=escape(title), body="\n".join(parts))
