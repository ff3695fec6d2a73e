"""Plots as inline SVG: no script, no library, and they print."""

from __future__ import annotations

from collections.abc import Mapping
from html import escape

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
