"""Templates that escape everything, and figures as a person would say them."""

from __future__ import annotations

import json
import re
from datetime import UTC, datetime, timedelta
from types import SimpleNamespace

import pytest
from jinja2 import UndefinedError
from markupsafe import Markup

from mulligan.insights.figures import Estimate
from mulligan_dashboard import site
from mulligan_dashboard.site import DASH, FORMATS, HERE, build_environment

FOREIGN = re.compile(r"(?:src|href|action|url\()[=\"']*\w*://")


def test_no_page_has_script_or_style_in_its_own_text() -> None:
    pages = (HERE / "templates").glob("*.html")
    # A report is one file: it holds its script, whose hash is all that its policy lets run.
    texts = [page.read_text() for page in pages if page.name != "report.html"]

    assert [
        text for text in texts if "style=" in text or "onclick" in text or "|safe" in text
    ] == []
    assert all("<script>" not in text and not FOREIGN.search(text) for text in texts)


def test_all_that_is_shown_is_escaped() -> None:
    page = build_environment().from_string('<p title="{{ x }}">{{ x }}</p>')

    shown = page.render(x='"><script>alert(1)</script>\u202e')

    assert "<script>" not in shown
    assert "\u202e" not in shown


def test_a_name_that_is_not_there_is_an_error() -> None:
    with pytest.raises(UndefinedError):
        build_environment().from_string("{{ nothing }}").render()


HALF = Estimate(figure=0.5, low=0.25, high=0.75, n=8)

NOW = datetime(2026, 11, 16, 9, 30, tzinfo=UTC)


@pytest.mark.parametrize(
    ("said", "reads"),
    [
        (site.format_count(None), DASH),
        (site.format_count(1234), "1,234"),
        (site.format_count(123_456), "123.5 k"),
        (site.format_count(5_000_000), "5.0 M"),
        (site.format_share(None), DASH),
        (site.format_share(0.9715), "97.2 %"),
        (site.format_share(1.0), "100 %"),
        (FORMATS["points"](0.021), "+2.1 pp"),
        (FORMATS["points"](None), DASH),
        (site.format_interval(Estimate(figure=None, n=0)), "not enough data"),
        (site.format_interval(HALF), f"25.0 {DASH} 75.0 %"),
        (site.format_ms(0), DASH),
        (site.format_ms(0.4), "< 1 ms"),
        (site.format_ms(1500), "1.5 s"),
        (site.format_seconds(None), DASH),
        (site.format_seconds(0.25), "250 ms"),
        (site.format_seconds(7200), "2 h"),
        (site.format_ago(NOW - timedelta(minutes=5), NOW), "5 min ago"),
        (site.format_ago(NOW + timedelta(hours=2), NOW), "in 2 h"),
        (site.format_ago(NOW, NOW), "just now"),
        (site.format_time("2026-11-16T10:30:00+01:00"), "2026-11-16 09:30"),
        (site.format_time("soon"), "soon"),
        (FORMATS["short"]("0123456789abcdef"), "0123456789ab"),
        (FORMATS["words"]("needs_human"), "needs human"),
        (FORMATS["label"]("planner"), "planner"),
        (FORMATS["inline"]({"a": [1]}), '{"a":[1]}'),
        (FORMATS["sentence"]("it stands"), "It stands"),
        (FORMATS["sentence"](""), ""),
    ],
)  # fmt: skip
def test_figures_read_as_a_person_would_say_them(said: str, reads: str) -> None:
    assert said == reads


def test_what_would_turn_or_hide_text_is_shown() -> None:
    assert site.escape_foreign("a\u202eb\x1b[31m\u200b") == "a\\u202eb\\x1b[31m\\u200b"
    assert site.escape_foreign(Markup("<b>")) == "<b>"
    assert len(str(site.escape_foreign("x" * 100_000))) < 21_000


def test_a_chart_is_its_columns() -> None:
    parts = [
        SimpleNamespace(at=NOW, share=HALF),
        SimpleNamespace(at=NOW, share=Estimate(figure=None, n=0)),
    ]

    said = json.loads(site.build_chart("rate", ["a"], *site.list_columns(parts, "share.figure")))

    assert said == {"kind": "rate", "names": ["a"], "columns": [[NOW.timestamp()] * 2, [0.5, None]]}


def test_what_stands_in_backticks_is_code_and_still_escaped() -> None:
    assert site.format_code("see `mulligan open`.") == "see <code>mulligan open</code>."
    assert site.format_code("`<b>`\u202e<i>") == "<code>&lt;b&gt;</code>\\u202e&lt;i&gt;"
    assert site.format_code("one ` alone") == "one ` alone"


def test_a_name_breaks_after_its_signs() -> None:
    assert site.format_breaks("crm/find_<b>") == "crm/<wbr>find_<wbr>&lt;b&gt;"


def test_what_is_hidden_reads_as_such_and_equal_values_alike() -> None:
    stub = "<str 6 #8c4ef904e1b2>"

    assert FORMATS["stubs"](f'{{"room":"{stub}"}}') == '{"room":"(6 characters, 8c4e)"}'
    assert FORMATS["stubs"]("<b> <str x>") == "<b> <str x>"


def test_an_option_of_a_command_stays_in_one_piece() -> None:
    said = site.format_options('mulligan settle 01a --note "<b>"')

    assert said == ('mulligan settle 01a <span class="nowrap">--note</span> &#34;&lt;b&gt;&#34;')


def test_a_badge_and_a_time_are_escaped_like_all_else() -> None:
    assert site.build_badge("needs_human") == (
        '<span class="badge" data-state="needs_human">needs human</span>'
    )
    assert site.build_badge("<b>\u202e") == (
        '<span class="badge" data-state="&lt;b&gt;\\u202e">&lt;b&gt;\\u202e</span>'
    )
    assert site.build_when(NOW - timedelta(minutes=5), NOW) == (
        '<time datetime="2026-11-16T09:25:00+00:00" title="2026-11-16 09:25 UTC">5 min ago</time>'
    )
