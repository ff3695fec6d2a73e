"""Calibration of probabilities: measured and plotted."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from itertools import pairwise
from operator import itemgetter

from msgspec import Struct

from mulligan.types.lesson import EpisodeSlot, Group

SURE = 1.96
"""Standard deviations either side that hold 95 %."""


def compute_wilson(successes: float, n: float) -> tuple[float, float]:
    """The 95 % interval of the true share (Wilson); 0 to 1 without observations."""
    if n <= 0:
        return 0.0, 1.0
    share, square = successes / n, SURE * SURE
    middle = (share + square / (2 * n)) / (1 + square / n)
    half = SURE * math.sqrt(share * (1 - share) / n + square / (4 * n * n)) / (1 + square / n)
    return max(0.0, middle - half), min(1.0, middle + half)


Counted = tuple[float, float]
"""A count out of a total."""


def compute_difference(one: Counted, other: Counted) -> tuple[float, float, float]:
    """The difference of two shares, with Newcombe's interval."""
    shares = [some / n for some, n in (one, other)]
    (low, high), (other_low, other_high) = (compute_wilson(*each) for each in (one, other))
    difference = shares[0] - shares[1]
    below = math.hypot(shares[0] - low, other_high - shares[1])
    above = math.hypot(high - shares[0], shares[1] - other_low)
    return difference, difference - below, difference + above


BINS = 10

Forecast = tuple[float, bool]
"""A stated probability, and whether it came true."""


class Bin(Struct, frozen=True, kw_only=True):
    """Forecasts of about the same probability."""

    said: float
    """Their mean."""
    true: float
    """The share that came true."""
    n: int


class Calibration(Struct, frozen=True, kw_only=True):
    """How good forecasts were."""

    n: int
    ece: float
    """Expected calibration error: mean distance of stated and true, weighted by bin size."""
    brier: float
    """Mean squared error; 0 is perfect."""
    base_brier: float
    """The Brier score of always stating the base rate."""
    bins: tuple[Bin, ...]


def measure_calibration(forecasts: Sequence[Forecast], *, bins: int = BINS) -> Calibration:
    """Measure forecasts in bins of equal size."""
    n = len(forecasts)
    # Sorted by the forecast alone: sorted by the outcome too, equal forecasts would be split by it.
    ranked = sorted(forecasts, key=itemgetter(0))
    edges = [round(at * n / bins) for at in range(bins + 1)]
    drawn = tuple(
        Bin(
            said=sum(said for said, _ in ranked[low:high]) / (high - low),
            true=sum(came for _, came in ranked[low:high]) / (high - low),
            n=high - low,
        )
        for low, high in pairwise(edges)
        if high > low
    )
    base = sum(came for _, came in forecasts) / n if n else 0.0
    return Calibration(
        n=n,
        ece=sum(each.n * abs(each.said - each.true) for each in drawn) / n if n else 0.0,
        brier=sum((said - came) ** 2 for said, came in forecasts) / n if n else 0.0,
        base_brier=base * (1 - base),
        bins=drawn,
    )


class Lift(Struct, frozen=True, kw_only=True):
    """How much more often a failure was repaired where a correction was offered."""

    lift: float
    """Share repaired of the treated, less that of the control group."""
    low: float
    """The true lift lies between `low` and `high` with a probability of about 95 %."""
    high: float
    treated: int
    control: int


def measure_lift(counts: Mapping[EpisodeSlot, int]) -> Lift | None:
    """Treated versus control, by call; `None` while one of the groups is empty."""
    n = dict.fromkeys(Group, 0)
    repaired = dict.fromkeys(Group, 0)
    for slot, count in counts.items():
        if slot.group is not None and not slot.later:
            n[slot.group] += count
            repaired[slot.group] += count if slot.repaired else 0
    if not all(n.values()):
        return None
    treated, control = Group.TREATED, Group.CONTROL
    lift, low, high = compute_difference(
        (repaired[treated], n[treated]), (repaired[control], n[control])
    )
    return Lift(lift=lift, low=low, high=high, treated=n[treated], control=n[control])


SIDE = 240
MARGIN = 44
LARGEST = 7.0
"""Radius of the largest bin."""

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
    against = f"Brier {found.brier:.3f} (base {found.base_brier:.3f})"
    scores = f"n={found.n}, ECE {found.ece:.3f}, {against}"
    drawn = [
        f'<rect class="frame" x="{low:g}" y="{MARGIN}" width="{SIDE}" height="{SIDE}"/>',
        (
            f'<line class="right" x1="{low:g}" y1="{_scale_y(0.0):g}" '
            f'x2="{high:g}" y2="{_scale_y(1.0):g}"/>'
        ),
        *(_render_mark(each, most=most) for each in found.bins),
        *(
            f'<text x="{_scale_x(share):g}" y="{MARGIN + SIDE + 16}" {MIDDLE}>{share:g}</text>'
            f'<text x="{MARGIN - 6}" y="{_scale_y(share) + 4:g}" text-anchor="end">{share:g}</text>'
            for share in (0.0, 0.5, 1.0)
        ),
        f'<text x="{size / 2:g}" y="{size - 8}" {MIDDLE}>probability given</text>',
        f'<text transform="translate(14 {size / 2:g}) rotate(-90)" {MIDDLE}>came true</text>',
        f'<text x="{low:g}" y="{MARGIN - 14}">{scores}</text>',
    ]
    title = "Probability given against share that came true"
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" role="img" aria-label="{title}" '
        f'viewBox="0 0 {size} {size}" width="{size}" height="{size}">'
        f"<style>{STYLE}</style>{''.join(drawn)}</svg>\n"
    )


def _render_mark(each: Bin, *, most: int) -> str:
    low, high = compute_wilson(each.true * each.n, each.n)
    x, radius = _scale_x(each.said), LARGEST * math.sqrt(each.n / most)
    return (
        f'<line class="sure" x1="{x:.1f}" y1="{_scale_y(low):.1f}" '
        f'x2="{x:.1f}" y2="{_scale_y(high):.1f}"/>'
        f'<circle class="bin" cx="{x:.1f}" cy="{_scale_y(each.true):.1f}" r="{radius:.1f}"/>'
    )


def _scale_x(share: float) -> float:
    return MARGIN + share * SIDE


def _scale_y(share: float) -> float:
    return MARGIN + (1 - share) * SIDE
