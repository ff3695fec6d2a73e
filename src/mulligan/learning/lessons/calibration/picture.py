"""A reliability diagram: what was said against what came true, as a small SVG."""

from __future__ import annotations

import math

from mulligan.learning.lessons.calibration.calibrate import Bin, Calibration
from mulligan.learning.lessons.calibration.intervals import compute_wilson

SIDE = 240
MARGIN = 44
LARGEST = 7.0
"""Radius of the bin that holds the most."""

MIDDLE = 'text-anchor="middle"'

STYLE = (
    "text{font:12px system-ui,sans-serif;fill:#444}"
    ".frame,.right{fill:none;stroke:#bbb}.right{stroke-dasharray:4 4}"
    ".sure{stroke:#7aa2d6;stroke-width:2}.bin{fill:#2f6fbd}"
)


def render_reliability(found: Calibration) -> str:
    """One mark for each bin, its interval of 95 %, and the line on which it should lie."""
    size = SIDE + 2 * MARGIN
    low, high = _scale_x(0.0), _scale_x(1.0)
    most = max((each.n for each in found.bins), default=1)
    drawn = [
        f'<rect class="frame" x="{low:g}" y="{MARGIN}" width="{SIDE}" height="{SIDE}"/>',
        (
            f'<line class="right" x1="{low:g}" y1="{_scale_y(0.0):g}" '
            f'x2="{high:g}" y2="{_scale_y(1.0):g}"/>'
        ),
        *(_render_mark(each, most=most) for each in found.bins),
        *(_render_tick(share) for share in (0.0, 0.5, 1.0)),
        f'<text x="{size / 2:g}" y="{size - 8}" {MIDDLE}>probability given</text>',
        f'<text transform="translate(14 {size / 2:g}) rotate(-90)" {MIDDLE}>came true</text>',
        f'<text x="{low:g}" y="{MARGIN - 14}">{_describe_scores(found)}</text>',
    ]
    title = "Probability given against share that came true"
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" role="img" aria-label="{title}" '
        f'viewBox="0 0 {size} {size}" width="{size}" height="{size}">'
        f"<style>{STYLE}</style>{''.join(drawn)}</svg>\n"
    )


def _describe_scores(found: Calibration) -> str:
    against = f"Brier {found.brier:.3f} (base {found.base_brier:.3f})"
    return f"n={found.n}, ECE {found.ece:.3f}, {against}"


def _render_mark(each: Bin, *, most: int) -> str:
    low, high = compute_wilson(each.true * each.n, each.n)
    x, radius = _scale_x(each.said), LARGEST * math.sqrt(each.n / most)
    return (
        f'<line class="sure" x1="{x:.1f}" y1="{_scale_y(low):.1f}" '
        f'x2="{x:.1f}" y2="{_scale_y(high):.1f}"/>'
        f'<circle class="bin" cx="{x:.1f}" cy="{_scale_y(each.true):.1f}" r="{radius:.1f}"/>'
    )


def _render_tick(share: float) -> str:
    return (
        f'<text x="{_scale_x(share):g}" y="{MARGIN + SIDE + 16}" {MIDDLE}>{share:g}</text>'
        f'<text x="{MARGIN - 6}" y="{_scale_y(share) + 4:g}" text-anchor="end">{share:g}</text>'
    )


def _scale_x(share: float) -> float:
    return MARGIN + share * SIDE


def _scale_y(share: float) -> float:
    return MARGIN + (1 - share) * SIDE
