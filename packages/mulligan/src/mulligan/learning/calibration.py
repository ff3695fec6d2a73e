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


def measure_calibration(forecasts: Sequence[Forecast]) -> Calibration:
    """Measure forecasts in bins of equal size."""
    n = len(forecasts)
    # Sorted by the forecast alone: sorted by the outcome too, equal forecasts would be split by it.
    ranked = sorted(forecasts, key=itemgetter(0))
    edges = [round(at * n / BINS) for at in range(BINS + 1)]
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
