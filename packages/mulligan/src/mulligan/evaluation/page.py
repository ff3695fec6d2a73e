"""A report as one HTML page: figures, advice, and every case. It loads nothing."""

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


def render_report(report: Report) -> str:
    """The page of one run."""
    title = f"Replies: {report.name}" if report.name else "Replies"
    figures = render_table(("", "value", "target"), summary(report))
    cases = map(_render_case, report.results)
    parts = [_render_about(report), figures, *_render_checks(report), "<h2>Cases</h2>", *cases]
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
        render_table(("", *names), figures),
        f"<h2>{escape(names[0])}</h2>",
        *_render_checks(before),
        f"<h2>{escape(names[1])}</h2>",
        *_render_checks(after),
        _render_changed(before, after, names=names),
    ]
    return render_page("Replies: two configurations", parts)


def _render_checks(report: Report) -> Iterable[str]:
    said = (*list_doubts(report), *list_advice(report))
    yield from (f'<p class="advice">{escape(each)}</p>' for each in said)
    yield render_shares("First replies rejected by a check", report.check_rates)
    if report.warning_rates:
        yield render_shares("First replies with warnings only", report.warning_rates)
    counts = report.iteration_counts.items()
    yield render_table(
        ("replies written", "cases"), ((str(tries), str(cases)) for tries, cases in counts)
    )


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


def render_shares(title: str, shares: Mapping[str, float]) -> str:
    """A table of shares from 0 to 1, in their order."""
    return render_table((title, ""), ((name, f"{share:.0%}") for name, share in shares.items()))


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
