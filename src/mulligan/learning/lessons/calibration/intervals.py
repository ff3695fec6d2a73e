"""How far a share that was counted may be from the true one."""

from __future__ import annotations

import math

SURE = 1.96
"""Standard deviations either side that hold 95 %."""


def compute_wilson(successes: float, n: float) -> tuple[float, float]:
    """Where the true share lies with a probability of 95 %; anywhere when nothing was seen."""
    if n <= 0:
        return 0.0, 1.0
    share, square = successes / n, SURE * SURE
    middle = (share + square / (2 * n)) / (1 + square / n)
    half = SURE * math.sqrt(share * (1 - share) / n + square / (4 * n * n)) / (1 + square / n)
    return max(0.0, middle - half), min(1.0, middle + half)


Counted = tuple[float, float]
"""How many of how many."""


def compute_difference(one: Counted, other: Counted) -> tuple[float, float, float]:
    """One share less another, and where the true difference lies: Newcombe's interval."""
    shares = [some / n for some, n in (one, other)]
    (low, high), (other_low, other_high) = (compute_wilson(*each) for each in (one, other))
    difference = shares[0] - shares[1]
    below = math.hypot(shares[0] - low, other_high - shares[1])
    above = math.hypot(high - shares[0], shares[1] - other_low)
    return difference, difference - below, difference + above
