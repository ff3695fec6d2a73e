from __future__ import annotations

import json
from datetime import UTC, datetime, timedelta

import pytest
from markupsafe import Markup

from mulligan.dashboard import site as formats
from mulligan.dashboard.site import DASH
from mulligan.insights.figures import Estimate

HALF = Estimate(figure=0.5, low=0.25, high=0.75, n=8)
NOW = datetime(2026, 11, 16, 9, 30, tzinfo=UTC)


@pytest.mark.parametrize(
    ("said", "reads"),
    [
        (formats.format_count(None), DASH),
        (formats.format_count(1234), "1,234"),
        (formats.format_count(123_456), "123.5 k"),
        (formats.format_count(5_000_000), "5.0 M"),
        (formats.format_share(None), DASH),
        (formats.format_share(0.9715), "97.2 %"),
        (formats.format_share(1.0), "100 %"),
        (formats.format_points(0.021), "+2.1 pp"),
        (formats.format_points(None), DASH),
        (formats.format_interval(Estimate(figure=None, n=0)), "not enough data"),
        (formats.format_interval(HALF), f"25.0 {DASH} 75.0 %"),
        (formats.format_ms(0), DASH),
        (formats.format_ms(0.4), "< 1 ms"),
        (formats.format_ms(1500), "1.5 s"),
        (formats.format_seconds(None), DASH),
        (formats.format_seconds(0.25), "250 ms"),
        (formats.format_seconds(7200), "2 h"),
        (formats.format_ago(NOW - timedelta(minutes=5), NOW), "5 min ago"),
        (formats.format_ago(NOW + timedelta(hours=2), NOW), "in 2 h"),
        (formats.format_ago(NOW, NOW), "just now"),
        (formats.format_time("2026-11-16T10:30:00+01:00"), "2026-11-16 09:30"),
        (formats.format_time("soon"), "soon"),
        (formats.format_id("0123456789abcdef"), "0123456789ab"),
        (formats.format_words("needs_human"), "needs human"),
        (formats.format_label("planner"), "planner"),
        (formats.format_value({"a": [1]}), '{"a":[1]}'),
        (formats.format_sentence("it stands"), "It stands"),
        (formats.format_sentence(""), ""),
    ],
)  # fmt: skip
def test_figures_read_as_a_person_would_say_them(said: str, reads: str) -> None:
    assert said == reads


def test_what_would_turn_or_hide_text_is_shown() -> None:
    assert formats.escape_foreign("a\u202eb\x1b[31m\u200b") == "a\\u202eb\\x1b[31m\\u200b"
    assert formats.escape_foreign(Markup("<b>")) == "<b>"
    assert len(str(formats.escape_foreign("x" * 100_000))) < 21_000


def test_a_chart_is_its_columns() -> None:
    said = json.loads(formats.build_chart("rate", ["a"], formats.compute_seconds([NOW]), [None]))

    assert said == {"kind": "rate", "names": ["a"], "columns": [[NOW.timestamp()], [None]]}


def test_what_stands_in_backticks_is_code_and_still_escaped() -> None:
    assert formats.format_code("see `mulligan open`.") == "see <code>mulligan open</code>."
    assert formats.format_code("`<b>`\u202e<i>") == "<code>&lt;b&gt;</code>\\u202e&lt;i&gt;"
    assert formats.format_code("one ` alone") == "one ` alone"


def test_a_name_breaks_after_its_signs() -> None:
    assert formats.format_breaks("crm/find_<b>") == "crm/<wbr>find_<wbr>&lt;b&gt;"


def test_what_is_hidden_reads_as_such_and_equal_values_alike() -> None:
    stub = "<str 6 #8c4ef904e1b2>"

    assert formats.format_stubs(f'{{"room":"{stub}"}}') == '{"room":"(6 characters, 8c4e)"}'
    assert formats.format_stubs("<b> <str x>") == "<b> <str x>"


def test_an_option_of_a_command_stays_in_one_piece() -> None:
    said = formats.format_options('mulligan settle 01a --note "<b>"')

    assert said == ('mulligan settle 01a <span class="nowrap">--note</span> &#34;&lt;b&gt;&#34;')


def test_a_badge_and_a_time_are_escaped_like_all_else() -> None:
    assert formats.build_badge("needs_human") == (
        '<span class="badge" data-state="needs_human">needs human</span>'
    )
    assert formats.build_badge("<b>\u202e") == (
        '<span class="badge" data-state="&lt;b&gt;\\u202e">&lt;b&gt;\\u202e</span>'
    )
    assert formats.build_when(NOW - timedelta(minutes=5), NOW) == (
        '<time datetime="2026-11-16T09:25:00+00:00" title="2026-11-16 09:25 UTC">5 min ago</time>'
    )
