from __future__ import annotations

import re
from xml.etree import ElementTree

import pytest

from mulligan.evaluation.page import draw_bars, draw_columns, draw_gauge, draw_interval


def widths(drawn: str) -> list[float]:
    return [float(each) for each in re.findall(r'class="bar"[^>]* width="([\d.]+)"', drawn)]


def test_a_bar_is_as_long_as_its_share_and_nothing_is_still_seen() -> None:
    drawn = draw_bars({"all": 1.0, "half": 0.5, "none": 0.0}, title="Shares")

    whole, half, none = widths(drawn)
    assert half == pytest.approx(whole / 2)
    assert none == 1.0
    assert "50%" in drawn


def test_the_highest_column_is_the_most_frequent_value() -> None:
    drawn = draw_columns({1: 2, 2: 4}, title="Tries")

    heights = [float(each) for each in re.findall(r'height="([\d.]+)"/>', drawn)]
    assert heights[1] == 2 * heights[0]


@pytest.mark.parametrize("drawn", [draw_bars({}, title="<T>"), draw_columns({}, title="<T>")])
def test_nothing_to_show_is_said(drawn: str) -> None:
    assert drawn == "<p>&lt;T&gt;: nothing to show.</p>"


def test_a_figure_beyond_its_scale_stays_on_it() -> None:
    def mark(value: float) -> str:
        drawn = draw_gauge(value, low=1, high=2, most=10, title="Words")
        return re.search(r'class="mark" x="([\d.]+)"', drawn)[1]

    assert mark(5) != mark(10) == mark(99)
    assert mark(-1) == mark(0)


def test_names_from_outside_cannot_break_out_of_a_plot() -> None:
    for drawn in (
        draw_bars({"<b>&": 0.5}, title='"><script>'),
        draw_interval(low=-1, middle=0, high=1, limit=-2, title="<script>"),
    ):
        assert "<script>" not in drawn
        ElementTree.fromstring(drawn)
