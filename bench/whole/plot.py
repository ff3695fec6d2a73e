"""The page's plot: every ratio and every growth as a dot, with its spread, on one scale."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from html import escape
from pathlib import Path

from bench.peers import ROOT
from bench.whole.running import Measured

PLOT = ROOT / "docs" / "pictures" / "benchmarks.svg"
WIDTH, LABEL, ROW, HEAD = 900, 380, 20, 40
LEAST, MOST = 0.01, 100.0
"""The ends of the scale; what lies beyond is drawn at them."""
MARKS = (0.01, 0.1, 0.5, 1.0, 2.0, 10.0, 100.0)
STYLE = (
    "text{font:12px sans-serif;fill:#24292f}.grid{stroke:#d0d7de}.one{stroke:#57606a}"
    ".spread{stroke:#54aeff;stroke-width:4}.dot{fill:#0969da}"
)


@dataclass(frozen=True, slots=True)
class Dot:
    """One figure."""

    name: str
    value: float
    spread: Sequence[float]


def list_dots(measured: Iterable[Measured]) -> list[Dot]:
    """What is compared with something: ratios with a peer, growth with a small store."""
    return [
        Dot(f"{each.name} {name}", value, each.spread.get(name, (value, value)))
        for each in measured
        if not each.quick
        for name, value in each.figures.items()
        if value > 0 and ("ratio" in name or "growth" in name)
    ]


def write_plot(measured: Iterable[Measured], path: Path = PLOT) -> None:
    """Draw them all."""
    path.write_text(draw(list_dots(measured)))


def draw(dots: Sequence[Dot]) -> str:
    """The picture, as SVG: below 1 is cheaper than what it is held against."""
    height = HEAD + ROW * len(dots) + 10
    body = "".join((*_draw_scale(height), *map(_draw_dot, dots, range(len(dots)))))
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height}" role="img" '
        f'aria-label="Ratios and growth"><style>{STYLE}</style>'
        f'<rect width="{WIDTH}" height="{height}" fill="#fff"/>{body}</svg>\n'
    )


def _draw_scale(height: int) -> Iterator[str]:
    for mark in MARKS:
        x = _place(mark)
        kind = "one" if mark == 1.0 else "grid"
        yield f'<line class="{kind}" x1="{x}" x2="{x}" y1="{HEAD - 12}" y2="{height}"/>'
        yield f'<text x="{x}" y="{HEAD - 18}" text-anchor="middle">{mark:g}</text>'


def _draw_dot(dot: Dot, number: int) -> str:
    y = HEAD + ROW * number + ROW // 2
    left, right = (_place(end) for end in dot.spread)
    return (
        f'<text x="{LABEL - 70}" y="{y + 4}" text-anchor="end">{escape(dot.name)}</text>'
        f'<text x="{LABEL - 12}" y="{y + 4}" text-anchor="end">{dot.value:.3g}</text>'
        f'<line class="spread" x1="{left}" x2="{right}" y1="{y}" y2="{y}"/>'
        f'<circle class="dot" cx="{_place(dot.value)}" cy="{y}" r="4"/>'
    )


def _place(value: float) -> float:
    share = math.log(min(max(value, LEAST), MOST) / LEAST) / math.log(MOST / LEAST)
    return round(LABEL + 10 + share * (WIDTH - LABEL - 40), 1)
