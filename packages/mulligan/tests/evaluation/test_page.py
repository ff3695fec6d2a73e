from __future__ import annotations

from datetime import UTC, datetime
from html.parser import HTMLParser

from msgspec.structs import replace

from mulligan.evaluation.page import render_comparison, render_report
from mulligan.evaluation.report import Report, compare
from tests.evaluation.results import report, result


class Tags(HTMLParser):
    """Counts tags, and notes those that are not closed where they should be."""

    VOID = frozenset({"meta", "rect", "line", "circle", "br"})

    def __init__(self, page: str) -> None:
        super().__init__()
        self.open: list[str] = []
        self.seen: list[str] = []
        self.text: list[str] = []
        self.crossed: list[str] = []
        self.feed(page)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.seen.append(tag)
        if tag not in self.VOID:
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        if tag in self.VOID:
            return
        if not self.open or self.open.pop() != tag:
            self.crossed.append(tag)

    def handle_data(self, data: str) -> None:
        self.text.append(data)


def test_a_report_is_one_page_with_figures_plots_and_every_case() -> None:
    page = render_report(
        Report(
            results=(result("a"), result("b", iterations=3, rules=("text.too_long",), bound=True)),
            name="mine",
        )
    )

    tags = Tags(page)
    assert (tags.open, tags.crossed) == ([], [])
    assert tags.seen.count("svg") == 4
    said = " ".join(tags.text)
    assert all(word in said for word in ("mine", "question a", "text.too_long", "Reflection rate"))
    assert "sent although rejected" in said


def test_a_page_loads_nothing_and_runs_nothing() -> None:
    page = render_report(report(True, False))

    assert not {"script", "link", "img", "iframe"} & set(Tags(page).seen)
    assert "http" not in page


def test_text_from_a_case_stays_text() -> None:
    hostile = "</table><script>alert(1)</script>"

    page = render_report(Report(results=(result(hostile, rules=(hostile,)),), name=hostile))

    assert "<script>" not in page
    assert "script" not in Tags(page).seen


def test_a_comparison_shows_the_verdict_the_interval_and_the_cases_that_changed() -> None:
    compared = compare(
        report(False, False, name="old <b>"), report(True, False, name="new"), limit=0.1
    )

    tags = Tags(render_comparison(compared))

    said = " ".join(tags.text)
    assert (tags.open, tags.crossed) == ([], [])
    assert compared.sentence in said
    assert "Cases that changed: 1" in said
    assert "old <b>" in said
    assert "b" not in tags.seen


def test_the_first_reply_and_the_one_that_goes_out_stand_side_by_side() -> None:
    changed = replace(result("a", iterations=2), first_text="first words", text="last words")
    at = datetime(2026, 11, 16, 4, tzinfo=UTC)
    page = render_report(Report(results=(changed,), writer="openai:gpt-5", at=at, notes=("Mind.",)))

    said = " ".join(Tags(page).text)
    for words in ("first words", "last words", "openai:gpt-5", "2026-11-16 04:00 UTC", "Mind."):
        assert words in said
